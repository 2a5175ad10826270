"""Ensembles whose members are fitted once, each on a chunk of rows."""

"""Ensembles whose members learn row by row."""

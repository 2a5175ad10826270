"""Rows whose labels are probably wrong."""

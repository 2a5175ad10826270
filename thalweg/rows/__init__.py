"""Rows in the forms that compiled code takes."""

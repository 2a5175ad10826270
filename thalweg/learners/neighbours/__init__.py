"""Nearest neighbours in a window."""

"""Streams that are generated."""

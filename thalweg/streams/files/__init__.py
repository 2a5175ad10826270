"""Streams read from files."""

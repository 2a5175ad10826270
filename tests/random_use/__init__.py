"""Drivers that use the library at random, along paths that must agree."""

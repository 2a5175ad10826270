"""Trees fitted to the latest rows at once."""

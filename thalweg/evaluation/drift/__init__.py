"""Which inputs of a stream changed, and when."""

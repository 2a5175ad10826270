"""The compiled core that every method shares: handle, row loop, lock, failures, layouts, random numbers."""

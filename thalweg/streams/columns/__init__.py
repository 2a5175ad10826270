"""Columns of text and numbers: their kinds, and the inputs that they become."""

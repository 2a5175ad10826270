"""The compiled code of `thalweg.preprocessing`."""

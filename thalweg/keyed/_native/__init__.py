"""The compiled code of `thalweg.keyed`."""

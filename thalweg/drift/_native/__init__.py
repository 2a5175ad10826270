"""The compiled code of `thalweg.drift`."""

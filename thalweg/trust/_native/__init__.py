"""The compiled code of `thalweg.trust`."""

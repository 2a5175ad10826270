"""The compiled code of `thalweg.service`."""

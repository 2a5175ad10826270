"""The compiled code of `thalweg.streams.files`."""

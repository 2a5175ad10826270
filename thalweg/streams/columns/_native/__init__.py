"""The compiled code of `thalweg.streams.columns`."""

"""The compiled code of `thalweg.learners.base`."""

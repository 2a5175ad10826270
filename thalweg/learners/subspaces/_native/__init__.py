"""The compiled code of `thalweg.learners.subspaces`."""

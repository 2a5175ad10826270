"""The compiled code of `thalweg.learners.trees`."""

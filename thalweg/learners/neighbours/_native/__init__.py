"""The compiled code of `thalweg.learners.neighbours`."""

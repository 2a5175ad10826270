"""The compiled code of `thalweg.learners.stacking`."""

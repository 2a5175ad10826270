"""The compiled code of `thalweg.learners.particles`."""

"""The compiled code of `thalweg.learners.baselines`."""

"""The compiled code of `thalweg.learners.logistic`."""

"""The compiled code of `thalweg.learners.bayes`."""

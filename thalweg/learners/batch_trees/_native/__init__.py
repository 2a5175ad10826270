"""The compiled code of `thalweg.learners.batch_trees`."""

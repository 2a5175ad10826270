"""The compiled code of `thalweg.learners.window_boosting`."""

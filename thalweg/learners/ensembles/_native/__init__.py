"""The compiled code of `thalweg.learners.ensembles`."""

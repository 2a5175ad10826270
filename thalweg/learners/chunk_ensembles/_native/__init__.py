"""The compiled code of `thalweg.learners.chunk_ensembles`."""

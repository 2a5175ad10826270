"""Rows whose labels are probably wrong; the name `thalweg.evaluation.label_errors` is the function's."""

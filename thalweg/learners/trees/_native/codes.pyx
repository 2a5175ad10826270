"""Codes in the arrays of a Hoeffding tree: see codes.pxd."""

from thalweg.learners.bayes._native.bayes_terms cimport LEAST_INVERSE, SURE

# What `cpdef` does for integers.
globals().update(SURE=SURE, LEAST_INVERSE=LEAST_INVERSE)

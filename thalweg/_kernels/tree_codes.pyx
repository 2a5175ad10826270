"""Numbers that stand for something in the arrays of a Hoeffding tree: see tree_codes.pxd."""

# What `cpdef` does for integers.
globals().update(SURE=SURE, LEAST_INVERSE=LEAST_INVERSE)

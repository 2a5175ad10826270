# Codes in the arrays of a Hoeffding tree, and bounds; for Cython and Python.

cpdef enum:
    # `feature` of a node that splits nothing
    LEAF = -1                           # learns
    INACTIVE = -2                       # only counts classes, because there is no memory for more
    DEAD = -3                           # removed from the tree; `sweep` frees its memory

cpdef enum:
    # `test` of a node that splits: which child comes first
    BELOW = 0                           # value <= threshold, then the others
    EACH = 1                            # one child for each category
    IS = 2                              # category == threshold, then the others

cpdef enum:
    # which vote of a leaf counts
    MAJORITY = 0
    BAYES = 1
    ADAPTIVE = 2                        # the one of both that was right more often

cpdef enum:
    # places in `size`
    NODES = 0
    SLOTS = 1                           # ever used; those freed are in `free`
    FREE_SLOTS = 2
    DEAD_NODES = 3
    INACTIVE_LEAVES = 4
    ROOT = 5
    WINDOWS = 6                         # ever used; those freed are in `free_windows`
    FREE_WINDOWS = 7
    N_SIZES = 8

cpdef enum:
    # what `numbers` of a slot holds of each numeric input
    COUNT = 0
    MEAN = 1
    SQUARES = 2                         # sum of squared distances from the mean
    INVERSE = 3                         # (COUNT - 1)/(2 SQUARES)
    LOWEST = 4
    HIGHEST = 5
    N_NUMBERS = 6

cpdef enum:
    # what to make new arrays for: see upkeep.changed
    MORE_NODES = 0
    MORE_SLOTS = 1
    MORE_WINDOWS = 2
    MORE_CATEGORIES = 3
    RANK = 4
    SWEEP = 5

cpdef enum:
    TREE_CATEGORIES = 1024              # codes of categories from here on are treated as missing
    MOST_DEPTH = 10000                  # a leaf below so many nodes does not split: some functions recurse

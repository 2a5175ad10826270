# Rows with every input sorted, and the memory to grow a tree on it.

from libc.stdint cimport uint64_t

cdef extern from "thalweg/learners/batch_trees/_native/border_scores.h":
    enum: BORDERS_AT_ONCE

cdef extern from "thalweg/learners/batch_trees/_native/row_flags.h":
    enum: FLAG_WORDS, MOST_FLAGS, ROWS_TOGETHER

cdef enum:
    MANY_VISITS = 1 << 21               # of rows, about 10 to 20 ms: then it is time to check for signals
    LARGE = 1 << 14                     # rows of a node whose inputs are counted one by one

ctypedef struct batch_split_t:
    double gain                         # below 0 if the node cannot be split
    double threshold                    # of branches, how many are by category
    Py_ssize_t feature
    bint missing_left
    Py_ssize_t n_children
    double n_left                       # weight on the left
    double information                  # of branches: see gain_ratio.pyx, (2)

ctypedef struct batch_nodes_t:          # of a tree
    Py_ssize_t* n                       # how many there are
    Py_ssize_t* feature                 # [node], -1 in a leaf
    Py_ssize_t* child                   # [node]: the left or first child; the others follow it
    Py_ssize_t* missing                 # [node]: the child of a missing value
    double* threshold                   # [node]: values up to it, or this category, go left; see parting.pyx
    double* category                    # [node]: that of a branch; NULL if trees have none
    double* weights                     # [node, class]

ctypedef struct sorted_rows_t:
    Py_ssize_t room
    Py_ssize_t n                        # rows loaded
    Py_ssize_t used                     # rows of them with weight, at the front of every order
    double* columns                     # [feature, room]
    int* sorted                         # [feature, room]: rows in the order of their values, missing last
    int* order                          # the same, cut up among the nodes while a tree grows
    int* spare                          # [room + ROWS_TOGETHER]
    char* left                          # [row]: whether it goes left
    Py_ssize_t* start                   # [node]: its rows in every order
    Py_ssize_t* stop
    batch_split_t* best                 # [node]
    batch_nodes_t nodes                 # of the tree that grows
    double* sums                        # [2, class]: weights left and right of a border
    uint64_t* keys                      # [2, room]
    Py_ssize_t n_logs                   # the largest number in `logs`
    const double* logs                  # c log c
    double* held                        # [class]: see split.pyx
    double* pair_chords                 # [LINES + 1, 2] each: see impurity.pxd
    double* chords
    double* tangents
    const double* table                 # logs, if all weights are whole and sum to at most n_logs; else NULL
    bint is_unit                        # there are two classes, and all weights are 1
    char* second                        # [row]: whether it is of the second class, of two
    bint by_flags                       # whether flags of all rows are packed, see row_flags.h
    uint64_t[FLAG_WORDS] packed_second  # `second`, a bit for each row
    char* distinct                      # [feature]: whether all values differ, and none is missing
    int* counts                         # [room + BORDERS_AT_ONCE]: rows of the second class left of a border
    int* places                         # [room + BORDERS_AT_ONCE]: of borders, within a node
    float* inverse                      # [room + BORDERS_AT_ONCE]: 1, 1/2, 1/3, …
    float* reversed                     # [room + BORDERS_AT_ONCE]: 1/room, …, 1/2, 1, 0, 0, …
    double* promise                     # [feature]: see split.pyx
    batch_split_t* found                # [feature]: the best split by each, for gain ratios
    double least                        # weight that two children of a split must have
    bint is_exact                       # all weights are whole: sums and differences of them are not rounded
    Py_ssize_t n_visits                 # of rows, since the last check for signals
    bint may_stop                       # whether signals are checked
    bint stopped                        # by one: what has been done is to be thrown away


cdef class SortedRows:
    cdef sorted_rows_t core
    cdef dict arrays
    cdef readonly Py_ssize_t n_features
    cdef readonly Py_ssize_t n_classes
    cdef Py_ssize_t n_logs

    cdef void adopt(self, dict arrays)

# copy the rows X[n, n_features] into memory that has room for them, and sort every input
cdef void load_rows(sorted_rows_t* b, const double* X, Py_ssize_t n, Py_ssize_t n_features) noexcept nogil

# check for signals, if the work may stop: after MANY_VISITS
cdef void poll_signals(sorted_rows_t* b) noexcept nogil


cdef inline bint is_stopped(sorted_rows_t* b, Py_ssize_t n_visits) noexcept nogil:
    # Count visits of rows and return whether to stop; checks for signals every so often.
    b.n_visits += n_visits
    if b.n_visits > MANY_VISITS:
        poll_signals(b)
    return b.stopped

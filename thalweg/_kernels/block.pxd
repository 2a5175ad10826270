# A block of rows with every input sorted, and the room to grow a tree on it.

from libc.stdint cimport uint64_t

ctypedef struct split_t:
    double gain                         # below 0 if the node cannot be split
    double threshold
    Py_ssize_t feature
    bint missing_left

ctypedef struct block_t:
    Py_ssize_t room
    Py_ssize_t n                        # rows loaded
    Py_ssize_t used                     # rows of them with weight, at the front of every order
    double* columns                     # [feature, room]
    int* sorted                         # [feature, room]: rows in the order of their values, missing last
    int* order                          # the same, cut up among the nodes while a tree grows
    int* spare                          # [room]
    char* left                          # [row]: whether it goes left
    Py_ssize_t* start                   # [node]: its rows in every order
    Py_ssize_t* stop
    split_t* best                       # [node]
    double* sums                        # [2, class]: weights left and right of a border
    uint64_t* keys                      # [2, room]
    double* logs                        # [2 room + 1]: c log c
    double* held                        # [class]: see batch_split.pyx
    double* pair_chords                 # [LINES + 1, 2] each: see impurity.pxd
    double* chords
    double* tangents
    const double* table                 # logs, if all weights are whole and sum to at most 2 room; else NULL


cdef class Block:
    cdef block_t core
    cdef dict arrays
    cdef readonly Py_ssize_t n_features
    cdef readonly Py_ssize_t n_classes

# take the rows X[n, n_features] into a block that has room for them and sort every input
cdef void block_load(block_t* b, const double* X, Py_ssize_t n, Py_ssize_t n_features) noexcept nogil

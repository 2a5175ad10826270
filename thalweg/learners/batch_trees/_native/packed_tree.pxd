# A batch tree laid out to predict many rows: for trees by numbers and rows without gaps.

from .grow cimport BatchTree

cdef extern from "thalweg/learners/batch_trees/_native/packed_vote.h" nogil:
    enum: ROWS_IN_SET                   # predicted together: they and a tree stay in the cache
    ctypedef struct packed_node_t:
        double threshold
        int feature
        int[2] child

ctypedef struct packed_tree_t:
    packed_node_t* nodes                # the leaves last
    double* p                           # [leaf, class]
    Py_ssize_t n_inner                  # nodes that are no leaves
    Py_ssize_t n_nodes
    Py_ssize_t depth                    # of the deepest leaf
    bint by_numbers                     # whether no split is by category

cdef class PackedTree:
    cdef packed_tree_t core
    cdef object memory

# how many numbers columns_of needs for rows of d inputs; 0 if predicting by columns is not for this machine,
# or not for so many inputs
cdef Py_ssize_t columns_size(Py_ssize_t d) noexcept nogil

# write the rows X[n, d], ROWS_IN_SET at most, as columns[d, ROWS_IN_SET]
cdef void columns_of(const double* X, Py_ssize_t n, Py_ssize_t d, double* columns) noexcept nogil

# add `vote` times the probabilities of the rows X[n, d] to p[n, n_classes]; columns are theirs, or NULL
cdef void packed_vote(const packed_tree_t* t, const double* X, const double* columns, Py_ssize_t n,
                      Py_ssize_t d, Py_ssize_t n_classes, double vote, double* p) noexcept nogil

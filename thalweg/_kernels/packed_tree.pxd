# A batch tree laid out to predict many rows: for trees by numbers and rows without gaps.

from .batch_tree cimport BatchTree

cdef enum:
    ROWS_AT_ONCE = 64                   # predicted together: they and a tree stay in the cache

ctypedef struct packed_node_t:
    double threshold                    # infinity in a leaf
    int feature
    int child                           # the left one, the right one follows it; in a leaf the node itself

ctypedef struct packed_tree_t:
    packed_node_t* nodes
    double* p                           # [node, class]: of the leaves
    Py_ssize_t depth                    # of the deepest leaf
    bint by_numbers                     # whether no split is by category

cdef class PackedTree:
    cdef packed_tree_t core
    cdef object memory

# add `vote` times the probabilities of the rows X[n, d], ROWS_AT_ONCE at most, to p[n, n_classes]
cdef void packed_vote(const packed_tree_t* t, const double* X, Py_ssize_t n, Py_ssize_t d,
                      Py_ssize_t n_classes, double vote, double* p) noexcept nogil

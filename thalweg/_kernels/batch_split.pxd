# The arrays of a batch tree, and the search for the best split of a node.

from .block cimport block_t

ctypedef struct tree_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t max_leaves
    Py_ssize_t room                     # nodes there is memory for
    int criterion
    double laplace
    const Py_ssize_t* n_categories      # 0 for a numeric input
    Py_ssize_t* n_nodes
    Py_ssize_t* feature                 # [node], -1 in a leaf
    Py_ssize_t* child                   # [node]: the left child; the right one follows it
    Py_ssize_t* missing                 # [node]: the child of a missing value
    double* threshold                   # [node]: values up to it, or this category, go left
    double* weights                     # [node, class]

# find the best split of a node over all inputs; b.best[node].gain stays below 0 if there is none
cdef void search(tree_t* t, block_t* b, Py_ssize_t node, const Py_ssize_t* y, const double* w) noexcept nogil

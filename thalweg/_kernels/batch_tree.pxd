# Trees grown on a block of weighted rows, for compiled callers.

from .block cimport block_t
from .learner cimport Kernel

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

cdef class BatchTree(Kernel):
    cdef tree_t core

# grow a tree on the rows of a block with their class codes and weights; rows of weight 0 are left out
cdef void tree_grow(tree_t* t, block_t* b, const Py_ssize_t* y, const double* w) noexcept nogil

# write the class probabilities of the row x into p
cdef void tree_predict(void* tree, const double* x, double* p) noexcept nogil

# Trees grown on a block of weighted rows, for compiled callers.

from .batch_split cimport tree_t
from .block cimport block_t
from .learner cimport Kernel

cdef class BatchTree(Kernel):
    cdef tree_t core

# grow a tree on the rows of a block with their class codes and weights; rows of weight 0 are left out
cdef void tree_grow(tree_t* t, block_t* b, const Py_ssize_t* y, const double* w) noexcept nogil

# write the class probabilities of the row x into p
cdef void tree_predict(void* tree, const double* x, double* p, double* scratch) noexcept nogil

# Trees grown on weighted rows, for compiled callers.

from .split cimport batch_tree_t
from .sorted_rows cimport sorted_rows_t
from thalweg._native.kernel cimport Kernel

cdef class BatchTree(Kernel):
    cdef batch_tree_t core

    cdef bint make_room(self, Py_ssize_t n_nodes) noexcept

# grow a tree on sorted rows with their class codes and weights, without those of weight 0, and let it
# replace the tree; False, and the tree stays, if a signal or a lack of memory stopped it
cdef bint tree_grow(batch_tree_t* t, sorted_rows_t* b, const Py_ssize_t* y, const double* w) noexcept nogil

# the two halves of that: the nodes grow in its memory, with the settings of t; then they replace those of t
cdef bint grow_nodes(const batch_tree_t* t, sorted_rows_t* b, const Py_ssize_t* y,
                     const double* w) noexcept nogil
cdef bint copy_tree(batch_tree_t* t, const sorted_rows_t* b) noexcept nogil

# write the class probabilities of the row x into p
cdef void tree_predict(void* tree, const double* x, double* p, double* scratch) noexcept nogil

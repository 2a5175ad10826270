# How a leaf is split: the best test of each input, and Hoeffding's bound.

from .tree_nodes cimport tree_t

ctypedef struct split_t:
    Py_ssize_t feature                  # column, or -1 where no input offers a test
    Py_ssize_t place                    # of the input among those the leaf looks at
    Py_ssize_t test
    Py_ssize_t n_children
    double threshold
    double merit
    double second                       # merit of the runner-up, -inf without one

cdef split_t best_split(tree_t* t, Py_ssize_t node) noexcept nogil

# what the criterion says of a split that children[n] have seen
cdef double bound(tree_t* t, Py_ssize_t node, double delta) noexcept nogil

cdef bint is_pure(tree_t* t, Py_ssize_t node) noexcept nogil

# merit of a split into n children whose weights lie side by side
cdef double merit_of(tree_t* t, Py_ssize_t node, const double* weights, Py_ssize_t n) noexcept nogil

# give a node the children the split asks for; False where memory ends
cdef bint make_children(tree_t* t, Py_ssize_t node, const split_t* split) noexcept nogil

# split a leaf if Hoeffding's bound allows; True if it did
cdef bint try_to_split(tree_t* t, Py_ssize_t leaf) noexcept nogil

# whether a leaf has seen enough since the last attempt; notes the attempt
cdef bint is_due(tree_t* t, Py_ssize_t leaf) noexcept nogil

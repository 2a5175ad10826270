# How a leaf is split: the best of the tests of all inputs, and Hoeffding's bound.

from libc.math cimport isinf, isnan

from .merits cimport hoeffding_split_t
from .nodes cimport hoeffding_t

# the split of most merit, whose second may be left out; `is_useless` if that is none
cdef hoeffding_split_t best_split(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# Hoeffding's bound for what a leaf has seen
cdef double bound(hoeffding_t* t, Py_ssize_t node, double delta) noexcept nogil

cdef bint is_pure(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# give a node the children the split asks for; False if there is no memory, or the tree is too deep
cdef bint make_children(hoeffding_t* t, Py_ssize_t node, const hoeffding_split_t* split) noexcept nogil

# the best split of a leaf, if Hoeffding's bound allows it; False if there is none
cdef bint find_split(hoeffding_t* t, Py_ssize_t leaf, hoeffding_split_t* split) noexcept nogil

# make a test of a leaf; False if there is no memory, or the tree is too deep
cdef bint split_leaf(hoeffding_t* t, Py_ssize_t leaf, const hoeffding_split_t* split) noexcept nogil

# whether a leaf has seen enough since the last attempt to split; records this one
cdef bint is_due(hoeffding_t* t, Py_ssize_t leaf) noexcept nogil


cdef inline bint is_useless(const hoeffding_split_t* split) noexcept nogil:
    return split.feature < 0 or isinf(split.merit) or isnan(split.merit)

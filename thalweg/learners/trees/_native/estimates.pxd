# Estimates of the impurity that the best test of each input leaves; they are in `rough` of the tree.

from .nodes cimport hoeffding_t

# the greatest estimate of an input that can have the best test; inf without estimates
cdef double most_of_best(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# Whether estimates rule out a split, given Hoeffding's bound e; if not, `most` is the greatest estimate of an
# input whose merit is needed, inf without estimates.
cdef bint is_hopeless(hoeffding_t* t, Py_ssize_t leaf, double e, double* most) noexcept nogil

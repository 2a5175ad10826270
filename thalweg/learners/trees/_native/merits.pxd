# How good the tests of a leaf are.

from .nodes cimport hoeffding_t

ctypedef struct hoeffding_split_t:
    Py_ssize_t feature                  # column, or -1 where no input offers a test
    Py_ssize_t place                    # of the input among those the leaf looks at
    Py_ssize_t test
    Py_ssize_t n_children
    double threshold
    double merit
    double second                       # merit of the runner-up, -inf without one

# the weight S of the classes times their impurity; S is left in `total`
cdef double impurity(hoeffding_t* t, const double* v, double* total) noexcept nogil

# from which the merits of a leaf's tests are counted
cdef double base_of(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# merit of a split into n children whose weights lie side by side
cdef double merit_of(hoeffding_t* t, Py_ssize_t node, const double* weights, Py_ssize_t n) noexcept nogil

# The best test of numeric input i, or of categorical input c, into all of `found` but the input and the
# second; False if there is none.
cdef bint best_threshold(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double base,
                         hoeffding_split_t* found) noexcept nogil
cdef bint best_category(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c, double base,
                        hoeffding_split_t* found) noexcept nogil

# The weights of the classes on both sides of a test, into `left` and `other` of the tree.
cdef void part_at(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double threshold) noexcept nogil
cdef void part_by_category(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c, Py_ssize_t code) noexcept nogil

# least and greatest value of numeric input i; leaves in `score` of the tree what part_at needs
cdef void range_of(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double* low, double* high) noexcept nogil

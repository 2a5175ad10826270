# Trees grown on the same rows, each on some of the inputs.

from .grow cimport BatchTree
from .sorted_rows cimport SortedRows

cdef class SubspaceTrees:
    cdef tuple settings                 # of a BatchTree for all inputs
    cdef SortedRows whole                    # the rows with all inputs, sorted
    cdef SortedRows part                     # those of them that the tree at work sees
    cdef list spares                    # trees that are no longer called
    cdef object categories              # [input]: n_categories of those that the tree at work sees

    # sort these rows; False if that was stopped by a signal
    cdef bint load(self, const double* X, Py_ssize_t n, bint may_stop) except -1
    # a tree on the inputs at columns[width], or None if that was stopped by a signal or failed
    cdef BatchTree grown(self, const Py_ssize_t* columns, Py_ssize_t width, const Py_ssize_t* y,
                         const double* w)

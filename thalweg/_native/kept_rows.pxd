# What was known when a row was observed, kept until the row's label comes; found again by the row itself.

from libc.stdint cimport uint64_t

from .kernel cimport Kernel

ctypedef struct kept_rows_t:
    Py_ssize_t n_features
    Py_ssize_t width                    # doubles kept with a row
    Py_ssize_t room                     # rows there is memory for
    Py_ssize_t most                     # rows there may be memory for
    Py_ssize_t age                      # rows that were observed after the one taken last
    Py_ssize_t* counts                  # COUNT, CURSOR, OBSERVED
    uint64_t* key                       # [kept]: hash of the row
    Py_ssize_t* number                  # [kept]: of the row among those observed, from 1; 0: none is kept
    double* values                      # [kept, width]
    Py_ssize_t* first                   # [kept]: first place in the chain of a hash, -1 for an empty chain
    Py_ssize_t* following               # [kept]: next place in the chain
    void* kernel                        # a KeptRows


cdef class KeptRows(Kernel):
    cdef kept_rows_t core

    cdef bint grow(self) noexcept


cdef inline kept_rows_t* kept_by(Kernel kernel):
    # The rows that wait in a kernel.
    return &(<KeptRows> kernel.waiting).core


# where to write what is kept with the row x; NULL if memory is lacking
cdef double* keep_row(kept_rows_t* s, const double* x) noexcept nogil

# what was kept with the row x, of equal ones the one observed first, which is kept no longer; NULL if none
# is. Then its `age` is known.
cdef const double* take_kept(kept_rows_t* s, const double* x) noexcept nogil

# rows observed so far
cdef Py_ssize_t n_observed(const kept_rows_t* s) noexcept nogil

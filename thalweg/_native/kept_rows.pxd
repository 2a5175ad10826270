# What was known when a row was observed, kept until the row's label arrives; found again by the row's number.

from libc.stdint cimport int64_t

from .kernel cimport Kernel

cdef enum:
    # places in `counts`
    BEFORE = 0                          # number of the row before the first one observed here
    LATEST = 1                          # number of the latest row observed here; 0: none yet

ctypedef struct kept_rows_t:
    Py_ssize_t width                    # doubles kept with a row
    Py_ssize_t room                     # rows there is memory for
    Py_ssize_t most                     # rows there may be memory for
    Py_ssize_t age                      # rows that were observed after the one taken last
    Py_ssize_t* counts
    Py_ssize_t* number                  # [kept]: of the row in this place, which is number % room; 0: none
    double* values                      # [kept, width]
    void* kernel                        # a KeptRows


cdef class KeptRows(Kernel):
    cdef kept_rows_t core

    cdef bint grow(self) noexcept


cdef inline kept_rows_t* kept_by(Kernel kernel):
    # The rows that wait in a kernel.
    return &(<KeptRows> kernel.kept).core


# where to write what is kept with a row; NULL if its number is 0 or memory runs out
cdef double* keep_row(kept_rows_t* s, int64_t number) noexcept nogil


cdef inline bint is_kept(const kept_rows_t* s, int64_t number) noexcept nogil:
    return number > 0 and s.number[number % s.room] == number


cdef inline const double* take_kept(kept_rows_t* s, int64_t number) noexcept nogil:
    # What was kept with a row, which is kept no longer; NULL if it was not. Then its `age` is known.
    if not is_kept(s, number):
        return NULL
    s.age = s.counts[LATEST] - number
    s.number[number % s.room] = 0
    return s.values + number % s.room * s.width


cdef inline Py_ssize_t n_observed(const kept_rows_t* s) noexcept nogil:
    # Rows observed so far.
    return s.counts[LATEST] - s.counts[BEFORE]

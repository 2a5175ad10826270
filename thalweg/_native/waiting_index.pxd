# Which rows wait for their labels: from the id of a row, or from its values, to its number.

from libc.stdint cimport int64_t, uint64_t


cdef class WaitingIndex:
    cdef readonly dict arrays           # as declared, and the chains of places with the same hash
    cdef readonly Py_ssize_t most       # rows there may be memory for
    cdef str who
    cdef Py_ssize_t room                # rows there is memory for
    cdef Py_ssize_t* counts             # COUNT, OBSERVED
    cdef uint64_t* key                  # [waiting]: of the id or the values
    cdef Py_ssize_t* number             # [waiting]: of the row in this place, which is number % room; 0: none
    cdef Py_ssize_t* first              # [chain]: its first place, which is the oldest row; -1: it is empty
    cdef Py_ssize_t* last               # [chain]: its last place, if it is not empty
    cdef Py_ssize_t* following          # [waiting]: next place in the chain; -1: none

    cdef void adopt(self, dict arrays)
    cdef void link(self, Py_ssize_t place) noexcept
    cdef void link_all(self) noexcept
    cdef void forget(self, Py_ssize_t place) noexcept
    cdef Py_ssize_t place_of(self, uint64_t key) noexcept
    cdef int64_t new_number(self, uint64_t key, bint is_id) except -1
    cdef int64_t take_key(self, uint64_t key) noexcept
    cdef int64_t take_one(self, const double* x, Py_ssize_t n, bint has_id, int64_t id) noexcept

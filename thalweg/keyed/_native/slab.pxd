# The states of many keys in slots of one size.

from libc.stdint cimport uint8_t

cimport numpy as cnp

from thalweg._native.kernel cimport learner_t
from .slots cimport SlotKernel, view_t

ctypedef struct slots_t:
    char** chunk                        # [slot >> shift]: memory of 1 << shift slots
    Py_ssize_t shift
    Py_ssize_t stride                   # bytes of a slot, with those of the mix
    Py_ssize_t mix                      # where in a slot the balance of the mix lies; -1 if there is none


cdef inline char* address(const slots_t* s, Py_ssize_t slot) noexcept nogil:
    return s.chunk[slot >> s.shift] + (slot & ((<Py_ssize_t> 1 << s.shift) - 1)) * s.stride


ctypedef struct block_t:
    const slots_t* slots
    view_t* view                        # [thread]
    Py_ssize_t n_views
    double* scratch                     # [thread, scratch_size]
    Py_ssize_t scratch_size
    Py_ssize_t n_threads
    const Py_ssize_t* slot              # [row]: -1 for a row that is left out
    const double* x
    const Py_ssize_t* y                 # NULL if rows are only predicted
    const double* w
    const uint8_t* tested               # NULL if all are
    double* p
    Py_ssize_t start                    # the rows to do
    Py_ssize_t stop
    const learner_t* shared             # the model that is mixed in; NULL if there is none


cdef class Slab:
    cdef readonly list kernels          # a SlotKernel for each thread
    cdef readonly list memory           # the chunks, arrays of bytes
    cdef readonly Py_ssize_t n_slots
    cdef readonly Py_ssize_t stride
    cdef readonly object template       # the slot of a new key
    cdef object shared                  # the kernel of the shared model
    cdef slots_t slots
    cdef Py_ssize_t room                # chunks there are addresses for
    cdef Py_ssize_t n_rows              # to do between two checks for signals

    cdef block_t begin_block(self, Py_ssize_t n_threads) except *
    cdef void end_block(self, block_t* b) noexcept
    cdef int check_there(self, const Py_ssize_t[::1] slots) except -1
    cdef char* at(self, Py_ssize_t slot)
    cdef bint do_one(self, Py_ssize_t slot, cnp.ndarray row, const Py_ssize_t* y, double* p) except -1

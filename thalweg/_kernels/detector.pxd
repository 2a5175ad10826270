# The handle through which compiled code calls a drift detector.

from .lock cimport Lock

cdef enum:
    QUIET = 0
    WARNING = 1
    ALARM = 2

ctypedef struct detector_t:
    void* state
    # update: process a loss; return QUIET, WARNING or ALARM (the detector goes on by itself afterwards)
    int (*update)(void* state, double loss) noexcept nogil
    void (*reset)(void* state) noexcept nogil


cdef class DetectorKernel:
    cdef detector_t handle
    cdef readonly object memory
    cdef int last_level                 # what the last loss led to
    cdef tuple fields                   # of the struct at the start of `memory`
    cdef Py_ssize_t n_losses            # to process before the next look at the clock
    cdef public str who
    cdef public Lock lock

    cdef int allocate(self, tuple fields, Py_ssize_t n_more, tuple settings) except -1
    cdef void adopt(self, memory, int level)

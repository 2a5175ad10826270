# The handle through which compiled code calls a drift detector.

from thalweg._native.lock cimport Lock

cpdef enum:
    # what a loss leads to
    QUIET = 0
    WARNING = 1
    ALARM = 2

cdef extern from *:
    """
    static const double LARGEST_LOSS = 1e100;
    """
    const double LARGEST_LOSS           # losses are clipped to it: sums of squares stay finite

ctypedef struct detector_t:
    void* state
    # update: process a loss; return QUIET, WARNING or ALARM (no reset is needed afterwards)
    int (*update)(void* state, double loss) noexcept nogil
    void (*reset)(void* state) noexcept nogil


cdef class DetectorKernel:
    cdef detector_t handle
    cdef readonly object memory
    cdef int last_level                 # what the last loss led to
    cdef dict fields                    # name: Array (layout.py): the struct at the start of `memory`
    cdef Py_ssize_t n_losses            # to process before the next check of the clock
    cdef public str who
    cdef public Lock lock

    cdef int allocate(self, dict fields, Py_ssize_t n_more, tuple settings) except -1
    cdef void adopt(self, memory, int level)


cdef inline double usual_loss(double loss) noexcept nogil:
    return min(max(loss, -LARGEST_LOSS), LARGEST_LOSS)

# The handle through which compiled code calls a drift detector.

cdef enum:
    QUIET = 0
    WARNING = 1
    ALARM = 2

ctypedef struct detector_t:
    void* state
    # update: take a loss; return QUIET, WARNING or ALARM (the detector goes on by itself afterwards)
    int (*update)(void* state, double loss) noexcept nogil
    void (*reset)(void* state) noexcept nogil


cdef class DetectorKernel:
    cdef detector_t handle
    cdef double[::1] view
    cdef public object memory
    cdef readonly int level

    cdef void keep(self, memory)

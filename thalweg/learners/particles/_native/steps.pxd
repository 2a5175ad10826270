# One step of a particle filter on one batch.

from .state cimport filter_t

cdef enum:
    CHUNK = 16              # panels a thread scores at a time
    SMALL_WORK = 400000     # multiplications of a step that are not worth more threads

cdef void pack(filter_t* f) noexcept nogil
cdef double hits_of(filter_t* f, const double* beta) noexcept nogil

# False, with nothing changed, if a signal ended it
cdef bint take_step(filter_t* f) noexcept nogil

# One step of a particle filter on one batch.

from .particle_filter cimport filter_t

cdef enum:
    CHUNK = 16              # panels a thread takes at a time

cdef void pack(filter_t* f) noexcept nogil
cdef void take_step(filter_t* f) noexcept nogil
cdef double hits_of(filter_t* f, const double* beta) noexcept nogil

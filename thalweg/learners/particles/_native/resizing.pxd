# Batches of a particle filter that adapt their size.

from .state cimport filter_t

# what smaller batches would have gained on this one; False if a signal ended it
cdef bint try_half(filter_t* f, double* gain) noexcept nogil

# count a gain, and change the size if it is time
cdef void resize(filter_t* f, double gain) noexcept nogil

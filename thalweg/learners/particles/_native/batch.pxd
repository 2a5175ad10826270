# What a particle filter does with a batch of rows.

from .state cimport filter_t

# learn the rows of the buffer, or continue where a signal ended it; done if counts.opened is 0 afterwards
cdef void learn_batch(filter_t* f) noexcept nogil

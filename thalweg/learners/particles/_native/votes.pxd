# What a particle filter answers for a row: the class of the predictor or of a vote, and probabilities.

from .state cimport filter_t

cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil

# weight of the waiting rows that the vote gets right
cdef double vote_hits(filter_t* f) noexcept nogil

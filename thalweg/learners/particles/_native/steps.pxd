# One step of a particle filter on one batch.

from .state cimport filter_t

cdef enum:
    CHUNK = 16              # panels a thread scores at a time
    SMALL_WORK = 400000     # multiplications of a step that are not worth more threads

# the rows of the buffer from `first` to before `stop` become what is scored
cdef void pack(filter_t* f, Py_ssize_t first, Py_ssize_t stop) noexcept nogil
cdef double hits_of(filter_t* f, const double* beta) noexcept nogil

# False, with nothing changed, if a signal ended it
cdef bint take_step(filter_t* f) noexcept nogil

# write the centre that a step would give, and change nothing; False if a signal ended it
cdef bint try_step(filter_t* f, double* centre) noexcept nogil

# standard deviation of the next step, by the movement of the centre
cdef double moving_spread(const filter_t* f) noexcept nogil

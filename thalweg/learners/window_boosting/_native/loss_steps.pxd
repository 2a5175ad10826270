# Steps of the members' weights that lower the exponential loss of a window.

from .loss_window cimport loss_window_t

cdef enum:
    STOCHASTIC = 0
    BATCH = 1
    IMPLICIT = 2
    COORDINATE = 3
    NONE = 4

# take left[0] steps of one kind and count them down; `newest` is where the newest row is; return False if a
# signal stopped that
cdef bint take_steps(loss_window_t* v, int kind, double rate, Py_ssize_t* left,
                     Py_ssize_t newest) noexcept nogil

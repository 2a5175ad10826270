# The handle through which compiled code calls a learner, as bitgen_t is for NumPy's generators.

ctypedef struct learner_t:
    void* state
    Py_ssize_t n_features
    Py_ssize_t n_classes
    # learn: take the row x[n_features] with its label's code y and its weight w > 0
    void (*learn)(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil
    # predict: write the class probabilities into p[n_classes], change nothing
    void (*predict)(void* state, const double* x, double* p) noexcept nogil


cdef class Kernel:
    cdef learner_t handle
    # predict into p and then learn with w > 0, where that is quicker than one after the other; else NULL
    cdef void (*both)(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil
    cdef public dict arrays
    cdef public object error

    cdef void bind(self)

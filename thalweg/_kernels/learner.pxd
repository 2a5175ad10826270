# The handle through which compiled code calls a learner, as bitgen_t is for NumPy's generators.

from .lock cimport Lock

ctypedef struct learner_t:
    void* state
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t scratch_size             # doubles of memory that predict needs
    # learn the row x[n_features] with its label's code y and its weight w > 0
    void (*learn)(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil
    # write the class probabilities into p[n_classes]; changes nothing but scratch[scratch_size]
    void (*predict)(void* state, const double* x, double* p, double* scratch) noexcept nogil
    # predict into p and then learn with w > 0, where that is faster than one after the other; else NULL
    void (*predict_learn)(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil


cdef class Kernel:
    cdef learner_t handle
    cdef readonly dict arrays           # as declared in `layout`, and what follows from them
    cdef readonly dict layout           # name: Array (layout.py)
    cdef readonly dict lengths          # axis: its length, None where it grows
    cdef str who
    cdef public Lock lock
    cdef Py_ssize_t n_rows              # to process between two looks for signals
    cdef bint calls_python              # rows reach code written in Python: it may fail at any of them

    cdef void allocate(self, str who, dict layout, dict lengths, dict initial=*)
    cdef void bind(self)
    cdef void adopt(self, dict arrays)
    cdef void derive(self)
    cdef bint adopt_computed(self, compute, tuple arguments) noexcept


cdef inline void predict_learn(const learner_t* h, const double* x, Py_ssize_t y, double w, double* p,
                               double* scratch) noexcept nogil:
    # Predict, and learn if the weight is above 0.
    if w > 0 and h.predict_learn != NULL:
        h.predict_learn(h.state, x, y, w, p)
        return
    h.predict(h.state, x, p, scratch)
    if w > 0:
        h.learn(h.state, x, y, w)

# What ensembles share: their members' handles side by side, and the record of what happened to them.

from .learner cimport Kernel, learner_t

from . cimport learner

ctypedef struct member_t:
    learner_t* handle
    double* scratch                     # [handle.scratch_size]

cdef enum:
    # places in `progress`
    ROWS = 0                            # learned so far
    EVENTS = 1                          # so far; the latest are kept
    NOTES = 2                           # rows of `history` in use
    STRIDE = 3                          # rows from one note to the next
    NEXT_NOTE = 4                       # due once this many rows are learned


cdef class EnsembleKernel(Kernel):
    cdef object build                   # build(m) makes a fresh member m and returns its kernel
    cdef list kernels
    cdef object table
    cdef list scratch_of                # memory for each member's predictions
    cdef member_t* member
    cdef Py_ssize_t n_members
    cdef Py_ssize_t* progress

    cdef void happened(self, Py_ssize_t row, Py_ssize_t m, Py_ssize_t what)
    cdef void note(self)
    cdef void write_note(self, Py_ssize_t row, numbers, sizes)


cdef inline void predict_by(const member_t* m, const double* x, double* p) noexcept nogil:
    m.handle.predict(m.handle.state, x, p, m.scratch)


cdef inline void learn_by(const member_t* m, const double* x, Py_ssize_t y, double w) noexcept nogil:
    m.handle.learn(m.handle.state, x, y, w)


cdef inline void predict_learn(const member_t* m, const double* x, Py_ssize_t y, double w,
                               double* p) noexcept nogil:
    # Predict, and learn if the weight is above 0.
    learner.predict_learn(m.handle, x, y, w, p, m.scratch)


cdef inline Py_ssize_t likeliest(const double* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    for k in range(1, n):
        if p[k] > p[best]:
            best = k
    return best

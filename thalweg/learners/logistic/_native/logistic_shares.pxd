# How much the members of a mixture are trusted: formula (10) of adaptive_logistic.pyx.

from libc.math cimport pow

from thalweg._native.maths cimport softmax
from .logistic_state cimport logistic_t
from .probit cimport log_normal, normal

cdef enum:
    ROUND = 8

cdef extern from *:
    """
    static const double RAREST = 1e-4, FAINTEST = 1e-30;
    """
    double RAREST, FAINTEST             # bounds of q_y and of a share


cdef inline void find_normals(logistic_t* s, const double* z, double* q) noexcept nogil:
    # q <- the probabilities that scores z give to filters of a probit.
    cdef Py_ssize_t m
    for m in range(s.n):
        q[m] = normal(z[m]) if s.n_filters == 1 else log_normal(z[m])
    if s.n_filters > 1:
        for m in range(s.n_members):
            softmax(q + m * s.n_filters, q + m * s.n_filters, s.n_filters)


cdef inline void judge(logistic_t* s, Py_ssize_t y, double v) noexcept nogil:
    cdef Py_ssize_t m
    cdef double own, total = 0.0
    s.turn[0] = s.turn[0] + 1 if s.turn[0] + 1 < ROUND else 0
    for m in range(s.n_members):
        if s.n_filters == 1:
            own = s.q[m] if y == 1 else 1.0 - s.q[m]
        else:
            own = s.q[m * s.n_filters + y]
        own = max(own, RAREST)
        s.share[m] = max(s.share[m] * (own if v == 1.0 else pow(own, v)), FAINTEST)      # (10)
        if s.turn[0] == 0:
            s.share[m] = pow(s.share[m], s.discount)
        total += s.share[m]
    for m in range(s.n_members):
        s.share[m] /= total

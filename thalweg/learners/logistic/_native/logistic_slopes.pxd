# Adaptive forgetting: formulas (7), (8) and the second of (9) in adaptive_logistic.pyx.

from . cimport sweeps
from .logistic_state cimport GRADIENT, logistic_t

cdef extern from *:
    """
    static const double GROW = 1.2, SHRINK = 0.5, SHORTEST = 1e-6, LONGEST = 5e-5;
    """
    double GROW, SHRINK, SHORTEST, LONGEST  # RPROP's factors and the bounds of its step


cdef inline void guard_slopes(logistic_t* s, double leak, Py_ssize_t n) noexcept nogil:
    # (9) for S: with w the root of u/(1 + u R_ii) and h = w R_i of before, G = I - w h i'.
    # u is leak (1 - past).
    cdef Py_ssize_t i = s.place[0], j, m
    cdef double w
    for j in range(s.d):
        for m in range(n):
            s.g[j * n + m] = s.S[sweeps.at(i, j, n) + m]
    for m in range(n):
        w = s.two[m]
        s.one[m] = w * w * s.g[i * n + m]
        s.two[m] = -w
    sweeps.mix(s.S, s.h, s.g, s.one, s.two, s.d, n)
    for j in range(s.d):
        for m in range(n):
            s.h[j * n + m] = s.R[sweeps.at(i, j, n) + m] if s.two[m] < 0 else 0.0
    for m in range(n):
        s.one[m], s.two[m] = leak * s.rise[m], 0.0
    sweeps.mix(s.S, s.h, s.g, s.one, s.two, s.d, n)


cdef inline void divide_slopes(logistic_t* s, Py_ssize_t n) noexcept nogil:
    # S <- D = d (R/past)/d decay, for R as it is before.
    cdef Py_ssize_t i, m
    for m in range(n):
        s.two[m] = s.up[m] * s.rise[m]
    for i in range(s.d * (s.d + 1) // 2):
        for m in range(n):
            s.S[i * n + m] = (s.S[i * n + m] - s.R[i * n + m] * s.two[m]) * s.up[m]


cdef inline void adapt(logistic_t* s, Py_ssize_t n) noexcept nogil:
    # (7) and (8), before R and beta change; g is R x. The sums of psi, in q, are not used.
    cdef Py_ssize_t m
    cdef double k
    sweeps.dots(&s.sweeps, s.psi, s.x, s.one, s.d, n)
    for m in range(n):
        s.e[m] *= s.one[m]
    divide_slopes(s, n)
    sweeps.times(&s.sweeps, s.S, s.x, s.h, s.d, n)
    sweeps.move(&s.sweeps, s.psi, s.h, s.moved, s.q, s.d, n)
    sweeps.dots(&s.sweeps, s.psi, s.x, s.one, s.d, n)
    sweeps.dots(&s.sweeps, s.h, s.x, s.two, s.d, n)
    for m in range(n):
        k = s.a[m] / (s.past[m] + s.a[m] * s.size[m])
        s.one[m] *= -k
        s.two[m] *= k * k
        s.z[m] = -k
    sweeps.move(&s.sweeps, s.psi, s.g, s.one, s.q, s.d, n)
    sweeps.mix(s.S, s.g, s.h, s.two, s.z, s.d, n)
    for m in range(n):
        s.decay[m] = min(max(s.decay[m] + change(s, m, s.e[m]), s.least[m]), 1.0)


cdef inline double change(logistic_t* s, Py_ssize_t m, double gradient) noexcept nogil:
    cdef double turn = gradient * s.slope[m]
    if s.kind == GRADIENT:
        return s.rate * gradient
    if turn > 0:
        s.step[m] = min(s.step[m] * GROW, LONGEST)
    elif turn < 0:
        s.step[m] = max(s.step[m] * SHRINK, SHORTEST)
    s.slope[m] = gradient
    return s.step[m] if gradient > 0 else (-s.step[m] if gradient < 0 else 0.0)

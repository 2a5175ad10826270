# How much of the past a row leaves: formulas (4) and (12) in adaptive_logistic.pyx.

from libc.math cimport NAN, ceil, exp, fabs, pow, sqrt

from . cimport sweeps
from .logistic_slopes cimport divide_slopes, guard_slopes
from .logistic_state cimport GRADIENT, logistic_t

cdef extern from *:
    """
    static const double LEAST_LEFT = 1e-6;
    """
    double LEAST_LEFT                   # of the past's weight, after the longest wait


cdef inline double damped(logistic_t* s, Py_ssize_t m, double u) noexcept nogil:
    return s.least[m] + (1.0 - s.least[m]) * exp(-s.bandwidth * fabs(u))                 # (4)


cdef inline void take_time(logistic_t* s, const double* row) noexcept nogil:
    # The first row comes after one step. One without a time, or with an earlier one than the latest, comes
    # at the latest.
    cdef Py_ssize_t m
    cdef double time = row[s.time] if s.time >= 0 else NAN
    s.gap = 0.0
    if s.clock[0] != s.clock[0] and time == time:
        s.gap = 1.0
    elif time > s.clock[0]:
        s.gap = time - s.clock[0]
    if s.gap > 0.0:
        s.clock[0] = time
    s.brief = s.gap < 1.0
    for m in range(s.n):
        s.rise[m] = 1.0


cdef inline const double* without_time(logistic_t* s, const double* row, double* rest) noexcept nogil:
    cdef Py_ssize_t j
    if s.time < 0:
        return row
    for j in range(s.n_inputs):
        rest[j] = row[j if j < s.time else j + 1]
    return rest


cdef inline double left_after(double decay, double gap) noexcept nogil:
    # decay^gap, of a wait before the last step at least LEAST_LEFT.                     # (12)
    if gap > 1.0:
        return max(pow(decay, gap - 1.0), LEAST_LEFT) * decay
    return decay if gap == 1.0 else pow(decay, gap)


cdef inline void shorten(logistic_t* s, Py_ssize_t m) noexcept nogil:
    # What a row meets that comes after less than one step.
    s.past[m] = pow(s.decay[m], s.gap)
    s.rise[m] = s.gap * s.past[m] / s.decay[m]


cdef inline void wait(logistic_t* s, Py_ssize_t n) noexcept nogil:
    # (12), the gap except for its last step; decay is the row's.
    cdef Py_ssize_t m, _turn, n_turns = <Py_ssize_t> min(ceil(s.gap - 1.0), <double> s.d)
    cdef double left
    for m in range(n):
        left = pow(s.decay[m], s.gap - 1.0)
        s.rise[m] = (s.gap - 1.0) * left / s.decay[m] if left > LEAST_LEFT else 0.0
        s.past[m] = max(left, LEAST_LEFT)
        s.up[m] = 1.0 / s.past[m]
    if s.kind >= GRADIENT:
        divide_slopes(s, n)
    sweeps.scale(&s.sweeps, s.R, s.up, s.d * (s.d + 1) // 2, n)
    if s.guard > 0:
        for _turn in range(n_turns):
            guard_next(s, s.d / (n_turns * s.guard), n)
    for m in range(n):
        s.rise[m] = 1.0


cdef inline void guard_next(logistic_t* s, double leak, Py_ssize_t n) noexcept nogil:
    # (9) for the direction whose turn it is, with u = leak (1 - past).
    cdef Py_ssize_t i = s.place[0], j, m
    cdef double u
    for j in range(s.d):
        for m in range(n):
            s.h[j * n + m] = s.R[sweeps.at(i, j, n) + m]
    for m in range(n):
        u = leak * (1.0 - s.past[m])
        s.two[m] = sqrt(u / (1.0 + u * s.h[i * n + m]))
        s.one[m], s.size[m] = -1.0, 0.0
    sweeps.scale(&s.sweeps, s.h, s.two, s.d, n)
    sweeps.mix(s.R, s.h, s.h, s.one, s.size, s.d, n)
    if s.kind >= GRADIENT:
        guard_slopes(s, leak, n)
    s.place[0] = i + 1 if i + 1 < s.d else 0

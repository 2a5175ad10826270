# Probit regression: formula (11) of adaptive_logistic.pyx, exact far out in the tails too.

from libc.math cimport erfc, exp, fabs, log, log1p

from .logistic_state cimport logistic_t

cdef extern from *:
    """
    static const double ROOT_HALF = 0.70710678118654752440, DENSITY = 0.39894228040143267794;
    static const double LOW_TAIL = -4.0;
    """
    double ROOT_HALF                    # 1/sqrt(2)
    double DENSITY                      # the normal density at 0
    double LOW_TAIL                     # from here down by the continued fraction

cdef enum:
    TERMS = 40                          # enough for the last digit at LOW_TAIL
    MOST_STEPS = 100


cdef inline double normal(double t) noexcept nogil:
    return 0.5 * erfc(-t * ROOT_HALF)


cdef inline double mills(double t, double* excess) noexcept nogil:
    # r = density/distribution at t, and excess = t + r, which would cancel in the tail: with x = -t it is
    # Laplace's 1/(x + 2/(x + 3/(x + ...))).
    cdef double r, rest
    cdef int k
    if t > LOW_TAIL:
        r = DENSITY * exp(-0.5 * t * t) / normal(t)                                      # (11)
        excess[0] = t + r
        return r
    rest = -t
    for k in range(TERMS, 1, -1):
        rest = k / rest - t
    excess[0] = 1.0 / rest
    return excess[0] - t


cdef inline double curvature(logistic_t* s, Py_ssize_t m, Py_ssize_t y) noexcept nogil:
    # a of (1) or (11) for v = 1.
    cdef double excess, sign
    if not s.probit:
        return s.q[m] * (1.0 - s.q[m])
    sign = 1.0 if y == (m % s.n_filters if s.n_filters > 1 else 1) else -1.0
    return mills(sign * s.z[m], &excess) * excess


cdef inline double log_normal(double t) noexcept nogil:
    cdef double excess
    if t > 0.0:
        return log1p(-normal(-t))
    if t > LOW_TAIL:
        return log(normal(t))
    return log(DENSITY / mills(t, &excess)) - 0.5 * t * t


cdef inline double probit_peak(double z, double size) noexcept nogil:
    # t = z + size r(t), by Newton's method: r is convex, so that every step stays below the solution.
    cdef double t = z, r, excess, way
    cdef int _step
    if not size > 0.0:
        return z
    for _step in range(MOST_STEPS):
        r = mills(t, &excess)
        way = (z - t + size * r) / (1.0 + size * r * excess)
        t += way
        if fabs(way) <= 1e-9 * (1.0 + fabs(t)):
            break
    return t


cdef inline void converge_probit(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    # (3) with (11). Signs are turned for rows not of a lane's class.
    cdef Py_ssize_t m
    cdef double z, t, r, size, sign, excess
    for m in range(n):
        sign = 1.0 if y == (m % s.n_filters if s.n_filters > 1 else 1) else -1.0
        z, size = sign * s.z[m], v * s.size[m] * s.up[m]
        t = probit_peak(z, size)
        r = mills(t, &excess)
        s.a[m], s.ratio[m] = v * r * excess, 1.0
        s.moved[m] = sign * v * ((t - z) / size if size > 1.0 else r)

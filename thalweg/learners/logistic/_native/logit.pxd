# Probabilities and the converged step of logistic filters: formulas (1) and (3) of adaptive_logistic.pyx.

from libc.math cimport log

from thalweg._native.maths cimport clipped, logistic
from .logistic_state cimport logistic_t
from .peak cimport is_near, nearer, refined


cdef inline void find_chances(logistic_t* s, const double* z, double* q, Py_ssize_t n) noexcept nogil:
    # q <- the probabilities that scores z give.
    cdef Py_ssize_t _member, k
    cdef double top, total
    cdef double* own = q
    if n == 1:
        q[0] = logistic(z[0])
        return
    if s.n_filters == 1:
        s.logit.logistics(z, q, n)
        return
    for _member in range(s.n_members):
        top = z[0]
        for k in range(1, s.n_filters):
            top = max(top, z[k])
        for k in range(s.n_filters):
            own[k] = z[k] - top
        z += s.n_filters
        own += s.n_filters
    s.logit.exponentials(q, n)
    for _member in range(s.n_members):
        total = 0.0
        for k in range(s.n_filters):
            total += q[k]
        total = 1.0 / total
        for k in range(s.n_filters):
            q[k] *= total
        q += s.n_filters


cdef inline void step_together(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    # What settle and converge do, for several lanes at once.
    cdef Py_ssize_t m
    for m in range(n):
        s.ratio[m] = 1.0 if y == 1 and s.n_filters == 1 else -1.0
    if s.n_filters > 1:
        for m in range(s.n_members):
            s.ratio[m * s.n_filters + y] = 1.0
    s.step_of.weight = v
    s.logit.step(&s.step_of)


cdef inline void converge(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    # Signs are turned for rows not of a lane's class: z rises, and q is the chance of being wrong.
    # Two steps are mostly enough.
    cdef Py_ssize_t m
    cdef double z, q, t, size, sign, first
    for m in range(n):
        z, q, size = s.z[m], s.q[m], v * s.size[m] * s.up[m]
        if s.n_filters > 1:
            z = clipped(log(q) - log(1.0 - q), s.steepest)
        sign = 1.0 if y == (m % s.n_filters if s.n_filters > 1 else 1) else -1.0
        z *= sign
        first = min(max(nearer(z, z, size, 1.0 - q if sign > 0 else q), z), z + size)
        t = nearer(first, z, size, logistic(-first))
        if not (is_near(t - first, size) and z <= t <= z + size):
            t = refined(0.0 if z < 0.0 < z + size and size > 4.0 else first, z, size)
        q = (t - z) / size if size > 1e-3 else logistic(-t)
        s.a[m], s.moved[m], s.ratio[m] = v * q * (1.0 - q), v * q * sign, 1.0

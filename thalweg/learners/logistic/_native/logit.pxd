# The converged step of logistic filters: formula (3) of adaptive_logistic.pyx.

from libc.math cimport log

from thalweg._native.maths cimport clipped, logistic
from .logistic_state cimport logistic_t
from .peak cimport is_near, nearer, refined


cdef inline void converge(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    # Signs are turned for rows not of a lane's class: z rises, and q is the chance of being wrong.
    # Two steps for all lanes together, which is mostly enough.
    cdef Py_ssize_t m
    cdef double z, q, t, size
    for m in range(n):
        z, q, size = s.z[m], s.q[m], v * s.size[m] * s.up[m]
        if s.n_filters > 1:
            z = clipped(log(q) - log(1.0 - q), s.steepest)
        s.ratio[m] = 1.0 if y == (m % s.n_filters if s.n_filters > 1 else 1) else -1.0
        s.z[m], s.one[m] = z * s.ratio[m], size
        q = 1.0 - q if s.ratio[m] > 0 else q
        s.two[m] = min(max(nearer(s.z[m], s.z[m], size, q), s.z[m]), s.z[m] + size)
    for m in range(n):
        s.q[m] = logistic(-s.two[m])
    for m in range(n):
        z, size = s.z[m], s.one[m]
        t = nearer(s.two[m], z, size, s.q[m])
        if not (is_near(t - s.two[m], size) and z <= t <= z + size):
            t = refined(0.0 if z < 0.0 < z + size and size > 4.0 else s.two[m], z, size)
        q = (t - z) / size if size > 1e-3 else logistic(-t)
        s.a[m], s.moved[m], s.ratio[m] = v * q * (1.0 - q), v * q * s.ratio[m], 1.0

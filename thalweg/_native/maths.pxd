# Small functions of numbers that several kernels use.

from libc.math cimport exp, fabs


cdef inline double clipped(double value, double bound) noexcept nogil:
    return min(max(value, -bound), bound) if value == value else 0.0


cdef inline double logistic(double z) noexcept nogil:
    cdef double u = exp(-fabs(z))
    return (1.0 if z >= 0 else u) / (1.0 + u)


cdef inline void softmax(const double* z, double* q, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef double top = z[0], total = 0.0
    for k in range(1, n):
        top = max(top, z[k])
    for k in range(n):
        q[k] = exp(z[k] - top)
        total += q[k]
    total = 1.0 / total
    for k in range(n):
        q[k] *= total


cdef inline Py_ssize_t likeliest(const double* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    for k in range(1, n):
        if p[k] > p[best]:
            best = k
    return best

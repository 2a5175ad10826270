# Small functions of numbers and vectors that several kernels use.

from libc.math cimport exp, fabs


cdef inline double clipped(double value, double bound) noexcept nogil:
    return min(max(value, -bound), bound) if value == value else 0.0


cdef inline double logistic(double z) noexcept nogil:
    cdef double u = exp(-fabs(z))
    return (1.0 if z >= 0 else u) / (1.0 + u)


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    cdef double total = 0.0
    for j in range(n):
        total += a[j] * b[j]
    return total


cdef inline void times(const double* A, const double* x, double* out, Py_ssize_t d) noexcept nogil:
    # out = A x for a symmetric A, by rows, which the compiler turns into vector instructions.
    cdef Py_ssize_t i, j
    cdef double value
    for i in range(d):
        out[i] = 0.0
    for j in range(d):
        value = x[j]
        for i in range(d):
            out[i] += value * A[j * d + i]


cdef inline void softmax(const double* z, double* q, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef double top = z[0], total = 0.0
    for k in range(1, n):
        top = max(top, z[k])
    for k in range(n):
        q[k] = exp(z[k] - top)
        total += q[k]
    for k in range(n):
        q[k] /= total

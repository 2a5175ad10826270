# Symmetric systems of equations, solved by Cholesky's factors in the lower triangle of a[n, n].

from libc.math cimport sqrt


cdef inline void factorise_column(double* a, Py_ssize_t n, Py_ssize_t j) noexcept nogil:
    # To be called for all columns from the first on.
    cdef Py_ssize_t i, other
    cdef double total
    for i in range(j, n):
        total = a[i * n + j]
        for other in range(j):
            total -= a[i * n + other] * a[j * n + other]
        a[i * n + j] = sqrt(max(total, 1e-12)) if i == j else total / a[j * n + j]


cdef inline void solve(const double* a, Py_ssize_t n, double* b) noexcept nogil:
    # b <- solution, given the factors.
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(i):
            b[i] -= a[i * n + j] * b[j]
        b[i] /= a[i * n + i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[j * n + i] * b[j]
        b[i] /= a[i * n + i]

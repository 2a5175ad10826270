"""Finds values that are missing, infinite or huge, and fills gaps with the running mean of their input.

Values are clipped to ±LARGEST: kernels can then square and sum without leaving the range of a
double.
"""

from libc.math cimport fabs, isinf, isnan

cdef double BEYOND = 2e158              # BEYOND · LARGEST is just below infinity


def scan(const double[:, ::1] X):
    """Return (has_missing, has_huge, row, column); the last two are of the first infinite value, or -1."""
    cdef Py_ssize_t i, j, n = X.shape[0] * X.shape[1], d = X.shape[1]
    cdef const double* x
    cdef double a = 0.0, b = 0.0, c = 0.0, e = 0.0
    cdef bint has_missing = False, has_huge = False
    if n == 0:
        return False, False, -1, -1
    x = &X[0, 0]
    with nogil:
        # BEYOND x 0 is 0 for every usual x and NaN otherwise; four sums keep the adders busy.
        for i in range(0, n - 3, 4):
            a += x[i] * BEYOND * 0.0
            b += x[i + 1] * BEYOND * 0.0
            c += x[i + 2] * BEYOND * 0.0
            e += x[i + 3] * BEYOND * 0.0
        for i in range(n - n % 4, n):
            a += x[i] * BEYOND * 0.0
    if a + b + c + e == 0.0:
        return False, False, -1, -1
    for i in range(X.shape[0]):
        for j in range(d):
            if isinf(X[i, j]):
                return True, True, i, j
            if isnan(X[i, j]):
                has_missing = True
            elif fabs(X[i, j]) > LARGEST:
                has_huge = True
    return has_missing, has_huge, -1, -1


def clip(double[:, ::1] X):
    """Clip values to ±LARGEST."""
    cdef Py_ssize_t i, j
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if fabs(X[i, j]) > LARGEST:
                X[i, j] = LARGEST if X[i, j] > 0 else -LARGEST


def update_means(const double[:, ::1] X, const double[::1] w, double[::1] mean, double[::1] count):
    """Update the running means of the inputs by the rows of weight above 0; missing values are left out."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(X.shape[0]):
            if w[i] > 0:
                update_row(&X[i, 0], X.shape[1], &mean[0], &count[0])


def fill(double[:, ::1] X, const double[::1] mean):
    """Replace each missing value by the mean of its input."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(X.shape[0]):
            fill_row(&X[i, 0], X.shape[1], &mean[0])


def fill_and_update(double[:, ::1] X, const double[::1] w, double[::1] mean, double[::1] count):
    """Replace each missing value by the mean of the rows before it, learning the means as it goes."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(X.shape[0]):
            # First learn, then fill: a missing value does not change its own mean.
            if w[i] > 0:
                update_row(&X[i, 0], X.shape[1], &mean[0], &count[0])
            fill_row(&X[i, 0], X.shape[1], &mean[0])

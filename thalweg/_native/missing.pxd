# Missing values, and the running mean of each input for learners that do not take them.

from libc.math cimport isnan

cdef extern from *:
    """
    #define LARGEST 1e150
    """
    const double LARGEST                # values beyond it are clipped: kernels can square and sum the rest


cdef inline void update_row(const double* x, Py_ssize_t d, double* mean, double* count) noexcept nogil:
    # Missing values are left out.
    cdef Py_ssize_t j
    for j in range(d):
        if not isnan(x[j]):
            count[j] += 1.0
            mean[j] += (x[j] - mean[j]) / count[j]


cdef inline void fill_row(double* x, Py_ssize_t d, const double* mean) noexcept nogil:
    # Replace each missing value by the mean of its input.
    cdef Py_ssize_t j
    for j in range(d):
        if isnan(x[j]):
            x[j] = mean[j]


cdef inline bint any_missing(const double* x, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint found = False
    for i in range(n):
        found |= x[i] != x[i]
    return found

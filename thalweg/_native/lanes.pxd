# Vectors and symmetric matrices of several filters side by side. Entry j of a vector is n numbers, one for
# each filter (lane), and so is entry (i, j), j <= i, of a matrix, whose rows are packed one after another.
# All filters see the same row x.

cdef extern from *:
    """
    #if defined(_MSC_VER)
    typedef double *__restrict lane_t;
    #else
    typedef double *__restrict__ lane_t;
    #endif
    """
    ctypedef double* lane_t             # points to memory that no other argument points to


cdef inline Py_ssize_t at(Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) noexcept nogil:
    # Where entry (i, j) of a matrix begins, for any order of i and j.
    return (i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i) * n


cdef inline void mix(lane_t A, lane_t g, lane_t h, lane_t gg, lane_t gh, Py_ssize_t d,
                     Py_ssize_t n) noexcept nogil:
    # A <- A + gg g g' + gh (g h' + h g')
    cdef Py_ssize_t i, j, m
    cdef lane_t row = A
    for i in range(d):
        for j in range(i + 1):
            for m in range(n):
                row[j * n + m] += (
                    gg[m] * (g[i * n + m] * g[j * n + m])
                    + gh[m] * (g[i * n + m] * h[j * n + m] + h[i * n + m] * g[j * n + m])
                )
        row += (i + 1) * n

# Vectors and symmetric matrices of several filters side by side. Entry j of a vector is n numbers, one for
# each filter (lane), and so is entry (i, j), j <= i, of a matrix, whose rows are packed one after another.
# All filters see the same row x. Several lanes are swept by lane_sweeps.h; for a single one callers pass n as
# a constant, and the compiler takes the code that is here.

from thalweg._native.standardiser cimport lane_t

cdef extern from "thalweg/learners/logistic/_native/lane_sweeps.h" nogil:
    ctypedef struct sweeps_t:
        void (*dots)(const double*, const double*, double*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*times)(const double*, const double*, double*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*scale)(double*, const double*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*move)(double*, const double*, const double*, double*, Py_ssize_t, Py_ssize_t) noexcept nogil
        void (*column)(const double*, const double*, const double*, double*, Py_ssize_t, Py_ssize_t,
                       Py_ssize_t) noexcept nogil
        void (*discount)(double*, const double*, const double*, const double*, Py_ssize_t,
                         Py_ssize_t) noexcept nogil
    sweeps_t best_sweeps(Py_ssize_t n) noexcept nogil


cdef inline Py_ssize_t at(Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) noexcept nogil:
    # Where entry (i, j) of a matrix begins, for any order of i and j.
    return (i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i) * n


cdef inline void dots(const sweeps_t* sweeps, const double* a, const double* x, lane_t out, Py_ssize_t d,
                      Py_ssize_t n) noexcept nogil:
    # out = a'x
    cdef Py_ssize_t j
    if n > 1:
        sweeps.dots(a, x, out, d, n)
        return
    out[0] = 0.0
    for j in range(d):
        out[0] += a[j] * x[j]


cdef inline void times(const sweeps_t* sweeps, const double* A, const double* x, lane_t out, Py_ssize_t d,
                       Py_ssize_t n) noexcept nogil:
    # out = A x
    cdef Py_ssize_t i, j
    cdef double total
    if n > 1:
        sweeps.times(A, x, out, d, n)
        return
    for i in range(d):
        total = 0.0
        for j in range(i + 1):
            total += A[j] * x[j]
        for j in range(i):
            out[j] += A[j] * x[i]
        out[i] = total
        A += i + 1


cdef inline void scale(const sweeps_t* sweeps, lane_t a, const double* factor, Py_ssize_t d,
                       Py_ssize_t n) noexcept nogil:
    # a <- factor a
    cdef Py_ssize_t j
    if n > 1:
        sweeps.scale(a, factor, d, n)
        return
    for j in range(d):
        a[j] *= factor[0]


cdef inline void move(const sweeps_t* sweeps, lane_t a, const double* b, const double* factor, lane_t total,
                      Py_ssize_t d, Py_ssize_t n) noexcept nogil:
    # a <- a + factor b, and the entries of a are added to total
    cdef Py_ssize_t j
    if n > 1:
        sweeps.move(a, b, factor, total, d, n)
        return
    for j in range(d):
        a[j] += factor[0] * b[j]
    for j in range(d):
        total[0] += a[j]


cdef inline void column(const sweeps_t* sweeps, const double* A, const double* g, const double* up,
                        lane_t out, Py_ssize_t i, Py_ssize_t d, Py_ssize_t n) noexcept nogil:
    # out = column i of up (A - g g')
    cdef Py_ssize_t j
    if n > 1:
        sweeps.column(A, g, up, out, i, d, n)
        return
    for j in range(d):
        out[j] = (A[at(i, j, 1)] - g[i] * g[j]) * up[0]


cdef inline void discount(const sweeps_t* sweeps, lane_t A, const double* g, const double* h,
                          const double* up, Py_ssize_t d, Py_ssize_t n) noexcept nogil:
    # A <- up (A - g g') - h h'
    cdef Py_ssize_t i, j
    if n > 1:
        sweeps.discount(A, g, h, up, d, n)
        return
    for i in range(d):
        for j in range(i + 1):
            A[j] = (A[j] - g[i] * g[j]) * up[0] - h[i] * h[j]
        A += i + 1


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

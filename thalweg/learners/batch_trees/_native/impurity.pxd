# How pure the classes of a node are: the scores of batch trees, and bounds that save logarithms.

from libc.math cimport log

cdef enum:
    GINI = 0
    ENTROPY = 1
    ERROR = 2
    GAIN_RATIO = 3                      # scores are those of ENTROPY
    LINES = 512

cdef inline double c_log_c(double c, const double* table) noexcept nogil:
    return table[<Py_ssize_t> c] if table != NULL else c * log(c)


cdef inline double score(const double* c, Py_ssize_t n_classes, int criterion,
                         const double* table) noexcept nogil:
    cdef Py_ssize_t k
    cdef double n = 0.0, total = 0.0
    for k in range(n_classes):
        if c[k] > 0:
            n += c[k]
            if criterion == GINI:
                total += c[k] * c[k]
            elif criterion == ENTROPY:
                total += c_log_c(c[k], table)
            else:
                total = max(total, c[k])
    if n <= 0:
        return 0.0
    if criterion == GINI:
        return total / n                                                         # see split.pyx, (1)
    return total - c_log_c(n, table) if criterion == ENTROPY else total


cdef inline double on_line(double c, double n, double scale, const double* lines) noexcept nogil:
    # n f(c/n), nearly, for a function f that is replaced by LINES lines from 0 to 1, of which `lines` has the
    # levels and the slopes, and one for the point 1; scale = LINES/n.
    cdef double place = c * scale
    place = place if place > 0 else 0.0
    cdef Py_ssize_t step = <Py_ssize_t> (place if place < LINES else LINES)
    return n * lines[2 * step] + c * lines[2 * step + 1]

# How pure the classes of a node are: the scores of batch trees, and a rough one to save logarithms.

from libc.math cimport M_LN2, log
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    GINI = 0
    ENTROPY = 1
    ERROR = 2

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
        return total / n                                                         # see batch_tree.pyx, (1)
    return total - c_log_c(n, table) if criterion == ENTROPY else total


cdef inline double rough_log(double value, const double* steps) noexcept nogil:
    # Within 5e-7: the exponent, and for the mantissa the tangent at the middle of one of 512 steps, whose
    # logarithms and then inverses are in `steps`.
    cdef uint64_t bits
    cdef Py_ssize_t step, exponent
    memcpy(&bits, &value, 8)
    step = (bits >> 43) & 511
    exponent = <Py_ssize_t> (bits >> 52) - 1023
    bits = (bits & ((<uint64_t> 1 << 52) - 1)) | (<uint64_t> 1023 << 52)
    memcpy(&value, &bits, 8)
    return exponent * M_LN2 + steps[step] + (value - 1 - (step + 0.5) / 512) * steps[512 + step]


cdef inline double rough_entropy(const double* c, double n, Py_ssize_t n_classes,
                                 const double* steps) noexcept nogil:
    # The entropy score (1) of weights c that sum to n, to tell hopeless borders without a logarithm.
    cdef Py_ssize_t k
    cdef double total = -n * rough_log(n, steps)
    for k in range(n_classes):
        if c[k] > 0:
            total += c[k] * rough_log(c[k], steps)
    return total

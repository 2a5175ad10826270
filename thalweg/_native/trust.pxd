# Shares of experts in an answer, a Bayes mixture in which any of them may become the best (fixed share).

from libc.math cimport pow

cdef extern from *:
    """
    #define LEAST_TRUST 1e-30
    #define LEAST_CHANCE 1e-300
    """
    double LEAST_TRUST
    double LEAST_CHANCE                 # that an expert gave to a label


cdef inline void learn_trust(double* trust, const double* start, Py_ssize_t n, const double* chance,
                             Py_ssize_t stride, double w, double switching) noexcept nogil:
    # v_i <- (1 - c) v_i q_i^w / sum_l v_l q_l^w + c u_i with q_i = chance[i * stride], u the start
    cdef Py_ssize_t i
    cdef double total = 0.0, best = LEAST_CHANCE, ratio, share
    for i in range(n):
        best = max(best, chance[i * stride])
    for i in range(n):
        ratio = max(chance[i * stride], LEAST_CHANCE) / best
        trust[i] *= ratio if w == 1.0 else pow(ratio, w)
        total += trust[i]
    share = (1 - switching) / total
    for i in range(n):
        trust[i] = max(share * trust[i] + switching * start[i], LEAST_TRUST)

# How the models of linear_logistic.pyx are combined: formulas (7) and (8) there.

from libc.math cimport exp, log

from thalweg._native.cholesky cimport factorise_column, solve
from .linear_state cimport N_MODELS, linear_t
from thalweg._native.maths cimport clipped, logistic, softmax

cdef extern from *:
    """
    static const double SUREST = 6.907755278982137;  /* log 1000 */
    static const double STACK_DECAY = 0.99, STACK_RIDGE = 10.0, MOST_TRUST = 10.0, MOST_REPEATS = 10.0;
    """
    double SUREST                       # bound of a model's scores
    double STACK_DECAY
    double STACK_RIDGE                  # information to begin with, and at least
    double MOST_TRUST                   # bound of a model's weight
    double MOST_REPEATS                 # weight of a row above which it counts no more


cdef inline void bound_scores(const linear_t* s, double* z) noexcept nogil:
    # z <- scores: log-odds of the second class, or logarithms of all probabilities.
    cdef Py_ssize_t m, k, n = s.n_filters
    cdef double top, total
    for m in range(N_MODELS):
        if n == 1:
            z[m] = clipped(z[m], SUREST)
            continue
        top, total = z[m * n], 0.0
        for k in range(1, n):
            top = max(top, z[m * n + k])
        for k in range(n):
            total += exp(z[m * n + k] - top)
        top += log(total)
        for k in range(n):
            z[m * n + k] = max(z[m * n + k] - top, -SUREST)


cdef inline void combine(const linear_t* s, const double* z, double* p) noexcept nogil:
    # p <- probabilities, given the bounded scores.                                      (7)
    cdef Py_ssize_t m, k, n = s.n_filters
    cdef double score
    for k in range(n):
        score = 0.0
        for m in range(N_MODELS):
            score += s.weights[m] * z[m * n + k]
        p[k] = score
    if n == 1:
        p[1] = logistic(p[0])
        p[0] = 1.0 - p[1]
    else:
        softmax(p, p, n)


ctypedef struct newton_t:               # step of the weights
    double[N_MODELS] g
    double[N_MODELS * N_MODELS] factors


cdef inline void find_newton(linear_t* s, double* z, Py_ssize_t y, double v, newton_t* step) noexcept nogil:
    # (8) up to the factors of A. Scores are centred in place; for two classes the first one's are 0.
    cdef Py_ssize_t m, other, k, n = s.n_filters
    cdef double mean, total
    combine(s, z, s.p)
    for m in range(N_MODELS):
        if n == 1:
            step.g[m] = v * ((1.0 if y == 1 else 0.0) - s.p[1]) * z[m]
            continue
        mean = 0.0
        for k in range(n):
            mean += s.p[k] * z[m * n + k]
        for k in range(n):
            z[m * n + k] -= mean
        step.g[m] = v * z[m * n + y]
    for m in range(N_MODELS):
        for other in range(m + 1):
            total = 0.0
            for k in range(n):
                total += (s.p[k] if n > 1 else s.p[0] * s.p[1]) * z[m * n + k] * z[other * n + k]
            total = STACK_DECAY * s.information[m * N_MODELS + other] + v * total
            if m == other:
                total += (1.0 - STACK_DECAY) * STACK_RIDGE
            s.information[m * N_MODELS + other] = s.information[other * N_MODELS + m] = total
            step.factors[m * N_MODELS + other] = total
    for m in range(N_MODELS):
        factorise_column(step.factors, N_MODELS, m)


cdef inline void learn_weights(linear_t* s, newton_t* step) noexcept nogil:
    # (8), the rest. It waits for the factors, and therefore comes after work that does not.
    cdef Py_ssize_t m
    solve(step.factors, N_MODELS, step.g)
    for m in range(N_MODELS):
        s.weights[m] = clipped(s.weights[m] + step.g[m], MOST_TRUST)

"""Logistic regressions that weigh members by their answers, with several forgettings, and their mixture.

Member m gives class k the probability p_mk. With e = 0.001 and K classes, a stacker of weights w answers

    z_mk = log((1 - e) p_mk + e/K),   q = softmax_k(sum_m w_m z_mk)               (1)

and learns the label y by one Newton step on its log-loss, with P the inverse of the information faded by λ:

    P <- P/λ, bounded;   P^-1 += sum_k q_k d_k d_k',  d_k = z_k - sum_l q_l z_l   (2)
    w += P d_y                                                                    (3)

Weights begin at 1/M and P at 1/RIDGE; P is bounded by its trace, at most MOST_GROWTH times that of the start:
otherwise members that agree for long would make the next step as large as one likes. Stackers with different λ
share the answer by a Bayes mixture of trusts v in which every one may become the best (fixed share):

    p = sum_i v_i q_i,   v_i <- (1 - c) v_i q_iy / sum_l v_l q_ly + c/S           (4)
"""

from libc.math cimport exp, fabs, isfinite, log

cdef double LEAST = 1e-3                # e
cdef double MOST_GROWTH = 4.0
cdef double MOST_WEIGHT = 1e3           # of a row
cdef double UNLIKELY = 1e-9             # a class that adds nothing to the information
cdef double FARTHEST = 1e6              # from 0, of a weight


cdef void stack_logs(const stackers_t* s, const double* p, double* z) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n_members * s.n_classes):
        z[i] = log((1 - LEAST) * p[i] + LEAST / s.n_classes)


cdef void stack_answers(const stackers_t* s, const double* z, double* q) noexcept nogil:
    cdef Py_ssize_t i, k, m
    cdef double best, total
    cdef const double* w
    for i in range(s.n_stackers):
        w = s.weights + i * s.n_members
        for k in range(s.n_classes):
            q[k] = 0.0
        for m in range(s.n_members):
            for k in range(s.n_classes):
                q[k] += w[m] * z[m * s.n_classes + k]
        best, total = q[0], 0.0
        for k in range(1, s.n_classes):
            best = max(best, q[k])
        for k in range(s.n_classes):
            q[k] = exp(q[k] - best)
            total += q[k]
        for k in range(s.n_classes):
            q[k] /= total                                                        # (1)
        q += s.n_classes


cdef void stack_mix(const stackers_t* s, const double* q, double* p) noexcept nogil:
    cdef Py_ssize_t i, k
    for k in range(s.n_classes):
        p[k] = 0.0
    for i in range(s.n_stackers):
        for k in range(s.n_classes):
            p[k] += s.trust[i] * q[i * s.n_classes + k]                          # (4)


cdef void stack_learn(stackers_t* s, const double* z, const double* q, const double* said, Py_ssize_t y,
                      double w) noexcept nogil:
    cdef Py_ssize_t i
    w = min(w, MOST_WEIGHT)
    learn_trust(s, said, y, w)
    for i in range(s.n_stackers):
        learn_weights(s, i, z, q + i * s.n_classes, y, w)


cdef void learn_trust(stackers_t* s, const double* said, Py_ssize_t y, double w) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0.0, best = -1e300, score
    for i in range(s.n_stackers):
        best = max(best, w * log(max(said[i * s.n_classes + y], 1e-300)))
    for i in range(s.n_stackers):
        score = w * log(max(said[i * s.n_classes + y], 1e-300))
        s.trust[i] *= exp(score - best)
        total += s.trust[i]
    for i in range(s.n_stackers):
        s.trust[i] = (1 - s.switching) * s.trust[i] / total + s.switching / s.n_stackers


cdef void learn_weights(stackers_t* s, Py_ssize_t i, const double* z, const double* q, Py_ssize_t y,
                        double w) noexcept nogil:
    cdef Py_ssize_t k, m, n = s.n_members
    cdef double* mean = s.work
    cdef double* gap = s.work + n
    cdef double* weights = s.weights + i * n
    cdef double* inverse = s.inverse + i * n * n
    fade(inverse, n, s.decay[i])
    for m in range(n):
        mean[m] = 0.0
        for k in range(s.n_classes):
            mean[m] += q[k] * z[m * s.n_classes + k]
    if s.n_classes == 2:                # both gaps are along the same line
        for m in range(n):
            gap[m] = z[2 * m + 1] - z[2 * m]
        add_information(inverse, n, gap, w * q[0] * q[1], s.work + 2 * n)
    else:
        for k in range(s.n_classes):
            if q[k] > UNLIKELY:
                for m in range(n):
                    gap[m] = z[m * s.n_classes + k] - mean[m]
                add_information(inverse, n, gap, w * q[k], s.work + 2 * n)
    for m in range(n):
        gap[m] = z[m * s.n_classes + y] - mean[m]
    step(inverse, n, gap, w, weights)


cdef void fade(double* inverse, Py_ssize_t n, double decay) noexcept nogil:
    cdef Py_ssize_t j, m
    cdef double trace = 0.0, most = MOST_GROWTH * n / RIDGE, factor = 1.0 / decay
    for m in range(n):
        trace += inverse[m * n + m]
    if not (isfinite(trace) and trace > 0):
        for j in range(n):
            for m in range(n):
                inverse[j * n + m] = (1.0 / RIDGE) if j == m else 0.0
        return
    if trace * factor > most:
        factor = max(most / trace, 1.0)
    if factor != 1.0:
        for m in range(n * n):
            inverse[m] *= factor


cdef void add_information(double* inverse, Py_ssize_t n, const double* gap, double w,
                          double* product) noexcept nogil:
    # The inverse of (inverse^-1 + w gap gap').                                  (2)
    cdef Py_ssize_t j, m
    cdef double inner = 0.0, factor
    for j in range(n):
        product[j] = 0.0
        for m in range(n):
            product[j] += inverse[j * n + m] * gap[m]
        inner += product[j] * gap[j]
    if not inner > 0:
        return
    factor = w / (1.0 + w * inner)
    for j in range(n):
        for m in range(n):
            inverse[j * n + m] -= factor * product[j] * product[m]


cdef void step(const double* inverse, Py_ssize_t n, const double* gap, double w, double* weights) noexcept nogil:
    cdef Py_ssize_t j, m
    cdef double move
    for j in range(n):
        move = 0.0
        for m in range(n):
            move += inverse[j * n + m] * gap[m]
        move = weights[j] + w * move                                             # (3)
        if fabs(move) < FARTHEST:
            weights[j] = move

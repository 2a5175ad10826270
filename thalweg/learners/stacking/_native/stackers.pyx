"""Logistic regressions that weigh members by their answers, with several forgettings, and their mixture.

Member m gives class k the probability p_mk. With e = 0.001 and K classes, a stacker of weights w answers

    z_mk = log((1 - e) p_mk + e/K),   q = softmax_k(sum_m w_m z_mk)               (1)

and learns the label y by one Newton step on its log-loss, with P the inverse of the information faded by λ:

    P <- P/λ, bounded;   P^-1 += sum_k q_k d_k d_k',  d_k = z_k - sum_l q_l z_l   (2)
    w += P d_y                                                                    (3)

A stacker may take a share n of the labels for chance: it answers (1 - n) q + n/K instead, and a row counts in
(2) and (3) by how likely its label is none of these,

    (1 - n) q_y / ((1 - n) q_y + n/K).                                            (4)

Weights begin at 1/M and P at 1/RIDGE; P is bounded by its trace, at most MOST_GROWTH times that of the start:
otherwise members that agree for long would make the next step as large as one likes. Stackers with different
λ, and the members by themselves, share the answer by a Bayes mixture of trusts v in which every one may
become the best (fixed share); v begins as u, two fifths for the stackers and three for the members:

    p = sum_i v_i q_i,   v_i <- (1 - c) v_i q_iy / sum_l v_l q_ly + c u_i         (5)

A member alone is right for the first rows after an abrupt change, if only one has learned what is new. There
are two of these mixtures, one with c = 0, and a mixture of the two in the same way: where labels come late, a
change of the best comes too late to be of use.
"""

from libc.math cimport exp, isfinite, log

from thalweg._native.trust cimport learn_trust

cdef double LEAST = 1e-3                # e
cdef double MOST_GROWTH = 4.0
cdef double RARELY = 1e-9               # c of the mixture of mixtures
cdef double FAINTEST = 1e-12            # probability of a member, if a saved state has a smaller one
cdef double MOST_WEIGHT = 1e3           # of a row
cdef double UNLIKELY = 1e-9             # a class that adds nothing to the information
cdef double FARTHEST = 1e6              # from 0, of a weight


cdef void stack_bound(const stackers_t* s, double* said) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n_members * s.n_classes):
        said[i] = (1 - LEAST) * said[i] + LEAST / s.n_classes


cdef void stack_answers(const stackers_t* s, double* said, double* z) noexcept nogil:
    cdef Py_ssize_t i, k, m
    cdef double best, total
    cdef double* q = said + s.n_members * s.n_classes
    cdef const double* w
    for i in range(s.n_members * s.n_classes):
        z[i] = log(max(said[i], FAINTEST))
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
            q[k] = (1 - s.noise[i]) * q[k] / total + s.noise[i] / s.n_classes    # (1), (4)
        q += s.n_classes


cdef void stack_mix(const stackers_t* s, double* said, double* p) noexcept nogil:
    cdef Py_ssize_t i, k, r, n = s.n_members + s.n_stackers
    cdef double* mixed = said + n * s.n_classes
    for k in range(N_RATES * s.n_classes):
        mixed[k] = 0.0
    for k in range(s.n_classes):
        p[k] = 0.0
    for r in range(N_RATES):
        for i in range(n):
            for k in range(s.n_classes):
                mixed[k] += s.trust[r * n + i] * said[i * s.n_classes + k]       # (5)
        for k in range(s.n_classes):
            p[k] += s.rate_trust[r] * mixed[k]
        mixed += s.n_classes
    if s.n_classes == 1:
        p[0] = 1.0                      # shares of trust sum to 1 up to rounding


cdef void stack_learn(stackers_t* s, const double* z, const double* now, const double* said, Py_ssize_t y,
                      double w) noexcept nogil:
    cdef Py_ssize_t i, r, n = s.n_members + s.n_stackers
    cdef double even[N_RATES]
    w = min(w, MOST_WEIGHT)
    for r in range(N_RATES):
        learn_trust(s.trust + r * n, s.start, n, said + y, s.n_classes, w, r * s.switching)
        even[r] = 1.0 / N_RATES
    learn_trust(s.rate_trust, even, N_RATES, said + n * s.n_classes + y, s.n_classes, w, RARELY)
    for i in range(s.n_stackers):
        learn_weights(s, i, z, now + (s.n_members + i) * s.n_classes, y, w)


cdef void learn_weights(stackers_t* s, Py_ssize_t i, const double* z, const double* said, Py_ssize_t y,
                        double w) noexcept nogil:
    cdef Py_ssize_t k, m, n = s.n_members
    cdef double rest
    cdef double* gap = s.work
    cdef double* move = s.work + n
    cdef double* mean = s.work + 2 * n
    cdef double* q = s.work + 3 * n
    cdef double* weights = s.weights + i * n
    cdef double* inverse = s.inverse + i * n * n
    w *= without_noise(said, s.n_classes, s.noise[i], y, q)
    fade(inverse, n, s.decay[i])
    if s.n_classes == 2:                # both gaps are along the same line
        for m in range(n):
            gap[m] = z[2 * m + 1] - z[2 * m]
        rest = add_information(inverse, n, gap, w * q[0] * q[1], move)
        step(weights, n, move, rest * w * (q[0] if y == 1 else -q[1]))           # (3)
        return
    for m in range(n):
        mean[m] = 0.0
        for k in range(s.n_classes):
            mean[m] += q[k] * z[m * s.n_classes + k]
    for k in range(s.n_classes):
        if q[k] > UNLIKELY:
            gap_of(s, z, mean, k, gap)
            add_information(inverse, n, gap, w * q[k], move)
    gap_of(s, z, mean, y, gap)
    multiply(inverse, n, gap, move)
    step(weights, n, move, w)                                                    # (3)


cdef inline void step(double* weights, Py_ssize_t n, const double* move, double size) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(n):
        weights[m] = min(max(weights[m] + size * move[m], -FARTHEST), FARTHEST)


cdef double without_noise(const double* said, Py_ssize_t n_classes, double noise, Py_ssize_t y,
                          double* q) noexcept nogil:
    # Write q of (1), of which noise made what was said; return how likely the label is none of the noise.
    cdef Py_ssize_t k
    for k in range(n_classes):
        q[k] = max(said[k] - noise / n_classes, 0.0) / (1 - noise)
    return (1 - noise) * q[y] / max(said[y], FAINTEST) if noise > 0 else 1.0     # (4)


cdef inline void gap_of(const stackers_t* s, const double* z, const double* mean, Py_ssize_t k,
                        double* gap) noexcept nogil:
    # d_k of (2)
    cdef Py_ssize_t m
    for m in range(s.n_members):
        gap[m] = z[m * s.n_classes + k] - mean[m]


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


cdef double add_information(double* inverse, Py_ssize_t n, const double* gap, double w,
                            double* product) noexcept nogil:
    # Make the inverse that of (inverse^-1 + w gap gap').                         (2)
    # Write the old inverse times gap into product; return what part of that the new one has.
    cdef Py_ssize_t j, m
    cdef double inner = 0.0, factor, times
    cdef double* row = inverse
    multiply(inverse, n, gap, product)
    for j in range(n):
        inner += product[j] * gap[j]
    if not inner > 0:
        return 1.0
    factor = w / (1.0 + w * inner)
    for j in range(n):
        times = product[j]
        for m in range(n):              # factor last: what rounding makes unsymmetric would grow by fading
            row[m] -= factor * (times * product[m])
        row += n
    return 1.0 - factor * inner


cdef void multiply(const double* inverse, Py_ssize_t n, const double* gap, double* product) noexcept nogil:
    # Row by row, the inverse being symmetric: the inner loop has no sum that must be taken in order.
    cdef Py_ssize_t j, m
    cdef double times
    for j in range(n):
        product[j] = 0.0
    for m in range(n):
        times = gap[m]
        for j in range(n):
            product[j] += inverse[m * n + j] * times

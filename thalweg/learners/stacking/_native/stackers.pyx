"""Logistic regressions that weight members by their answers, with several forgetting factors; their mixture.

Member m gives class k the probability p_mk. With e = 0.001 and K classes, a stacker of weights w answers

    z_mk = log((1 - e) p_mk + e/K),   q = softmax_k(sum_m w_m z_mk)               (1)

and learns the label y by one Newton step on its log-loss, with P the inverse of the information faded by λ:

    P <- P/λ, bounded;   P^-1 += sum_k q_k d_k d_k',  d_k = z_k - sum_l q_l z_l   (2)
    w += P d_y                                                                    (3)

In (2) classes count that are at least a hundredth as likely as the most likely. What is added to all z_m of a
member changes nothing, so that two classes need one logarithm. A stacker may take a share n of the labels for
chance, all classes being as likely: it answers (1 - n) q + n/K instead, and a row counts in (2) and (3) by
how likely its label is none of these,

    (1 - n) q_y / ((1 - n) q_y + n/K).                                            (4)

After N_OPEN labels, K in (4) are the classes that had one, and the others get nothing of n.

Weights begin at 1/J, J the number of members that are weighted, and P at 1/RIDGE; P is bounded by its trace,
at most MOST_GROWTH times that of the start: otherwise members that agree for long would make the next step as
large as one likes. Stackers with different λ, and all members by themselves, share the answer by a Bayes
mixture of trusts v in which every one may become the best (fixed share); v begins as u:

    p = sum_i v_i q_i,   v_i <- (1 - c) v_i q_iy / sum_l v_l q_ly + c u_i         (5)

A member alone is right for the first rows after an abrupt change, if only one has learned what is new. There
are two of these mixtures, one with c = 0, and a mixture of the two in the same way: where labels come late, a
change of the best comes too late to be of use.
"""

from libc.math cimport exp, isfinite, log
from libc.string cimport memset

from thalweg._native.trust cimport learn_trust

cdef double LEAST = 1e-3                # e
cdef double MOST_GROWTH = 4.0
cdef double RARELY = 1e-9               # c of the mixture of mixtures
cdef double FAINTEST = 1e-12            # probability of a member, if a saved state has a smaller one
cdef double MOST_WEIGHT = 1e3           # of a row
cdef double UNLIKELY = 0.01             # beside the most likely class: adds no information
cdef double FARTHEST = 1e6              # from 0, of a weight


cdef void stack_spread(stackers_t* s) noexcept nogil:
    cdef Py_ssize_t k, n = 0
    s.n_heard = 0
    for k in range(s.n_classes):
        n += s.heard[k] > 0
        s.n_heard += s.heard[k]
    for k in range(s.n_classes):
        if s.n_heard < N_OPEN or s.n_classes == 2:
            s.spread[k] = 1.0 / s.n_classes
        else:
            s.spread[k] = 1.0 / n if s.heard[k] else 0.0


cdef void stack_bound(const stackers_t* s, double* said) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n_members * s.n_classes):
        said[i] = (1 - LEAST) * said[i] + LEAST / s.n_classes


cdef void stack_answers(const stackers_t* s, double* said, double* z) noexcept nogil:
    cdef Py_ssize_t i, j, k
    cdef double* q = said + s.n_members * s.n_classes
    cdef const double* member
    for j in range(s.n_stacked):
        member = said + s.stacked[j] * s.n_classes
        if s.n_classes == 2:
            z[2 * j], z[2 * j + 1] = 0.0, log(max(member[1], FAINTEST) / max(member[0], FAINTEST))
            continue
        for k in range(s.n_classes):
            z[j * s.n_classes + k] = log(max(member[k], FAINTEST))
    for i in range(s.n_stackers):
        if s.n_classes == 2:
            answer_of_two(s, i, z, q)
        else:
            answer(s, i, z, q)
        q += s.n_classes


cdef inline void answer_of_two(const stackers_t* s, Py_ssize_t i, const double* z, double* q) noexcept nogil:
    cdef Py_ssize_t j
    cdef double score = 0.0, small, noise = s.noise[i]
    cdef const double* w = s.weights + i * s.n_lanes
    for j in range(s.n_stacked):
        score += w[j] * z[2 * j + 1]
    small = exp(-abs(score))
    small = (1 - noise) * (small / (1.0 + small)) + 0.5 * noise                  # (1), (4)
    q[0], q[1] = (small, 1.0 - small) if score > 0 else (1.0 - small, small)


cdef void answer(const stackers_t* s, Py_ssize_t i, const double* z, double* q) noexcept nogil:
    cdef Py_ssize_t j, k
    cdef double best, total = 0.0, noise = s.noise[i]
    cdef const double* w = s.weights + i * s.n_lanes
    for k in range(s.n_classes):
        q[k] = 0.0
    for j in range(s.n_stacked):
        for k in range(s.n_classes):
            q[k] += w[j] * z[j * s.n_classes + k]
    best = q[0]
    for k in range(1, s.n_classes):
        best = max(best, q[k])
    for k in range(s.n_classes):
        q[k] = exp(q[k] - best)
        total += q[k]
    for k in range(s.n_classes):
        q[k] = (1 - noise) * q[k] / total + noise * s.spread[k]                  # (1), (4)


cdef void stack_mix(const stackers_t* s, double* said, double* p) noexcept nogil:
    cdef Py_ssize_t i, k, r, n = s.n_members + s.n_stackers
    cdef double* mixed = said + n * s.n_classes
    cdef double share
    memset(mixed, 0, N_RATES * s.n_classes * sizeof(double))
    for r in range(N_RATES):
        for i in range(n):
            share = s.trust[r * n + i]
            for k in range(s.n_classes):
                mixed[k] += share * said[i * s.n_classes + k]                    # (5)
        mixed += s.n_classes
    stack_mixed(s, said, p)


cdef void stack_mixed(const stackers_t* s, const double* said, double* p) noexcept nogil:
    cdef Py_ssize_t k, r
    cdef const double* mixed = said + (s.n_members + s.n_stackers) * s.n_classes
    for k in range(s.n_classes):
        p[k] = 0.0
        for r in range(N_RATES):
            p[k] += s.rate_trust[r] * mixed[r * s.n_classes + k]
    if s.n_classes == 1:
        p[0] = 1.0                      # shares of trust sum to 1 up to rounding


cdef void stack_learn(stackers_t* s, const double* z, const double* now, const double* said, Py_ssize_t y,
                      double w) noexcept nogil:
    cdef Py_ssize_t r, n = s.n_members + s.n_stackers
    cdef double even[N_RATES]
    w = min(w, MOST_WEIGHT)
    s.heard[y] += 1
    s.n_heard += 1
    if s.heard[y] == 1 or s.n_heard == N_OPEN:
        stack_spread(s)
    for r in range(N_RATES):
        learn_trust(s.trust + r * n, s.start, n, said + y, s.n_classes, w, r * s.switching)
        even[r] = 1.0 / N_RATES
    learn_trust(s.rate_trust, even, N_RATES, said + n * s.n_classes + y, s.n_classes, w, RARELY)
    stack_learn_weights(s, z, now, y, w)


cdef void stack_learn_weights(stackers_t* s, const double* z, const double* said, Py_ssize_t y,
                              double w) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n_stackers):
        learn_weights(s, i, z, said + (s.n_members + i) * s.n_classes, y, w)


cdef void learn_weights(stackers_t* s, Py_ssize_t i, const double* z, const double* said, Py_ssize_t y,
                        double w) noexcept nogil:
    cdef Py_ssize_t j, n = s.n_stacked
    cdef double rest, factor
    cdef double* gap = s.work
    cdef double* move = s.work + s.n_lanes
    cdef double* q = s.work + 3 * s.n_lanes
    cdef double* weights = s.weights + i * s.n_lanes
    cdef double* inverse = s.inverse + i * n * s.n_lanes
    w *= without_noise(s, said, s.noise[i], y, q)
    factor = fading(inverse, n, s.n_lanes, s.decay[i])
    if s.n_classes == 2:                # both gaps are along the same line
        for j in range(n):
            gap[j] = z[2 * j + 1]
        rest = s.add_information(inverse, n, gap, w * q[0] * q[1], factor, move)
        step(weights, n, move, rest * w * (q[0] if y == 1 else -q[1]))           # (3)
    else:
        learn_classes(s, inverse, z, y, w, factor)
        step(weights, n, move, w)


cdef void learn_classes(const stackers_t* s, double* inverse, const double* z, Py_ssize_t y, double w,
                        double factor) noexcept nogil:
    # (2) for several classes, and P d_y of (3), which goes into the place of `move`.
    cdef Py_ssize_t j, k, n = s.n_stacked, n_classes = s.n_classes
    cdef double least = 0.0
    cdef double* gap = s.work
    cdef double* move = gap + s.n_lanes
    cdef double* mean = move + s.n_lanes
    cdef const double* q = mean + s.n_lanes
    for k in range(n_classes):
        least = max(least, UNLIKELY * q[k])
    for j in range(n):
        mean[j] = 0.0
        for k in range(n_classes):
            mean[j] += q[k] * z[j * n_classes + k]
    for k in range(n_classes):
        if q[k] > least:
            gap_of(z + k, n, n_classes, mean, gap)
            s.add_information(inverse, n, gap, w * q[k], factor, move)
            factor = 1.0
    gap_of(z + y, n, n_classes, mean, gap)
    s.add_information(inverse, n, gap, 0.0, factor, move)


cdef inline void gap_of(const double* z, Py_ssize_t n, Py_ssize_t stride, const double* mean,
                        double* gap) noexcept nogil:
    # d_k of (2)
    cdef Py_ssize_t j
    for j in range(n):
        gap[j] = z[j * stride] - mean[j]


cdef inline void step(double* weights, Py_ssize_t n, const double* move, double size) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        weights[j] = min(max(weights[j] + size * move[j], -FARTHEST), FARTHEST)


cdef double without_noise(const stackers_t* s, const double* said, double noise, Py_ssize_t y,
                          double* q) noexcept nogil:
    # Write q of (1), before noise was mixed in; return how likely the label is not noise.
    cdef Py_ssize_t k
    for k in range(s.n_classes):
        q[k] = max(said[k] - noise * s.spread[k], 0.0) / (1 - noise)
    return (1 - noise) * q[y] / max(said[y], FAINTEST) if noise > 0 else 1.0     # (4)


cdef double fading(double* inverse, Py_ssize_t n, Py_ssize_t stride, double decay) noexcept nogil:
    # The factor by which P grows; a matrix that is damaged begins again.
    cdef Py_ssize_t j, m
    cdef double trace = 0.0, most = MOST_GROWTH * n / RIDGE, factor = 1.0 / decay
    for m in range(n):
        trace += inverse[m * stride + m]
    if not (isfinite(trace) and trace > 0):
        for j in range(n):
            for m in range(n):
                inverse[j * stride + m] = (1.0 / RIDGE) if j == m else 0.0
        return 1.0
    return max(most / trace, 1.0) if trace * factor > most else factor

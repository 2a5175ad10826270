"""Logistic regression as a recursive filter that forgets, and mixtures of such filters.

An input enters as its distance from its running mean in running standard deviations, at most FAR of them;
the last entry of x is 1, the intercept. A filter keeps coefficients beta and the inverse R of the
information. For a row of weight v, with c = 1 if it is of the filter's class and 0 otherwise:

    z = beta'x,  q = logistic(z), or softmax over the filters,  a = v q (1 - q),  e = v (c - q)      (1)
    k = R x/(decay + a x'R x),  R <- (R - a k x'R)/decay,  beta <- beta + k e                        (2)

That is one Newton step for the row's likelihood times what the past says. The converged step goes all the
way to the maximum, z* = z + x'R x e*/decay with e* = v (c - q(z*)), takes a there too, and has

    beta <- beta + R x e*/decay                                                                      (3)

Tuned forgetting weighs the two sums of the approximation by what the row brings to each; with the
converged step, which has no second sum, ratio is 1:

    damped(u) = least + (1 - least) exp(-bandwidth |u|)                                              (4)
    b = -e - a z,  decay = damped(a/v),  ratio = damped(b/v)/decay                                   (5)
    beta <- ratio beta - k (b + ratio a z)                                                           (6)

Adaptive forgetting climbs the row's log-likelihood along psi = d beta/d decay and S = d R/d decay, with
F = I - a k x', D = S/decay - R/decay^2 of the old R and S, and e* = e decay/(decay + a x'R x) for (2):

    g = e x'psi,  psi <- F (psi + D x e*),  S <- F D F'                                              (7)
    decay <- decay + rate g, or RPROP's step with the sign of g; within [least, 1]                   (8)

The guard adds the information u = d (1 - decay)/guard to one of the d directions in turn, so that R stays
below about guard where no news comes; S follows with G = I - u R_i i'/(1 + u R_ii):

    R <- R - u R_i R_i'/(1 + u R_ii),  S <- G S G' + R_i R_i' d/guard with the new R_i               (9)

Members of a mixture are weighed by their discounted log-likelihood:

    score <- discount score + v log q_y,  share = softmax(score)                                    (10)
"""

import numpy as np

from libc.math cimport exp, fabs, isfinite, log, sqrt

from .learner cimport Kernel, learner_t
from .maths cimport clipped, dot, logistic, softmax, times

cdef enum:
    FIXED = 0
    TUNED = 1
    GRADIENT = 2
    RPROP = 3

KINDS = {"fixed": FIXED, "tuned": TUNED, "adaptive": GRADIENT, "rprop": RPROP}

cdef double FAR = 10.0
cdef double HUGE = 1e150                # its square is still finite
cdef double STEEPEST = 500.0            # bound of |z|
cdef double RAREST = 1e-4               # bound of the q_y that scores a member
cdef double GROW = 1.2                  # RPROP's factors and the bounds of its step
cdef double SHRINK = 0.5
cdef double SHORTEST = 1e-6
cdef double LONGEST = 1e-2

ctypedef struct filter_t:
    double* beta                        # [d]
    double* R                           # [d, d]
    double* S                           # [d, d], adaptive only
    double* psi                         # [d], adaptive only
    double* decay
    double* step                        # RPROP: size of the next step
    double* slope                       # RPROP: last gradient

ctypedef struct logistic_t:
    Py_ssize_t n_inputs
    Py_ssize_t d                        # inputs and the intercept
    Py_ssize_t n_classes
    Py_ssize_t n_filters                # of a member: one for two classes, else one a class
    Py_ssize_t n_members
    bint standardise
    bint converged
    double prior                        # diagonal of R at the beginning
    double guard                        # 0: none
    double rate
    double discount
    Py_ssize_t kind
    double bandwidth
    const double* least                 # [member]
    double* count                       # [input]: values seen
    double* mean                        # [input]
    double* variance                    # [input]
    double* scale                       # [input]: 1/standard deviation, 0 while that is 0
    double* score                       # [member]
    Py_ssize_t* place                   # the guard's next direction
    Py_ssize_t* restarts                # [member]
    double* beta                        # [member, filter, d]
    double* R
    double* S
    double* psi
    double* decay                       # [member, filter]
    double* step
    double* slope
    double* x                           # scratch of learn: [d]
    double* g                           # [d]
    double* h                           # [d]
    double* z                           # [filter]
    double* q                           # [filter]


cdef class LogisticKernel(Kernel):
    """The filters of one or more members, which differ in `least`, their strongest forgetting."""

    cdef logistic_t core
    cdef object fixed

    def __init__(self, n_features, n_classes, kind, least, bandwidth, rate, converged, standardise, guard,
                 prior, discount):
        cdef logistic_t* s = &self.core
        s.n_inputs, s.d, s.n_classes, s.n_members = n_features, n_features + 1, n_classes, len(least)
        s.n_filters = 1 if n_classes == 2 else n_classes
        s.kind, s.bandwidth, s.rate, s.converged = KINDS[kind], bandwidth, rate, converged
        s.standardise, s.guard, s.prior, s.discount = standardise, guard, prior, discount
        shape = (s.n_members, s.n_filters)
        slopes = (*shape, s.d) if s.kind >= GRADIENT else (0, 0, 0)
        decay = np.ones(shape)
        if s.kind == FIXED:
            decay *= np.array(least)[:, None]
        self.arrays = {
            "count": np.zeros(n_features),
            "mean": np.zeros(n_features),
            "variance": np.zeros(n_features),
            "scale": np.zeros(n_features) if standardise else np.ones(n_features),
            "score": np.zeros(s.n_members),
            "place": np.zeros(1, dtype=np.intp),
            "restarts": np.zeros(s.n_members, dtype=np.intp),
            "beta": np.zeros((*shape, s.d)),
            "R": np.zeros((*shape, s.d, s.d)) + prior * np.eye(s.d),
            "S": np.zeros((*slopes, slopes[2])),
            "psi": np.zeros(slopes),
            "decay": decay,
            "step": np.full(shape, rate),
            "slope": np.zeros(shape),
        }
        self.fixed = np.array(least, dtype=np.float64), np.zeros(3 * s.d + 2 * s.n_filters)
        self.handle = learner_t(<void*> s, n_features, n_classes, learn, predict)
        self.bind()

    cdef void bind(self):
        cdef logistic_t* s = &self.core
        s.least, s.x = doubles(self.fixed[0]), doubles(self.fixed[1])
        s.g = s.x + s.d
        s.h = s.g + s.d
        s.z = s.h + s.d
        s.q = s.z + s.n_filters
        s.count, s.mean = doubles(self.arrays["count"]), doubles(self.arrays["mean"])
        s.variance, s.scale = doubles(self.arrays["variance"]), doubles(self.arrays["scale"])
        s.place, s.restarts = integers(self.arrays["place"]), integers(self.arrays["restarts"])
        s.beta, s.R = doubles(self.arrays["beta"]), doubles(self.arrays["R"])
        s.S, s.psi = doubles(self.arrays["S"]), doubles(self.arrays["psi"])
        s.decay, s.step = doubles(self.arrays["decay"]), doubles(self.arrays["step"])
        s.slope, s.score = doubles(self.arrays["slope"]), doubles(self.arrays["score"])


cdef double* doubles(array):
    cdef double[::1] flat = array.reshape(-1)
    return &flat[0] if flat.shape[0] else NULL


cdef Py_ssize_t* integers(array):
    cdef Py_ssize_t[::1] flat = array
    return &flat[0]


cdef inline filter_t filter_of(logistic_t* s, Py_ssize_t m, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i = m * s.n_filters + k
    cdef filter_t f
    f.beta, f.R = s.beta + i * s.d, s.R + i * s.d * s.d
    f.S, f.psi = NULL, NULL
    if s.kind >= GRADIENT:
        f.S, f.psi = s.S + i * s.d * s.d, s.psi + i * s.d
    f.decay, f.step, f.slope = s.decay + i, s.step + i, s.slope + i
    return f


cdef inline double standard(logistic_t* s, double value, Py_ssize_t j) noexcept nogil:
    # A missing value counts as the mean.
    if not s.standardise:
        return value if value == value else s.mean[j]
    return clipped((value - s.mean[j]) * s.scale[j], FAR)


cdef void take(logistic_t* s, const double* row) noexcept nogil:
    # The row enters the running means and variances, and is standardised by them. Wild values count as FAR
    # standard deviations there too, lest one of them hide its input for ever.
    cdef Py_ssize_t j
    cdef double error, share
    for j in range(s.n_inputs):
        if row[j] == row[j]:
            s.count[j] += 1.0
            share = 1.0 / s.count[j]
            error = row[j] - s.mean[j]
            if s.standardise:
                error = clipped(error, FAR / s.scale[j] if s.scale[j] > 0 else HUGE)
                s.variance[j] += (error * error * (1.0 - share) - s.variance[j]) * share
                s.scale[j] = 1.0 / sqrt(s.variance[j]) if s.variance[j] > 1.0 / (HUGE * HUGE) else 0.0
            s.mean[j] += error * share
        s.x[j] = standard(s, row[j], j)
    s.x[s.n_inputs] = 1.0


cdef double score_of(logistic_t* s, const double* row, const double* beta) noexcept nogil:
    cdef Py_ssize_t j
    cdef double z = beta[s.n_inputs]
    for j in range(s.n_inputs):
        z += beta[j] * standard(s, row[j], j)
    return clipped(z, STEEPEST)


cdef void predict(void* state, const double* row, double* p) noexcept nogil:
    cdef logistic_t* s = <logistic_t*> state
    cdef Py_ssize_t m, k
    cdef double share, shares = 0.0, best = s.score[0]
    for k in range(s.n_classes):
        p[k] = 0.0
    for m in range(1, s.n_members):
        best = max(best, s.score[m])
    for m in range(s.n_members):
        share = exp(s.score[m] - best)
        shares += share
        add(s, m, row, share, p)
    for k in range(s.n_classes):
        p[k] /= shares


cdef inline void add(logistic_t* s, Py_ssize_t m, const double* row, double share, double* p) noexcept nogil:
    # The share of a member in the probabilities. Scores are found twice, for there is no room to keep them:
    # several threads may predict at once.
    cdef Py_ssize_t k
    cdef const double* beta = s.beta + m * s.n_filters * s.d
    cdef double z, top = -2.0 * STEEPEST, total = 0.0
    if s.n_filters == 1 and s.n_classes == 2:
        z = score_of(s, row, beta)
        p[0] += share * logistic(-z)
        p[1] += share * logistic(z)
        return
    for k in range(s.n_filters):
        z = score_of(s, row, beta + k * s.d)
        total = total * exp(min(top - z, 0.0)) + exp(min(z - top, 0.0))
        top = max(top, z)
    for k in range(s.n_filters):
        p[k] += share * exp(score_of(s, row, beta + k * s.d) - top) / total


cdef void learn(void* state, const double* row, Py_ssize_t y, double v) noexcept nogil:
    cdef logistic_t* s = <logistic_t*> state
    cdef Py_ssize_t m, k
    cdef double own
    if s.n_classes == 1:
        return
    take(s, row)
    for m in range(s.n_members):
        for k in range(s.n_filters):
            s.z[k] = clipped(dot(s.beta + (m * s.n_filters + k) * s.d, s.x, s.d), STEEPEST)
        if s.n_filters == 1:
            s.q[0] = logistic(s.z[0])
            own = s.q[0] if y == 1 else 1.0 - s.q[0]
        else:
            softmax(s.z, s.q, s.n_filters)
            own = s.q[y]
        if s.n_members > 1:
            s.score[m] = s.discount * s.score[m] + v * log(max(own, RAREST))             # (10)
        if s.n_filters == 1:
            step(s, m, 0, y == 1, v)
        else:
            for k in range(s.n_filters):
                step(s, m, k, y == k, v)
    s.place[0] = (s.place[0] + 1) % s.d


cdef inline double damped(logistic_t* s, Py_ssize_t m, double u) noexcept nogil:
    return s.least[m] + (1.0 - s.least[m]) * exp(-s.bandwidth * fabs(u))                 # (4)


cdef void step(logistic_t* s, Py_ssize_t m, Py_ssize_t k, bint is_class, double v) noexcept nogil:
    cdef filter_t f = filter_of(s, m, k)
    cdef Py_ssize_t j, d = s.d
    cdef double q = s.q[k], z = s.z[k], e = v * (is_class - q), a = v * q * (1.0 - q)    # (1)
    cdef double decay, size, moved, ratio = 1.0, check = 0.0
    times(f.R, s.x, s.g, d)
    size = dot(s.g, s.x, d)
    if s.kind == TUNED:
        f.decay[0] = damped(s, m, a / v)
        if not s.converged:
            ratio = damped(s, m, (e + a * z) / v) / f.decay[0]                           # (5)
    decay = f.decay[0]
    if s.converged:
        q = converged(log(q) - log(1.0 - q) if s.n_filters > 1 else z, v * size / decay, is_class)
        a = v * q * (1.0 - q)
        moved = v * (is_class - q)                                                       # (3)
    else:
        moved = (e + a * z * (1.0 - ratio)) * decay / (decay + a * size)                 # (2), (6)
    if s.kind >= GRADIENT:
        adapt(s, f, m, a, size, e, moved)
    for j in range(d):
        f.beta[j] = ratio * f.beta[j] + s.g[j] * (moved / decay)
    forget(s, f, decay, a / (decay + a * size))
    for j in range(d):
        check += f.beta[j] + f.R[j * (d + 1)] + (f.psi[j] if f.psi != NULL else 0.0)
    if not isfinite(check + f.decay[0]):
        restart(s, f, m)


cdef double converged(double z, double size, bint is_class) noexcept nogil:
    # The q of (3): Newton's method for t = z + size (1 - logistic(t)), kept within the bracket [low, high];
    # for a row not of the class, with all signs turned.
    cdef double low, high, t, q, miss
    cdef int _round
    z = clipped(z if is_class else -z, STEEPEST)
    low, high = z, z + size
    t = 0.0 if z < 0.0 < high else z
    for _round in range(60):
        q = logistic(-t)
        miss = t - z - size * q
        if fabs(miss) <= 1e-13 * (1.0 + fabs(t)):
            break
        if miss > 0:
            high = t
        else:
            low = t
        t -= miss / (1.0 + size * q * (1.0 - q))
        if not low < t < high:
            t = 0.5 * (low + high)
    return logistic(t if is_class else -t)


cdef void forget(logistic_t* s, filter_t f, double decay, double gain) noexcept nogil:
    # (2) and (9) for R in one sweep: first the guard's column as it will be, then the matrix. Products of
    # equals keep R symmetric to the last bit.
    cdef Py_ssize_t i = s.place[0], j, d = s.d
    cdef double root = sqrt(gain) if gain > 0 else 0.0, up = 1.0 / decay, u = 0.0, own, other
    cdef double* R = f.R + i * d
    if s.guard > 0:
        u = d * (1.0 - decay) / s.guard
    for j in range(d):
        s.g[j] *= root
    for j in range(d):
        s.h[j] = (R[j] - s.g[i] * s.g[j]) * up
    u = sqrt(u / (1.0 + u * s.h[i]))
    for j in range(d):
        s.h[j] *= u
    for i in range(d):
        R = f.R + i * d
        own, other = s.g[i], s.h[i]
        for j in range(d):
            R[j] = (R[j] - own * s.g[j]) * up - other * s.h[j]
    if f.S != NULL and u > 0:
        guard_slope(s, f, u)


cdef void guard_slope(logistic_t* s, filter_t f, double u) noexcept nogil:
    # (9) for S; h is u R_i of before, and R_i is that of after.
    cdef Py_ssize_t i = s.place[0], j, k, d = s.d
    cdef double own = f.S[i * (d + 1)] * u * u
    cdef const double* R = f.R + i * d
    for j in range(d):
        s.g[j] = u * f.S[i * d + j]
    for j in range(d):
        for k in range(d):
            f.S[j * d + k] += (
                own * (s.h[j] * s.h[k]) - (s.h[j] * s.g[k] + s.g[j] * s.h[k]) + R[j] * R[k] * (d / s.guard)
            )


cdef void adapt(logistic_t* s, filter_t f, Py_ssize_t m, double a, double size, double e,
                double moved) noexcept nogil:
    # (7) and (8), before R changes; g is R x.
    cdef Py_ssize_t i, j, d = s.d
    cdef double decay = f.decay[0], k = a / (decay + a * size), along, middle
    cdef double gradient = e * dot(f.psi, s.x, d)
    for i in range(d * d):
        f.S[i] = (f.S[i] - f.R[i] / decay) / decay
    times(f.S, s.x, s.h, d)
    for i in range(d):
        f.psi[i] += s.h[i] * moved
    along, middle = dot(f.psi, s.x, d) * k, dot(s.h, s.x, d) * k * k
    for i in range(d):
        f.psi[i] -= s.g[i] * along
        for j in range(d):
            f.S[i * d + j] += middle * (s.g[i] * s.g[j]) - k * (s.g[i] * s.h[j] + s.h[i] * s.g[j])
    f.decay[0] = min(max(decay + change(s, f, gradient), s.least[m]), 1.0)


cdef double change(logistic_t* s, filter_t f, double gradient) noexcept nogil:
    cdef double turn = gradient * f.slope[0]
    if s.kind == GRADIENT:
        return s.rate * gradient
    if turn > 0:
        f.step[0] = min(f.step[0] * GROW, LONGEST)
    elif turn < 0:
        f.step[0] = max(f.step[0] * SHRINK, SHORTEST)
    f.slope[0] = gradient
    return f.step[0] if gradient > 0 else (-f.step[0] if gradient < 0 else 0.0)


cdef void restart(logistic_t* s, filter_t f, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t j, d = s.d
    s.restarts[m] += 1
    for j in range(d * d):
        f.R[j] = 0.0
    for j in range(d):
        f.R[j * (d + 1)] = s.prior
        f.beta[j] = 0.0
    if f.S != NULL:
        for j in range(d * d):
            f.S[j] = 0.0
        for j in range(d):
            f.psi[j] = 0.0
    f.decay[0] = s.least[m] if s.kind == FIXED else 1.0
    f.step[0], f.slope[0] = s.rate, 0.0

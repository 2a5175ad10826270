"""Calibrated probabilities of a member: a mixture of scalings that forget, then a correction of one class.

With the member's probabilities p, of K classes, and v the shares of the experts:

(1) z_k = log of p_k, at least FLOOR, divided by their sum
(2) experts: p as in (1); T: q_k ~ exp(b z_k); TB: q_k ~ exp(b z_k + a_k); one of each for every forgetting L
(3) m_k = sum of v_e q_ek over the experts e
(4) the top class k, of m or of p if answers are kept, gets t g + (1 - t) m_k with g = 1/(1 + exp(-c - s r))
    and r = log(m_k/(1 - m_k)); the others share the rest as in m, but none gets more than the top class

When the label y arrives, with q by today's b and a of the z that was said then, u what it counts, and h the
information of the prior:

(5) H_b <- L H_b + (1 - L) h + u Var_q(z);  b += (u (z_y - E_q z) - (1 - L) h (b - 1)) / H_b
(6) H_k <- L H_k + (1 - L) h + u q_k (1 - q_k);  a_k += (u ([k = y] - q_k) - (1 - L) h a_k) / H_k
(7) v_e ~ v_e said_e(y)^(u/sqrt(1 + d)), with a little of the first shares; said is what e said when the row
    was predicted, and the label came d rows late
(8) (c, s) a step of a logistic regression of [k = y] on r, as (5) with a 2 x 2 matrix; t as v in (7)

A row whose label is late is observed first: z, r, g, the top class and the b and a of then are kept with
it. If n labels had been learned then and N by now, it counts as u = (1 + n)/(1 + N) of its weight: what a
beginner said tells little about the member now.
"""

import numpy as np

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, MOST_COUNTED, MOST_WEIGHT, Array, require

from thalweg._native cimport kernel as learner
from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, take_kept
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.maths cimport clipped, likeliest, logistic, softmax
from thalweg._native.pointers cimport doubles
from thalweg._native.trust cimport learn_trust
from thalweg.learners.base._native.one_member cimport OneMemberKernel

cdef double FLOOR = 1e-4                # of a member's probability
cdef double PRIOR = 5.0                 # h
cdef double LEAST_SLOPE = 0.02
cdef double MOST_SLOPE = 5.0
cdef double MOST_BIAS = 20.0
cdef double SLOPE_STEP = 0.3            # at most, by one label
cdef double BIAS_STEP = 0.5
cdef double SWITCHING = 0.001           # of the shares, back to the first ones at each label
cdef double AS_IT_IS = 0.5              # share of the member as it is, at first
cdef double LINE_FORGETTING = 1.0 - 1.0 / 3000
cdef double LEVEL_PRIOR = 2.0           # information about c
cdef double LINE_PRIOR = 20.0           # about s
cdef double LEAST_VARIANCE = 0.001
cdef double SURE = 1e-3                 # r is that of at least this, and at most 1 less this
cdef double SUREST = 1e-6               # so is g
cdef double LINE_SHARE = 0.8            # t, at first
cdef double MOST_COUNT = 1e3            # of a row
FORGETTING = (0.99, 0.999, 0.9999, 1.0)

cdef enum:
    N_RATES = 4                         # of FORGETTING
    # places of what is kept with a row; then come the slopes, z and the biases
    KNOWN = 0                           # labels learned by then
    RATIO = 1                           # r
    TOP = 2
    BY_LINE = 3                         # g
    HEAD = 4

ctypedef struct calibrated_t:
    learner_t* member
    double* own                         # [own_size]: memory to learn a row
    double* scratch                     # memory to predict while a row is learned
    Py_ssize_t own_size
    Py_ssize_t n_classes
    Py_ssize_t n_scalings
    Py_ssize_t n_biased                 # the last ones of the scalings have biases
    bint keeps_answers
    const double* forgetting            # [rate]
    const double* start                 # [expert]
    double* slope                       # [scaling]: b
    double* information                 # [scaling]
    double* bias                        # [biased, class]: a
    double* bias_information            # [biased, class]
    double* trust                       # [expert]: the member as it is, then the scalings
    double* line                        # c, s
    double* line_information            # of c, of both, of s
    double* line_trust                  # t, 1 - t
    const double* line_start
    double* n_labels
    double* p                           # [class]: an answer that nobody asked for
    double* chance                      # [expert]
    kept_rows_t* kept

ctypedef struct said_t:
    double ratio                        # r
    double by_line                      # g
    Py_ssize_t top
    double* z                           # [class]
    double* each                        # [expert, class]


cdef class CalibratedKernel(OneMemberKernel):
    """Calls a member, and calibrates its probabilities."""

    cdef calibrated_t core
    cdef dict buffers

    def __init__(self, who, n_features, n_classes, keeps_answers, most_kept):
        cdef calibrated_t* c = &self.core
        n_biased = 0 if keeps_answers else N_RATES
        n_scalings = N_RATES + n_biased
        self.allocate(who, {
            "slope": Array(FLOAT, "scaling", low=LEAST_SLOPE, high=MOST_SLOPE, fill=1.0),
            "information": Array(FLOAT, "scaling", low=0.99 * PRIOR, high=MOST_WEIGHT, fill=PRIOR),
            "bias": Array(FLOAT, "biased", "class", low=-MOST_BIAS, high=MOST_BIAS),
            "bias_information": Array(FLOAT, "biased", "class", low=0.99 * PRIOR, high=MOST_WEIGHT,
                                      fill=PRIOR),
            "trust": Array(FLOAT, "expert", low=0.0, high=1.0),
            "line": Array(FLOAT, 2, low=-MOST_BIAS, high=MOST_BIAS),
            "line_information": Array(FLOAT, 3, low=-MOST_WEIGHT, high=MOST_WEIGHT),
            "line_trust": Array(FLOAT, 2, low=0.0, high=1.0),
            "n_labels": Array(FLOAT, 1, low=0, high=MOST_COUNTED, whole=True),
        }, {"scaling": n_scalings, "biased": n_biased, "class": n_classes, "expert": 1 + n_scalings})
        self.arrays["trust"][:] = (1 - AS_IT_IS) / n_scalings
        self.arrays["trust"][0] = AS_IT_IS
        self.arrays["line"][:] = 0.0, 1.0
        self.arrays["line_information"][:] = LEVEL_PRIOR, 0.0, LINE_PRIOR
        self.arrays["line_trust"][:] = LINE_SHARE, 1 - LINE_SHARE
        c.own_size = (3 + n_scalings) * n_classes
        self.buffers = {
            "forgetting": np.array(FORGETTING), "start": self.arrays["trust"].copy(),
            "line_start": self.arrays["line_trust"].copy(),
            "p": layouts.new_array(n_classes, FLOAT), "chance": layouts.new_array(1 + n_scalings, FLOAT),
        }
        width = HEAD + n_scalings + (1 + n_biased) * n_classes
        self.kept = KeptRows(who, width, most_kept, {"low": -1e3, "high": MOST_COUNTED})
        c.n_classes, c.n_scalings, c.n_biased = n_classes, n_scalings, n_biased
        c.keeps_answers = keeps_answers
        c.forgetting, c.start = doubles(self.buffers["forgetting"]), doubles(self.buffers["start"])
        c.line_start = doubles(self.buffers["line_start"])
        c.p, c.chance = doubles(self.buffers["p"]), doubles(self.buffers["chance"])
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        cdef calibrated_t* c = &self.core
        c.slope, c.information = doubles(self.arrays["slope"]), doubles(self.arrays["information"])
        c.bias, c.bias_information = doubles(self.arrays["bias"]), doubles(self.arrays["bias_information"])
        c.trust, c.n_labels = doubles(self.arrays["trust"]), doubles(self.arrays["n_labels"])
        c.line, c.line_information = doubles(self.arrays["line"]), doubles(self.arrays["line_information"])
        c.line_trust, c.kept = doubles(self.arrays["line_trust"]), kept_by(self)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        for name in ("trust", "line_trust"):
            require(abs(arrays[name].sum() - 1) < 1e-6, self.who, name, "must sum to 1")
        level, both, slope = arrays["line_information"].tolist()
        good = level >= 0.99 * LEVEL_PRIOR and slope >= 0.99 * LINE_PRIOR
        good = good and level * slope > both * both
        require(good, self.who, "line_information", "must be that of a regression")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs: for waiting rows, new classes have FLOOR."""
        state, n_before = old.kept.state(), old.lengths["class"]
        n_head, n_new = HEAD + self.core.n_scalings, self.core.n_classes - n_before
        values = state["kept_values"]
        by_class = values[:, n_head:].reshape(len(values), 1 + self.core.n_biased, n_before)
        wider = np.pad(by_class, ((0, 0), (0, 0), (0, n_new)))
        wider[:, 0, n_before:] = log(FLOOR)
        state["kept_values"] = np.hstack([values[:, :n_head], wider.reshape(len(values), -1)])
        self.kept.restore(state)
        self.adopt(layouts.grown(self.layout, self.lengths, self.arrays, old.arrays, self.who, missing))


cdef inline void scale(const double* z, double slope, const double* bias, double* q,
                       Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        q[k] = slope * z[k]
    if bias != NULL:
        for k in range(n):
            q[k] += bias[k]
    softmax(q, q, n)                                                                        # (2)


cdef void scale_all(const calibrated_t* c, const double* slope, const double* bias, const double* z,
                    double* each) noexcept nogil:
    # What the scalings make of z, with these slopes and biases.
    cdef Py_ssize_t i, n = c.n_classes, first = c.n_scalings - c.n_biased
    for i in range(c.n_scalings):
        scale(z, slope[i], NULL if i < first else bias + (i - first) * n, each + i * n, n)


cdef said_t answer(const calibrated_t* c, double* p, double* own) noexcept nogil:
    # Calibrate the member's probabilities p; own[own_size] is memory for intermediate results.
    cdef Py_ssize_t i, k, n = c.n_classes
    cdef double total = 0.0, log_total
    cdef double* mixed = own + (2 + c.n_scalings) * n
    cdef said_t said
    said.z, said.each, said.top, said.ratio, said.by_line = own, own + n, likeliest(p, n), 0.0, 0.5
    for k in range(n):
        said.each[k] = min(p[k], 1.0) if p[k] > FLOOR else FLOOR                            # NaN too
        total += said.each[k]
    log_total = log(total)
    for k in range(n):
        said.z[k] = log(said.each[k]) - log_total                                           # (1)
        said.each[k] /= total
    scale_all(c, c.slope, c.bias, said.z, said.each + n)
    for k in range(n):
        mixed[k] = c.trust[0] * said.each[k]
    for i in range(1, 1 + c.n_scalings):
        for k in range(n):
            mixed[k] += c.trust[i] * said.each[i * n + k]                                   # (3)
    if not c.keeps_answers:
        said.top = likeliest(mixed, n)
    set_top(c, mixed, &said, p)
    return said


cdef inline double within(double chance, double margin) noexcept nogil:
    return min(max(chance, margin), 1 - margin)


cdef inline void set_top(const calibrated_t* c, const double* mixed, said_t* said, double* p) noexcept nogil:
    cdef Py_ssize_t k, n = c.n_classes, top = said.top
    cdef double rest = 0.0, second = 0.0, least, chance
    for k in range(n):
        if k != top:
            rest += mixed[k]
            second = max(second, mixed[k])
    if n == 1:
        p[0] = 1.0
        return
    chance = within(mixed[top], SURE)
    said.ratio = log(chance / (1 - chance))
    said.by_line = within(logistic(c.line[0] + c.line[1] * said.ratio), SUREST)
    chance = c.line_trust[0] * said.by_line + c.line_trust[1] * mixed[top]
    chance = max(chance, second / (rest + second))
    least = (1 - chance) / rest
    for k in range(n):                                                                      # (4)
        # The bounds differ only by rounding: the top class is the first of the largest.
        p[k] = min(least * mixed[k], chance if k > top else chance * (1 - 1e-15))
    p[top] = chance


cdef void step_scaling(const calibrated_t* c, Py_ssize_t i, const double* z, const double* q, Py_ssize_t y,
                       double u) noexcept nogil:
    cdef Py_ssize_t k, n = c.n_classes, biased = i - (c.n_scalings - c.n_biased)
    cdef double mean = 0.0, square = 0.0, kept = c.forgetting[i % N_RATES], prior = (1 - kept) * PRIOR, step
    cdef double* bias = c.bias + max(biased, 0) * n
    cdef double* information = c.bias_information + max(biased, 0) * n
    for k in range(n):
        mean += q[k] * z[k]
        square += q[k] * z[k] * z[k]
    c.information[i] = kept * c.information[i] + prior + u * max(square - mean * mean, 0.0)
    step = (u * (z[y] - mean) - prior * (c.slope[i] - 1)) / c.information[i]                # (5)
    c.slope[i] = min(max(c.slope[i] + clipped(step, SLOPE_STEP), LEAST_SLOPE), MOST_SLOPE)
    for k in range(n if biased >= 0 else 0):
        information[k] = kept * information[k] + prior + u * q[k] * (1 - q[k])
        step = (u * ((k == y) - q[k]) - prior * bias[k]) / information[k]                   # (6)
        bias[k] = clipped(bias[k] + clipped(step, BIAS_STEP), MOST_BIAS)


cdef void step_line(const calibrated_t* c, double r, bint is_right, double u) noexcept nogil:
    # Learn whether the top class was right.
    cdef double prior = 1 - LINE_FORGETTING, chance = logistic(c.line[0] + c.line[1] * r)
    cdef double weight = u * max(chance * (1 - chance), LEAST_VARIANCE), level, slope, determinant
    cdef double* h = c.line_information
    h[0] = LINE_FORGETTING * h[0] + prior * LEVEL_PRIOR + weight
    h[1] = LINE_FORGETTING * h[1] + weight * r
    h[2] = LINE_FORGETTING * h[2] + prior * LINE_PRIOR + weight * r * r
    determinant = h[0] * h[2] - h[1] * h[1]
    level = u * (is_right - chance) - prior * LEVEL_PRIOR * c.line[0]
    slope = u * (is_right - chance) * r - prior * LINE_PRIOR * (c.line[1] - 1)
    c.line[0] += clipped((h[2] * level - h[1] * slope) / determinant, 1.0)                  # (8)
    c.line[1] += clipped((h[0] * slope - h[1] * level) / determinant, 0.5)
    c.line[0] = clipped(c.line[0], MOST_BIAS)
    c.line[1] = min(max(c.line[1], 0.0), MOST_SLOPE)


cdef void learn_said(const calibrated_t* c, const said_t* said, bint is_right, Py_ssize_t y, double u,
                     double worth) noexcept nogil:
    # Learn a label of which the scalings say `said` today; it counts u, and `worth` for the shares.
    cdef Py_ssize_t i
    cdef double mixed = logistic(said.ratio)
    for i in range(c.n_scalings):
        step_scaling(c, i, said.z, said.each + (1 + i) * c.n_classes, y, u)
    c.chance[0] = said.by_line if is_right else 1 - said.by_line
    c.chance[1] = mixed if is_right else 1 - mixed
    learn_trust(c.line_trust, c.line_start, 2, c.chance, 1, worth, SWITCHING)
    step_line(c, said.ratio, is_right, u)


cdef void learn_label(const calibrated_t* c, const said_t* said, Py_ssize_t y, double w) noexcept nogil:
    # Learn the label of a row that has just been predicted.
    if c.n_classes > 1:
        w = min(w, MOST_COUNT)
        learn_trust(c.trust, c.start, 1 + c.n_scalings, said.each + y, c.n_classes, w, SWITCHING)   # (7)
        learn_said(c, said, said.top == y, y, w, w)
    c.n_labels[0] += 1


cdef void learn_late(const calibrated_t* c, const double* kept, Py_ssize_t y, double w) noexcept nogil:
    # Learn the label of a row that was predicted long ago.
    cdef Py_ssize_t i, n = c.n_classes
    cdef const double* slope = kept + HEAD
    cdef double u = min(w, MOST_COUNT) * (1 + min(kept[KNOWN], c.n_labels[0])) / (1 + c.n_labels[0])
    cdef double worth = u / sqrt(1.0 + c.kept.age)
    cdef said_t said
    said.z, said.each = <double*> (slope + c.n_scalings), c.own + n
    said.ratio, said.by_line = kept[RATIO], kept[BY_LINE]
    if n > 1:
        scale_all(c, slope, said.z + n, said.z, said.each + n)
        c.chance[0] = exp(said.z[y])
        for i in range(1, 1 + c.n_scalings):
            c.chance[i] = said.each[i * n + y]
        learn_trust(c.trust, c.start, 1 + c.n_scalings, c.chance, 1, worth, SWITCHING)
        scale_all(c, c.slope, c.bias, said.z, said.each + n)
        learn_said(c, &said, kept[TOP] == y, y, u, worth)
    c.n_labels[0] += 1


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const calibrated_t* c = <const calibrated_t*> state
    c.member.predict(c.member.state, x, p, scratch + c.own_size)
    answer(c, p, scratch)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef calibrated_t* c = <calibrated_t*> state
    cdef const double* kept = take_kept(c.kept, number)
    cdef said_t said
    learner.predict_learn(c.member, x, y, w, number, p, c.scratch)
    said = answer(c, p, c.own)
    if kept == NULL:
        learn_label(c, &said, y, w)
    else:
        learn_late(c, kept, y, w)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef calibrated_t* c = <calibrated_t*> state
    cdef const double* kept = take_kept(c.kept, number)
    cdef said_t said
    if kept == NULL:
        learner.predict_learn(c.member, x, y, w, number, c.p, c.scratch)
        said = answer(c, c.p, c.own)
        learn_label(c, &said, y, w)
    else:
        c.member.learn(c.member.state, x, y, w, number)
        learn_late(c, kept, y, w)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef calibrated_t* c = <calibrated_t*> state
    cdef double* kept = keep_row(c.kept, number)
    cdef Py_ssize_t n = c.n_classes
    cdef said_t said
    if kept != NULL:
        c.member.predict(c.member.state, x, c.p, c.scratch)
        said = answer(c, c.p, c.own)
        kept[KNOWN], kept[RATIO], kept[TOP], kept[BY_LINE] = c.n_labels[0], said.ratio, said.top, said.by_line
        memcpy(kept + HEAD, c.slope, c.n_scalings * sizeof(double))
        memcpy(kept + HEAD + c.n_scalings, said.z, n * sizeof(double))
        memcpy(kept + HEAD + c.n_scalings + n, c.bias, c.n_biased * n * sizeof(double))
    learner.observe(c.member, x, number)

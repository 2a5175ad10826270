"""Multinomial naive Bayes: a row is a bag of counts, and each class draws inputs with its own chances.

With c_kj the sum of the values of input j in rows of class k, s_k their sum over the d inputs, n_k the weight
of the class and a the smoothing, a row x scores

    f_k = log n_k + sum_j x_j log((c_kj + a)/(s_k + a d))                                             (1)

or, in the complement form, by how badly all other classes explain it, whatever the class's weight:

    f_k = -sum_j x_j log((sum_i c_ij - c_kj + a)/(sum_i s_i - s_k + a d))                             (2)

A learned row fades all sums by `decay`. They are not touched: later rows count for more instead, g times, and
g stands for 1. So a row costs as much as it has values that are not 0.

    g <- g/decay^w,   v = g (1 - decay^w)/(1 - decay)                                                 (3)
    c_yj <- c_yj + v x_j,   s_y <- s_y + v sum_j x_j,   n_y <- n_y + v                                (4)

In (1) and (2), a is alpha g. A row of weight w is the row w times. Before g gets too large, it and all sums
are multiplied by a power of two, which rounds nothing.

The scores are far apart where inputs go together. They are taken at several scales, 1, 1/2, 1/4, …, and the
probabilities are averaged by weights t_r that follow the likelihood of the labels (fixed share, Herbster and
Warmuth 1998), one row's being at least LEAST:

    q_r = softmax(f/2^r),   p = sum_r t_r q_r                                                         (5)
    t_r <- (1 - SHARE) t_r max(q_ry, LEAST)^w/(sum of these) + SHARE/SCALES                           (6)

All scales agree on the order of the classes, so this does not change which is the most likely. A class
that has not been seen has the probability 0. Values that are missing or not above 0 are left out.
"""

from libc.math cimport exp, log, pow
from libc.stdint cimport int64_t

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, Array, require

from .bayes_terms cimport multiply
from thalweg._native.pointers cimport doubles
from thalweg.learners.base._native.sparse_kernel cimport SparseKernel, sparse_row_t

cdef enum:
    SCALES = 8

cdef extern from *:
    """
    static const double MOST_GROWTH = 0x1p100, LESS_GROWTH = 0x1p-100, FORGOTTEN = 1e-30;
    static const double MOST_VALUE = 1e9, LEAST = 1e-3, SHARE = 1e-3, SMALLEST_SCALE = 1.0 / 128.0;
    """
    double MOST_GROWTH                  # of g: beyond it all sums are scaled down
    double LESS_GROWTH
    double FORGOTTEN                    # decay^w below which nothing is left of the past
    double MOST_VALUE                   # of an input: larger ones count as this
    double LEAST
    double SHARE
    double SMALLEST_SCALE               # 2^(1 - SCALES)

MOST_SUM = 1e200

ctypedef struct multinomial_t:
    Py_ssize_t n_inputs
    Py_ssize_t n_classes
    double alpha
    double decay
    bint is_complement
    bint is_calibrated
    double* growth                      # g
    double* count                       # [input, class]: c
    double* total                       # [class]: s
    double* weight                      # [class]: n
    double* trust                       # [scale]: t
    double* scratch                     # for a row that is learned: as in `predict`, then its probabilities


cdef class MultinomialKernel(SparseKernel):
    """Sums of the inputs by class, and how far to trust what they say."""

    cdef multinomial_t core
    cdef object apart

    def __init__(self, who, n_features, n_classes, alpha, decay, complement, calibrate):
        cdef multinomial_t* s = &self.core
        s.n_inputs, s.n_classes = n_features, n_classes
        s.alpha, s.decay, s.is_complement, s.is_calibrated = alpha, decay, complement, calibrate
        sums = {"low": 0.0, "high": MOST_SUM}
        self.allocate(who, {
            "growth": Array(FLOAT, 1, low=1.0, high=MOST_GROWTH, fill=1.0),
            "count": Array(FLOAT, "input", "class", **sums),
            "total": Array(FLOAT, "class", **sums),
            "weight": Array(FLOAT, "class", **sums),
            "trust": Array(FLOAT, SCALES, low=0.0, high=1.0, fill=1.0 / SCALES),
        }, {"input": n_features, "class": n_classes})
        self.set_handle(<void*> s, n_features, n_classes, learn, predict, predict_learn)
        self.learn_sparse_row, self.predict_sparse_row = learn_sparse_row, predict_sparse_row
        self.handle.scratch_size = 3 * n_classes
        self.apart = layouts.new_array(4 * n_classes, FLOAT)
        self.core_size = sizeof(multinomial_t)
        self.bind()

    cdef void bind(self):
        cdef multinomial_t* s = &self.core
        s.growth, s.count = doubles(self.arrays["growth"]), doubles(self.arrays["count"])
        s.total, s.weight = doubles(self.arrays["total"]), doubles(self.arrays["weight"])
        s.trust, s.scratch = doubles(self.arrays["trust"]), doubles(self.apart)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        good = np.allclose(arrays["count"].sum(axis=0), arrays["total"], rtol=1e-3, atol=1e-9)
        require(good, self.who, "total", "must be the sum of 'count' over the inputs")
        require(abs(arrays["trust"].sum() - 1) < 1e-6, self.who, "trust", "must sum to 1")


cdef inline double counted(double value) noexcept nogil:
    # What a value counts: 0 if it is missing or below 0.
    return min(value, MOST_VALUE) if value > 0.0 else 0.0


cdef void begin_scores(const multinomial_t* s, double* score) noexcept nogil:
    # score[class] and, after it, a product of chances and 1/(s + a d) for each class.
    cdef Py_ssize_t k
    cdef double total, all = 0.0, smoothing = s.alpha * s.growth[0] * s.n_inputs
    for k in range(s.n_classes):
        all += s.total[k]
    for k in range(s.n_classes):
        total = max(all - s.total[k], 0.0) if s.is_complement else s.total[k]
        score[k], score[s.n_classes + k] = 0.0, 1.0
        score[2 * s.n_classes + k] = 1.0 / (total + smoothing)


cdef inline void add_value(const multinomial_t* s, Py_ssize_t j, double x, double* score) noexcept nogil:
    cdef Py_ssize_t k, n = s.n_classes
    cdef const double* count = s.count + j * n
    cdef double* product = score + n
    cdef const double* inverse = score + 2 * n
    cdef double chance, all = 0.0, smoothing = s.alpha * s.growth[0]
    if s.is_complement:
        for k in range(n):
            all += count[k]
    for k in range(n):
        chance = max(all - count[k], 0.0) if s.is_complement else count[k]
        chance = (chance + smoothing) * inverse[k]
        score[k] += multiply(product + k, chance) if x == 1.0 else x * log(chance)


cdef void end_scores(const multinomial_t* s, double* score) noexcept nogil:
    cdef Py_ssize_t k
    cdef const double* product = score + s.n_classes
    for k in range(s.n_classes):
        score[k] += log(product[k])
        if s.is_complement:
            score[k] = -score[k]                                                 # (2)
        elif s.weight[k] > 0:
            score[k] += log(s.weight[k])                                         # (1)


cdef void find_scores(const multinomial_t* s, const double* x, double* score) noexcept nogil:
    cdef Py_ssize_t j
    begin_scores(s, score)
    for j in range(s.n_inputs):
        if x[j] > 0.0:
            add_value(s, j, counted(x[j]), score)
    end_scores(s, score)


cdef void find_sparse_scores(const multinomial_t* s, const sparse_row_t* x, double* score) noexcept nogil:
    cdef Py_ssize_t i
    begin_scores(s, score)
    for i in range(x.n):
        if x.values[i] > 0.0:
            add_value(s, x.columns[i], counted(x.values[i]), score)
    end_scores(s, score)


cdef bint begin_powers(const multinomial_t* s, double* score, double scale) noexcept nogil:
    # Turn scores into the numerators of their softmax at the smallest scale; False if no class was seen.
    cdef Py_ssize_t k, best = -1
    cdef double top
    for k in range(s.n_classes):
        if s.weight[k] > 0 and (best < 0 or score[k] > score[best]):
            best = k
    if best < 0:
        return False
    top = score[best]
    for k in range(s.n_classes):
        score[k] = exp(scale * (score[k] - top)) if s.weight[k] > 0 else 0.0
    return True


cdef inline double sum_of(const double* power, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(n):
        total += power[k]
    return total


cdef void answer(const multinomial_t* s, double* score, double* p) noexcept nogil:
    # (5), from the scores, which are used up. A scale is twice the next: its numerators are squares.
    cdef Py_ssize_t k, r
    cdef double share
    if not begin_powers(s, score, SMALLEST_SCALE if s.is_calibrated else 1.0):
        for k in range(s.n_classes):
            p[k] = 1.0 / s.n_classes
        return
    if not s.is_calibrated:
        share = 1.0 / sum_of(score, s.n_classes)
        for k in range(s.n_classes):
            p[k] = share * score[k]
        return
    for k in range(s.n_classes):
        p[k] = 0.0
    for r in range(SCALES - 1, -1, -1):
        share = s.trust[r] / sum_of(score, s.n_classes)
        for k in range(s.n_classes):
            p[k] += share * score[k]                                             # (5)
            score[k] *= score[k]


cdef void learn_trust(multinomial_t* s, double* score, Py_ssize_t y, double w) noexcept nogil:
    # (6), from the scores, which are used up; nothing is learned from a class that could not be predicted.
    cdef Py_ssize_t k, r
    cdef double said, total = 0.0, most = 0.0
    cdef double[SCALES] trust
    if s.weight[y] == 0 or not begin_powers(s, score, SMALLEST_SCALE):
        return
    for r in range(SCALES - 1, -1, -1):
        trust[r] = max(score[y] / sum_of(score, s.n_classes), LEAST)
        most = max(most, trust[r])
        for k in range(s.n_classes):
            score[k] *= score[k]
    for r in range(SCALES):
        said = trust[r] / most
        trust[r] = s.trust[r] * (said if w == 1.0 else pow(said, w))
        total += trust[r]
    for r in range(SCALES):
        s.trust[r] = (1.0 - SHARE) * trust[r] / total + SHARE / SCALES           # (6)


cdef void scale_sums(multinomial_t* s, double factor) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(s.n_inputs * s.n_classes):
        s.count[i] *= factor
    for i in range(s.n_classes):
        s.total[i] *= factor
        s.weight[i] *= factor


cdef double fade(multinomial_t* s, double w) noexcept nogil:
    # (3): let all that is known fade, and return v.
    cdef double kept
    if s.decay == 1.0:
        return w
    kept = s.decay if w == 1.0 else pow(s.decay, w)
    if kept < FORGOTTEN:
        scale_sums(s, 0.0)
        s.growth[0] = 1.0
    else:
        s.growth[0] /= kept
        if s.growth[0] > MOST_GROWTH:
            scale_sums(s, LESS_GROWTH)
            s.growth[0] *= LESS_GROWTH
    return s.growth[0] * (1.0 if w == 1.0 else (1.0 - kept) / (1.0 - s.decay))


cdef void learn_counts(multinomial_t* s, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef Py_ssize_t j
    cdef double value, v = fade(s, w)
    s.weight[y] += v                                                             # (4)
    for j in range(s.n_inputs):
        if x[j] > 0.0:
            value = v * counted(x[j])
            s.count[j * s.n_classes + y] += value
            s.total[y] += value


cdef void learn_sparse_counts(multinomial_t* s, const sparse_row_t* x, Py_ssize_t y,
                              double w) noexcept nogil:
    cdef Py_ssize_t i
    cdef double value, v = fade(s, w)
    s.weight[y] += v                                                             # (4)
    for i in range(x.n):
        value = v * counted(x.values[i])
        s.count[x.columns[i] * s.n_classes + y] += value
        s.total[y] += value


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const multinomial_t* s = <const multinomial_t*> state
    find_scores(s, x, scratch)
    answer(s, scratch, p)


cdef void predict_sparse_row(void* state, const sparse_row_t* x, double* p, double* scratch) noexcept nogil:
    cdef const multinomial_t* s = <const multinomial_t*> state
    find_sparse_scores(s, x, scratch)
    answer(s, scratch, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef multinomial_t* s = <multinomial_t*> state
    if s.is_calibrated:
        find_scores(s, x, s.scratch)
        learn_trust(s, s.scratch, y, w)
    learn_counts(s, x, y, w)


cdef void learn_sparse_row(void* state, const sparse_row_t* x, Py_ssize_t y, double w) noexcept nogil:
    cdef multinomial_t* s = <multinomial_t*> state
    if s.is_calibrated:
        find_sparse_scores(s, x, s.scratch)
        learn_trust(s, s.scratch, y, w)
    learn_sparse_counts(s, x, y, w)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    # The scores are found once for both.
    cdef multinomial_t* s = <multinomial_t*> state
    cdef Py_ssize_t k
    cdef double* again = s.scratch + 3 * s.n_classes
    find_scores(s, x, s.scratch)
    for k in range(s.n_classes):
        again[k] = s.scratch[k]
    answer(s, s.scratch, p)
    if s.is_calibrated:
        learn_trust(s, again, y, w)
    learn_counts(s, x, y, w)

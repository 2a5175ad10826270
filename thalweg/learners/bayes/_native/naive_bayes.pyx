"""Naive Bayes: each class describes each input by a Gaussian, or by counts where it is categorical.

A class k of weight n_k scores a row by the log of prior times likelihood:

    score_k = log n_k + sum_j log f_kj(x_j),    p = softmax(score)               (1)

Numeric input j keeps weight n, mean m and sum of squares s (Welford), so that with variance v = s/(n - 1)

    n += w,  e = x - m,  m += e w/n,  s += w e (x - m)                            (2)
    log f = -q - log(2 pi v)/2,  q = min((x - m)^2 (n - 1)/(2 s), FARTHEST)       (3)

Where v is 0 or unknown, f is 1 at the mean and exp(-FARTHEST) elsewhere. What does not depend on x in (1) and
(3) is kept as factor_k exp(bias_k), where

    factor_k exp(bias_k) = n_k prod_j (2 pi v)^(-1/2)                             (5)

Categorical input j keeps counts c of its V categories, each taken as seen once:

    f = (c + 1) / (n + V)                                                         (4)

Products are turned into logs only when they are about to leave the range of a double (bayes_terms.pxd). A
missing value (NaN) is left out of every sum.
"""

import numpy as np

from thalweg.errors import StateError

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array

from libc.math cimport exp, fabs, isnan, log, sqrt
from libc.stdint cimport int64_t

from .bayes_terms cimport (
    FARTHEST_VALUE, LEAST_INVERSE, MOST_SQUARES, SURE, add_chance, category_of, chances_t, inverse_of, log_of,
    missing_width, multiply_width,
)
from thalweg._native.failure cimport should_stop
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers

cdef extern from "thalweg/learners/bayes/_native/wide_bayes.h" nogil:
    int vector_width() noexcept
    Py_ssize_t learn_bayes_wide(const double* x, double w, double weight, double share, double* count,
                                double* mean, double* squares, double* inverse, Py_ssize_t n, double least,
                                double most) noexcept

cdef extern from "thalweg/learners/bayes/_native/bayes_rows.h" nogil:
    enum:
        MOST_INPUTS "BAYES_MOST_INPUTS"
    ctypedef struct bayes_classes_t:
        double* weight
        double* factor
        double* bias
        double* count
        double* mean
        double* squares
        double* inverse
    Py_ssize_t learn_bayes_rows(const double* x, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                                Py_ssize_t n_inputs, const bayes_classes_t* classes, double* p) noexcept

cdef enum:
    CODE_LIMIT = 65536                  # codes of categories from here on count as missing
    ROWS_A_LOOK = 4096                  # of a batch, between two checks for signals

cdef double FARTHEST = FARTHEST_VALUE
cdef bint is_wide = vector_width() >= 32
cdef double NEVER = -1e308              # the score of a class not seen yet

ctypedef struct bayes_t:
    Py_ssize_t n_classes
    Py_ssize_t n_numeric
    Py_ssize_t n_categorical
    const Py_ssize_t* numeric           # columns of the numeric inputs
    const Py_ssize_t* categorical       # columns of the categorical ones
    Py_ssize_t* n_values                # V, for each categorical input
    Py_ssize_t* offset                  # where its counts begin; one more entry marks the end
    double* weight                      # n_k
    double* factor                      # [class]
    double* bias                        # [class]
    double* n                           # [class, numeric]
    double* mean
    double* squares
    double* inverse                     # 1/(2v), or SURE
    double* counts                      # [offset + category, class]
    double* seen                        # [categorical, class]: n of (4)
    void* kernel


SUMS = {"low": 0.0, "high": layouts.MOST_WEIGHT}
LAYOUT = {
    "n_values": Array(INDEX, "categorical", low=1, high=CODE_LIMIT),
    "offset": Array(INDEX, "border", low=0),
    "weight": Array(FLOAT, "class", **SUMS),
    "n": Array(FLOAT, "class", "numeric", **SUMS),
    "mean": Array(FLOAT, "class", "numeric", low=-layouts.MOST_VALUE, high=layouts.MOST_VALUE),
    "squares": Array(FLOAT, "class", "numeric", low=0.0, high=MOST_SQUARES),
    "counts": Array(FLOAT, "count", "class", **SUMS),
    "seen": Array(FLOAT, "categorical", "class", **SUMS),
}


cdef class NaiveBayesKernel(Kernel):
    """The sums of a naive Bayes classifier; `n_categories` is 0 for a numeric input."""

    cdef bayes_t core
    cdef readonly object columns        # of the numeric inputs, then of the categorical ones

    def __init__(self, n_features, n_classes, n_categories):
        n_categories = np.minimum(n_categories, CODE_LIMIT)
        categorical = np.flatnonzero(n_categories).astype(np.intp)
        numeric = np.flatnonzero(n_categories == 0).astype(np.intp)
        room = n_categories[categorical].astype(np.intp)
        lengths = {"class": n_classes, "numeric": len(numeric), "categorical": len(categorical),
                   "border": len(categorical) + 1, "count": None if len(categorical) else 0}
        self.allocate("NaiveBayes", LAYOUT, lengths, {"count": room.sum()})
        self.arrays["n_values"][:] = room
        np.cumsum(room, out=self.arrays["offset"][1:])
        self.columns = np.concatenate([numeric, categorical])
        # The rest follows from the parameters and the arrays above: not part of a state.
        self.arrays |= {
            "inverse": layouts.new_array((n_classes, len(numeric)), FLOAT, SURE),
            "factor": layouts.new_array(n_classes, FLOAT),
            "bias": layouts.new_array(n_classes, FLOAT),
        }
        self.core.n_classes, self.core.kernel = n_classes, <void*> self
        self.core.n_numeric, self.core.n_categorical = len(numeric), len(categorical)
        self.core_size = sizeof(bayes_t)
        self.set_handle(<void*> &self.core, n_features, n_classes, learn, predict)
        self.handle.fit_block = fit_block
        if is_wide and n_classes == 2 and len(categorical) == 0 and n_features <= MOST_INPUTS:
            self.handle.predict_learn_rows = predict_learn_rows
        self.bind()

    cdef void bind(self):
        cdef bayes_t* b = &self.core
        b.weight = doubles(self.arrays["weight"])
        b.factor = doubles(self.arrays["factor"])
        b.bias = doubles(self.arrays["bias"])
        b.n = doubles(self.arrays["n"])
        b.mean = doubles(self.arrays["mean"])
        b.squares = doubles(self.arrays["squares"])
        b.inverse = doubles(self.arrays["inverse"])
        b.counts = doubles(self.arrays["counts"])
        b.seen = doubles(self.arrays["seen"])
        b.numeric = integers(self.columns)
        b.categorical = b.numeric + b.n_numeric
        b.n_values = integers(self.arrays["n_values"])
        b.offset = integers(self.arrays["offset"])

    cdef void derive(self):
        cdef Py_ssize_t k
        for k in range(self.core.n_classes):
            derive_class(&self.core, k)

    def check(self, arrays):
        """Raise StateError if categories overlap or parts weigh more than the whole."""
        offset, n_values, weight = arrays["offset"], arrays["n_values"], arrays["weight"]
        if offset[0] != 0 or offset.max() != len(arrays["counts"]) or (np.diff(offset) < n_values).any():
            raise StateError("NaiveBayes: the state's 'offset' gives a category no place in 'counts'")
        for name in ("n", "seen"):
            parts = arrays[name] if name == "n" else arrays[name].T
            if (parts > weight[:, None]).any():
                raise StateError(f"NaiveBayes: the state's {name!r} is above the 'weight' of its class")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs."""
        cdef NaiveBayesKernel before = <NaiveBayesKernel?> old
        columns = before.columns[before.core.n_numeric:]
        fresh_columns = self.columns[self.core.n_numeric:]
        n_features = before.handle.n_features
        known = layouts.with_new_categories(self.arrays, before.arrays, columns, fresh_columns, n_features, 0,
                                            self.who)
        self.adopt(layouts.grown(self.layout, self.lengths, self.arrays, known, self.who, missing))
        self.derive()

    cdef bint grow(self, Py_ssize_t j, Py_ssize_t code) noexcept:
        return self.adopt_computed(grown, (self.arrays, j, code))


def grown(arrays, j, code):
    """Return counts and offsets with twice the room for categorical input j, or more if `code` needs it."""
    counts, offset = arrays["counts"], arrays["offset"]
    border, room = offset[j + 1], offset[j + 1] - offset[j]
    extra = max(2 * room, code + 1) - room
    wider = layouts.new_array((len(counts) + extra, counts.shape[1]), FLOAT)
    wider[:border], wider[border + extra:] = counts[:border], counts[border:]
    later = layouts.new_array(len(offset), INDEX)
    later[:] = offset
    later[j + 1:] += extra
    return {"counts": wider, "offset": later}


cdef bint grow(bayes_t* b, Py_ssize_t j, Py_ssize_t code) noexcept nogil:
    with gil:
        return (<NaiveBayesKernel> b.kernel).grow(j, code)


cdef inline double squared(double weight, double* logs) noexcept nogil:
    # The square of a weight, or 1 if it is too small for one: then logs is its log.
    cdef double square = weight * weight
    logs[0] = 0.0
    if square == 0 and weight > 0:
        square, logs[0] = 1.0, 2.0 * log(weight)
    return square


cdef void derive_class(bayes_t* b, Py_ssize_t k) noexcept nogil:
    # What learn_numbers leaves of class k besides the sums.
    cdef Py_ssize_t j, start = k * b.n_numeric
    cdef double logs, product = squared(b.weight[k], &logs)
    for j in range(start, start + b.n_numeric):
        b.inverse[j] = SURE
        if b.squares[j] > 0 and b.n[j] > 1:
            b.inverse[j] = inverse_of(b.n[j], b.squares + j)
        if b.inverse[j] < SURE:
            logs += multiply_width(&product, b.inverse[j])
    b.factor[k], b.bias[k] = sqrt(product), 0.5 * logs                           # (5)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef bayes_t* b = <bayes_t*> state
    cdef Py_ssize_t j
    b.weight[y] += w
    for j in range(b.n_categorical):
        learn_category(b, j, x[b.categorical[j]], y, w)
    learn_numbers(b, x, y, w)


cdef inline void learn_category(bayes_t* b, Py_ssize_t j, double value, Py_ssize_t y,
                                double w) noexcept nogil:
    cdef Py_ssize_t code = category_of(value, CODE_LIMIT)
    if code < 0 or (code >= b.offset[j + 1] - b.offset[j] and not grow(b, j, code)):
        return
    if code >= b.n_values[j]:
        b.n_values[j] = code + 1
    b.counts[(b.offset[j] + code) * b.n_classes + y] += w
    b.seen[j * b.n_classes + y] += w


cdef bint fit_block(void* state, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil:
    # As the rows one by one; what follows from the sums is computed once, at the end.
    cdef bayes_t* b = <bayes_t*> state
    cdef Py_ssize_t i, j, d = b.n_numeric + b.n_categorical
    for i in range(n):
        if w[i] > 0:
            b.weight[y[i]] += w[i]
            for j in range(b.n_categorical):
                learn_category(b, j, X[i * d + b.categorical[j]], y[i], w[i])
            for j in range(b.n_numeric):
                learn_number(b, y[i] * b.n_numeric + j, X[i * d + b.numeric[j]], w[i], b.weight[y[i]],
                             w[i] / b.weight[y[i]])
        if may_stop and i % ROWS_A_LOOK == ROWS_A_LOOK - 1 and should_stop():
            return False
    for j in range(b.n_classes):
        derive_class(b, j)
    return True


cdef inline void learn_number(bayes_t* b, Py_ssize_t place, double value, double w, double weight,
                              double share) noexcept nogil:
    # (2) for one class and input; share = w/weight of the class saves a division if no value was missing.
    cdef double error
    if isnan(value):
        return
    b.n[place] += w                                                              # (2)
    error = value - b.mean[place]
    b.mean[place] += error * (share if b.n[place] == weight else w / b.n[place])
    # Below 0 it would be only rounding, of a row that outweighs all before it.
    b.squares[place] += fabs(w * error * (value - b.mean[place]))


cdef inline void learn_numbers(bayes_t* b, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef Py_ssize_t j, place, start = y * b.n_numeric, n_done = 0
    cdef double weight = b.weight[y], share = w / weight, logs, product = squared(weight, &logs)
    if is_wide and b.n_numeric >= 4 and b.n_categorical == 0:
        n_done = learn_bayes_wide(x, w, weight, share, b.n + start, b.mean + start, b.squares + start,
                                  b.inverse + start, b.n_numeric, LEAST_INVERSE, SURE)
        for place in range(start, start + n_done):
            if b.inverse[place] < SURE:
                logs += multiply_width(&product, b.inverse[place])
    for j in range(n_done, b.n_numeric):
        place = start + j
        learn_number(b, place, x[b.numeric[j]], w, weight, share)
        if b.squares[place] > 0 and b.n[place] > 1:
            b.inverse[place] = inverse_of(b.n[place], b.squares + place)
        if b.inverse[place] < SURE:
            logs += multiply_width(&product, b.inverse[place])
    b.factor[y], b.bias[y] = sqrt(product), 0.5 * logs                           # (5)


cdef inline double numeric_score(bayes_t* b, const double* x, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t j, start = k * b.n_numeric
    cdef const double* mean = b.mean + start
    cdef const double* inverse = b.inverse + start
    cdef double value, error, far = 0.0
    for j in range(b.n_numeric):
        value = x[b.numeric[j]]
        error = value - mean[j]
        if not isnan(value):
            far += min(error * error * inverse[j], FARTHEST)                     # (3)
        else:
            far -= missing_width(inverse[j])
    return b.bias[k] - far


cdef inline void score_two(bayes_t* b, const double* x, double* p) noexcept nogil:
    # The same for both of two classes whose inputs are all numbers.
    cdef Py_ssize_t j, n = b.n_numeric
    cdef const double* mean = b.mean
    cdef const double* inverse = b.inverse
    cdef double most = FARTHEST, value, error, other, far = 0.0, farther = 0.0
    for j in range(n):
        value = x[j]
        if not isnan(value):
            error, other = value - mean[j], value - mean[n + j]
            far += min(error * error * inverse[j], most)                         # (3)
            farther += min(other * other * inverse[n + j], most)
        else:
            far -= missing_width(inverse[j])
            farther -= missing_width(inverse[n + j])
    p[0], p[1] = b.bias[0] - far, b.bias[1] - farther


cdef inline double categorical_score(bayes_t* b, const double* x, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t j, code
    cdef double count
    cdef chances_t chances = chances_t(1.0, 1.0, 0.0)
    for j in range(b.n_categorical):
        code = category_of(x[b.categorical[j]], CODE_LIMIT)
        if code >= 0:
            count = b.counts[(b.offset[j] + code) * b.n_classes + k] if code < b.n_values[j] else 0.0
            add_chance(&chances, count, b.seen[j * b.n_classes + k], b.n_values[j])          # (4)
    return log_of(&chances)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef bayes_t* b = <bayes_t*> state
    cdef Py_ssize_t k
    if b.n_classes == 2 and b.n_categorical == 0 and b.factor[0] > 0 and b.factor[1] > 0:
        score_two(b, x, p)
        weigh_two(b.factor, p)
        return
    for k in range(b.n_classes):
        p[k] = numeric_score(b, x, k) if b.factor[k] > 0 else NEVER
        if b.n_categorical:
            p[k] += categorical_score(b, x, k)
    if b.n_classes == 2:
        weigh_two(b.factor, p)
    else:
        weigh(b.factor, p, b.n_classes)


cdef Py_ssize_t predict_learn_rows(void* state, const double* x, const Py_ssize_t* y, const double* w,
                                   Py_ssize_t n, double* p) noexcept nogil:
    cdef bayes_t* b = <bayes_t*> state
    cdef bayes_classes_t known
    known.weight, known.factor, known.bias = b.weight, b.factor, b.bias
    known.count, known.mean, known.squares, known.inverse = b.n, b.mean, b.squares, b.inverse
    return learn_bayes_rows(x, y, w, n, b.n_numeric, &known, p)


cdef inline void weigh_two(const double* factor, double* p) noexcept nogil:
    # (1) for two classes. Which scores higher is hard to predict: a place costs less than a branch.
    cdef double gap = p[1] - p[0], small = exp(-fabs(gap)), high, low, scale
    cdef int higher = gap > 0
    high, low = factor[higher], factor[1 - higher] * small
    scale = 1.0 / (high + low) if high > 0 else 0.0
    p[higher] = high * scale if high > 0 else 0.5
    p[1 - higher] = low * scale if high > 0 else 0.5


cdef inline void weigh(const double* factor, double* p, Py_ssize_t n) noexcept nogil:
    # (1): factor exp(p), made to sum to 1; all alike before the first row, when every factor is 0.
    cdef double best = NEVER, total = 0.0
    cdef Py_ssize_t k
    for k in range(n):
        best = max(best, p[k])
    for k in range(n):
        p[k] = factor[k] * exp(p[k] - best)
        total += p[k]
    for k in range(n):
        p[k] = p[k] / total if total > 0 else 1.0 / n

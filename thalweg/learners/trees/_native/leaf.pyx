"""The leaves of a Hoeffding tree: class weights, and for naive Bayes what each class knows of each input.

A class k of weight W_k scores a row by the log of prior times likelihood:

    score_k = log W_k + sum_j log f_kj(x_j),    p = softmax(score)               (1)

where W_k counts the rows inherited from the split that made the leaf too. Numeric input j keeps weight n,
mean m, sum of squares s (Welford), and the least and greatest value. With variance v = s/(n - 1)

    n += w,  e = x - m,  m += w e/n,  s += w e (x - m)                            (2)
    log f = -q + log(c/pi)/2,  c = (n - 1)/(2 s),  q = min(c (x - m)^2, FARTHEST) (3)

Categorical input j keeps counts c of its categories; V is the highest category seen with this class, plus 1:

    f = (c + 1)/(n + V)                                                           (4)

An input of which a class of the leaf knows nothing counts as FARTHEST; where v is 0, f is 1 at the mean and
exp(-FARTHEST) elsewhere. Missing values are left out.
"""

from libc.math cimport exp, fabs, isnan, log

from thalweg._native.maths cimport likeliest
from thalweg.learners.bayes._native.bayes_terms cimport (
    FARTHEST_VALUE, LEAST_INVERSE, SURE, add_chance, category_of, chances_t, inverse_of, log_of,
    missing_width, multiply_width,
)
from .codes cimport (
    ADAPTIVE, COUNT, HIGHEST, INVERSE, LEAF, LOWEST, MAJORITY, MEAN, N_NUMBERS, SQUARES, TREE_CATEGORIES,
)
from .nodes cimport add_category, new_slot, picked_inputs, total_weight

cdef extern from "thalweg/learners/trees/_native/wide_numbers.h" nogil:
    ctypedef struct number_sums_t:      # of the inputs of a slot
        double* count
        double* mean
        double* squares
        double* inverse
        double* low
        double* high
    int vector_width() noexcept
    double distances_wide(const double* x, const double* mean, const double* inverse, Py_ssize_t n,
                          double farthest) noexcept
    Py_ssize_t learn_wide(const double* x, double weight, const number_sums_t* sums, Py_ssize_t n,
                          double least, double most) noexcept

cdef enum:
    GATHERED = 64                       # values of inputs that are copied to lie side by side

cdef double FARTHEST = FARTHEST_VALUE
cdef double FAR_BELOW = -746.0          # exp is 0 there, and slow to find that out
cdef double CLEAR = 1e-9                # a lead, of scores or as a share, that rounding does not turn round
cdef bint is_wide = vector_width() >= 32


def use_vectors(bint wanted):
    """Use vector instructions, if this machine has them, or not; return whether they are used."""
    global is_wide
    is_wide = wanted and vector_width() >= 32
    return is_wide


cdef inline double distances(const double* x, const double* mean, const double* inverse,
                             Py_ssize_t n) noexcept nogil:
    # The sum of q of (3) for inputs that lie side by side; four sums keep the adders busy.
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e
    if is_wide:
        return distances_wide(x, mean, inverse, n, FARTHEST)
    for j in range(0, n - 3, 4):
        e = x[j] - mean[j]
        a += min(e * e * inverse[j], FARTHEST)
        e = x[j + 1] - mean[j + 1]
        b += min(e * e * inverse[j + 1], FARTHEST)
        e = x[j + 2] - mean[j + 2]
        c += min(e * e * inverse[j + 2], FARTHEST)
        e = x[j + 3] - mean[j + 3]
        d += min(e * e * inverse[j + 3], FARTHEST)
    for j in range(n - n % 4, n):
        e = x[j] - mean[j]
        a += min(e * e * inverse[j], FARTHEST)
    return a + b + c + d


cdef inline const double* gathered(hoeffding_t* t, const double* x, const int* inputs,
                                   double* memory) noexcept nogil:
    # The values of the numeric inputs a leaf looks at, in memory[GATHERED]; NULL if these are all inputs or
    # too many, or one is missing.
    cdef Py_ssize_t i
    cdef double sum = 0.0
    if t.all_numeric or inputs[0] > GATHERED:
        return NULL
    for i in range(inputs[0]):
        memory[i] = x[inputs[1 + i]]
        sum += memory[i]
    return NULL if isnan(sum) else memory


cdef double numeric_score(hoeffding_t* t, const double* x, const double* values, Py_ssize_t slot,
                          const int* inputs) noexcept nogil:
    # `values` are those of the numeric inputs side by side, or NULL.
    cdef const double* mean = t.numbers + (slot * N_NUMBERS + MEAN) * t.n_numeric
    cdef const double* inverse = mean + (INVERSE - MEAN) * t.n_numeric
    cdef Py_ssize_t i
    cdef double e, score = t.bias[slot]
    if values != NULL:
        for i in range(inputs[0]):
            e = values[i] - mean[i]
            score -= min(e * e * inverse[i], FARTHEST)                           # (3)
        return score
    if t.all_numeric:
        e = distances(x, mean, inverse, t.n_numeric)
        if not isnan(e):
            return score - e
    for i in range(inputs[0]):
        e = x[inputs[1 + i]] - mean[i]
        if not isnan(e):
            score -= min(e * e * inverse[i], FARTHEST)                           # (3)
        else:
            score += missing_width(inverse[i])
    return score


cdef double categorical_score(hoeffding_t* t, const double* x, Py_ssize_t slot,
                              const int* inputs) noexcept nogil:
    cdef Py_ssize_t i, c, code, n_values
    cdef double count
    cdef chances_t chances = chances_t(1.0, 1.0, 0.0)
    for i in range(inputs[0], t.n_picked):
        c = inputs[1 + i]
        code = category_of(x[t.column[c]], TREE_CATEGORIES)
        n_values = t.n_values[slot * t.n_categorical + c]
        if code >= 0 and n_values == 0:
            chances.logs -= FARTHEST
        elif code >= 0:
            count = t.counts[slot * t.total_room + t.offset[c] + code] if code < n_values else 0.0
            add_chance(&chances, count, t.seen[slot * t.n_categorical + c], n_values)        # (4)
    return log_of(&chances)


cdef double unknown_score(hoeffding_t* t, const double* x, const int* inputs) noexcept nogil:
    cdef Py_ssize_t i
    cdef double value, score = 0.0
    for i in range(t.n_picked):
        value = x[inputs[1 + i]] if i < inputs[0] else x[t.column[inputs[1 + i]]]
        if not isnan(value):
            score -= FARTHEST
    return score


cdef inline double class_score(hoeffding_t* t, const double* x, const double* values, Py_ssize_t slot,
                               const int* inputs) noexcept nogil:
    cdef double score = numeric_score(t, x, values, slot, inputs)
    return score + categorical_score(t, x, slot, inputs) if t.n_categorical else score


cdef Py_ssize_t bayes_scores(hoeffding_t* t, Py_ssize_t node, const double* x, double* score) noexcept nogil:
    cdef const int* inputs = picked_inputs(t, node)
    cdef const int* slots = t.slot + node * t.n_classes
    cdef const double* weight = t.weight + node * t.n_classes
    cdef Py_ssize_t k, best = 0
    cdef bint blank = True
    cdef double[GATHERED] memory
    cdef const double* values = gathered(t, x, inputs, memory)
    for k in range(t.n_classes):
        blank = blank and slots[k] < 0
    for k in range(t.n_classes):
        if weight[k] <= 0:
            score[k] = -1e308
        elif slots[k] >= 0:
            score[k] = class_score(t, x, values, slots[k], inputs)
        else:
            score[k] = log(weight[k]) + (0.0 if blank else unknown_score(t, x, inputs))
        if score[k] > score[best]:
            best = k
    return best


cdef void shares(hoeffding_t* t, Py_ssize_t node, double* p) noexcept nogil:
    # The classes' shares of the weight; an empty leaf asks its parent.
    cdef Py_ssize_t k
    cdef double total = total_weight(t, node)
    while total <= 0 and t.parent[node] >= 0:
        node = t.parent[node]
        total = total_weight(t, node)
    for k in range(t.n_classes):
        p[k] = t.weight[node * t.n_classes + k] / total if total > 0 else 1.0 / t.n_classes


cdef inline double share_of(double score) noexcept nogil:
    return exp(score) if score > FAR_BELOW else 0.0


cdef inline void vote_of_two(double* p) noexcept nogil:
    # The same as below, with one exponential; which class scores higher is hard to predict.
    cdef double gap = p[1] - p[0], small = share_of(-fabs(gap)), total = 1.0 + small
    cdef int higher = gap > 0
    p[higher] = 1.0 / total
    p[1 - higher] = small / total


cdef void vote(hoeffding_t* t, Py_ssize_t node, double* p) noexcept nogil:
    cdef Py_ssize_t k
    cdef double best = -1e308, total = 0.0
    if trusts_majority(t, node) or t.n_seen[node] == 0 or t.feature[node] != LEAF:
        shares(t, node, p)
        return
    if t.n_classes == 2 and t.weight[2 * node] > 0 and t.weight[2 * node + 1] > 0:
        vote_of_two(p)
        return
    for k in range(t.n_classes):
        best = max(best, p[k])
    for k in range(t.n_classes):
        p[k] = share_of(p[k] - best) if t.weight[node * t.n_classes + k] > 0 else 0.0
        total += p[k]
    for k in range(t.n_classes):
        p[k] /= total


cdef void predict_at(hoeffding_t* t, Py_ssize_t node, const double* x, double* p) noexcept nogil:
    if not trusts_majority(t, node):
        bayes_scores(t, node, x, p)
    vote(t, node, p)


cdef inline bint is_clear(const double* value, Py_ssize_t n, Py_ssize_t best, double bound) noexcept nogil:
    # Whether no other value is above a bound.
    cdef Py_ssize_t k
    for k in range(n):
        if value[k] > bound and k != best:
            return False
    return True


cdef Py_ssize_t likeliest_learned(hoeffding_t* t, Py_ssize_t node, const double* x, Py_ssize_t y,
                                  double* score) noexcept nogil:
    cdef const int* inputs = picked_inputs(t, node)
    cdef const double* weight = t.weight + node * t.n_classes
    cdef Py_ssize_t best
    cdef double[GATHERED] memory
    if trusts_majority(t, node):
        best = heaviest(t, node)
        if is_clear(weight, t.n_classes, best, weight[best] * (1.0 - CLEAR)):
            return best
    else:
        score[y] = class_score(t, x, gathered(t, x, inputs, memory), t.slot[node * t.n_classes + y], inputs)
        best = likeliest(score, t.n_classes)
        if is_clear(score, t.n_classes, best, score[best] - CLEAR):
            return best
    vote(t, node, score)
    return likeliest(score, t.n_classes)


cdef void learn_at(hoeffding_t* t, Py_ssize_t node, const double* x, Py_ssize_t y, double w,
                   Py_ssize_t bayes) noexcept nogil:
    cdef Py_ssize_t slot, i
    cdef const int* inputs
    if t.votes == ADAPTIVE:
        # Which of them is right is hard to predict: a product costs less than a branch.
        t.right[2 * node] += w * (heaviest(t, node) == y)
        t.right[2 * node + 1] += w * (bayes == y)
    t.weight[node * t.n_classes + y] += w
    t.n_seen[node] = max(t.n_seen[node], y + 1)
    if t.feature[node] != LEAF:
        return
    slot = t.slot[node * t.n_classes + y]
    if slot < 0:
        slot = new_slot(t, node, y)
        if slot < 0:
            return
        for i in range(t.n_numeric):
            t.numbers[(slot * N_NUMBERS + INVERSE) * t.n_numeric + i] = SURE
    inputs = picked_inputs(t, node)
    for i in range(inputs[0], t.n_picked):
        slot = learn_category(t, node * t.n_classes + y, inputs[1 + i], x[t.column[inputs[1 + i]]], w)
        if slot < 0:
            return
    t.bias[slot] = learn_numbers(t, slot, x, inputs, w)
    if t.votes != MAJORITY:
        t.bias[slot] += log(t.weight[node * t.n_classes + y])


cdef Py_ssize_t learn_category(hoeffding_t* t, Py_ssize_t place, Py_ssize_t c, double value,
                               double w) noexcept nogil:
    # Learn a category in the slot of a leaf and class, whose place among the slots of all is given. Returns
    # the slot: another one, or -1 if the leaf has become inactive, once there is room for a new category.
    cdef Py_ssize_t code = category_of(value, TREE_CATEGORIES), slot
    cdef int* n_values
    if code >= t.offset[c + 1] - t.offset[c] and not add_category(t, c, code):
        code = -1
    slot = t.slot[place]
    if code < 0 or slot < 0:
        return slot
    n_values = t.n_values + slot * t.n_categorical + c
    t.known[c] = max(t.known[c], code + 1)
    n_values[0] = max(n_values[0], code + 1)
    t.counts[slot * t.total_room + t.offset[c] + code] += w
    t.seen[slot * t.n_categorical + c] += w
    return slot


cdef double learn_numbers(hoeffding_t* t, Py_ssize_t slot, const double* x, const int* inputs,
                          double w) noexcept nogil:
    # Returns the sum of log(c/pi)/2 of (3).
    cdef Py_ssize_t i, step = t.n_numeric, n_done = 0
    cdef double product = 1.0, logs = 0.0
    cdef double* n = t.numbers + slot * N_NUMBERS * step
    cdef number_sums_t sums
    cdef double[GATHERED] memory
    cdef const double* values = x
    sums.count, sums.mean, sums.squares = n + COUNT * step, n + MEAN * step, n + SQUARES * step
    sums.inverse, sums.low, sums.high = n + INVERSE * step, n + LOWEST * step, n + HIGHEST * step
    if not t.all_numeric:
        values = gathered(t, x, inputs, memory)
    if is_wide and inputs[0] >= 4 and values != NULL:
        n_done = learn_wide(values, w, &sums, inputs[0], LEAST_INVERSE, SURE)
        for i in range(n_done):
            if sums.inverse[i] < SURE:
                logs += multiply_width(&product, sums.inverse[i])
    for i in range(n_done, inputs[0]):
        learn_number(&sums, i, x[inputs[1 + i]], w)
        if sums.inverse[i] < SURE:
            logs += multiply_width(&product, sums.inverse[i])
    return 0.5 * (logs + log(product))


cdef inline void learn_number(const number_sums_t* sums, Py_ssize_t i, double value, double w) noexcept nogil:
    cdef double e, s
    if isnan(value):
        return
    if not sums.count[i] > 0:
        sums.count[i] = w
        sums.mean[i] = sums.low[i] = sums.high[i] = value
        return
    sums.count[i] += w                                                           # (2)
    e = value - sums.mean[i]
    sums.mean[i] += w * e / sums.count[i]
    sums.squares[i] = s = sums.squares[i] + w * e * (value - sums.mean[i])
    if value < sums.low[i]:
        sums.low[i] = value
    if value > sums.high[i]:
        sums.high[i] = value
    if s > 0 and sums.count[i] > 1:
        sums.inverse[i] = inverse_of(sums.count[i], sums.squares + i)            # (3)
    elif not s >= 0:
        sums.squares[i] = 0.0                                                    # large numbers, rounded

"""Splitting a leaf: how good is each test, and is the best one surely better than the second?

A split that parts the weights v of the classes into branches of weight S has the merit

    base - sum_branches S I / sum_branches S                                      (1)
    information gain: I = -sum_k v_k/S log2(v_k/S), base = I of the leaf          (2)
    Gini: I = 1 - sum_k (v_k/S)^2, base = 1                                       (3)

The weights below a threshold t are taken from each class's normal distribution, as far as t lies between the
least and the greatest value of the class:

    n Phi((t - m)/sqrt(v))                                                        (4)

The leaf splits if the best input is ahead of the second by more than e, or if e has fallen below `tie`:

    e = sqrt(R^2 log(1/delta)/(2 n)),   R = log2(classes) or, for Gini, 1         (5)

Most attempts fail by far. For information gain the second term of (1) is therefore first computed to three
digits for all thresholds of an input at once (rough_impurity.h). Exact merits are then needed only where that
leaves the answer open, and only of the inputs that can be the best or the second. With a and b for the least
two of these terms no split is possible if e >= tie and

    b - a <= e,  which follows from b <= e.                                       (6)
"""

import numpy as np

from libc.math cimport INFINITY, erfc, isinf, log, log2, sqrt

from .codes cimport (
    BELOW, COUNT, EACH, HIGHEST, INACTIVE_LEAVES, INVERSE, IS, LEAF, LOWEST, MEAN, MOST_DEPTH, N_NUMBERS,
    NODES,
)
from .nodes cimport (
    TreeKernel, depth_of, free_slots, new_leaves, picked_inputs, rebalance, total_weight,
)

cdef extern from "thalweg/learners/trees/_native/rough_impurity.h" nogil:
    const double ROUGH_ERROR            # of an impurity, at most
    ctypedef struct rough_leaf_t:
        const double* numbers
        const int* slots
        Py_ssize_t n_classes
        Py_ssize_t step
        Py_ssize_t n_points
        double least_share
    bint has_rough_impurity() noexcept
    # of the best threshold of an input: inf if there is none, -inf if that is not clear
    double rough_impurity(const rough_leaf_t* leaf, Py_ssize_t i) noexcept

cdef bint is_rough = has_rough_impurity()
globals().update(ROUGH_ERROR=ROUGH_ERROR)

ctypedef struct estimate_t:             # of the terms a and b of (6)
    double best
    double second
    bint is_sure                        # no input is left out


def use_vectors(bint wanted):
    """Use estimates, if this machine has the vectors for them, or not; return whether they are used."""
    global is_rough
    is_rough = wanted and has_rough_impurity()
    return is_rough


def estimates(TreeKernel kernel, Py_ssize_t node):
    """Return estimates of what the best thresholds of a leaf's numeric inputs leave of (1), and the values.

    They are infinite where there is no threshold; an estimate is -inf where that is not clear.
    """
    cdef hoeffding_t* t = kernel.tree
    cdef hoeffding_split_t found
    cdef Py_ssize_t i, n = picked_inputs(t, node)[0]
    cdef double base = base_of(t, node)
    estimate(t, node, -INFINITY)
    rough = np.array([t.rough[i] for i in range(n)])
    exact = np.full(n, INFINITY)
    for i in range(n):
        if best_threshold(t, node, i, base, &found):
            exact[i] = base - found.merit
    return rough, exact


cdef double impurity(hoeffding_t* t, const double* v, double* total) noexcept nogil:
    # S I; the weight S is left in total.
    cdef Py_ssize_t k
    cdef double s = 0.0, sum = 0.0
    for k in range(t.n_classes):
        s += v[k]
    total[0] = s
    if s <= 0:
        return 0.0
    if t.gini:
        for k in range(t.n_classes):
            sum += v[k] * v[k]
        return s - sum / s                                                       # (3)
    for k in range(t.n_classes):
        if v[k] > 0:
            sum += v[k] * log2(v[k])
    return s * log2(s) - sum                                                     # (2)


cdef inline double base_of(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef double total
    cdef double leaf = impurity(t, t.weight + node * t.n_classes, &total)
    return 1.0 if t.gini else leaf / total


cdef inline double merit_of_two(hoeffding_t* t, double base) noexcept nogil:
    # The merit of parting the weights into t.left and t.other.
    cdef double a, b, sum
    sum = impurity(t, t.left, &a) + impurity(t, t.other, &b)
    if a <= t.least_share * (a + b) or b <= t.least_share * (a + b):
        return -INFINITY
    return base - sum / (a + b)                                                  # (1)


cdef double merit_of(hoeffding_t* t, Py_ssize_t node, const double* weights, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, enough = 0
    cdef double s, total = 0.0, sum = 0.0
    for i in range(n):
        sum += impurity(t, weights + i * t.n_classes, &s)
        total += s
    for i in range(n):
        impurity(t, weights + i * t.n_classes, &s)
        enough += s > t.least_share * total
    return base_of(t, node) - sum / total if enough > 1 else -INFINITY           # (1)


cdef void part_at(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double threshold) noexcept nogil:
    # The weights of the classes at and below a threshold of numeric input i, and above it; t.score is scale.
    cdef Py_ssize_t k, slot, step = t.n_numeric
    cdef const double* n
    cdef double below
    for k in range(t.n_classes):
        t.left[k] = t.other[k] = 0.0
        slot = t.slot[node * t.n_classes + k]
        if slot < 0:
            continue
        n = t.numbers + slot * N_NUMBERS * step + i
        if threshold >= n[HIGHEST * step]:
            t.left[k] = n[COUNT]
        elif threshold < n[LOWEST * step]:
            t.other[k] = n[COUNT]
        else:
            below = n[COUNT] * 0.5 * erfc((n[MEAN * step] - threshold) * t.score[k])         # (4)
            t.left[k] = min(below, n[COUNT])                                     # the least weights round up
            t.other[k] = n[COUNT] - t.left[k]


cdef void range_of(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double* low, double* high) noexcept nogil:
    # Least and greatest value of numeric input i; 1/sqrt(2 v) of each class goes into t.score.
    cdef Py_ssize_t k, slot, step = t.n_numeric
    cdef const double* n
    low[0] = INFINITY
    high[0] = -INFINITY
    for k in range(t.n_classes):
        slot = t.slot[node * t.n_classes + k]
        if slot < 0:
            continue
        n = t.numbers + slot * N_NUMBERS * step + i
        if n[COUNT] > 0:
            low[0] = min(low[0], n[LOWEST * step])
            high[0] = max(high[0], n[HIGHEST * step])
            t.score[k] = sqrt(n[INVERSE * step])


cdef bint best_threshold(hoeffding_t* t, Py_ssize_t node, Py_ssize_t i, double base,
                         hoeffding_split_t* found) noexcept nogil:
    cdef Py_ssize_t point
    cdef double low, high, threshold, merit
    cdef bint any = False
    range_of(t, node, i, &low, &high)
    for point in range(t.n_points if low < high else 0):
        threshold = (high - low) / (t.n_points + 1.0) * (point + 1) + low
        if not low < threshold < high:
            continue
        part_at(t, node, i, threshold)
        merit = merit_of_two(t, base)
        if not any or merit > found.merit:
            found.merit = merit
            found.threshold = threshold
        any = True
    found.test = BELOW
    found.n_children = 2
    return any


cdef inline double count_of(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c, Py_ssize_t k,
                            Py_ssize_t code) noexcept nogil:
    cdef Py_ssize_t slot = t.slot[node * t.n_classes + k]
    return t.counts[slot * t.total_room + t.offset[c] + code] if slot >= 0 else 0.0


cdef Py_ssize_t categories_at(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c) noexcept nogil:
    # The highest category seen at a leaf, plus 1.
    cdef Py_ssize_t k, slot, most = 0
    for k in range(t.n_classes):
        slot = t.slot[node * t.n_classes + k]
        if slot >= 0:
            most = max(most, t.n_values[slot * t.n_categorical + c])
    return most


cdef void part_by_category(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c, Py_ssize_t code) noexcept nogil:
    # The weights of the classes with this category, and with another.
    cdef Py_ssize_t k, slot
    for k in range(t.n_classes):
        slot = t.slot[node * t.n_classes + k]
        t.left[k] = count_of(t, node, c, k, code)
        t.other[k] = t.seen[slot * t.n_categorical + c] - t.left[k] if slot >= 0 else 0.0


cdef inline double sum_of(hoeffding_t* t, const double* v) noexcept nogil:
    cdef Py_ssize_t k
    cdef double s = 0.0
    for k in range(t.n_classes):
        s += v[k]
    return s


cdef bint best_category(hoeffding_t* t, Py_ssize_t node, Py_ssize_t c, double base,
                        hoeffding_split_t* found) noexcept nogil:
    # One branch for each category, or one category against the others where that is better.
    cdef Py_ssize_t code, n = categories_at(t, node, c), enough = 0
    cdef double s, rest, merit, total = 0.0, sum = 0.0
    for code in range(n):
        part_by_category(t, node, c, code)
        sum += impurity(t, t.left, &s)
        total += s
    for code in range(n):
        part_by_category(t, node, c, code)
        enough += sum_of(t, t.left) > t.least_share * total
    found.test = EACH
    found.n_children = max(n, t.known[c])
    found.merit = base - sum / total if enough > 1 else -INFINITY                # (1)
    if found.n_children > t.most_nodes - t.size[NODES]:
        found.merit = -INFINITY         # no memory for so many leaves; there may be for two
    for code in range(n):
        part_by_category(t, node, c, code)
        s, rest = sum_of(t, t.left), sum_of(t, t.other)
        if min(s, rest) <= t.least_share * (s + rest):
            continue                    # so says merit_of_two, after logarithms: most of many categories
        merit = merit_of_two(t, base)
        if merit > found.merit + 1e-12:
            found.test = IS
            found.n_children = 2
            found.merit = merit
            found.threshold = code
    return n > 0


cdef double estimated(hoeffding_t* t, Py_ssize_t node, const rough_leaf_t* leaf, Py_ssize_t i) noexcept nogil:
    # The impurity that the best test of an input leaves: inf if there is none, -inf if that is not clear.
    cdef const int* inputs = picked_inputs(t, node)
    cdef hoeffding_split_t found
    cdef double base
    if i < inputs[0]:
        return rough_impurity(leaf, i)
    base = base_of(t, node)
    return base - found.merit if best_category(t, node, inputs[1 + i], base, &found) else INFINITY


cdef estimate_t estimate(hoeffding_t* t, Py_ssize_t node, double enough) noexcept nogil:
    # Estimates of all inputs into t.rough; ends early once the second of them is not above `enough`.
    cdef estimate_t found = estimate_t(INFINITY, INFINITY, True)
    cdef rough_leaf_t leaf
    cdef double value
    cdef Py_ssize_t i
    leaf.numbers, leaf.slots, leaf.n_classes = t.numbers, t.slot + node * t.n_classes, t.n_classes
    leaf.step, leaf.n_points, leaf.least_share = t.n_numeric, t.n_points, t.least_share
    for i in range(t.n_picked):
        t.rough[i] = value = estimated(t, node, &leaf, i)
        if value == -INFINITY:
            found.is_sure = False
        elif value < found.best:
            found.second, found.best = found.best, value
        else:
            found.second = min(found.second, value)
        if found.second <= enough:
            break
    return found


cdef hoeffding_split_t best_split(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    if t.gini or not is_rough:
        return best_among(t, node, INFINITY)
    return best_among(t, node, estimate(t, node, -INFINITY).best + 2 * ROUGH_ERROR)


cdef hoeffding_split_t best_among(hoeffding_t* t, Py_ssize_t node, double most) noexcept nogil:
    # The best split, and the second, of the inputs with an estimate up to `most`.
    cdef const int* inputs = picked_inputs(t, node)
    cdef hoeffding_split_t best, found
    cdef double total, base = base_of(t, node)
    cdef Py_ssize_t i
    cdef bint any
    # Staying a leaf is a candidate too; information gain never prefers it (see the class's docstring).
    best.feature = -1
    best.merit = best.second = -INFINITY
    if t.gini:
        best.merit = 1.0 - impurity(t, t.weight + node * t.n_classes, &total) / total_weight(t, node)
    for i in range(t.n_picked):
        if most < INFINITY and t.rough[i] > most:
            continue
        found.place = i
        found.threshold = 0.0
        if i < inputs[0]:
            found.feature = inputs[1 + i]
            any = best_threshold(t, node, i, base, &found)
        else:
            found.feature = t.column[inputs[1 + i]]
            any = best_category(t, node, inputs[1 + i], base, &found)
        if not any:
            continue
        if found.merit >= best.merit:
            found.second = best.merit
            best = found
        else:
            best.second = max(best.second, found.merit)
    return best


cdef double bound(hoeffding_t* t, Py_ssize_t node, double delta) noexcept nogil:
    cdef double r = 1.0 if t.gini else log2(max(t.n_seen[node], 2))
    return sqrt(r * r * log(1.0 / delta) / (2.0 * total_weight(t, node)))        # (5)


cdef bint is_pure(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k, n = 0
    for k in range(t.n_classes):
        n += t.weight[node * t.n_classes + k] != 0
    return n < 2


cdef bint make_children(hoeffding_t* t, Py_ssize_t node, const hoeffding_split_t* split) noexcept nogil:
    cdef Py_ssize_t first = -1, child, c
    cdef double a, b
    if depth_of(t, node) < MOST_DEPTH:
        first = new_leaves(t, split.n_children, node)
    if first < 0:
        return False
    if split.test == BELOW:
        range_of(t, node, split.place, &a, &b)
        part_at(t, node, split.place, split.threshold)
    else:
        c = picked_inputs(t, node)[1 + split.place]
    for child in range(split.n_children):
        if split.test != BELOW and (child == 0 or split.test == EACH):
            part_by_category(t, node, c, <Py_ssize_t> split.threshold if split.test == IS else child)
        fill(t, first + child, t.other if child == 1 and split.test != EACH else t.left)
    t.feature[node] = split.feature
    t.test[node] = split.test
    t.threshold[node] = split.threshold
    t.child[node] = first
    t.n_children[node] = split.n_children
    t.usual[node] = first
    for child in range(first, first + split.n_children):
        if t.tried[child] > t.tried[t.usual[node]]:
            t.usual[node] = child
    return True


cdef void fill(hoeffding_t* t, Py_ssize_t leaf, const double* weights) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(t.n_classes):
        t.weight[leaf * t.n_classes + k] = weights[k]
        if weights[k] > 0:
            t.n_seen[leaf] = k + 1
    t.tried[leaf] = total_weight(t, leaf)


cdef bint is_due(hoeffding_t* t, Py_ssize_t leaf) noexcept nogil:
    cdef double total = total_weight(t, leaf)
    if t.feature[leaf] != LEAF or total - t.tried[leaf] < t.grace:
        return False
    t.tried[leaf] = total
    return t.size[NODES] + 2 <= t.most_nodes and not is_pure(t, leaf)


cdef bint find_split(hoeffding_t* t, Py_ssize_t leaf, hoeffding_split_t* split) noexcept nogil:
    cdef double e = bound(t, leaf, t.delta), most = INFINITY
    cdef bint ties = e < t.tie          # then the second does not count
    cdef estimate_t found
    if is_rough and not t.gini:
        found = estimate(t, leaf, -INFINITY if ties else e - ROUGH_ERROR)
        if not ties and found.second <= e - ROUGH_ERROR:
            return False                                                         # (6)
        if found.is_sure and (isinf(found.best)
                              or not ties and found.second - found.best <= e - 2 * ROUGH_ERROR):
            return False                                                         # (6)
        most = (found.best if ties else found.second) + 2 * ROUGH_ERROR
    split[0] = best_among(t, leaf, most)
    return not is_useless(split) and (ties or split.merit - split.second > e)


cdef bint split_leaf(hoeffding_t* t, Py_ssize_t leaf, const hoeffding_split_t* split) noexcept nogil:
    if not make_children(t, leaf, split):
        return False
    free_slots(t, leaf)
    if t.size[INACTIVE_LEAVES]:
        rebalance(t)
    return True

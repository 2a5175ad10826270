"""How good a test is: its merit, and the best test of each input of a leaf.

A split that parts the weights v of the classes into branches of weight S has the merit

    base - sum_branches S I / sum_branches S                                      (1)
    information gain: I = -sum_k v_k/S log2(v_k/S), base = I of the leaf          (2)
    Gini: I = 1 - sum_k (v_k/S)^2, base = 1                                       (3)

The weights below a threshold t are taken from each class's normal distribution, as far as t lies between the
least and the greatest value of the class:

    n Phi((t - m)/sqrt(v))                                                        (4)
"""

from libc.math cimport INFINITY, erfc, log2, sqrt

from .codes cimport BELOW, COUNT, EACH, HIGHEST, INVERSE, IS, LOWEST, MEAN, N_NUMBERS, NODES


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


cdef double base_of(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
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
        found.merit = -INFINITY         # no memory for this many leaves; there may be for two
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

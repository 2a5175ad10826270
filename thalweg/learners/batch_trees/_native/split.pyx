"""The best split of a node of a batch tree: every border between two values, each category and the rest, or
all categories.

A node with class weights c_k, of sum n, has the score

    Gini  sum_k c_k^2/n,   entropy  sum_k c_k log c_k - n log n,   error  max_k c_k          (1)

and a split gains the sum of score(child) less score(node), which is n times the fall of the impurity. Of
equal splits the one of the first input, at the lowest value, is taken. Most borders need no score: a bound of
it is below the best one found before. With l_k, r_k the weights on the sides and f(x) = x log x, the entropy
score of both is

    n [sum_k f(l_k/n) + f(r_k/n) - f(n_left/n) - f(n_right/n)],                               (2)

where f lies below its chords and above its tangents. So does g(x) = f(x) + f(1 - x) of two classes.

With two classes, Gini and rows that all count once, a border with l of the second class's s rows among the i
rows on its left, of n in all, has the score

    n - 2 s + 2 [l^2/i + (s - l)^2/(n - i)].                                                  (3)

The largest bracket of each input, its promise, is found first, many borders at a time and in single
precision; only inputs whose promise is next to the largest of all are then searched as above.
"""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, isnan
from libc.stdint cimport uint64_t
from libc.string cimport memset

from .sorted_rows cimport BORDERS_AT_ONCE, LARGE, batch_split_t, is_stopped, sorted_rows_t
from .impurity cimport ENTROPY, ERROR, GINI, LINES, c_log_c as c_times_log_c, on_line, score

cdef extern from "thalweg/learners/batch_trees/_native/border_scores.h" nogil:
    ctypedef float (*border_f)(const int* left, const float* inverse, const float* reversed, ptrdiff_t n,
                               float total)
    border_f best_search()

cdef extern from "thalweg/learners/batch_trees/_native/row_flags.h" nogil:
    float best_border_by_flags(const int* order, const uint64_t* words, const float* inverse,
                               const float* reversed, ptrdiff_t n, float total)
    ptrdiff_t borders_by_flags(const int* order, const uint64_t* words, const float* inverse,
                               const float* reversed, ptrdiff_t n, float total, float least, int* places,
                               int* counts)

cdef border_f best_border = best_search()

cdef double TIE = 1e-12                 # gains closer than this, relative to the weight, are equal
cdef double ROUNDING = 1e-9             # more than the rounding of all moves, relative to the weight
cdef double SINGLE_ROUNDING = 4e-6      # more than that of (3), relative to the weight

ctypedef struct sides_t:                # of a border
    double n                            # weight on both sides
    double n_left
    double second                       # of two classes, the second one's weight on the left
    double squares_left                 # sum of the squares of the class weights
    double squares_right
    double scale                        # LINES/n
    double logs                         # bound of the sum over the classes in (2), by b.held


cdef void search(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                 const double* w) noexcept nogil:
    # Find the best split of a node over all inputs.
    cdef Py_ssize_t j, known
    cdef const double* weights = b.nodes.weights + node * t.n_classes
    cdef double own, perfect, least = -INFINITY, n = weight_of(t, b, node)
    cdef bint is_large = b.stop[node] - b.start[node] > LARGE, bounded = is_bounded(n), screened
    if n == 0:
        return
    own = score(weights, t.n_classes, t.criterion, b.table)
    b.best[node].gain, b.least = -INFINITY, (1 - ROUNDING) * t.min_weight
    perfect = (1 - TIE / 2) * n if t.criterion != ENTROPY else -TIE / 2 * n
    screened = b.is_unit and t.criterion == GINI and b.least <= 0
    if screened:
        least = least_promise(t, b, node, weights[1])
    for j in range(t.n_features):
        if screened and b.promise[j] < least:
            continue
        if is_large and is_stopped(b, b.stop[node] - b.start[node]):
            return
        known = known_until(b, node, j)
        if known == b.start[node]:
            continue
        if screened and b.by_flags and b.distinct[j] and not t.n_categories[j]:
            try_promised(t, b, node, j, least)
        else:
            search_input(t, b, node, j, known, bounded, y, w)
        if b.best[node].gain >= perfect:        # no other input can do better
            break
    if b.best[node].gain > -INFINITY:
        b.best[node].gain = max(b.best[node].gain - own, 0.0)
    else:
        b.best[node].gain = -1.0


cdef Py_ssize_t known_until(const sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j) noexcept nogil:
    cdef const double* column = b.columns + j * b.room
    cdef const int* order = b.order + j * b.room
    cdef Py_ssize_t known = b.stop[node]
    if column[order[b.start[node]]] == column[order[known - 1]]:
        return b.start[node]
    while known > b.start[node] and isnan(column[order[known - 1]]):
        known -= 1
    return known


cdef void search_input(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                       Py_ssize_t known, bint bounded, const Py_ssize_t* y, const double* w) noexcept nogil:
    if t.n_categories[j] and t.multiway:
        try_branches(t, b, node, j, known, y, w)
    elif t.n_categories[j]:
        search_categories(t, b, node, j, known, y, w)
    else:
        search_borders(t, b, node, j, known, False, bounded, y, w)
        if known < b.stop[node]:
            search_borders(t, b, node, j, known, True, bounded, y, w)


cdef double least_promise(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node,
                          double total) noexcept nogil:
    # Find the promise of each input, infinity if it has to be searched anyway, and the least that matters.
    cdef Py_ssize_t i, j, n = b.stop[node] - b.start[node], n_padded = n
    cdef double most = -INFINITY
    cdef const int* order
    while (n_padded - 1) % BORDERS_AT_ONCE:
        n_padded += 1
    for i in range(n - 1, n_padded - 1):
        b.counts[i] = 0
    for j in range(t.n_features):
        if not b.distinct[j] or t.n_categories[j] or is_stopped(b, n):
            b.promise[j] = INFINITY
            continue
        order = b.order + j * b.room + b.start[node]
        if b.by_flags:
            b.promise[j] = best_border_by_flags(order, b.packed_second, b.inverse,
                                                b.reversed + b.room - (n - 1), n - 1, total)          # (3)
        else:
            count_second(b, order, n - 1)
            b.promise[j] = best_border(b.counts, b.inverse, b.reversed + b.room - (n - 1), n_padded - 1,
                                       total)                                                         # (3)
        most = max(most, b.promise[j])
        if most > total - 0.25:         # the classes are parted, or a row at least were on the wrong side
            for i in range(j + 1, t.n_features):
                b.promise[i] = -INFINITY
            break
    return most - SINGLE_ROUNDING * n


cdef inline void count_second(sorted_rows_t* b, const int* order, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef int count = 0
    for i in range(n):
        count += b.second[order[i]]
        b.counts[i] = count


cdef void try_promised(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                       double least) noexcept nogil:
    # Try the borders of an input whose scores are next to the largest of all, as try_borders does.
    cdef Py_ssize_t i, n_found, n = b.stop[node] - b.start[node] - 1
    cdef const double* weights = b.nodes.weights + node * t.n_classes
    cdef const int* order = b.order + j * b.room + b.start[node]
    cdef const double* column = b.columns + j * b.room
    cdef double found, threshold, tie = TIE * (n + 1)
    n_found = borders_by_flags(order, b.packed_second, b.inverse, b.reversed + b.room - n, n, weights[1],
                               least, b.places, b.counts)
    for i in range(n_found):
        b.sums[0], b.sums[1] = b.places[i] + 1 - b.counts[i], b.counts[i]
        found = score_of_both(t, b, weights)
        if found > b.best[node].gain + tie:
            threshold = middle(column[order[b.places[i]]], column[order[b.places[i] + 1]])
            b.best[node] = batch_split_t(found, threshold, j, False, 2, b.places[i] + 1, 0.0)


cdef void search_borders(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                         Py_ssize_t known, bint missing_left, bint bounded, const Py_ssize_t* y,
                         const double* w) noexcept nogil:
    # A loop for each case, as two classes need no more than two sums, which stay in registers. Bounds are for
    # weights whose cubes are finite; the error has none.
    if not bounded:
        try_borders(t, b, node, j, known, missing_left, y, w, False, ERROR)
    elif t.n_classes > 2:
        try_borders(t, b, node, j, known, missing_left, y, w, False, t.criterion)
    elif t.criterion == GINI:
        try_borders(t, b, node, j, known, missing_left, y, w, True, GINI)
    elif t.criterion == ENTROPY:
        try_borders(t, b, node, j, known, missing_left, y, w, True, ENTROPY)
    else:
        try_borders(t, b, node, j, known, missing_left, y, w, True, ERROR)


cdef inline void try_borders(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                             Py_ssize_t known, bint missing_left, const Py_ssize_t* y, const double* w,
                             bint pair, int criterion) noexcept nogil:
    # Move the rows to the left one after another and try every border between two values.
    cdef Py_ssize_t i, row, following
    cdef Py_ssize_t last = b.stop[node] if known < b.stop[node] and not missing_left else known - 1
    cdef const double* weights = b.nodes.weights + node * t.n_classes
    cdef const int* order = b.order + j * b.room
    cdef const double* column = b.columns + j * b.room
    cdef double value, found, best = b.best[node].gain
    cdef sides_t s = all_right(t, b, weights)
    cdef double tie = TIE * s.n, least = b.least, most = s.n - least
    if missing_left:
        for i in range(known, b.stop[node]):
            move(b, &s, y[order[i]], w[order[i]], weights, pair, criterion)
    for i in range(b.start[node], min(last, known)):
        row = order[i]
        move(b, &s, y[row], w[row], weights, pair, criterion)
        value = column[row]
        following = order[i + 1] if i + 1 < known else -1
        if (following >= 0 and column[following] <= value) or s.n_left >= most or s.n_left < least:
            continue
        if hopeless(b, &s, weights, best + tie / 2, pair, criterion):
            continue
        if pair:
            b.sums[0], b.sums[1] = s.n_left - s.second, s.second
        found = score_of_both(t, b, weights)
        if found > best + tie:
            best = found
            b.best[node].threshold = middle(value, column[following]) if following >= 0 else DBL_MAX
            b.best[node].feature, b.best[node].gain, b.best[node].missing_left = j, found, missing_left
            b.best[node].n_children, b.best[node].n_left = 2, s.n_left


cdef inline sides_t all_right(const batch_tree_t* t, sorted_rows_t* b, const double* weights) noexcept nogil:
    cdef Py_ssize_t k
    cdef sides_t s = sides_t(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(t.n_classes):
        s.n += weights[k]
        s.squares_right += weights[k] * weights[k]
        b.sums[k] = 0.0
    s.scale = LINES / s.n
    for k in range(t.n_classes):
        b.held[k] = c_log_c(b, &s, weights[k], b.chords)
        s.logs += b.held[k]
    return s


cdef inline double c_log_c(sorted_rows_t* b, const sides_t* s, double c, const double* lines) noexcept nogil:
    # Apart from c log n, which cancels out.
    return b.table[<Py_ssize_t> c] if b.table != NULL else on_line(c, s.n, s.scale, lines)


cdef inline void move(sorted_rows_t* b, sides_t* s, Py_ssize_t k, double w, const double* weights, bint pair,
                      int criterion) noexcept nogil:
    # Move a row of class k to the left of the border.
    s.n_left += w
    if pair:
        s.second += w * k
        return
    if criterion == GINI:
        s.squares_left += w * (2 * b.sums[k] + w)
        s.squares_right -= w * (2 * (weights[k] - b.sums[k]) - w)
    b.sums[k] += w
    if criterion == ENTROPY:
        s.logs -= b.held[k]
        b.held[k] = c_log_c(b, s, b.sums[k], b.chords) + c_log_c(b, s, weights[k] - b.sums[k], b.chords)
        s.logs += b.held[k]


cdef inline bint hopeless(sorted_rows_t* b, const sides_t* s, const double* weights, double least,
                          bint pair, int criterion) noexcept nogil:
    # Whether a bound of the score of both sides, cheaper than the score itself, is not above the least.
    cdef double n_right = s.n - s.n_left, other = weights[1] - s.second, most, rest
    if criterion == GINI and pair:      # a side of weight n and c has the score n - 2 c (n - c)/n
        most = s.second * (s.n_left - s.second) * n_right + other * (n_right - other) * s.n_left
        return 2 * most >= (s.n - least) * (s.n_left * n_right)
    if criterion == GINI:
        # What is left after many subtractions may be only rounding, but lies between 0 and n^2.
        rest = min(max(s.squares_right, 0.0), n_right * n_right)
        return s.squares_left * n_right + rest * s.n_left <= least * (s.n_left * n_right)
    if criterion == ENTROPY and pair:
        most = on_line(s.second, s.n_left, LINES / s.n_left, b.pair_chords)
        return most + on_line(other, n_right, LINES / n_right, b.pair_chords) <= least
    if criterion == ENTROPY:                                                                          # (2)
        most = s.logs - c_log_c(b, s, s.n_left, b.tangents) - c_log_c(b, s, n_right, b.tangents)
        return most + ROUNDING * s.n <= least
    return False


cdef double score_of_both(const batch_tree_t* t, sorted_rows_t* b, const double* weights) noexcept nogil:
    cdef Py_ssize_t k
    cdef double* right = b.sums + t.n_classes
    for k in range(t.n_classes):
        right[k] = weights[k] - b.sums[k]
    return (score(b.sums, t.n_classes, t.criterion, b.table)
            + score(right, t.n_classes, t.criterion, b.table))


cdef inline double middle(double low, double high) noexcept nogil:
    cdef double value = low / 2 + high / 2
    return value if value < high else low


cdef void search_categories(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                            Py_ssize_t known, const Py_ssize_t* y, const double* w) noexcept nogil:
    # Try each category against the rest.
    cdef Py_ssize_t i, k
    cdef double* left = b.sums
    cdef const double* weights = b.nodes.weights + node * t.n_classes
    cdef const int* order = b.order + j * b.room
    cdef const double* column = b.columns + j * b.room
    cdef double found, tie = TIE, n = 0.0, n_left = 0.0
    for k in range(t.n_classes):
        tie += TIE * weights[k]
        n += weights[k]
        left[k] = 0.0
    for i in range(b.start[node], known):
        left[y[order[i]]] += w[order[i]]
        n_left += w[order[i]]
        if i + 1 < known and column[order[i + 1]] == column[order[i]]:
            continue
        if b.least <= 0 or (n_left >= b.least and n - n_left >= b.least):
            found = score_of_both(t, b, weights)
            if found > b.best[node].gain + tie:
                b.best[node] = batch_split_t(found, column[order[i]], j, False, 2, n_left, 0.0)
        memset(left, 0, t.n_classes * sizeof(double))
        n_left = 0.0


cdef void try_branches(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                       Py_ssize_t known, const Py_ssize_t* y, const double* w) noexcept nogil:
    # Try a branch for each category, and one for missing values.
    cdef Py_ssize_t i, n_branches = 0, n_heavy = 0, n_known = 0
    cdef const int* order = b.order + j * b.room
    cdef const double* column = b.columns + j * b.room
    cdef double found = 0.0, n = 0.0, n_branch = 0.0, logs = 0.0
    memset(b.sums, 0, t.n_classes * sizeof(double))
    for i in range(b.start[node], b.stop[node]):
        b.sums[y[order[i]]] += w[order[i]]
        n_branch += w[order[i]]
        if i + 1 < b.stop[node] and (i >= known or column[order[i + 1]] == column[order[i]]):
            continue
        found += score(b.sums, t.n_classes, t.criterion, b.table)
        n += n_branch
        logs += c_times_log_c(n_branch, b.table)
        n_branches += 1
        n_known += i < known
        n_heavy += n_branch >= b.least
        memset(b.sums, 0, t.n_classes * sizeof(double))
        n_branch = 0.0
    if n_heavy >= 2 and found > b.best[node].gain + TIE * (n + 1):
        b.best[node] = batch_split_t(found, n_known, j, n_known < n_branches, n_branches, 0.0,
                                     c_times_log_c(n, b.table) - logs)

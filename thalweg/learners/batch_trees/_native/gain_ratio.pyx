"""The split of a node of a batch tree as C4.5, release 8, chooses it: by gain ratio.

Every input has one candidate: the border of its values that gains most, the category that does if parted from
the rest, or all its categories. With the entropy scores of split.pyx, which are n times those of C4.5 and in
nats, and n_borders the number of borders that a numeric input has to choose from, it gains

    sum_i score(child i) - score(node) - log(n_borders).                                      (1)

Only what gains more than 0 is a candidate. Of those that gain at least the mean of all, the one is taken
whose gain is the largest share of the information in the split itself,

    n log n - sum_i n_i log n_i,                                                              (2)

n_i being the weights of the children; of equal ones the first. Both sides of a border weigh at least

    max(min_weight, min(n_known/(10 n_classes), 25)).                                         (3)
"""

from libc.math cimport ceil, log

from .impurity cimport ENTROPY, c_log_c, score
from .sorted_rows cimport LARGE, is_stopped, sorted_rows_t
from .split cimport ROUNDING, TIE, batch_tree_t, is_bounded, known_until, search_input, weight_of

cdef double LEAST_SHARE = 0.1, MOST_LEAST = 25.0        # see (3)


cdef void search_ratio(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                       const double* w) noexcept nogil:
    cdef double n = weight_of(t, b, node), own
    cdef Py_ssize_t j, n_rows = b.stop[node] - b.start[node]
    if n == 0:
        return
    own = score(b.nodes.weights + node * t.n_classes, t.n_classes, ENTROPY, b.table)
    for j in range(t.n_features):
        if n_rows > LARGE and is_stopped(b, n_rows):
            return
        find_candidate(t, b, node, j, n, own, y, w)
    choose(t, b, node)


cdef void find_candidate(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j, double n,
                         double own, const Py_ssize_t* y, const double* w) noexcept nogil:
    # Leave the best split by an input in b.found[j], with a gain below 0 if there is none.
    cdef Py_ssize_t known = known_until(b, node, j), n_borders
    cdef double least = own
    b.found[j].gain = -1.0
    if known == b.start[node]:
        return
    b.least = (1 - ROUNDING) * t.min_weight
    if t.n_categories[j] == 0:
        b.least = (1 - ROUNDING) * least_side(t, b, node, j, known, n, w)
        n_borders = count_borders(b, node, j, known, n, w)
        if n_borders == 0:
            return
        least += log(n_borders)
    b.best[node].gain, b.best[node].feature = least, -1
    search_input(t, b, node, j, known, is_bounded(n), y, w)
    if b.best[node].feature < 0:
        return
    b.found[j] = b.best[node]
    b.found[j].gain -= least                                                                      # (1)
    if t.n_categories[j] == 0 or not t.multiway:
        b.found[j].information = (c_log_c(n, b.table) - c_log_c(b.found[j].n_left, b.table)
                                  - c_log_c(n - b.found[j].n_left, b.table))                      # (2)
    if not b.found[j].information > TIE * n:
        b.found[j].gain = -1.0


cdef void choose(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t j, best = -1, n_found = 0
    cdef double total = 0.0, ratio, most = 0.0
    b.best[node].gain = -1.0
    for j in range(t.n_features):
        if b.found[j].gain > 0:
            total += b.found[j].gain
            n_found += 1
    for j in range(t.n_features):
        if b.found[j].gain <= 0 or b.found[j].gain < (1 - ROUNDING) * total / n_found:
            continue
        ratio = b.found[j].gain / b.found[j].information
        if ratio > most + TIE:
            best, most = j, ratio
    if best >= 0:
        b.best[node] = b.found[best]


cdef double least_side(const batch_tree_t* t, const sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                       Py_ssize_t known, double n, const double* w) noexcept nogil:
    cdef double n_known = n
    cdef Py_ssize_t i
    for i in range(known, b.stop[node]):
        n_known -= w[b.order[j * b.room + i]]
    return max(t.min_weight, min(LEAST_SHARE * n_known / t.n_classes, MOST_LEAST))                # (3)


cdef Py_ssize_t count_borders(const sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j, Py_ssize_t known,
                              double n, const double* w) noexcept nogil:
    # The borders that search_input tries: those with missing values on the right, and then on the left.
    cdef Py_ssize_t n_rows = b.stop[node] - b.start[node], least
    if b.is_unit and b.distinct[j]:
        least = max(<Py_ssize_t> ceil(b.least), 1)
        return max(n_rows - 2 * least + 1, 0)
    cdef Py_ssize_t found = count_on(b, j, b.start[node], known, 0.0, n, w)
    cdef double n_missing = 0.0
    cdef Py_ssize_t i
    if known == b.stop[node]:
        return found
    for i in range(known, b.stop[node]):
        n_missing += w[b.order[j * b.room + i]]
    if n_missing >= b.least and n - n_missing >= b.least:       # all known values on the left
        found += 1
    return found + count_on(b, j, b.start[node], known, n_missing, n, w)


cdef Py_ssize_t count_on(const sorted_rows_t* b, Py_ssize_t j, Py_ssize_t start, Py_ssize_t known,
                         double n_left, double n, const double* w) noexcept nogil:
    # The borders between known values, with a weight of n_left on the left of all of them.
    cdef const double* column = b.columns + j * b.room
    cdef const int* order = b.order + j * b.room
    cdef Py_ssize_t i, found = 0
    for i in range(start, known - 1):
        n_left += w[order[i]]
        found += (column[order[i]] < column[order[i + 1]] and n_left < n and n_left >= b.least
                  and n - n_left >= b.least)
    return found

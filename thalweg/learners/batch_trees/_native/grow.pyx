"""Decision trees on weighted rows: exact splits, best first, smoothed probabilities in the leaves.

The leaf that gains most (see split.pyx) is split next, until there are max_leaves or all are pure.
Every input is sorted once; a split parts the sorted rows of all inputs in a stable way, so that they
stay sorted. Missing values come last. Numeric splits are tried with them on either side, and an input may be
split into known and missing; in a split by category they are in the rest, and in one into branches they have
their own. Where a node has no missing values of the input it is split by, they go to the heaviest child. A
leaf, and a node that has no branch for the category of a row, predicts

    p_k = (c_k + laplace)/(n + K laplace)                                                     (1)
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array

from .nodes import check_nodes, described

from libc.math cimport floor, isnan
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from .gain_ratio cimport search_ratio
from .parting cimport branch_of, goes_left, mark_branches, mark_left, part, part_branches
from .split cimport search
from .sorted_rows cimport FLAG_WORDS, LARGE, MOST_FLAGS, SortedRows, is_stopped, sorted_rows_t
from thalweg._native.failure cimport begin_call, call_t, end_call
from .impurity cimport ENTROPY, ERROR, GAIN_RATIO, GINI
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers

cdef extern from "thalweg/learners/batch_trees/_native/row_flags.h" nogil:
    bint has_row_flags()
    void pack_flags(const char* flags, ptrdiff_t n, uint64_t* words)

CRITERIA = {"gini": GINI, "entropy": ENTROPY, "error": ERROR, "gain_ratio": GAIN_RATIO}
MOST_SMOOTHING = 1e200                  # so that sums stay finite
cdef bint packs_flags = has_row_flags()
cdef double MOST_EXACT = 1 << 53        # sums of whole numbers below it are exact

LAYOUT = {
    "n_nodes": Array(INDEX, 1, low=1, fill=1),
    "feature": Array(INDEX, "node", low=-1, high="input", fill=-1),
    "child": Array(INDEX, "node", low=0, high="node"),
    "missing": Array(INDEX, "node", low=0, high="node"),
    "threshold": Array(FLOAT, "node"),
    "weights": Array(FLOAT, "node", "class", low=0.0, high=layouts.MOST_WEIGHT),
}
BRANCHES = {"category": Array(FLOAT, "node")}   # of trees that have branches


cdef class BatchTree(Kernel):
    """A tree in arrays; `fit` grows a new one, its handle only predicts."""

    def __init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace, multiway=False,
                 min_weight=0.0):
        lengths = {"class": n_classes, "input": n_features, "node": None}
        self.allocate("DecisionTree", LAYOUT | BRANCHES if multiway else LAYOUT, lengths, {"node": 1})
        self.arrays["n_categories"] = np.array(n_categories, dtype=np.intp)
        self.core.n_features, self.core.n_classes = n_features, n_classes
        self.core.max_leaves, self.core.by_ratio = max_leaves, criterion == GAIN_RATIO
        self.core.criterion = ENTROPY if self.core.by_ratio else criterion
        self.core.multiway, self.core.min_weight = multiway, min_weight
        self.core.laplace = min(laplace, MOST_SMOOTHING)
        self.core.kernel = <void*> self
        self.set_handle(<void*> &self.core, n_features, n_classes, learn_nothing, tree_predict)
        self.bind()

    cdef void bind(self):
        cdef batch_tree_t* t = &self.core
        t.room = len(self.arrays["feature"])
        t.nodes.n, t.nodes.feature = integers(self.arrays["n_nodes"]), integers(self.arrays["feature"])
        t.nodes.child, t.nodes.missing = integers(self.arrays["child"]), integers(self.arrays["missing"])
        t.nodes.threshold = doubles(self.arrays["threshold"])
        t.nodes.weights = doubles(self.arrays["weights"])
        t.nodes.category = doubles(self.arrays["category"]) if t.multiway else NULL
        t.n_categories = integers(self.arrays["n_categories"])

    def used(self):
        """Return how many nodes the tree has."""
        return {"node": self.core.nodes.n[0]}

    def nodes(self):
        """Return the tree node by node: a dict of arrays, as DecisionTree.nodes_ describes it."""
        return described(self.arrays, self.core.multiway)

    def check(self, arrays):
        """Raise StateError unless every path from the root ends in a leaf."""
        check_nodes(arrays | {"n_categories": self.arrays["n_categories"]}, self.core.multiway, self.who)

    def grow(self, SortedRows rows, const Py_ssize_t[::1] y, const double[::1] w):
        """Grow a new tree on rows with these class codes and weights."""
        cdef call_t call
        if not len(y) == len(w) == rows.core.n:
            raise ValueError(f"BatchTree: got {len(y)} labels and {len(w)} weights for {rows.core.n} rows")
        if rows.core.n == 0:
            return
        begin_call(&call, 0)
        with nogil:
            tree_grow(&self.core, &rows.core, &y[0], &w[0])
        end_call(&call, -1)

    def fit(self, X, y, w):
        """Grow a new tree on these rows."""
        rows = SortedRows(max(len(X), 1), self.handle.n_features, self.handle.n_classes)
        rows.load(X)
        self.grow(rows, y, w)

    cdef bint make_room(self, Py_ssize_t n_nodes) noexcept:
        length = max(n_nodes, 2 * self.core.room)
        return self.adopt_computed(layouts.resized, (self.layout, self.arrays, "node", length))


cdef void learn_nothing(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    pass


cdef bint tree_grow(batch_tree_t* t, sorted_rows_t* b, const Py_ssize_t* y, const double* w) noexcept nogil:
    return grow_nodes(t, b, y, w) and copy_tree(t, b)


cdef bint grow_nodes(const batch_tree_t* t, sorted_rows_t* b, const Py_ssize_t* y,
                     const double* w) noexcept nogil:
    cdef Py_ssize_t node, n_leaves = 1, cursor = 0
    b.stopped = False
    keep_weighted(t, b, y, w)
    b.nodes.n[0] = 1
    init_node(b, 0, 0, b.used)
    count_weights(t, b, 0, y, w)
    if t.max_leaves > 1:
        search_node(t, b, 0, y, w)
    while n_leaves < t.max_leaves and not b.stopped:
        if t.max_leaves >= b.used:      # all will be split, in any order
            node = next_node(b, &cursor)
        else:
            node = best_node(b, t.max_leaves - n_leaves)
        if node < 0:
            break
        n_leaves += b.best[node].n_children - 1
        is_stopped(b, 2 * t.n_features * min(b.stop[node] - b.start[node], LARGE))
        if t.multiway and t.n_categories[b.best[node].feature]:
            branch(t, b, node, y, w, n_leaves < t.max_leaves)
        else:
            split(t, b, node, y, w, n_leaves < t.max_leaves)
    return not b.stopped


cdef inline void search_node(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                             const double* w) noexcept nogil:
    if t.by_ratio:
        search_ratio(t, b, node, y, w)
    else:
        search(t, b, node, y, w)


cdef bint copy_tree(batch_tree_t* t, const sorted_rows_t* b) noexcept nogil:
    cdef Py_ssize_t n = b.nodes.n[0]
    cdef bint has_room = n <= t.room
    if not has_room:
        with gil:
            has_room = (<BatchTree> t.kernel).make_room(n)
    if not has_room:
        return False
    t.nodes.n[0] = n
    memcpy(t.nodes.feature, b.nodes.feature, n * sizeof(Py_ssize_t))
    memcpy(t.nodes.child, b.nodes.child, n * sizeof(Py_ssize_t))
    memcpy(t.nodes.missing, b.nodes.missing, n * sizeof(Py_ssize_t))
    memcpy(t.nodes.threshold, b.nodes.threshold, n * sizeof(double))
    memcpy(t.nodes.weights, b.nodes.weights, n * t.n_classes * sizeof(double))
    if t.nodes.category != NULL:
        memcpy(t.nodes.category, b.nodes.category, n * sizeof(double))
    return True


cdef void keep_weighted(const batch_tree_t* t, sorted_rows_t* b, const Py_ssize_t* y,
                        const double* w) noexcept nogil:
    # Copy the sorted rows, without those of weight 0, and see whether weights are whole numbers, or all 1.
    cdef Py_ssize_t i, j, n
    cdef double total = 0.0
    cdef bint whole = True, is_heavy = True
    b.is_unit = t.n_classes == 2
    for i in range(b.n):
        total += w[i]
        is_heavy = is_heavy and w[i] > 0
        whole = whole and w[i] == floor(w[i])
        b.is_unit = b.is_unit and (w[i] == 1 or w[i] == 0)
        b.second[i] = y[i] == 1
    b.table = b.logs if whole and total <= b.n_logs else NULL
    b.is_exact = whole and total < MOST_EXACT
    b.by_flags = packs_flags and b.n <= MOST_FLAGS
    if b.by_flags:
        pack_flags(b.second, b.n, b.packed_second)
    cdef const int* rows
    cdef int* order
    for j in range(t.n_features):
        if is_stopped(b, b.n):
            b.used = 0
            return
        rows, order, n = b.sorted + j * b.room, b.order + j * b.room, 0
        if is_heavy:
            memcpy(order, rows, b.n * sizeof(int))
            b.used = b.n
            continue
        for i in range(b.n):
            order[n] = rows[i]
            n += w[rows[i]] > 0
        b.used = n


cdef Py_ssize_t next_node(sorted_rows_t* b, Py_ssize_t* cursor) noexcept nogil:
    while cursor[0] < b.nodes.n[0]:
        cursor[0] += 1
        if b.best[cursor[0] - 1].gain >= 0:
            return cursor[0] - 1
    return -1


cdef Py_ssize_t best_node(sorted_rows_t* b, Py_ssize_t most_new) noexcept nogil:
    # The leaf that gains most, of those whose split adds no more than most_new leaves.
    cdef Py_ssize_t node, best = -1
    cdef double most = -1.0
    for node in range(b.nodes.n[0]):
        if (b.nodes.feature[node] < 0 and b.best[node].gain > most
                and b.best[node].n_children - 1 <= most_new):
            best, most = node, b.best[node].gain
    is_stopped(b, b.nodes.n[0])
    return best


cdef void init_node(sorted_rows_t* b, Py_ssize_t node, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    b.start[node], b.stop[node], b.nodes.category[node] = start, stop, 0.0
    init_leaf(b, node)


cdef inline void init_leaf(sorted_rows_t* b, Py_ssize_t node) noexcept nogil:
    b.nodes.feature[node], b.nodes.threshold[node] = -1, 0.0
    b.nodes.child[node] = b.nodes.missing[node] = 0
    b.best[node].gain = -1.0


cdef void count_weights(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                        const double* w) noexcept nogil:
    cdef Py_ssize_t i, n_second = 0
    cdef double* weights = b.nodes.weights + node * t.n_classes
    memset(weights, 0, t.n_classes * sizeof(double))
    if b.is_unit:
        for i in range(b.start[node], b.stop[node]):
            n_second += b.second[b.order[i]]
        weights[0], weights[1] = b.stop[node] - b.start[node] - n_second, n_second
        return
    for i in range(b.start[node], b.stop[node]):
        weights[y[b.order[i]]] += w[b.order[i]]


cdef void count_children(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t left,
                         const Py_ssize_t* y, const double* w) noexcept nogil:
    # The weights of both children; those of the larger by subtraction where that rounds nothing.
    cdef Py_ssize_t k, right = left + 1
    cdef bint left_is_smaller = b.stop[left] - b.start[left] <= b.stop[right] - b.start[right]
    cdef Py_ssize_t smaller = left if left_is_smaller else right, larger = right if left_is_smaller else left
    cdef double* weights = b.nodes.weights
    count_weights(t, b, smaller, y, w)
    if not b.is_exact:
        count_weights(t, b, larger, y, w)
        return
    for k in range(t.n_classes):
        weights[larger * t.n_classes + k] = (weights[node * t.n_classes + k]
                                             - weights[smaller * t.n_classes + k])


cdef void split(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                const double* w, bint more) noexcept nogil:
    # Give the node two children; part the rows of all inputs only if there are more splits to come.
    cdef Py_ssize_t j, k, left = b.nodes.n[0], feature = b.best[node].feature, start = b.start[node]
    cdef Py_ssize_t stop = b.stop[node], border
    cdef double gap = 0.0
    cdef uint64_t[FLAG_WORDS] packed_left
    cdef bint missing_left = b.best[node].missing_left
    cdef bint known = not isnan(b.columns[feature * b.room + b.order[feature * b.room + stop - 1]])
    border = mark_left(t, b, node, packed_left)
    part(b, b.order, packed_left, start, stop)
    b.nodes.n[0] += 2
    init_node(b, left, start, border)
    init_node(b, left + 1, border, stop)
    count_children(t, b, node, left, y, w)
    more = more and (is_mixed(t, b, left) or is_mixed(t, b, left + 1))
    for j in range(1, t.n_features if more else 1):
        if stop - start > LARGE and is_stopped(b, stop - start):
            return
        part(b, b.order + j * b.room, packed_left, start, stop)
    if known:
        for k in range(t.n_classes):
            gap += b.nodes.weights[left * t.n_classes + k] - b.nodes.weights[(left + 1) * t.n_classes + k]
        missing_left = gap >= 0         # the heavier child
    b.nodes.feature[node], b.nodes.threshold[node] = feature, b.best[node].threshold
    b.nodes.child[node], b.nodes.missing[node] = left, left if missing_left else left + 1
    if more:
        search_node(t, b, left, y, w)
        search_node(t, b, left + 1, y, w)


cdef void branch(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                 const double* w, bint more) noexcept nogil:
    # Give the node a child for each category, and one for missing values if there are any.
    cdef Py_ssize_t j, k, child, first = b.nodes.n[0], last = first + b.best[node].n_children - 1
    cdef Py_ssize_t n_rows = b.stop[node] - b.start[node], heaviest = first
    cdef double n, most = 0.0
    cdef bint is_any_mixed = False
    b.nodes.n[0] = last + 1
    mark_branches(b, node, first)
    part_branches(b, b.order, node, first)
    for child in range(first, last + 1):
        init_leaf(b, child)
        count_weights(t, b, child, y, w)
        is_any_mixed |= is_mixed(t, b, child)
        n = 0.0
        for k in range(t.n_classes):
            n += b.nodes.weights[child * t.n_classes + k]
        if n > most:
            heaviest, most = child, n
    more = more and is_any_mixed
    for j in range(1, t.n_features if more else 1):
        if n_rows > LARGE and is_stopped(b, n_rows):
            return
        part_branches(b, b.order + j * b.room, node, first)
    b.nodes.feature[node], b.nodes.threshold[node] = b.best[node].feature, b.best[node].threshold
    b.nodes.child[node], b.nodes.missing[node] = first, last if b.best[node].missing_left else heaviest
    for child in range(first, last + 1 if more else first):
        search_node(t, b, child, y, w)


cdef inline bint is_mixed(const batch_tree_t* t, const sorted_rows_t* b, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k, n_present = 0
    for k in range(t.n_classes):
        n_present += b.nodes.weights[node * t.n_classes + k] > 0
    return n_present > 1


cdef void tree_predict(void* tree, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const batch_tree_t* t = <const batch_tree_t*> tree
    cdef const Py_ssize_t* feature = t.nodes.feature
    cdef const Py_ssize_t* child = t.nodes.child
    cdef const double* threshold = t.nodes.threshold
    cdef Py_ssize_t k, j, following, node = 0
    cdef double total = 0.0
    while feature[node] >= 0:
        j = feature[node]
        if isnan(x[j]):
            node = t.nodes.missing[node]
        elif t.multiway and t.n_categories[j]:
            following = branch_of(&t.nodes, node, x[j])
            if following < 0:
                break
            node = following
        else:
            node = child[node] + (not goes_left(x[j], threshold[node], t.n_categories[j] > 0, False))
    for k in range(t.n_classes):
        p[k] = t.nodes.weights[node * t.n_classes + k] + t.laplace               # (1)
        total += p[k]
    for k in range(t.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / t.n_classes

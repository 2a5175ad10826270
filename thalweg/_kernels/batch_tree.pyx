"""Decision trees on a block of weighted rows: exact splits, best first, smoothed probabilities in the leaves.

The leaf that gains most (see batch_split.pyx) is split next, until there are max_leaves or all are pure.
Every input is sorted once a block; a split parts the sorted rows of all inputs in a stable way, so that they
stay sorted. Missing values come last. Numeric splits are tried with them on either side, and an input may be
split into known and missing; in a split by category they are in the rest. Where a node has no missing values
of the input it is split by, they go to the heavier child. A leaf predicts

    p_k = (c_k + laplace)/(n + K laplace)                                                     (1)
"""

import numpy as np

from libc.math cimport floor, isnan
from libc.string cimport memcpy, memset

from .batch_split cimport search
from .block cimport Block, block_t
from .learner cimport Kernel, learner_t
from .pointers cimport doubles, integers


cdef class BatchTree(Kernel):
    """A tree in arrays; `fit` grows it afresh, its handle only predicts."""

    def __init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace, room):
        room = 2 * min(max_leaves, room) + 1
        self.arrays = {
            "n_nodes": np.ones(1, dtype=np.intp),
            "feature": np.full(room, -1, dtype=np.intp),
            "child": np.zeros(room, dtype=np.intp),
            "missing": np.zeros(room, dtype=np.intp),
            "threshold": np.zeros(room),
            "weights": np.zeros((room, n_classes)),
            "n_categories": np.array(n_categories, dtype=np.intp),
        }
        self.core.n_features, self.core.n_classes = n_features, n_classes
        self.core.max_leaves, self.core.criterion, self.core.laplace = max_leaves, criterion, laplace
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, 0, learn_nothing, tree_predict, NULL)
        self.bind()

    cdef void bind(self):
        cdef tree_t* t = &self.core
        t.room = len(self.arrays["feature"])
        t.n_nodes, t.feature = integers(self.arrays["n_nodes"]), integers(self.arrays["feature"])
        t.child, t.missing = integers(self.arrays["child"]), integers(self.arrays["missing"])
        t.threshold, t.weights = doubles(self.arrays["threshold"]), doubles(self.arrays["weights"])
        t.n_categories = integers(self.arrays["n_categories"])

    def grow(self, Block block, const Py_ssize_t[::1] y, const double[::1] w):
        """Grow the tree afresh on the rows of a block with these class codes and weights."""
        if not len(y) == len(w) == block.core.n:
            raise ValueError(f"BatchTree: got {len(y)} labels and {len(w)} weights for {block.core.n} rows")
        self.make_room(block.core.n)
        if block.core.n:
            with nogil:
                tree_grow(&self.core, &block.core, &y[0], &w[0])

    def fit(self, X, y, w):
        """Grow the tree afresh on these rows."""
        block = Block(max(len(X), 1), self.handle.n_features, self.handle.n_classes)
        block.load(X)
        self.grow(block, y, w)

    def make_room(self, n_rows):
        """Make room for the nodes of a tree on this many rows."""
        needed = 2 * min(self.core.max_leaves, n_rows) + 1
        if needed > self.core.room:
            for name in ("feature", "child", "missing", "threshold", "weights"):
                old = self.arrays[name]
                self.arrays[name] = np.zeros((needed, *old.shape[1:]), dtype=old.dtype)
            self.bind()


cdef void learn_nothing(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    pass


cdef void tree_grow(tree_t* t, block_t* b, const Py_ssize_t* y, const double* w) noexcept nogil:
    cdef Py_ssize_t node, n_leaves = 1, cursor = 0
    keep_weighted(t, b, w)
    t.n_nodes[0] = 1
    begin_node(t, b, 0, 0, b.used, y, w)
    if t.max_leaves > 1:
        search(t, b, 0, y, w)
    while n_leaves < t.max_leaves:
        if t.max_leaves >= b.used:      # all will be split, in any order
            node = next_node(t, b, &cursor)
        else:
            node = best_node(t, b)
        if node < 0:
            return
        n_leaves += 1
        split(t, b, node, y, w, n_leaves < t.max_leaves)


cdef void keep_weighted(tree_t* t, block_t* b, const double* w) noexcept nogil:
    # Copy the sorted rows, without those of weight 0, and see whether weights are whole numbers.
    cdef Py_ssize_t i, j, n
    cdef double total = 0.0
    cdef bint whole = True
    for i in range(b.n):
        total += w[i]
        whole = whole and w[i] == floor(w[i])
    b.table = b.logs if whole and total <= 2 * b.room else NULL
    cdef const int* rows
    cdef int* order
    for j in range(t.n_features):
        rows, order, n = b.sorted + j * b.room, b.order + j * b.room, 0
        for i in range(b.n):
            order[n] = rows[i]
            n += w[rows[i]] > 0
        b.used = n


cdef Py_ssize_t next_node(tree_t* t, block_t* b, Py_ssize_t* cursor) noexcept nogil:
    while cursor[0] < t.n_nodes[0]:
        cursor[0] += 1
        if b.best[cursor[0] - 1].gain >= 0:
            return cursor[0] - 1
    return -1


cdef Py_ssize_t best_node(tree_t* t, block_t* b) noexcept nogil:
    cdef Py_ssize_t node, best = -1
    cdef double most = -1.0
    for node in range(t.n_nodes[0]):
        if t.feature[node] < 0 and b.best[node].gain > most:
            best, most = node, b.best[node].gain
    return best


cdef void begin_node(tree_t* t, block_t* b, Py_ssize_t node, Py_ssize_t start, Py_ssize_t stop,
                     const Py_ssize_t* y, const double* w) noexcept nogil:
    cdef Py_ssize_t i
    cdef double* weights = t.weights + node * t.n_classes
    t.feature[node] = -1
    b.start[node], b.stop[node], b.best[node].gain = start, stop, -1.0
    memset(weights, 0, t.n_classes * sizeof(double))
    for i in range(start, stop):
        weights[y[b.order[i]]] += w[b.order[i]]


cdef inline bint goes_left(double value, double threshold, bint is_category,
                           bint missing_left) noexcept nogil:
    if isnan(value):
        return missing_left
    return value == threshold if is_category else value <= threshold


cdef void split(tree_t* t, block_t* b, Py_ssize_t node, const Py_ssize_t* y, const double* w,
                bint more) noexcept nogil:
    # Give the node two children; part the rows of all inputs only if there are more splits to come.
    cdef Py_ssize_t i, j, left = t.n_nodes[0], feature = b.best[node].feature, start = b.start[node]
    cdef Py_ssize_t stop = b.stop[node], border = start, k
    cdef double gap = 0.0
    cdef const int* order = b.order + feature * b.room
    cdef const double* column = b.columns + feature * b.room
    cdef bint missing_left = b.best[node].missing_left, known = not isnan(column[order[stop - 1]])
    for i in range(start, stop):
        b.left[order[i]] = goes_left(column[order[i]], b.best[node].threshold, t.n_categories[feature] > 0,
                                     missing_left)
        border += b.left[order[i]]
    for j in range(t.n_features if more else 1):
        part(b, b.order + j * b.room, start, stop)
    t.n_nodes[0] += 2
    begin_node(t, b, left, start, border, y, w)
    begin_node(t, b, left + 1, border, stop, y, w)
    if known:
        for k in range(t.n_classes):
            gap += t.weights[left * t.n_classes + k] - t.weights[(left + 1) * t.n_classes + k]
        missing_left = gap >= 0         # the heavier child
    t.feature[node], t.threshold[node], t.child[node] = feature, b.best[node].threshold, left
    t.missing[node] = left if missing_left else left + 1
    if more:
        search(t, b, left, y, w)
        search(t, b, left + 1, y, w)


cdef inline void part(block_t* b, int* order, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t i, n_left = start, n_right = 0
    cdef int row
    for i in range(start, stop):
        row = order[i]
        order[n_left] = row
        b.spare[n_right] = row
        n_left += b.left[row]
        n_right += not b.left[row]
    memcpy(order + n_left, b.spare, n_right * sizeof(int))


cdef void tree_predict(void* tree, const double* x, double* p, double* scratch) noexcept nogil:
    cdef tree_t* t = <tree_t*> tree
    cdef Py_ssize_t k, j, node = 0
    cdef double total = 0.0
    while t.feature[node] >= 0:
        j = t.feature[node]
        if isnan(x[j]):
            node = t.missing[node]
        else:
            node = t.child[node] + (not goes_left(x[j], t.threshold[node], t.n_categories[j] > 0, False))
    for k in range(t.n_classes):
        p[k] = t.weights[node * t.n_classes + k] + t.laplace                     # (1)
        total += p[k]
    for k in range(t.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / t.n_classes

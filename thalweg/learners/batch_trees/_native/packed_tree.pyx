"""Predictions of a batch tree for several rows at a time.

Rows go down together, level by level, and those in a leaf stay there: there is nothing for the processor to
guess, and no row waits for another. Where the machine can compare many numbers at once, and enough rows are
there, sets of rows are parted node by node instead.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t

from thalweg._native import layout as layouts

from .split cimport batch_tree_t
from thalweg._native.pointers cimport doubles

cdef extern from "thalweg/learners/batch_trees/_native/packed_vote.h" nogil:
    enum: MOST_NODES
    bint has_row_sets()
    void find_leaves(const packed_node_t* nodes, ptrdiff_t n_inner, ptrdiff_t n_nodes, const double* columns,
                     ptrdiff_t n, uint8_t* leaf)

cdef enum:
    SIZE = sizeof(packed_node_t) // sizeof(double)
    TOGETHER = 8                        # rows whose places stay in registers
    MOST_COLUMNS = 1024                 # that stay in the cache, ROWS_IN_SET rows of them

cdef bint by_sets = has_row_sets()


cdef class PackedTree:
    """A copy of a BatchTree as it is now."""

    def __init__(self, BatchTree tree):
        cdef const batch_tree_t* t = &tree.core
        cdef Py_ssize_t node, n = t.nodes.n[0], n_inner = 0
        cdef packed_tree_t* c = &self.core
        for node in range(n):
            n_inner += t.nodes.feature[node] >= 0
        self.memory = layouts.new_array(n * SIZE + (n - n_inner) * t.n_classes + (n + 1) // 2, layouts.FLOAT)
        c.nodes, c.p = <packed_node_t*> doubles(self.memory), doubles(self.memory) + n * SIZE
        c.n_inner, c.n_nodes, c.by_numbers = n_inner, n, True
        for node in range(n):
            c.by_numbers &= t.nodes.feature[node] < 0 or t.n_categories[t.nodes.feature[node]] == 0
        if c.by_numbers:
            pack(t, c, <int*> (c.p + (n - n_inner) * t.n_classes))


cdef void pack(const batch_tree_t* t, packed_tree_t* c, int* place) noexcept nogil:
    # `place` is memory for the new number of each node, and for the depth of each under that.
    cdef Py_ssize_t node, k, inner = 0, leaf = c.n_inner
    cdef packed_node_t* new
    for node in range(c.n_nodes):
        if t.nodes.feature[node] >= 0:
            place[node] = <int> inner
            inner += 1
        else:
            place[node] = <int> leaf
            leaf += 1
    for node in range(c.n_nodes):
        new = c.nodes + place[node]
        if t.nodes.feature[node] >= 0:
            new.threshold, new.feature = t.nodes.threshold[node], <int> t.nodes.feature[node]
            new.child[0], new.child[1] = place[t.nodes.child[node]], place[t.nodes.child[node] + 1]
        else:
            new.threshold, new.feature = INFINITY, 0
            new.child[0] = new.child[1] = place[node]
            set_leaf(t, node, c.p + (place[node] - c.n_inner) * t.n_classes)
    c.depth = 0
    place[0] = 0
    for node in range(c.n_inner):
        c.depth = max(c.depth, place[node] + 1)
        for k in range(2):
            place[c.nodes[node].child[k]] = place[node] + 1


cdef void set_leaf(const batch_tree_t* t, Py_ssize_t node, double* p) noexcept nogil:
    # As tree_predict does.
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(t.n_classes):
        p[k] = t.nodes.weights[node * t.n_classes + k] + t.laplace
        total += p[k]
    for k in range(t.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / t.n_classes


cdef Py_ssize_t columns_size(Py_ssize_t d) noexcept nogil:
    return ROWS_IN_SET * d if by_sets and d <= MOST_COLUMNS else 0


cdef void columns_of(const double* X, Py_ssize_t n, Py_ssize_t d, double* columns) noexcept nogil:
    cdef Py_ssize_t i, j
    for j in range(d):
        for i in range(n):
            columns[j * ROWS_IN_SET + i] = X[i * d + j]
        for i in range(n, ROWS_IN_SET):
            columns[j * ROWS_IN_SET + i] = 0.0


cdef void packed_vote(const packed_tree_t* t, const double* X, const double* columns, Py_ssize_t n,
                      Py_ssize_t d, Py_ssize_t n_classes, double vote, double* p) noexcept nogil:
    cdef Py_ssize_t i = 0, j, k
    cdef uint8_t[ROWS_IN_SET] at
    cdef int[TOGETHER] some
    if columns != NULL and t.n_nodes <= MOST_NODES:
        find_leaves(t.nodes, t.n_inner, t.n_nodes, columns, n, at)
        if n_classes == 2:
            for i in range(n):
                add_leaf(t.p + 2 * at[i], 2, vote, p + 2 * i)
        else:
            for i in range(n):
                add_leaf(t.p + at[i] * n_classes, n_classes, vote, p + i * n_classes)
        return
    while i < n:
        k = TOGETHER if i + TOGETHER <= n else 1
        if k == TOGETHER:
            go_down(t, X + i * d, d, TOGETHER, some)
        else:
            go_down(t, X + i * d, d, 1, some)
        for j in range(k):
            add_leaf(t.p + (some[j] - t.n_inner) * n_classes, n_classes, vote, p + (i + j) * n_classes)
        i += k


cdef inline void add_leaf(const double* leaf, Py_ssize_t n_classes, double vote, double* p) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n_classes):
        p[k] += vote * leaf[k]


cdef inline void go_down(const packed_tree_t* t, const double* X, Py_ssize_t d, Py_ssize_t n,
                         int* at) noexcept nogil:
    # n is a constant to the compiler, which then unrolls the loops.
    cdef int[TOGETHER] here
    cdef const packed_node_t* node
    cdef Py_ssize_t _level, i
    for i in range(n):
        here[i] = 0
    for _level in range(t.depth):
        for i in range(n):
            node = t.nodes + here[i]
            here[i] = node.child[not X[i * d + node.feature] <= node.threshold]
    for i in range(n):
        at[i] = here[i]

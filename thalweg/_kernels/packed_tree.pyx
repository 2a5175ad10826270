"""Predictions of a batch tree for several rows at a time.

Rows go down together, level by level, and those in a leaf stay there: there is nothing for the processor to guess,
and no row waits for another.
"""

from libc.math cimport INFINITY

from . import layout as layouts

from .batch_split cimport batch_tree_t
from .pointers cimport doubles

cdef enum:
    TOGETHER = 8                        # rows whose places stay in registers


cdef class PackedTree:
    """A copy of a BatchTree as it is now."""

    def __init__(self, BatchTree tree):
        cdef const batch_tree_t* t = &tree.core
        cdef Py_ssize_t node, n = t.nodes.n[0]
        cdef packed_tree_t* c = &self.core
        self.memory = layouts.new_array(n * (2 + t.n_classes), layouts.FLOAT)
        c.nodes = <packed_node_t*> doubles(self.memory)
        c.p = doubles(self.memory) + 2 * n
        c.by_numbers = True
        for node in range(n):
            if t.nodes.feature[node] < 0:
                c.nodes[node] = packed_node_t(INFINITY, 0, <int> node)
                set_leaf(t, node, c.p + node * t.n_classes)
                continue
            c.nodes[node] = packed_node_t(t.nodes.threshold[node], <int> t.nodes.feature[node],
                                          <int> t.nodes.child[node])
            c.by_numbers = c.by_numbers and t.n_categories[t.nodes.feature[node]] == 0
        c.depth = depth_of(c, n, t.n_classes)


cdef void set_leaf(const batch_tree_t* t, Py_ssize_t node, double* p) noexcept nogil:
    # As tree_predict does.
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(t.n_classes):
        p[k] = t.nodes.weights[node * t.n_classes + k] + t.laplace
        total += p[k]
    for k in range(t.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / t.n_classes


cdef Py_ssize_t depth_of(const packed_tree_t* t, Py_ssize_t n, Py_ssize_t n_classes) noexcept nogil:
    # Children come after their parents. Nodes that are no leaves keep their depth where leaves have their p.
    cdef Py_ssize_t node, child, most = 0
    cdef double depth
    t.p[0] = t.p[0] if t.nodes[0].child == 0 else 0.0
    for node in range(n):
        if t.nodes[node].child == node:
            continue
        depth = t.p[node * n_classes] + 1
        most = max(most, <Py_ssize_t> depth)
        for child in range(t.nodes[node].child, t.nodes[node].child + 2):
            if t.nodes[child].child != child:
                t.p[child * n_classes] = depth
    return most


cdef void packed_vote(const packed_tree_t* t, const double* X, Py_ssize_t n, Py_ssize_t d,
                      Py_ssize_t n_classes, double vote, double* p) noexcept nogil:
    cdef Py_ssize_t i = 0, k
    cdef const double* leaf
    cdef int[ROWS_AT_ONCE] at
    while i + TOGETHER <= n:
        go_down(t, X + i * d, d, TOGETHER, at + i)
        i += TOGETHER
    while i < n:
        go_down(t, X + i * d, d, 1, at + i)
        i += 1
    for i in range(n):
        leaf = t.p + at[i] * n_classes
        for k in range(n_classes):
            p[i * n_classes + k] += vote * leaf[k]


cdef inline void go_down(const packed_tree_t* t, const double* X, Py_ssize_t d, Py_ssize_t n,
                         int* at) noexcept nogil:
    # n is a constant to the compiler, which then unrolls the loops.
    cdef int[TOGETHER] here
    cdef const packed_node_t* node
    cdef Py_ssize_t level, i
    for i in range(n):
        here[i] = 0
    for level in range(t.depth):
        for i in range(n):
            node = t.nodes + here[i]
            here[i] = node.child + (not X[i * d + node.feature] <= node.threshold)
    for i in range(n):
        at[i] = here[i]

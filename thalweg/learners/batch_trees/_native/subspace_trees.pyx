"""Trees grown on the same rows, each on some of the inputs: these are sorted once for all trees.

A tree grows on a copy of its inputs, numbered 0, 1, 2, …, and is then told their places in a row, so that it
predicts from whole rows.
"""

from libc.string cimport memcpy

from thalweg._native import layout as layouts

from .split cimport batch_tree_t
from .grow cimport copy_tree, grow_nodes
from .sorted_rows cimport load_rows, sorted_rows_t
from thalweg._native.pointers cimport integers


cdef class SubspaceTrees:
    """Grows trees with the settings of a BatchTree: n_features, n_classes, n_categories and so on."""

    def __init__(self, *settings):
        self.settings, self.spares = settings, []
        self.categories = layouts.new_array(settings[0], layouts.INDEX)

    def new_tree(self):
        """Return an untrained tree."""
        return BatchTree(*self.settings)

    def keep(self, tree):
        """Use the memory of a tree that is no longer called for another one."""
        self.spares.append(tree)

    cdef bint load(self, const double* X, Py_ssize_t n, bint may_stop) except -1:
        if self.whole is None or self.whole.core.room < n:
            whole = SortedRows(n, self.settings[0], self.settings[1])
            self.part = SortedRows(n, self.settings[0], self.settings[1])
            self.whole = whole
        self.whole.core.may_stop = self.part.core.may_stop = may_stop
        with nogil:
            load_rows(&self.whole.core, X, n, self.whole.n_features)
        return not self.whole.core.stopped

    cdef BatchTree grown(self, const Py_ssize_t* columns, Py_ssize_t width, const Py_ssize_t* y,
                         const double* w):
        cdef BatchTree tree = self.spares[0] if self.spares else self.new_tree()
        cdef batch_tree_t seen = tree.core
        cdef sorted_rows_t* b = &self.part.core
        cdef Py_ssize_t node, j
        cdef bint done
        cdef Py_ssize_t* categories = integers(self.categories)
        seen.n_features, seen.n_categories = width, categories
        for j in range(width):
            categories[j] = tree.core.n_categories[columns[j]]
        with nogil:
            copy_columns(&self.whole.core, b, columns, width)
            done = grow_nodes(&seen, b, y, w)
            for node in range(b.nodes.n[0]):
                if b.nodes.feature[node] >= 0:
                    b.nodes.feature[node] = columns[b.nodes.feature[node]]
            done = done and copy_tree(&tree.core, b)
        if not done:
            return None
        if self.spares:
            self.spares.pop(0)
        return tree


cdef void copy_columns(const sorted_rows_t* whole, sorted_rows_t* part, const Py_ssize_t* columns,
                       Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t j
    part.n, part.n_visits, part.stopped = whole.n, 0, False
    for j in range(width):
        memcpy(part.columns + j * part.room, whole.columns + columns[j] * whole.room,
               whole.n * sizeof(double))
        part.distinct[j] = whole.distinct[columns[j]]
        memcpy(part.sorted + j * part.room, whole.sorted + columns[j] * whole.room, whole.n * sizeof(int))

"""A batch tree on the latest rows of a stream, grown again from time to time.

The latest `window` rows are kept. With t the weight of all rows so far, the tree is grown on them at the
first row, when t reaches 2, 4, 8, … below `period`, and then at every multiple of `period`.
"""

import numpy as np

from libc.math cimport floor
from libc.string cimport memcpy

from .batch_tree cimport BatchTree, tree_grow, tree_predict, tree_t
from .block cimport Block, block_load, block_t
from .learner cimport learner_t
from .pointers cimport doubles, integers

ctypedef struct window_t:
    tree_t* tree
    block_t* block
    Py_ssize_t window
    double period
    double* X                           # [window, feature], a ring
    Py_ssize_t* y
    double* w
    Py_ssize_t* n                       # rows held
    Py_ssize_t* place                   # where the next one goes
    double* total                       # t
    double* due                         # t at which the tree is grown next


cdef class WindowTreeKernel(BatchTree):
    """A batch tree, the rows it is grown on, and a block to sort them in."""

    cdef window_t ring
    cdef Block block

    def __init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace, window, period):
        BatchTree.__init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace, window)
        self.arrays |= {
            "X": np.zeros((window, n_features)),
            "y": np.zeros(window, dtype=np.intp),
            "w": np.zeros(window),
            "held": np.zeros(2, dtype=np.intp),
            "progress": np.zeros(2),
        }
        self.block = Block(window, n_features, n_classes)
        self.ring.window = window
        self.ring.period = period
        self.handle = learner_t(<void*> &self.ring, n_features, n_classes, 0, learn, predict, NULL)
        self.bind()

    cdef void bind(self):
        BatchTree.bind(self)
        if "X" not in self.arrays:
            return
        cdef window_t* r = &self.ring
        r.tree, r.block = &self.core, &self.block.core
        r.X, r.y, r.w = doubles(self.arrays["X"]), integers(self.arrays["y"]), doubles(self.arrays["w"])
        r.n, r.total = integers(self.arrays["held"]), doubles(self.arrays["progress"])
        r.place, r.due = r.n + 1, r.total + 1

    def regrow(self):
        """Grow the tree on the rows held now."""
        grow(&self.ring)


cdef void grow(window_t* r) noexcept nogil:
    block_load(r.block, r.X, r.n[0], r.tree.n_features)
    tree_grow(r.tree, r.block, r.y, r.w)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef window_t* r = <window_t*> state
    cdef Py_ssize_t place = r.place[0], d = r.tree.n_features
    memcpy(r.X + place * d, x, d * sizeof(double))
    r.y[place], r.w[place] = y, w
    r.place[0] = place + 1 if place + 1 < r.window else 0
    r.n[0] = min(r.n[0] + 1, r.window)
    r.total[0] += w
    if r.total[0] < r.due[0]:
        return
    if r.total[0] >= r.period:
        r.due[0] = r.period * (1 + floor(r.total[0] / r.period))
    else:
        while r.due[0] <= r.total[0]:
            r.due[0] = min(max(2 * r.due[0], 1.0), r.period)
    grow(r)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    tree_predict((<window_t*> state).tree, x, p, scratch)

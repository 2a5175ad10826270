"""A Markov chain of labels: how often each class followed the latest labels.

With n_o the counts of the classes that followed the latest o labels, faded, of the same context:

    p_0k = (n_0k + 1/K) / (n_0 + 1),   p_ok = (n_ok + p_(o-1)k) / (n_o + 1)                   (1)
    n_o *= decay,  n_oy += w                                                                  (2)

The answer is p of the highest order whose labels are known. Late labels are counted in the context
in which their row was observed, so that the chain learns what can be told from the labels known by then.
"""

import numpy as np

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array

from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, take_kept
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers

cdef enum:
    HIGHEST_ORDER = 8

ctypedef struct chain_t:
    Py_ssize_t n_classes
    Py_ssize_t order
    double decay
    double* counts                      # [context, class]: those of order 0, of order 1, …
    Py_ssize_t* last                    # [order]: the latest labels, the newest first; -1 for none
    kept_rows_t* kept


cdef class LabelChainKernel(Kernel):
    """Counts of what followed the latest labels."""

    cdef chain_t core

    def __init__(self, n_features, n_classes, order, decay, most_kept):
        lengths = {"class": n_classes, "order": order, "context": n_contexts(n_classes, order)}
        self.allocate("LabelChain", {
            "counts": Array(FLOAT, "context", "class", low=0.0, high=layouts.MOST_WEIGHT),
            "last": Array(INDEX, "order", low=-1, high="class", fill=-1),
        }, lengths)
        labels = {"low": -1, "high": n_classes - 1}
        self.kept = KeptRows("LabelChain", order, most_kept, labels)
        self.core.n_classes, self.core.order, self.core.decay = n_classes, order, decay
        self.set_handle(<void*> &self.core, n_features, n_classes, learn, predict)
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        self.core.counts, self.core.last = doubles(self.arrays["counts"]), integers(self.arrays["last"])
        self.core.kept = kept_by(self)

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs or classes, and maybe a higher order."""
        cdef LabelChainKernel before = <LabelChainKernel?> old
        n, fewer, order = self.core.n_classes, before.core.n_classes, self.core.order
        places = same_contexts(fewer, n, order)
        counts = layouts.new_array(self.arrays["counts"].shape, FLOAT)
        counts[places, :fewer] = old.arrays["counts"][:len(places)]
        self.inherit_kept(before)
        self.adopt({"counts": counts, "last": old.arrays["last"][:order].copy()})


def n_contexts(n_classes, order):
    """Return how many sequences of up to `order` labels there are."""
    return sum(n_classes**o for o in range(order + 1))


def same_contexts(fewer, n_classes, order):
    """Return where the contexts of fewer classes are among those of `n_classes`."""
    places = []
    for o in range(order + 1):
        digits = np.indices((fewer,) * o).reshape(o, fewer**o)
        places.append(n_contexts(n_classes, o - 1) + sum(
            (digit * n_classes**i for i, digit in enumerate(digits[::-1])), np.zeros(fewer**o, dtype=np.intp)
        ))
    return np.concatenate(places)


cdef inline Py_ssize_t known_order(const chain_t* c, const double* context) noexcept nogil:
    cdef Py_ssize_t o
    for o in range(c.order):
        if context[o] < 0:
            return o
    return c.order


cdef inline double* counts_of(const chain_t* c, const double* context, Py_ssize_t order) noexcept nogil:
    # Of what followed the newest `order` labels of a context.
    cdef Py_ssize_t o, place = 0, size = 1, start = 0
    for o in range(order):
        start += size
        place += <Py_ssize_t> context[o] * size
        size *= c.n_classes
    return c.counts + (start + place) * c.n_classes


cdef inline void now(const chain_t* c, double* context) noexcept nogil:
    cdef Py_ssize_t o
    for o in range(c.order):
        context[o] = c.last[o]


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const chain_t* c = <const chain_t*> state
    cdef double[HIGHEST_ORDER] context
    cdef const double* counts
    cdef Py_ssize_t k, o
    cdef double total
    now(c, context)
    for k in range(c.n_classes):
        p[k] = 1.0 / c.n_classes
    for o in range(known_order(c, context) + 1):
        counts, total = counts_of(c, context, o), 1.0
        for k in range(c.n_classes):
            total += counts[k]
        for k in range(c.n_classes):
            p[k] = (counts[k] + p[k]) / total                                    # (1)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef chain_t* c = <chain_t*> state
    cdef double[HIGHEST_ORDER] context
    cdef const double* kept = take_kept(c.kept, number)
    cdef double* counts
    cdef Py_ssize_t k, o
    now(c, context)
    if kept == NULL:
        kept = context
    for o in range(known_order(c, kept) + 1):
        counts = counts_of(c, kept, o)
        for k in range(c.n_classes):
            counts[k] *= c.decay
        counts[y] += w                                                           # (2)
    for o in range(c.order - 1, 0, -1):
        c.last[o] = c.last[o - 1]
    if c.order:
        c.last[0] = y


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef chain_t* c = <chain_t*> state
    cdef double* kept = keep_row(c.kept, number)
    if kept != NULL:
        now(c, kept)

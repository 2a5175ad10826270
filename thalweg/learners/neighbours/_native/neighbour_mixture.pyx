"""The nearest neighbours for several k and windows, all from one search, weighted by their performance.

An expert e is a pair of a window and a number of neighbours. Of the neighbours' votes n_k (see
nearest_neighbours.pyx), over K classes, it makes

    p_ek = (n_k + 1/K) / (sum_l n_l + 1),                                         (1)

and the answer is the mixture sum_e v_e p_e, whose trusts v follow what each gave to the labels (trust.pxd). A
label that is late is compared with what was predicted when its row was observed.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array, require

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, take_kept
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.trust cimport learn_trust
from .search cimport add_votes, begin_search, extend_search, limit_of, search_size, search_t
from .window cimport WindowKernel, keep_latest, window_t

cdef double MOST_WEIGHT = 1e3           # of a row

ctypedef struct mixture_t:
    window_t* rows
    kept_rows_t* kept
    Py_ssize_t n_windows
    Py_ssize_t n_counts
    Py_ssize_t n_classes
    double switching
    const Py_ssize_t* windows           # [window]: latest rows
    const Py_ssize_t* order             # [window]: the windows, the shortest first
    const Py_ssize_t* counts            # [count]: neighbours, rising
    double* trust                       # [window, count]
    const double* start                 # [window, count]
    double* said                        # [window, count, class]
    double* scratch                     # to predict while a row is learned


cdef class NeighbourMixtureKernel(WindowKernel):
    """One window, searched once for all experts, and their trusts."""

    cdef mixture_t mixture
    cdef dict buffers

    def __init__(self, who, n_features, n_classes, counts, windows, switching, most_kept, is_category):
        cdef mixture_t* c = &self.mixture
        n = len(counts) * len(windows)
        self.begin_window(who, n_features, n_classes, max(counts), max(windows), is_category)
        self.allocate(who, {"trust": Array(FLOAT, "expert", low=0.0, high=1.0, fill=1.0 / n)}, {"expert": n})
        self.kept = KeptRows(who, n * n_classes, most_kept, {"low": 0.0, "high": 1.0})
        self.buffers = {
            "counts": np.array(sorted(counts), dtype=INDEX),
            "windows": np.array(windows, dtype=INDEX),
            "order": np.argsort(windows, kind="stable").astype(INDEX),
            "start": layouts.new_array(n, FLOAT, 1.0 / n),
            "said": layouts.new_array(n * n_classes, FLOAT),
        }
        c.rows, c.switching, c.n_classes = &self.window, switching, n_classes
        c.n_windows, c.n_counts = len(windows), len(counts)
        c.counts, c.windows = integers(self.buffers["counts"]), integers(self.buffers["windows"])
        c.start, c.said = doubles(self.buffers["start"]), doubles(self.buffers["said"])
        c.order = integers(self.buffers["order"])
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.observe = observe
        self.bind()
        self.buffers["scratch"] = layouts.new_array(search_size(c.rows), FLOAT)
        c.scratch = doubles(self.buffers["scratch"])
        self.handle.scratch_size = search_size(c.rows) + n * n_classes

    cdef void bind(self):
        WindowKernel.bind(self)
        if self.kept is not None:
            self.mixture.trust, self.mixture.kept = doubles(self.arrays["trust"]), kept_by(self)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        WindowKernel.check(self, arrays)
        require(abs(arrays["trust"].sum() - 1) < 1e-6, self.who, "trust", "must sum to 1")


cdef void vote(const mixture_t* m, const search_t* s, Py_ssize_t n_neighbours, double* p) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total
    for k in range(m.n_classes):
        p[k] = 1.0 / m.n_classes
    total = add_votes(m.rows, s, limit_of(s, n_neighbours), p, 1.0)
    for k in range(m.n_classes):
        p[k] /= total                                                            # (1)


cdef void answer(const mixture_t* m, const double* x, double* said, double* scratch) noexcept nogil:
    # What each expert predicts for x.
    cdef search_t s = begin_search(m.rows, x, scratch)
    cdef Py_ssize_t i, j, window, n, n_before = 0
    for i in range(m.n_windows):
        window = m.order[i]
        n = min(m.windows[window], m.rows.rows.span.count)
        extend_search(m.rows, &s, n_before, n)
        n_before = n
        for j in range(m.n_counts):
            vote(m, &s, m.counts[j], said + (window * m.n_counts + j) * m.n_classes)


cdef void mix(const mixture_t* m, const double* said, double* p) noexcept nogil:
    cdef Py_ssize_t e, k
    cdef double total = 0.0
    for k in range(m.n_classes):
        p[k] = 0.0
        for e in range(m.n_windows * m.n_counts):
            p[k] += m.trust[e] * said[e * m.n_classes + k]
        total += p[k]
    for k in range(m.n_classes):
        p[k] /= total                   # trusts sum to 1 except for rounding


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const mixture_t* m = <const mixture_t*> state
    answer(m, x, scratch, scratch + m.n_windows * m.n_counts * m.n_classes)
    mix(m, scratch, p)


cdef void learn_said(mixture_t* m, const double* kept, const double* x, Py_ssize_t y,
                     double w) noexcept nogil:
    # Trust what was predicted, or `kept` if the label is late; it then counts less, as in AdaptiveStacking.
    cdef double counts = min(w, MOST_WEIGHT)
    if kept != NULL:
        counts /= sqrt(1.0 + m.kept.age)
    learn_trust(m.trust, m.start, m.n_windows * m.n_counts, (m.said if kept == NULL else kept) + y,
                m.n_classes, counts, m.switching)
    keep_latest(m.rows, x, y, w)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef mixture_t* m = <mixture_t*> state
    cdef const double* kept = take_kept(m.kept, number)
    if kept == NULL:
        answer(m, x, m.said, m.scratch)
    learn_said(m, kept, x, y, w)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef mixture_t* m = <mixture_t*> state
    cdef const double* kept = take_kept(m.kept, number)
    answer(m, x, m.said, m.scratch)
    mix(m, m.said, p)
    learn_said(m, kept, x, y, w)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef mixture_t* m = <mixture_t*> state
    cdef double* kept = keep_row(m.kept, number)
    if kept != NULL:
        answer(m, x, kept, m.scratch)

"""The nearest neighbours for several k and windows, all from one pass of distances, weighted by their merit.

An expert e is a pair of a window and a number of neighbours. Of the neighbours' votes n_k (see
nearest_neighbours.pyx), over K classes, it makes

    p_ek = (n_k + 1/K) / (sum_l n_l + 1),                                         (1)

and the answer is the mixture sum_e v_e p_e, whose trusts v follow what each gave to the labels (trust.pxd). A
label that comes late is compared with what was said when its row was observed.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array, require

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, take_kept
from .nearest_neighbours cimport (
    WINDOW_TILE, NearestNeighboursKernel, insert_nearest, learn_neighbour, measure_window, neighbours_t,
    search_in, search_t,
)
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.ring cimport place_of
from thalweg._native.trust cimport learn_trust

cdef double MOST_WEIGHT = 1e3           # of a row

ctypedef struct mixture_t:
    neighbours_t* rows
    kept_rows_t* kept
    Py_ssize_t n_windows
    Py_ssize_t n_counts
    Py_ssize_t n_classes
    double switching
    const Py_ssize_t* windows           # [window]: latest rows
    const Py_ssize_t* counts            # [count]: neighbours, rising
    double* trust                       # [window, count]
    const double* start                 # [window, count]
    double* said                        # [window, count, class]
    double* scratch                     # to predict while a row is learned

ctypedef struct range_t:                # of places
    Py_ssize_t start
    Py_ssize_t stop


cdef class NeighbourMixtureKernel(NearestNeighboursKernel):
    """One window, searched once for all experts, and their trusts."""

    cdef mixture_t mixture
    cdef dict buffers

    def __init__(self, who, n_features, n_classes, counts, windows, switching, most_kept, is_category):
        cdef mixture_t* c = &self.mixture
        n = len(counts) * len(windows)
        NearestNeighboursKernel.__init__(self, who, n_features, n_classes, max(counts), max(windows),
                                         is_category)
        self.allocate(who, {"trust": Array(FLOAT, "expert", low=0.0, high=1.0, fill=1.0 / n)}, {"expert": n})
        self.kept = KeptRows(who, n * n_classes, most_kept, {"low": 0.0, "high": 1.0})
        self.buffers = {
            "counts": np.array(sorted(counts), dtype=INDEX),
            "windows": np.array(windows, dtype=INDEX),
            "start": layouts.new_array(n, FLOAT, 1.0 / n),
            "said": layouts.new_array(n * n_classes, FLOAT),
            "scratch": layouts.new_array(self.handle.scratch_size, FLOAT),
        }
        c.rows, c.switching, c.n_classes = &self.core, switching, n_classes
        c.n_windows, c.n_counts = len(windows), len(counts)
        c.counts, c.windows = integers(self.buffers["counts"]), integers(self.buffers["windows"])
        c.start, c.said = doubles(self.buffers["start"]), doubles(self.buffers["said"])
        c.scratch = doubles(self.buffers["scratch"])
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.scratch_size += n * n_classes
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        NearestNeighboursKernel.bind(self)
        if self.kept is not None:
            self.mixture.trust, self.mixture.kept = doubles(self.arrays["trust"]), kept_by(self)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        NearestNeighboursKernel.check(self, arrays)
        require(abs(arrays["trust"].sum() - 1) < 1e-6, self.who, "trust", "must sum to 1")


cdef Py_ssize_t ranges_of(const neighbours_t* c, Py_ssize_t window, range_t* parts) noexcept nogil:
    # Where the latest rows of a window are: one part or two.
    cdef Py_ssize_t n = min(window, c.rows.span.count), first = place_of(&c.rows, c.rows.span.count - n)
    parts[0] = range_t(first, min(first + n, c.rows.room))
    parts[1] = range_t(0, first + n - c.rows.room)
    return 1 + (first + n > c.rows.room)


cdef Py_ssize_t search(const neighbours_t* c, search_t* s, const range_t* part, Py_ssize_t n) noexcept nogil:
    # Add the rows of a part to the nearest so far, of which there are n; return how many there are then.
    cdef Py_ssize_t i, t, k = c.n_neighbours, start = part.start, stop
    for t in range(part.start // WINDOW_TILE, (part.stop - 1) // WINDOW_TILE + 1):
        stop = min((t + 1) * WINDOW_TILE, part.stop)
        if n < k or s.least[t] < s.nearest[k - 1]:
            for i in range(start, stop):
                if n < k or s.distance[i] < s.nearest[k - 1]:
                    insert_nearest(s.distance[i], s.nearest, n, k)
                    n = min(n + 1, k)
        start = stop
    return n


cdef Py_ssize_t list_near(const neighbours_t* c, search_t* s, const range_t* part, double limit,
                          Py_ssize_t n) noexcept nogil:
    # Add the places of a part's rows within the limit to the list, which has n; return its length then.
    cdef Py_ssize_t i, t, start = part.start, stop
    for t in range(part.start // WINDOW_TILE, (part.stop - 1) // WINDOW_TILE + 1):
        stop = min((t + 1) * WINDOW_TILE, part.stop)
        if s.least[t] <= limit:
            for i in range(start, stop):
                s.near[n] = i
                n += s.distance[i] <= limit
        start = stop
    return n


cdef void vote(const mixture_t* m, const search_t* s, Py_ssize_t n_near, double limit,
               double* p) noexcept nogil:
    cdef const neighbours_t* c = m.rows
    cdef Py_ssize_t i, k
    cdef double total = 1.0
    for k in range(m.n_classes):
        p[k] = 1.0 / m.n_classes
    for i in range(n_near):
        if s.distance[s.near[i]] <= limit:
            p[c.rows.y[s.near[i]]] += c.rows.w[s.near[i]]
            total += c.rows.w[s.near[i]]
    for k in range(m.n_classes):
        p[k] /= total                                                            # (1)


cdef void answer(const mixture_t* m, const double* x, double* said, double* scratch) noexcept nogil:
    # What each expert says of x.
    cdef const neighbours_t* c = m.rows
    cdef search_t s = search_in(c, scratch)
    cdef range_t[2] parts
    cdef Py_ssize_t i, j, n, n_parts, n_found, n_near, place = 0
    measure_window(c, &s, x)
    for i in range(m.n_windows):
        n_parts, n_found, n_near = ranges_of(c, m.windows[i], parts), 0, 0
        for n in range(n_parts if c.rows.span.count else 0):
            n_found = search(c, &s, &parts[n], n_found)
        for n in range(n_parts if n_found else 0):
            n_near = list_near(c, &s, &parts[n], s.nearest[n_found - 1], n_near)
        for j in range(m.n_counts):
            n = min(m.counts[j], n_found)
            vote(m, &s, n_near, s.nearest[n - 1] if n else 0.0, said + place)
            place += m.n_classes


cdef void mix(const mixture_t* m, const double* said, double* p) noexcept nogil:
    cdef Py_ssize_t e, k
    cdef double total = 0.0
    for k in range(m.n_classes):
        p[k] = 0.0
        for e in range(m.n_windows * m.n_counts):
            p[k] += m.trust[e] * said[e * m.n_classes + k]
        total += p[k]
    for k in range(m.n_classes):
        p[k] /= total                   # trusts sum to 1 but for rounding


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const mixture_t* m = <const mixture_t*> state
    answer(m, x, scratch, scratch + m.n_windows * m.n_counts * m.n_classes)
    mix(m, scratch, p)


cdef void learn_said(mixture_t* m, const double* kept, const double* x, Py_ssize_t y,
                     double w) noexcept nogil:
    # Trust what was said, or `kept` if the label is late; it then counts less, as in stacking.pyx.
    cdef double counts = min(w, MOST_WEIGHT)
    if kept != NULL:
        counts /= sqrt(1.0 + m.kept.age)
    learn_trust(m.trust, m.start, m.n_windows * m.n_counts, (m.said if kept == NULL else kept) + y,
                m.n_classes, counts, m.switching)
    learn_neighbour(m.rows, x, y, w, 0)


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

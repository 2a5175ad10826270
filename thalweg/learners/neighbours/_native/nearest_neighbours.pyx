"""The k nearest neighbours in a window of the latest rows.

With the least and greatest value of each numeric input in the window, its width r_j, a row x and a row s of
the window are apart by

    d(x, s) = sum_j ((x_j - s_j)/r_j)^2,                                          (1)

a category adding 0 if it is the same and 1 if not. Where r_j is 0 an input is left out. A missing value is as
far as it could be: a category adds 1, and so do two missing numbers; a number y beside a missing one adds
max(v, 1 - v)^2 with v = (y - least)/r_j.                                         (2)

All rows no farther than the k-th nearest vote for their class with their weight.  (3)

The window lies in tiles of 16 rows, input by input, so that (1) takes many rows at once. The k-th nearest is
searched for only in tiles with a row no farther than k tiles have. How many values are at the least and the
greatest is counted: only when none is left the window is searched for new ones.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array
from thalweg._native.ring_layout import check_ring, ring_layout

from libc.math cimport INFINITY, isnan
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset

from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.ring cimport bind_ring, next_place

cdef enum:
    LINE = 64                           # bytes of a line of the cache

cdef double STEEP = 1e300               # bound on 1/r


cdef search_t search_in(const neighbours_t* c, double* scratch) noexcept nogil:
    # The parts of the caller's memory; vectors never lie across two lines of the cache.
    cdef search_t s
    cdef Py_ssize_t n_tiles = (c.rows.room + WINDOW_TILE - 1) // WINDOW_TILE
    s.distance = <double*> ((<uintptr_t> scratch + LINE - 1) // LINE * LINE)
    s.least = s.distance + n_tiles * WINDOW_TILE
    s.nearest = s.least + n_tiles
    s.value = s.nearest + c.n_neighbours
    s.inverse = s.value + c.n_features
    s.used = <Py_ssize_t*> (s.inverse + c.n_features)
    s.near = s.used + c.n_features
    return s


LAYOUT = ring_layout() | {
    "X": Array(FLOAT, "tile", "input", WINDOW_TILE, low=-layouts.MOST_VALUE, high=layouts.MOST_VALUE,
               missing=True),
}


cdef class NearestNeighboursKernel(Kernel):
    """The window and the search in it."""

    def __init__(self, who, n_features, n_classes, n_neighbours, window, is_category):
        n_tiles = -(-window // WINDOW_TILE)
        n_neighbours = min(n_neighbours, window)
        lengths = {"tile": n_tiles, "row": window, "input": n_features, "class": n_classes}
        self.allocate(who, LAYOUT, lengths)
        # The rest follows from the parameters and the window: no part of a state.
        whole = {name: layouts.new_array(n_features, INDEX) for name in ("n_low", "n_high", "n_missing")}
        self.arrays |= whole | {
            "X": aligned(self.arrays["X"].shape),
            "is_category": np.array(is_category, dtype=np.intp),
            "low": layouts.new_array(n_features, FLOAT),
            "high": layouts.new_array(n_features, FLOAT),
        }
        self.core.measure = best_measure()
        self.core.n_features, self.core.n_classes = n_features, n_classes
        self.core.n_neighbours = n_neighbours
        scratch_size = n_tiles * (2 * WINDOW_TILE + 1) + n_neighbours + 3 * n_features + LINE // 8
        self.set_handle(<void*> &self.core, n_features, n_classes, learn_neighbour, predict)
        self.handle.scratch_size = scratch_size
        self.bind()

    cdef void bind(self):
        cdef neighbours_t* c = &self.core
        bind_ring(&c.rows, self.arrays)
        c.is_category, c.n_missing = integers(self.arrays["is_category"]), integers(self.arrays["n_missing"])
        c.n_low, c.n_high = integers(self.arrays["n_low"]), integers(self.arrays["n_high"])
        c.low, c.high = doubles(self.arrays["low"]), doubles(self.arrays["high"])

    cdef void adopt(self, dict arrays):
        X = aligned(arrays["X"].shape)
        X[...] = arrays["X"]
        Kernel.adopt(self, arrays | {"X": X})

    cdef void derive(self):
        cdef Py_ssize_t j
        for j in range(self.core.n_features):
            search_range(&self.core, j)

    def check(self, arrays):
        """Raise StateError if the rows do not lie in the window as they come."""
        check_ring(arrays, self.who)


def aligned(shape):
    """Return an array that begins where a line of the cache does: vectors then never lie across two lines."""
    size = shape[0] * shape[1] * shape[2]
    room = layouts.new_array(size + LINE // 8, FLOAT)
    start = -room.ctypes.data % LINE // 8
    return room[start:start + size].reshape(shape)


cdef inline Py_ssize_t n_tiles_of(const neighbours_t* c) noexcept nogil:
    # Those that hold rows.
    return (c.rows.span.count + WINDOW_TILE - 1) // WINDOW_TILE


cdef inline double* value_at(const neighbours_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Input j of the row in place i.
    return c.rows.X + (i // WINDOW_TILE * c.n_features + j) * WINDOW_TILE + i % WINDOW_TILE


cdef void count(neighbours_t* c, Py_ssize_t j, double value) noexcept nogil:
    if isnan(value):
        c.n_missing[j] += 1
        return
    if c.n_low[j] == 0 or value < c.low[j]:
        c.low[j] = value
        c.n_low[j] = 0
    if c.n_high[j] == 0 or value > c.high[j]:
        c.high[j] = value
        c.n_high[j] = 0
    c.n_low[j] += value == c.low[j]
    c.n_high[j] += value == c.high[j]


cdef void forget(neighbours_t* c, Py_ssize_t j, double value) noexcept nogil:
    c.n_missing[j] -= isnan(value)
    c.n_low[j] -= value == c.low[j]
    c.n_high[j] -= value == c.high[j]


cdef void search_range(neighbours_t* c, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t i
    c.n_low[j] = c.n_high[j] = c.n_missing[j] = 0
    for i in range(c.rows.span.count):
        count(c, j, value_at(c, i, j)[0])


cdef void learn_neighbour(void* state, const double* x, Py_ssize_t y, double w,
                          int64_t number) noexcept nogil:
    cdef neighbours_t* c = <neighbours_t*> state
    cdef bint full = c.rows.span.count == c.rows.room
    cdef Py_ssize_t j, place = next_place(&c.rows, y, w)
    cdef double* value
    for j in range(c.n_features):
        value = value_at(c, place, j)
        if full:
            forget(c, j, value[0])
        value[0] = x[j]
        if full and (c.n_low[j] == 0 or c.n_high[j] == 0):
            search_range(c, j)
        else:
            count(c, j, x[j])


cdef inline double gap(double known, double low, double inverse) noexcept nogil:
    cdef double v = (known - low) * inverse
    return max(v, 1.0 - v)


cdef void add_category(const neighbours_t* c, search_t* s, Py_ssize_t j, double value) noexcept nogil:
    cdef Py_ssize_t i, t
    cdef const double* column
    for t in range(n_tiles_of(c)):
        column = c.rows.X + (t * c.n_features + j) * WINDOW_TILE
        for i in range(WINDOW_TILE):
            s.distance[t * WINDOW_TILE + i] += 0.0 if value == column[i] else 1.0


cdef void add_carefully(const neighbours_t* c, search_t* s, Py_ssize_t j, double value,
                        double inverse) noexcept nogil:
    # (2): the input has missing values, here or in the window.
    cdef Py_ssize_t i
    cdef double known, off
    for i in range(c.rows.span.count):
        known = value_at(c, i, j)[0]
        if isnan(value) and isnan(known):
            off = 1.0
        elif isnan(value):
            off = gap(known, c.low[j], inverse)
        elif isnan(known):
            off = gap(value, c.low[j], inverse)
        else:
            off = (value - known) * inverse
        s.distance[i] += off * off


cdef void measure_window(const neighbours_t* c, search_t* s, const double* x) noexcept nogil:
    cdef Py_ssize_t j, n_used = 0, n = c.rows.span.count
    cdef double width, inverse
    cdef bint begun = False
    cdef window_view_t view
    for j in range(c.n_features):
        width = c.high[j] - c.low[j] if c.n_low[j] else 0.0
        inverse = min(1.0 / width, STEEP) if width > 0 else 0.0
        if c.is_category[j] or c.n_missing[j] or isnan(x[j]):
            if not begun:
                memset(s.distance, 0, n_tiles_of(c) * WINDOW_TILE * sizeof(double))
                begun = True
            if c.is_category[j]:
                add_category(c, s, j, x[j])
            else:
                add_carefully(c, s, j, x[j], inverse)
        elif inverse > 0:
            s.used[n_used], s.value[n_used], s.inverse[n_used] = j, x[j], inverse
            n_used += 1
    view = window_view_t(c.n_features, n, n_used, c.rows.X, s.used, s.value, s.inverse)
    c.measure(&view, begun, s.distance, s.least)                                 # (1)


cdef Py_ssize_t find_near(const neighbours_t* c, search_t* s) noexcept nogil:
    # List all rows no farther than the k-th least of the tiles' least distances: neighbours are among them.
    cdef Py_ssize_t i, t, n = 0, k = c.n_neighbours, n_tiles = n_tiles_of(c)
    cdef double limit = INFINITY
    if n_tiles >= k:
        for t in range(n_tiles):
            if t < k or s.least[t] < s.nearest[k - 1]:
                insert_nearest(s.least[t], s.nearest, t, k)
        limit = s.nearest[k - 1]
    for t in range(n_tiles):
        if s.least[t] <= limit:
            for i in range(t * WINDOW_TILE, min((t + 1) * WINDOW_TILE, c.rows.span.count)):
                s.near[n] = i
                n += s.distance[i] <= limit
    return n


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const neighbours_t* c = <const neighbours_t*> state
    cdef search_t s = search_in(c, scratch)
    cdef Py_ssize_t i, k, n_near
    cdef double limit = INFINITY, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    measure_window(c, &s, x)
    n_near = find_near(c, &s)
    k = c.n_neighbours
    if n_near > k:
        for i in range(n_near):
            if i < k or s.distance[s.near[i]] < s.nearest[k - 1]:
                insert_nearest(s.distance[s.near[i]], s.nearest, i, k)
        limit = s.nearest[k - 1]
    for i in range(n_near):
        if s.distance[s.near[i]] <= limit:                                       # (3)
            p[c.rows.y[s.near[i]]] += c.rows.w[s.near[i]]
            total += c.rows.w[s.near[i]]
    for k in range(c.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / c.n_classes

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

from libc.math cimport INFINITY, isnan
from libc.string cimport memset

from .learner cimport Kernel, learner_t
from .pointers cimport doubles, integers

cdef extern from "window_distance.h" nogil:
    enum:
        TILE
    ctypedef struct window_view_t:
        Py_ssize_t n_features
        Py_ssize_t n_rows
        Py_ssize_t n_used
        const double* tiles
        const Py_ssize_t* used
        const double* value
        const double* inverse
    ctypedef void (*measure_t)(const window_view_t* w, int begun, double* distance,
                               double* least) noexcept nogil
    measure_t best_measure() noexcept nogil

cdef enum:
    # places in `progress`
    FILLED = 0
    PLACE = 1                           # where the next row goes

cdef double STEEP = 1e300               # bound on 1/r

ctypedef struct window_t:
    measure_t measure
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_neighbours
    Py_ssize_t room
    Py_ssize_t* progress
    double* rows                        # [tile, input, TILE]
    Py_ssize_t* label                   # [place]
    double* weight                      # [place]
    Py_ssize_t* is_category             # [input]
    double* low                         # [input]
    double* high                        # [input]
    Py_ssize_t* n_low                   # [input]: values at the least
    Py_ssize_t* n_high                  # [input]
    Py_ssize_t* n_missing               # [input]
    # scratch
    Py_ssize_t* used                    # [input]
    double* value                       # [input]
    double* inverse                     # [input]
    double* distance                    # [place, rounded up to whole tiles]
    double* least                       # [tile]: its least distance
    Py_ssize_t* near                    # [place]: rows that may be neighbours
    double* nearest                     # [n_neighbours], rising


def aligned(array):
    """Return a copy that begins where a line of the cache does: vectors then never lie across two lines."""
    room = np.empty(array.size + 8)
    start = -room.ctypes.data % 64 // 8
    copy = room[start:start + array.size].reshape(array.shape)
    copy[...] = array
    return copy


cdef class NearestNeighboursKernel(Kernel):
    """The window and the search in it."""

    cdef window_t core
    cdef dict scratch

    def __init__(self, n_features, n_classes, n_neighbours, window, is_category):
        n_tiles = -(-window // TILE)
        whole = {name: np.zeros(n_features, dtype=np.intp) for name in ("n_low", "n_high", "n_missing")}
        self.arrays = whole | {
            "progress": np.zeros(2, dtype=np.intp),
            "rows": np.zeros((n_tiles, n_features, TILE)),
            "label": np.zeros(window, dtype=np.intp),
            "weight": np.zeros(window),
            "is_category": np.array(is_category, dtype=np.intp),
            "low": np.zeros(n_features),
            "high": np.zeros(n_features),
        }
        self.scratch = {
            "used": np.zeros(n_features, dtype=np.intp),
            "value": np.zeros(n_features),
            "inverse": np.zeros(n_features),
            "distance": aligned(np.zeros(n_tiles * TILE)),
            "least": np.zeros(n_tiles),
            "near": np.zeros(n_tiles * TILE, dtype=np.intp),
            "nearest": np.zeros(n_neighbours),
        }
        self.core.measure = best_measure()
        self.core.n_features, self.core.n_classes = n_features, n_classes
        self.core.n_neighbours, self.core.room = n_neighbours, window
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, 0, learn, predict, NULL)
        self.bind()

    cdef void bind(self):
        self.arrays["rows"] = aligned(self.arrays["rows"])
        cdef window_t* c = &self.core
        c.progress, c.label = integers(self.arrays["progress"]), integers(self.arrays["label"])
        c.is_category, c.n_missing = integers(self.arrays["is_category"]), integers(self.arrays["n_missing"])
        c.n_low, c.n_high = integers(self.arrays["n_low"]), integers(self.arrays["n_high"])
        c.rows, c.weight = doubles(self.arrays["rows"]), doubles(self.arrays["weight"])
        c.low, c.high = doubles(self.arrays["low"]), doubles(self.arrays["high"])
        c.used, c.near = integers(self.scratch["used"]), integers(self.scratch["near"])
        c.value, c.inverse = doubles(self.scratch["value"]), doubles(self.scratch["inverse"])
        c.distance, c.least = doubles(self.scratch["distance"]), doubles(self.scratch["least"])
        c.nearest = doubles(self.scratch["nearest"])


cdef inline double* cell(const window_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Input j of the row in place i.
    return c.rows + (i // TILE * c.n_features + j) * TILE + i % TILE


cdef void count(window_t* c, Py_ssize_t j, double value) noexcept nogil:
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


cdef void forget(window_t* c, Py_ssize_t j, double value) noexcept nogil:
    c.n_missing[j] -= isnan(value)
    c.n_low[j] -= value == c.low[j]
    c.n_high[j] -= value == c.high[j]


cdef void search_range(window_t* c, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t i
    c.n_low[j] = c.n_high[j] = c.n_missing[j] = 0
    for i in range(c.progress[FILLED]):
        count(c, j, cell(c, i, j)[0])


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef window_t* c = <window_t*> state
    cdef Py_ssize_t j, place = c.progress[PLACE]
    cdef bint full = c.progress[FILLED] == c.room
    cdef double* value
    c.progress[FILLED] += not full
    c.progress[PLACE] = place + 1 if place + 1 < c.room else 0
    c.label[place] = y
    c.weight[place] = w
    for j in range(c.n_features):
        value = cell(c, place, j)
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


cdef void add_category(window_t* c, Py_ssize_t j, double value) noexcept nogil:
    cdef Py_ssize_t i, t
    cdef const double* column
    for t in range((c.progress[FILLED] + TILE - 1) // TILE):
        column = c.rows + (t * c.n_features + j) * TILE
        for i in range(TILE):
            c.distance[t * TILE + i] += 0.0 if value == column[i] else 1.0


cdef void add_carefully(window_t* c, Py_ssize_t j, double value, double inverse) noexcept nogil:
    # (2): the input has missing values, here or in the window.
    cdef Py_ssize_t i
    cdef double known, off
    for i in range(c.progress[FILLED]):
        known = cell(c, i, j)[0]
        if isnan(value) and isnan(known):
            off = 1.0
        elif isnan(value):
            off = gap(known, c.low[j], inverse)
        elif isnan(known):
            off = gap(value, c.low[j], inverse)
        else:
            off = (value - known) * inverse
        c.distance[i] += off * off


cdef void measure(window_t* c, const double* x) noexcept nogil:
    cdef Py_ssize_t j, n_used = 0, n = c.progress[FILLED]
    cdef double width, inverse
    cdef bint begun = False
    cdef window_view_t view
    for j in range(c.n_features):
        width = c.high[j] - c.low[j] if c.n_low[j] else 0.0
        inverse = min(1.0 / width, STEEP) if width > 0 else 0.0
        if c.is_category[j] or c.n_missing[j] or isnan(x[j]):
            if not begun:
                memset(c.distance, 0, (n + TILE - 1) // TILE * TILE * sizeof(double))
                begun = True
            if c.is_category[j]:
                add_category(c, j, x[j])
            else:
                add_carefully(c, j, x[j], inverse)
        elif inverse > 0:
            c.used[n_used], c.value[n_used], c.inverse[n_used] = j, x[j], inverse
            n_used += 1
    view = window_view_t(c.n_features, n, n_used, c.rows, c.used, c.value, c.inverse)
    c.measure(&view, begun, c.distance, c.least)                                 # (1)


cdef inline void insert(double d, double* nearest, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    # Put the n-th value, n < k or d below the last, in its place among the k least so far.
    cdef Py_ssize_t place = min(n, k - 1)
    while place > 0 and nearest[place - 1] > d:
        nearest[place] = nearest[place - 1]
        place -= 1
    nearest[place] = d


cdef Py_ssize_t find_near(window_t* c) noexcept nogil:
    # Put down all rows no farther than the k-th least of the tiles' least distances: neighbours are there.
    cdef Py_ssize_t i, t, n = 0, k = c.n_neighbours, n_tiles = (c.progress[FILLED] + TILE - 1) // TILE
    cdef double limit = INFINITY
    for t in range(n_tiles):
        if t < k or c.least[t] < c.nearest[k - 1]:
            insert(c.least[t], c.nearest, t, k)
    if n_tiles >= k:
        limit = c.nearest[k - 1]
    for t in range(n_tiles):
        if c.least[t] <= limit:
            for i in range(t * TILE, min((t + 1) * TILE, c.progress[FILLED])):
                c.near[n] = i
                n += c.distance[i] <= limit
    return n


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef window_t* c = <window_t*> state
    cdef Py_ssize_t i, k, n_near
    cdef double limit, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    measure(c, x)
    n_near = find_near(c)
    k = c.n_neighbours
    for i in range(n_near):
        if i < k or c.distance[c.near[i]] < c.nearest[k - 1]:
            insert(c.distance[c.near[i]], c.nearest, i, k)
    limit = c.nearest[min(n_near, k) - 1] if n_near else INFINITY
    for i in range(n_near):
        if c.distance[c.near[i]] <= limit:                                       # (3)
            p[c.label[c.near[i]]] += c.weight[c.near[i]]
            total += c.weight[c.near[i]]
    for k in range(c.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / c.n_classes

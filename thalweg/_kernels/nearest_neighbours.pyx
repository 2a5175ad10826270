"""The k nearest neighbours in a window of the latest rows.

With the least and greatest value of each numeric input in the window, its width r_j, a row x and a row s of
the window are apart by

    d(x, s) = sum_j ((x_j - s_j)/r_j)^2,                                          (1)

a category adding 0 if it is the same and 1 if not. Where r_j is 0 an input is left out. A missing value is as
far as it could be: a category adds 1, and so do two missing numbers; a number y beside a missing one adds
max(v, 1 - v)^2 with v = (y - least)/r_j.                                         (2)

All rows no farther than the k-th nearest vote for their class with their weight.  (3)

The window lies input by input, so that (1) runs over all its rows at once. How many values are at the least
and the greatest is counted: only when none is left the window is searched for new ones.
"""

import numpy as np

from libc.math cimport INFINITY, isnan

from .learner cimport Kernel, learner_t
from .pointers cimport doubles, integers

cdef enum:
    # places in `progress`
    FILLED = 0
    PLACE = 1                           # where the next row goes

cdef double STEEP = 1e300               # bound on 1/r

ctypedef struct window_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_neighbours
    Py_ssize_t room
    Py_ssize_t* progress
    double* rows                        # [input, place]
    Py_ssize_t* label                   # [place]
    double* weight                      # [place]
    Py_ssize_t* is_category             # [input]
    double* low                         # [input]
    double* high                        # [input]
    Py_ssize_t* n_low                   # [input]: values at the least
    Py_ssize_t* n_high                  # [input]
    Py_ssize_t* n_missing               # [input]
    double* distance                    # [place]; scratch
    double* nearest                     # [n_neighbours], rising; scratch


cdef class NearestNeighboursKernel(Kernel):
    """The window and the search in it."""

    cdef window_t core
    cdef dict scratch

    def __init__(self, n_features, n_classes, n_neighbours, window, is_category):
        whole = {name: np.zeros(n_features, dtype=np.intp) for name in ("n_low", "n_high", "n_missing")}
        self.arrays = whole | {
            "progress": np.zeros(2, dtype=np.intp),
            "rows": np.zeros((n_features, window)),
            "label": np.zeros(window, dtype=np.intp),
            "weight": np.zeros(window),
            "is_category": np.array(is_category, dtype=np.intp),
            "low": np.zeros(n_features),
            "high": np.zeros(n_features),
        }
        self.scratch = {"distance": np.zeros(window), "nearest": np.zeros(n_neighbours)}
        self.core.n_features, self.core.n_classes = n_features, n_classes
        self.core.n_neighbours, self.core.room = n_neighbours, window
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, learn, predict)
        self.bind()

    cdef void bind(self):
        cdef window_t* c = &self.core
        c.progress, c.label = integers(self.arrays["progress"]), integers(self.arrays["label"])
        c.is_category, c.n_missing = integers(self.arrays["is_category"]), integers(self.arrays["n_missing"])
        c.n_low, c.n_high = integers(self.arrays["n_low"]), integers(self.arrays["n_high"])
        c.rows, c.weight = doubles(self.arrays["rows"]), doubles(self.arrays["weight"])
        c.low, c.high = doubles(self.arrays["low"]), doubles(self.arrays["high"])
        c.distance, c.nearest = doubles(self.scratch["distance"]), doubles(self.scratch["nearest"])


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
        count(c, j, c.rows[j * c.room + i])


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
        value = c.rows + j * c.room + place
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


cdef void add_carefully(window_t* c, Py_ssize_t j, double value, double inverse) noexcept nogil:
    # (2): the input has missing values, here or in the window.
    cdef const double* row = c.rows + j * c.room
    cdef Py_ssize_t i
    cdef double off
    for i in range(c.progress[FILLED]):
        if c.is_category[j]:
            off = 0.0 if value == row[i] else 1.0
        elif isnan(value) and isnan(row[i]):
            off = 1.0
        elif isnan(value):
            off = gap(row[i], c.low[j], inverse)
        elif isnan(row[i]):
            off = gap(value, c.low[j], inverse)
        else:
            off = (value - row[i]) * inverse
        c.distance[i] += off * off


cdef void add_numbers(const double* row, double value, double inverse, double* distance,
                      Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double off
    for i in range(n):
        off = (value - row[i]) * inverse
        distance[i] += off * off                                                 # (1)


cdef void measure(window_t* c, const double* x) noexcept nogil:
    cdef Py_ssize_t i, j, n = c.progress[FILLED]
    cdef double width, inverse
    for i in range(n):
        c.distance[i] = 0.0
    for j in range(c.n_features):
        width = c.high[j] - c.low[j] if c.n_low[j] else 0.0
        inverse = min(1.0 / width, STEEP) if width > 0 else 0.0
        if c.is_category[j] or c.n_missing[j] or isnan(x[j]):
            add_carefully(c, j, x[j], inverse)
        elif inverse > 0:
            add_numbers(c.rows + j * c.room, x[j], inverse, c.distance, n)


cdef double farthest_neighbour(window_t* c) noexcept nogil:
    # The distance of the k-th nearest row, or of the farthest where there are fewer.
    cdef Py_ssize_t i, place, n = 0
    cdef double d, limit = INFINITY
    for i in range(c.progress[FILLED]):
        d = c.distance[i]
        if n == c.n_neighbours and d >= limit:
            continue
        place = n if n < c.n_neighbours else n - 1
        n = min(n + 1, c.n_neighbours)
        while place > 0 and c.nearest[place - 1] > d:
            c.nearest[place] = c.nearest[place - 1]
            place -= 1
        c.nearest[place] = d
        limit = c.nearest[n - 1]
    return limit


cdef void predict(void* state, const double* x, double* p) noexcept nogil:
    cdef window_t* c = <window_t*> state
    cdef Py_ssize_t i, k
    cdef double limit, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    measure(c, x)
    limit = farthest_neighbour(c)
    for i in range(c.progress[FILLED]):
        if c.distance[i] <= limit:                                               # (3)
            p[c.label[i]] += c.weight[i]
            total += c.weight[i]
    for k in range(c.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / c.n_classes

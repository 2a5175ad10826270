"""A window of the latest rows, its ranges, and a rounded copy of it, in which neighbours are searched.

With the least and greatest value of each numeric input in the window, its width r_j, the copy has the whole
numbers

    q_j(s) = [U (s_j - c_j)/R_j],   R_j >= r_j,                                   (1)

of 16 bits, with the least or the greatest value, the one that is far from most, instead of missing ones. Of
a category it has the last 16 bits. R_j is a little more than r_j, and follows it when it has changed by more
than that: the copy of an input is rarely made again.

The copy lies in tiles of 32 rows, two inputs after two. How many values are at the least and the greatest is
counted: only when none is left the window is searched, where nothing is missing first in the copy.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, INT, Array
from thalweg._native.ring_layout import check_ring, ring_layout

from libc.math cimport fabs, floor, isnan, sqrt
from libc.stdint cimport INT16_MAX, INT16_MIN, int16_t

from thalweg._native.pointers cimport doubles, integers, ints
from thalweg._native.ring cimport bind_ring, next_place

cdef enum:
    SAVED_TILE = 16                     # rows that lie input by input in a state
    MOST_UNIT = 8000

cdef double WIDER = 1.02                # R/r when an input is rounded again
cdef double SPREAD_RATE = 0.01
cdef double LEAST_FILLED = 0.96         # r/R


LAYOUT = ring_layout() | {
    "X": Array(FLOAT, "tile", SAVED_TILE, "input", low=-layouts.MOST_VALUE, high=layouts.MOST_VALUE,
               missing=True),
}


cdef class WindowKernel(Kernel):
    """The window, what is known of it, and its rounded copy."""

    cdef void begin_window(self, str who, Py_ssize_t n_features, Py_ssize_t n_classes,
                           Py_ssize_t n_neighbours, Py_ssize_t room, is_category):
        cdef window_t* c = &self.window
        n_tiles = (room + SAVED_TILE - 1) // SAVED_TILE
        self.allocate(who, LAYOUT, {"tile": n_tiles, "row": room, "input": n_features, "class": n_classes})
        # The rest follows from the parameters and the window: not part of a state.
        places, c.n_category_pairs, c.n_pairs = places_of(is_category)
        self.arrays |= {
            "X": aligned(self.arrays["X"].shape, FLOAT),
            "is_category": np.array(is_category, dtype=INDEX),
            "place": places,
            "order": np.arange(c.n_pairs, dtype=INDEX),
            "spread": layouts.new_array(c.n_pairs, FLOAT),
            "rounded": aligned(((room + ROUNDED_TILE - 1) // ROUNDED_TILE, c.n_pairs, ROUNDED_TILE), INT),
        }
        for name in ("n_low", "n_high", "n_missing"):
            self.arrays[name] = layouts.new_array(n_features, INDEX)
        for name in ("low", "high", "centre", "scale", "reach", "stand_in"):
            self.arrays[name] = layouts.new_array(n_features, FLOAT)
        c.near_tile = best_near_tile()
        c.n_features, c.n_classes, c.n_neighbours = n_features, n_classes, min(n_neighbours, room)
        # Numbers of x are at most 3/2 U from any other, and the squares of all fit into 31 bits.
        c.unit = max(0.0, min(<double> MOST_UNIT, floor(sqrt(2.0**31 / max(n_features, 1)) / 1.5 - 2.0)))

    cdef void bind(self):
        cdef window_t* c = &self.window
        bind_ring(&c.rows, self.arrays)
        c.is_category, c.n_missing = integers(self.arrays["is_category"]), integers(self.arrays["n_missing"])
        c.n_low, c.n_high = integers(self.arrays["n_low"]), integers(self.arrays["n_high"])
        c.low, c.high = doubles(self.arrays["low"]), doubles(self.arrays["high"])
        c.centre, c.scale = doubles(self.arrays["centre"]), doubles(self.arrays["scale"])
        c.reach, c.stand_in = doubles(self.arrays["reach"]), doubles(self.arrays["stand_in"])
        c.place, c.order = integers(self.arrays["place"]), integers(self.arrays["order"])
        c.spread = doubles(self.arrays["spread"])
        c.rounded = <int16_t*> ints(self.arrays["rounded"])

    cdef void adopt(self, dict arrays):
        X = aligned(arrays["X"].shape, FLOAT)
        X[...] = arrays["X"]
        Kernel.adopt(self, arrays | {"X": X})

    cdef void derive(self):
        cdef Py_ssize_t j
        for j in range(self.window.n_features):
            search_range(&self.window, j)
            round_input(&self.window, j)

    def state(self):
        """Return copies of the arrays; in a state the rows lie input by input in each tile."""
        return swapped(Kernel.state(self))

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        Kernel.restore(self, swapped(state))

    def check(self, arrays):
        """Raise StateError if the rows do not lie in the window as they come."""
        check_ring(arrays, self.who)


def swapped(state):
    """Return a state with the last two axes of "X" swapped, if it has them."""
    if not isinstance(state, dict) or np.ndim(state.get("X")) != 3:
        return state
    return state | {"X": np.ascontiguousarray(state["X"].swapaxes(1, 2))}


def aligned(shape, dtype):
    """Return zeros that begin where a line of the cache does: vectors then never lie across two lines."""
    size = int(np.prod(shape)) * dtype.itemsize
    return layouts.new_aligned(-(-size // 8)).view(dtype)[: size // dtype.itemsize].reshape(shape)


def places_of(is_category):
    """Return where each input is in pairs, first of categories, and the numbers of these and of all pairs."""
    places = layouts.new_array(len(is_category), INDEX)
    categories, numbers = np.flatnonzero(is_category), np.flatnonzero(~np.asarray(is_category, dtype=bool))
    n_category_pairs = (len(categories) + 1) // 2
    places[categories] = np.arange(len(categories))
    places[numbers] = 2 * n_category_pairs + np.arange(len(numbers))
    return places, n_category_pairs, n_category_pairs + (len(numbers) + 1) // 2


cdef inline int16_t* rounded_at(const window_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t place = c.place[j], pair = i // ROUNDED_TILE * c.n_pairs + place // 2
    return c.rounded + (pair * ROUNDED_TILE + i % ROUNDED_TILE) * 2 + place % 2


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
    for i in range(c.rows.span.count):
        count(c, j, value_at(c, i, j)[0])


cdef void search_ends(window_t* c, Py_ssize_t j) noexcept nogil:
    # The range of an input that lacks no value and is rounded: its ends are where those of the numbers are.
    cdef Py_ssize_t i
    cdef int16_t number, least = INT16_MAX, most = INT16_MIN
    for i in range(c.rows.span.count):
        number = rounded_at(c, i, j)[0]
        least, most = min(least, number), max(most, number)
    c.n_low[j] = c.n_high[j] = 0
    for i in range(c.rows.span.count):
        number = rounded_at(c, i, j)[0]
        if number == least or number == most:
            count(c, j, value_at(c, i, j)[0])


cdef bint is_rounded_well(const window_t* c, Py_ssize_t j, double value) noexcept nogil:
    # Whether (3) can hold the value, and fits to the range.
    cdef double width = width_of(c, j)
    return (
        LEAST_FILLED * c.reach[j] <= width <= c.reach[j]
        and (c.n_missing[j] == 0 or c.n_low[j] == 0 or c.low[j] <= c.stand_in[j] <= c.high[j])
        and fabs(number_of(c, j, value)) < MOST_NUMBER
    )


cdef void round_input(window_t* c, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t i, n_above = 0, n = c.rows.span.count
    cdef double width = width_of(c, j)
    if not c.is_category[j]:
        c.reach[j] = WIDER * width
        c.centre[j] = c.low[j] + 0.5 * width if c.n_low[j] else 0.0
        c.scale[j] = c.unit * min(1.0 / c.reach[j], STEEP) if width > 0 else 0.0
        for i in range(n if c.n_missing[j] else 0):
            n_above += value_at(c, i, j)[0] > c.centre[j]
        c.stand_in[j] = c.centre[j]
        if c.n_low[j]:
            c.stand_in[j] = c.low[j] if n_above > n - c.n_missing[j] - n_above else c.high[j]
    for i in range(n):
        round_value(c, i, j)


cdef inline void round_value(window_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef double value = value_at(c, i, j)[0]
    if c.is_category[j]:
        rounded_at(c, i, j)[0] = code_of(value)
    else:
        rounded_at(c, i, j)[0] = <int16_t> number_of(c, j, value)


cdef void keep_latest(window_t* c, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef bint full = c.rows.span.count == c.rows.room
    cdef Py_ssize_t j, place = next_place(&c.rows, y, w), other = place if full else place // 2
    cdef double* value
    cdef int16_t number
    for j in range(c.n_features):
        value = value_at(c, place, j)
        if full:
            forget(c, j, value[0])
        value[0] = x[j]
        number = rounded_at(c, other, j)[0]
        round_value(c, place, j)
        learn_spread(c, c.place[j] // 2, <double> number - rounded_at(c, place, j)[0])
        if not full or c.n_low[j] and c.n_high[j]:
            count(c, j, x[j])
        elif c.is_category[j] or c.n_missing[j] or isnan(x[j]):
            search_range(c, j)
        else:
            search_ends(c, j)
        if not c.is_category[j] and not is_rounded_well(c, j, x[j]):
            round_input(c, j)
    sort_pairs(c)


cdef inline void learn_spread(window_t* c, Py_ssize_t pair, double off) noexcept nogil:
    # How far numbers of rows are apart that have nothing to do with each other.
    c.spread[pair] += SPREAD_RATE * (off * off - c.spread[pair])


cdef void sort_pairs(window_t* c) noexcept nogil:
    # One step towards the pairs of numbers with the greatest spread first: they soon tell that a row is far.
    cdef Py_ssize_t n
    for n in range(c.n_pairs - 1, c.n_category_pairs, -1):
        if c.spread[c.order[n]] > c.spread[c.order[n - 1]]:
            c.order[n], c.order[n - 1] = c.order[n - 1], c.order[n]

"""A window of the latest rows, and the search for the nearest of them.

With the least and greatest value of each numeric input in the window, its width r_j, a row x and a row s of
the window are apart by

    d(x, s) = sum_j ((x_j - s_j)/r_j)^2,                                          (1)

a category adding 0 if it is the same and 1 if not. Where r_j is 0 an input is left out. A missing value is as
far as it could be: a category adds 1, and so do two missing numbers; a number y beside a missing one adds
max(v, 1 - v)^2 with v = (y - least)/r_j.                                         (2)

Most rows are too far to be measured. Beside the window lies a copy in whole numbers,

    q_j(s) = [U (s_j - c_j)/R_j],   R_j >= r_j,                                   (3)

of 16 bits, with the least or the greatest value, the one that is far from most, in place of missing ones; a
category is its last 16 bits, and others are U apart. Numbers are off by at most 1/2, so that

    sum_j (q_j(x) - q_j(s))^2 > (U sqrt(D) + sqrt(n))^2                           (4)

for n numeric inputs says that d(x, s) > D. With D the k-th nearest so far only rows for which (4) is false are
measured by (1). Numbers of x too far out, which (4) could not hold, are cut off: that makes the left side less.
R_j is a little more than r_j and follows it when it leaves some room: the copy of an input is seldom made anew.

Rows are searched from the latest to the oldest, so that the neighbours in a shorter window are those with
which the search in a longer one goes on. The copy lies in tiles of 16 rows, two inputs after two. How
many values are at the least and the greatest is counted: only when none is left the window is searched.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, INT, Array
from thalweg._native.ring_layout import check_ring, ring_layout

from libc.math cimport INFINITY, fabs, floor, isnan, sqrt
from libc.stdint cimport INT16_MAX, INT16_MIN, INT32_MAX, int16_t, int32_t, int64_t, uint32_t

from thalweg._native.pointers cimport doubles, integers, ints
from thalweg._native.ring cimport bind_ring, next_place, place_of

cdef enum:
    SAVED_TILE = 16                     # rows that lie input by input in a state
    MOST_NUMBER = 16000                 # the difference of two has 16 bits
    MOST_UNIT = 8000
    MISSING_CATEGORY = 32767

cdef double STEEP = 1e300               # bound on 1/r
cdef double WIDER = 1.02                # R/r when an input is rounded anew
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
        # The rest follows from the parameters and the window: no part of a state.
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
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
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
    """Return the place of each input in pairs of categories and then of numbers, and how many pairs there are."""
    places = layouts.new_array(len(is_category), INDEX)
    categories, numbers = np.flatnonzero(is_category), np.flatnonzero(~np.asarray(is_category, dtype=bool))
    n_category_pairs = (len(categories) + 1) // 2
    places[categories] = np.arange(len(categories))
    places[numbers] = 2 * n_category_pairs + np.arange(len(numbers))
    return places, n_category_pairs, n_category_pairs + (len(numbers) + 1) // 2


cdef inline double* value_at(const window_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Input j of the row in place i.
    return c.rows.X + i * c.n_features + j


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


cdef inline double width_of(const window_t* c, Py_ssize_t j) noexcept nogil:
    return c.high[j] - c.low[j] if c.n_low[j] else 0.0


cdef inline int16_t code_of(double value) noexcept nogil:
    # The last 16 bits of a category's code: the same for the same category.
    return MISSING_CATEGORY if isnan(value) else <int16_t> <int64_t> max(-1e18, min(1e18, value))


cdef inline double number_of(const window_t* c, Py_ssize_t j, double value) noexcept nogil:
    cdef double known = c.stand_in[j] if isnan(value) else value
    cdef double number = floor((known - c.centre[j]) * c.scale[j] + 0.5)                   # (3)
    return max(-<double> MOST_NUMBER, min(<double> MOST_NUMBER, number))


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


cdef Py_ssize_t search_size(const window_t* c) noexcept nogil:
    return 2 * c.rows.room + c.n_neighbours + 3 * c.n_features + 3 * c.n_pairs


cdef search_t begin_search(const window_t* c, const double* x, double* scratch) noexcept nogil:
    cdef search_t s
    cdef Py_ssize_t j
    cdef double width
    s.x, s.limit, s.bound = x, INFINITY, INT32_MAX
    s.n_found = s.n_near = s.n_waiting = s.n_categories = s.n_gaps = s.n_used = 0
    s.nearest = scratch
    s.distance = s.nearest + c.n_neighbours
    s.near = <Py_ssize_t*> (s.distance + c.rows.room)
    s.inverse = <double*> (s.near + c.rows.room)
    s.inputs = <Py_ssize_t*> (s.inverse + c.n_features)
    s.gaps = s.inputs + c.n_features
    s.used_pairs = s.gaps + c.n_features
    s.value = <int32_t*> (s.used_pairs + c.n_pairs)
    s.row = s.value + c.n_pairs
    s.differs = s.row + c.n_pairs
    for j in range(c.n_neighbours):
        s.nearest[j] = INFINITY
    for j in range(c.n_features):
        width = width_of(c, j)
        s.inverse[j] = min(1.0 / width, STEEP) if width > 0 else 0.0
        if c.is_category[j]:
            s.n_categories += 1
            s.inputs[c.n_features - s.n_categories] = j
        elif c.n_missing[j] or isnan(x[j]):
            s.gaps[s.n_gaps] = j
            s.n_gaps += 1
        elif width > 0:
            s.inputs[s.n_used] = j
            s.n_used += 1
    round_row(c, &s)
    return s


cdef void round_row(const window_t* c, search_t* s) noexcept nogil:
    # x in whole numbers, without pairs of numbers that are the same in all rows.
    cdef Py_ssize_t j, p, n = 0
    cdef double low, high, half = 0.5 * c.unit
    cdef int16_t* value = <int16_t*> s.row
    for p in range(c.n_pairs):
        s.differs[p] = s.row[p] = 0
    for j in range(c.n_features):
        p = c.place[j]
        if c.is_category[j]:
            value[p] = code_of(s.x[j])
            s.differs[p // 2] = 1
        elif c.scale[j] > 0:
            low, high = number_of(c, j, c.low[j]), number_of(c, j, c.high[j])
            if not isnan(s.x[j]):
                low, high = low - half, high + half
            value[p] = <int16_t> max(low, min(high, number_of(c, j, s.x[j])))
            s.differs[p // 2] = 1
    for j in range(c.n_pairs):
        p = c.order[j]
        if s.differs[p]:
            s.used_pairs[n], s.value[n] = p, s.row[p]
            n += 1
    s.slack = sqrt(2.0 * (n - c.n_category_pairs))
    s.view = rounded_view_t(c.n_pairs, c.n_category_pairs, n, <int32_t> c.unit * 0x10001,
                            <const int32_t*> c.rounded, s.used_pairs, s.value)


cdef inline double gap(double known, double low, double inverse) noexcept nogil:
    cdef double v = (known - low) * inverse
    return max(v, 1.0 - v)


cdef double first_inputs(const window_t* c, const search_t* s, const double* row) noexcept nogil:
    # What categories add, and then inputs with missing values: (2).
    cdef Py_ssize_t n, j, n_others = 0
    cdef double total, off
    for n in range(c.n_features - s.n_categories, c.n_features):
        n_others += s.x[s.inputs[n]] != row[s.inputs[n]]
    total = n_others
    for n in range(s.n_gaps):
        j = s.gaps[n]
        if isnan(s.x[j]):
            off = 1.0 if isnan(row[j]) else gap(row[j], c.low[j], s.inverse[j])
        elif isnan(row[j]):
            off = gap(s.x[j], c.low[j], s.inverse[j])
        else:
            off = (s.x[j] - row[j]) * s.inverse[j]
        total += off * off
    return total


cdef inline void measure_four(const window_t* c, const search_t* s, const Py_ssize_t* places,
                              double* distances) noexcept nogil:
    # From x to four rows at once, since each sum must wait for itself.
    cdef Py_ssize_t i, n, j
    cdef const double* rows[TOGETHER]
    cdef double[TOGETHER] sums
    cdef double off
    for i in range(TOGETHER):
        rows[i] = value_at(c, places[i], 0)
        sums[i] = first_inputs(c, s, rows[i]) if s.n_categories or s.n_gaps else 0.0
    for n in range(s.n_used):
        j = s.inputs[n]
        for i in range(TOGETHER):
            off = (s.x[j] - rows[i][j]) * s.inverse[j]
            sums[i] += off * off                                                 # (1)
    for i in range(TOGETHER):
        distances[i] = sums[i]


cdef inline void insert_nearest(search_t* s, double d, Py_ssize_t k) noexcept nogil:
    # Put d in its place among the k least so far, without a branch that depends on it.
    cdef Py_ssize_t i
    for i in range(k - 1, 0, -1):
        s.nearest[i] = min(s.nearest[i], max(s.nearest[i - 1], d))
    s.nearest[0] = min(s.nearest[0], d)
    s.limit = s.nearest[k - 1]


cdef int32_t bound_of(const window_t* c, const search_t* s) noexcept nogil:
    # (4), with some room for rounding.
    cdef double root = 1.000001 * (c.unit * sqrt(s.limit) + s.slack)
    return INT32_MAX if root * root >= INT32_MAX else <int32_t> (root * root)


cdef void measure_waiting(const window_t* c, search_t* s, Py_ssize_t least) noexcept nogil:
    # Measure the rows that wait, as long as there are so many.
    cdef Py_ssize_t i, n, done = 0
    cdef double[TOGETHER] distances
    if s.n_waiting < least:
        return
    while s.n_waiting - done >= least:
        n = min(<Py_ssize_t> TOGETHER, s.n_waiting - done)
        for i in range(n, TOGETHER):
            s.waiting[done + i] = s.waiting[done]
        measure_four(c, s, &s.waiting[done], distances)
        for i in range(n):
            if distances[i] <= s.limit:
                s.near[s.n_near], s.distance[s.n_near] = s.waiting[done + i], distances[i]
                s.n_near += 1
                if distances[i] < s.limit:
                    insert_nearest(s, distances[i], c.n_neighbours)
        done += n
    s.n_waiting -= done
    for i in range(s.n_waiting):
        s.waiting[i] = s.waiting[done + i]
    s.bound = bound_of(c, s)


cdef void search_places(const window_t* c, search_t* s, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    # From stop - 1 down to start.
    cdef Py_ssize_t place, first = start // ROUNDED_TILE, tile = (stop - 1) // ROUNDED_TILE
    cdef uint32_t rows = 0
    while tile >= first:
        tile = c.near_tile(&s.view, tile, first, s.bound, &rows)
        if tile < first:
            return
        if (tile + 1) * ROUNDED_TILE > stop:
            rows &= (<uint32_t> 1 << (stop - tile * ROUNDED_TILE)) - 1
        if tile * ROUNDED_TILE < start:
            rows &= ~((<uint32_t> 1 << (start - tile * ROUNDED_TILE)) - 1)
        while rows:
            place = last_bit(rows)
            rows ^= <uint32_t> 1 << place
            s.waiting[s.n_waiting] = tile * ROUNDED_TILE + place
            fetch_row(value_at(c, s.waiting[s.n_waiting], 0), c.n_features)
            s.n_waiting += 1
        measure_waiting(c, s, TOGETHER)
        tile -= 1


cdef void extend_search(const window_t* c, search_t* s, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t i, n = 0, oldest = place_of(&c.rows, c.rows.span.count - stop), end = oldest + stop - start
    if end > c.rows.room:
        search_places(c, s, 0, end - c.rows.room)
        end = c.rows.room
    search_places(c, s, oldest, end)
    measure_waiting(c, s, 1)
    s.n_found = min(stop, c.n_neighbours)
    for i in range(s.n_near):
        if s.distance[i] <= s.limit:
            s.near[n], s.distance[n] = s.near[i], s.distance[i]
            n += 1
    s.n_near = n

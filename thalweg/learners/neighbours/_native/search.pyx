"""The search for the nearest rows of a window (window.pyx).

With the widths r_j of the numeric inputs a row x and a row s of the window are apart by

    d(x, s) = sum_j ((x_j - s_j)/r_j)^2,                                          (1)

a category adding 0 if it is the same and 1 if not. Where r_j is 0 an input is left out. A missing value is as
far as it could be: a category adds 1, and so do two missing numbers; a number y beside a missing one adds
max(v, 1 - v)^2 with v = (y - least)/r_j.                                         (2)

Most rows are too far to be measured. In the rounded copy q of the window categories are 0 or U apart, and
numbers off by at most 1/2 in R_j/U >= r_j/U, so that

    sum_j (q_j(x) - q_j(s))^2 > (U sqrt(D) + sqrt(n))^2                           (3)

for n numeric inputs says that d(x, s) > D. With D the k-th nearest so far only rows for which (3) is false
are measured by (1). What stands for a missing value is in the range, and so no farther than (2). Numbers of x
too far out for 16 bits are cut off: that makes the left side less. Inputs of great spread are looked at
first.

Rows are searched from the latest to the oldest, so that the neighbours in a shorter window are those with
which the search in a longer one goes on.
"""

from libc.math cimport INFINITY, isnan, sqrt
from libc.stdint cimport INT32_MAX, int16_t, int32_t, uint32_t

from thalweg._native.ring cimport place_of
from .window cimport (
    ROUNDED_TILE, STEEP, code_of, fetch_row, last_bit, number_of, rounded_view_t, value_at, width_of,
    window_t,
)


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
    # (3), with some room for rounding.
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
    cdef Py_ssize_t i, n = 0, oldest = place_of(&c.rows, c.rows.span.count - stop)
    cdef Py_ssize_t end = oldest + stop - start
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

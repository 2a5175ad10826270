# The latest rows of a stream, with a label and a weight each, in a ring: the last place is before the first.
# Its arrays are declared in ring_layout.py.

from libc.string cimport memcpy

ctypedef struct span_t:
    Py_ssize_t first                    # place of the oldest row
    Py_ssize_t count                    # rows held

ctypedef struct ring_t:
    Py_ssize_t room                     # rows there is memory for
    Py_ssize_t width                    # inputs of a row
    span_t* span
    double* X                           # [place, input], unless the owner arranges it otherwise
    Py_ssize_t* y                       # [place]
    double* w                           # [place]

ctypedef struct replaced_t:             # what an append replaces, so that it can be undone
    span_t span
    Py_ssize_t y
    double w

# point at arrays that are declared as in ring_layout.py
cdef void bind_ring(ring_t* r, dict arrays)


cdef inline Py_ssize_t place_of(const ring_t* r, Py_ssize_t age) noexcept nogil:
    # Where the row is that came `age` rows after the oldest; where the next will be, if that is `count`.
    cdef Py_ssize_t place = r.span.first + age
    return place if place < r.room else place - r.room


cdef inline Py_ssize_t end_of_places(const ring_t* r) noexcept nogil:
    # No row is at this place or beyond.
    return min(r.span.first + r.span.count, r.room)


cdef inline double* row_at(const ring_t* r, Py_ssize_t place) noexcept nogil:
    return r.X + place * r.width


cdef inline void drop_oldest(ring_t* r) noexcept nogil:
    r.span.first = place_of(r, 1)
    r.span.count -= 1


cdef inline Py_ssize_t next_place(ring_t* r, Py_ssize_t y, double w) noexcept nogil:
    # Make a place for a row, that of the oldest if all are taken; the caller writes the inputs.
    cdef Py_ssize_t place = place_of(r, r.span.count)
    if r.span.count == r.room:
        drop_oldest(r)
    r.span.count += 1
    r.y[place], r.w[place] = y, w
    return place


cdef inline Py_ssize_t append_row(ring_t* r, const double* x, Py_ssize_t y, double w) noexcept nogil:
    # Append a row, instead of the oldest if the ring is full; return its place.
    cdef Py_ssize_t place = next_place(r, y, w)
    memcpy(row_at(r, place), x, r.width * sizeof(double))
    return place


cdef inline replaced_t append_over(ring_t* r, const double* x, Py_ssize_t y, double w,
                                   double* lost) noexcept nogil:
    # Append a row, and keep what undo_append needs; `lost` gets the inputs of the row that was at its place.
    cdef Py_ssize_t place = place_of(r, r.span.count)
    cdef replaced_t old = replaced_t(r.span[0], r.y[place], r.w[place])
    memcpy(lost, row_at(r, place), r.width * sizeof(double))
    append_row(r, x, y, w)
    return old


cdef inline void undo_append(ring_t* r, const replaced_t* old, const double* lost) noexcept nogil:
    cdef Py_ssize_t place
    r.span[0] = old.span
    place = place_of(r, r.span.count)
    memcpy(row_at(r, place), lost, r.width * sizeof(double))
    r.y[place], r.w[place] = old.y, old.w


cdef inline void copy_rows(const ring_t* r, double* X, Py_ssize_t* y, double* w) noexcept nogil:
    # Write the rows side by side, the oldest first.
    cdef Py_ssize_t age, place
    for age in range(r.span.count):
        place = place_of(r, age)
        memcpy(X + age * r.width, row_at(r, place), r.width * sizeof(double))
        y[age], w[age] = r.y[place], r.w[place]


cdef inline void clear_rows(ring_t* r) noexcept nogil:
    r.span.first = r.span.count = 0

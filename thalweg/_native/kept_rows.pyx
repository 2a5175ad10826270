"""What was known when a row was observed, kept until its label comes: for learners that use past labels.

A label may come late, out of order or never. Rows are found by a hash of their values; of equal rows the one
observed first is meant. The memory grows with the number of rows that wait, up to a bound; then the one that
has waited longest is forgotten.
"""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from . import layout as layouts
from .layout import INDEX, MOST_COUNTED, WORD, Array, require

from .pointers cimport doubles, integers, words
from .rng cimport mix

cdef enum:
    FIRST_ROOM = 16

cdef enum:
    # places in `counts`
    COUNT = 0                           # rows kept
    CURSOR = 1                          # where the next one goes
    OBSERVED = 2                        # rows observed so far


cdef class KeptRows(Kernel):
    """Rows that wait for their labels, and `width` numbers kept with each, for at most `most` rows.

    A part of a kernel, not a learner. `bounds` are those of the numbers, as an `Array` has them.
    """

    def __init__(self, who, n_features, width, most, bounds):
        self.core.n_features, self.core.width, self.core.most = n_features, width, most
        self.core.kernel = <void*> self
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, {
            "kept_counts": Array(INDEX, 3, **number),
            "kept_key": Array(WORD, "kept"),
            "kept_number": Array(INDEX, "kept", **number),
            "kept_values": Array(layouts.FLOAT, "kept", "value", **bounds),
        }, {"kept": None, "value": width}, {"kept": min(FIRST_ROOM, most)})
        self.arrays["kept_chain"] = new_chains(min(FIRST_ROOM, most))
        self.bind()
        self.derive()

    cdef void bind(self):
        cdef kept_rows_t* s = &self.core
        s.room = len(self.arrays["kept_key"])
        s.counts, s.key = integers(self.arrays["kept_counts"]), words(self.arrays["kept_key"])
        s.number, s.values = integers(self.arrays["kept_number"]), doubles(self.arrays["kept_values"])
        s.first = integers(self.arrays["kept_chain"])
        s.following = s.first + s.room

    cdef void derive(self):
        link(&self.core)

    cdef bint grow(self) noexcept:
        # Room for twice as many rows; return whether there is.
        cdef Py_ssize_t room = min(2 * self.core.room, self.core.most)
        if not self.adopt_computed(grown, (self.arrays, room)):
            return False
        self.derive()
        return True

    def restore(self, state):
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
        arrays = layouts.checked_arrays(self.layout, self.lengths, state, self.who)
        self.check(arrays)
        self.adopt(arrays | {"kept_chain": new_chains(len(arrays["kept_key"]))})
        self.derive()

    def check(self, arrays):
        """Raise StateError if the arrays contradict each other."""
        number, who, most = arrays["kept_number"], self.who, self.core.most
        count, cursor, observed = arrays["kept_counts"].tolist()
        room, used = len(number), number[number > 0]
        require(1 <= room <= most, who, "kept_number", f"has room for {room} rows, not for 1 to {most}")
        require(len(arrays["kept_key"]) == room, who, "kept_key", f"must hold {room} numbers")
        require(cursor < room, who, "kept_counts", f"says that the next row goes to place {cursor} of {room}")
        require(count == len(used), who, "kept_counts", f"says {count} rows for {len(used)}")
        good = len(np.unique(used)) == len(used) and (used <= observed).all()
        require(good, who, "kept_number", f"must hold different numbers up to {observed}")
        # From the cursor on, numbers grow: the row at the cursor has waited longest.
        good = bool((np.diff(np.roll(number, -cursor)[np.roll(number, -cursor) > 0]) > 0).all())
        require(good, who, "kept_number", "must grow from the place of the next row on")


def grown(arrays, room):
    """Return the arrays with so much room; the rows kept are in the order in which they were observed."""
    number = arrays["kept_number"]
    order = np.argsort(number, kind="stable")[np.count_nonzero(number == 0) :]
    new = {"kept_chain": new_chains(room)}
    for name in ("kept_key", "kept_number", "kept_values"):
        old = arrays[name]
        new[name] = layouts.new_array((room, *old.shape[1:]), old.dtype)
        new[name][: len(order)] = old[order]
    new["kept_counts"] = layouts.new_array(3, INDEX)
    new["kept_counts"][:] = len(order), len(order) % room, arrays["kept_counts"][OBSERVED]
    return new


def new_chains(room):
    """Return memory for the chains of so many places."""
    return layouts.new_array((2, room), INDEX)


cdef void link(kept_rows_t* s) noexcept nogil:
    # Put every row that is kept into the chain of its hash.
    cdef Py_ssize_t place
    for place in range(s.room):
        s.first[place] = -1
    for place in range(s.room):
        if s.number[place]:
            link_place(s, place)


cdef inline void link_place(kept_rows_t* s, Py_ssize_t place) noexcept nogil:
    cdef Py_ssize_t chain = s.key[place] % <uint64_t> s.room
    s.following[place] = s.first[chain]
    s.first[chain] = place


cdef void forget_place(kept_rows_t* s, Py_ssize_t place) noexcept nogil:
    cdef Py_ssize_t chain = s.key[place] % <uint64_t> s.room
    cdef Py_ssize_t* link_to = s.first + chain
    while link_to[0] != place:
        link_to = s.following + link_to[0]
    link_to[0] = s.following[place]
    s.number[place] = 0
    s.counts[COUNT] -= 1


cdef inline uint64_t hash_of(const double* x, Py_ssize_t n) noexcept nogil:
    cdef uint64_t word, key = 0
    cdef Py_ssize_t j
    for j in range(n):
        memcpy(&word, x + j, sizeof(double))
        key = mix(key ^ word) + j
    return key


cdef double* keep_row(kept_rows_t* s, const double* x) noexcept nogil:
    cdef Py_ssize_t place
    if s.number[s.counts[CURSOR]] and s.room < s.most:
        with gil:
            if not (<KeptRows> s.kernel).grow():
                return NULL
    place = s.counts[CURSOR]
    if s.number[place]:
        forget_place(s, place)
    s.counts[CURSOR] = place + 1 if place + 1 < s.room else 0
    s.counts[OBSERVED] += 1
    s.counts[COUNT] += 1
    s.key[place], s.number[place] = hash_of(x, s.n_features), s.counts[OBSERVED]
    link_place(s, place)
    return s.values + place * s.width


cdef Py_ssize_t n_observed(const kept_rows_t* s) noexcept nogil:
    return s.counts[OBSERVED]


cdef const double* take_kept(kept_rows_t* s, const double* x) noexcept nogil:
    cdef Py_ssize_t place, oldest = -1
    cdef uint64_t key
    if not s.counts[COUNT]:
        return NULL
    key = hash_of(x, s.n_features)
    place = s.first[key % <uint64_t> s.room]
    while place >= 0:
        if s.key[place] == key and (oldest < 0 or s.number[place] < s.number[oldest]):
            oldest = place
        place = s.following[place]
    if oldest < 0:
        return NULL
    s.age = s.counts[OBSERVED] - s.number[oldest]
    forget_place(s, oldest)
    return s.values + oldest * s.width

"""What was known when a row was observed, kept until its label arrives: for learners that use past labels.

A label may arrive late, out of order or never. Rows are found by their numbers, which waiting_index.pyx gives
them. The memory is a ring in which a row has the place number % room. It grows while the row that would be
overwritten may still wait, up to a bound; then that row, which has waited longest, is forgotten.
"""

import numpy as np

from libc.stdint cimport int64_t

from . import layout as layouts
from .layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from .pointers cimport doubles, integers

cdef enum:
    FIRST_ROOM = 16


cdef class KeptRows(Kernel):
    """`width` numbers for each row that waits for its label, for at most `most` rows.

    A part of a kernel, not a learner. `bounds` are those of the numbers, as an `Array` has them.
    """

    def __init__(self, who, width, most, bounds):
        self.core.width, self.core.most, self.core.kernel = width, most, <void*> self
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, {
            "kept_counts": Array(INDEX, 2, **number),
            "kept_number": Array(INDEX, "kept", **number),
            "kept_values": Array(FLOAT, "kept", "value", **bounds),
        }, {"kept": None, "value": width}, {"kept": min(FIRST_ROOM, most)})
        self.bind()

    cdef void bind(self):
        cdef kept_rows_t* s = &self.core
        s.room = len(self.arrays["kept_number"])
        s.counts, s.number = integers(self.arrays["kept_counts"]), integers(self.arrays["kept_number"])
        s.values = doubles(self.arrays["kept_values"])

    cdef bint grow(self) noexcept:
        # Room for twice as many rows; return whether there is.
        return self.adopt_computed(grown, (self.arrays, min(2 * self.core.room, self.core.most)))

    def check(self, arrays):
        """Raise StateError if the arrays contradict each other."""
        number, who, most = arrays["kept_number"], self.who, self.core.most
        (before, latest), room = arrays["kept_counts"].tolist(), len(number)
        require(1 <= room <= most, who, "kept_number", f"has room for {room} rows, not for 1 to {most}")
        good = before <= latest
        require(good, who, "kept_counts", f"says that {before} rows came before the first, of {latest}")
        used = np.flatnonzero(number)
        good = bool((number[used] % room == used).all() and (number[used] <= latest).all())
        require(good, who, "kept_number", f"must hold numbers up to {latest}, each in its place")


def grown(arrays, room):
    """Return the arrays with this much room; of rows with the same place the later one is kept."""
    used = np.sort(arrays["kept_number"][arrays["kept_number"] > 0])
    new = {}
    for name in ("kept_number", "kept_values"):
        old = arrays[name]
        new[name] = layouts.new_array((room, *old.shape[1:]), old.dtype)
        new[name][used % room] = old[used % len(old)]
    return new


cdef double* keep_row(kept_rows_t* s, int64_t number) noexcept nogil:
    cdef Py_ssize_t place
    if number <= 0:
        return NULL
    place = number % s.room
    if s.number[place] and s.number[place] != number and s.room < s.most:
        with gil:
            if not (<KeptRows> s.kernel).grow():
                return NULL
        place = number % s.room
    if not s.counts[LATEST]:
        s.counts[BEFORE] = number - 1
    s.counts[LATEST] = max(s.counts[LATEST], <Py_ssize_t> number)
    s.number[place] = number
    return s.values + place * s.width

"""Which rows wait for their labels, in the learner whose methods are called; its members know only numbers.

Rows are numbered 1, 2, 3, … as they are observed. A row is found again by its id, or by a hash of its values
if it has none; of equal rows the one observed first is meant. An id that is observed again while it waits
means the new row. The memory is a ring in which a row has the place number % room. It grows while the row
that would be overwritten still waits, up to a bound; then that row, which has waited longest, is forgotten.
Missing values are not hashed, so a row is also found if inputs were added since.
"""

import numpy as np

from libc.math cimport isnan
from libc.string cimport memcpy

from . import layout as layouts
from .layout import INDEX, MOST_COUNTED, WORD, Array, require

cimport numpy as cnp

from .pointers cimport doubles, int64s, integers, words
from .rng cimport bits, mix

cdef enum:
    FIRST_ROOM = 16

cdef enum:
    # places in `counts`
    COUNT = 0                           # rows that wait
    OBSERVED = 1                        # rows observed so far

cdef enum:
    # streams of `bits`: an id and a row have the same hash only by chance
    OF_ID = 1
    OF_ROW = 2

ctypedef struct rows_t:
    Py_ssize_t n
    Py_ssize_t n_features
    const double* x                     # [row, input]
    const int64_t* id                   # [row]; NULL if rows have none
    int64_t* number                     # [row]

LAYOUT = {
    "counts": Array(INDEX, 2, low=0, high=MOST_COUNTED),
    "key": Array(WORD, "waiting"),
    "number": Array(INDEX, "waiting", low=0, high=MOST_COUNTED),
}


cdef class WaitingIndex:
    """Numbers of at most `most` rows that wait for their labels."""

    def __init__(self, who, most):
        self.who, self.most = who, most
        room = min(FIRST_ROOM, most)
        self.adopt(layouts.new_arrays(LAYOUT, {"waiting": room}) | {"chain": new_chains(room)})
        self.link_all()

    cdef void adopt(self, dict arrays):
        self.arrays = arrays
        self.room = len(arrays["number"])
        self.counts, self.key = integers(arrays["counts"]), words(arrays["key"])
        self.number, self.first = integers(arrays["number"]), integers(arrays["chain"])
        self.last, self.following = self.first + self.room, self.first + 2 * self.room

    @property
    def n(self):
        """Number of rows that wait."""
        return self.counts[COUNT]

    def observe(self, cnp.ndarray X, cnp.ndarray ids, cnp.ndarray numbers):
        """Make rows wait, by their `ids` or, if these are None, by their values; write their numbers.

        A row that does not wait, because it has neither or memory runs out, keeps the number 0.
        """
        cdef rows_t rows = rows_of(X, ids, numbers)
        cdef Py_ssize_t i
        for i in range(rows.n):
            rows.number[i] = self.new_number(key_at(&rows, i), rows.id != NULL)

    cdef int64_t new_number(self, uint64_t key, bint is_id) except -1:
        # Let a row wait; return its number.
        cdef Py_ssize_t place = self.place_of(key) if is_id else -1
        if place >= 0:
            self.forget(place)
        place = (self.counts[OBSERVED] + 1) % self.room
        if self.number[place] and self.room < self.most:
            self.adopt(grown(self.arrays, min(2 * self.room, self.most)))
            self.link_all()
            place = (self.counts[OBSERVED] + 1) % self.room
        if self.number[place]:
            self.forget(place)
        self.counts[OBSERVED] += 1
        self.counts[COUNT] += 1
        self.key[place], self.number[place] = key, self.counts[OBSERVED]
        self.link(place)
        return self.counts[OBSERVED]

    def undo(self, const int64_t[::1] numbers):
        """Undo the observation of the rows that were observed last and have these numbers."""
        cdef Py_ssize_t i
        for i in range(numbers.shape[0] - 1, -1, -1):
            if numbers[i] and numbers[i] == self.counts[OBSERVED]:
                if self.number[numbers[i] % self.room] == numbers[i]:
                    self.forget(numbers[i] % self.room)
                self.counts[OBSERVED] -= 1

    def take(self, cnp.ndarray X, cnp.ndarray ids, cnp.ndarray w, cnp.ndarray numbers):
        """Write the numbers of rows of weight above 0 that wait, and do so no longer; return how many.

        They are found by their `ids` or, if these are None, by their values.
        """
        cdef rows_t rows = rows_of(X, ids, numbers)
        cdef const double* weight = doubles(w)
        cdef Py_ssize_t i, before = self.counts[COUNT]
        for i in range(rows.n):
            if self.counts[COUNT] and weight[i] > 0:
                rows.number[i] = self.take_key(key_at(&rows, i))
        return before - self.counts[COUNT]

    def observe_and_take(self, cnp.ndarray X, cnp.ndarray ids, cnp.ndarray w,
                         const unsigned char[::1] observed, cnp.ndarray numbers):
        """For one row after another: let it wait where `observed` is 1, else do what `take` does."""
        cdef rows_t rows = rows_of(X, ids, numbers)
        cdef const double* weight = doubles(w)
        cdef Py_ssize_t i
        for i in range(rows.n):
            if observed[i]:
                rows.number[i] = self.new_number(key_at(&rows, i), rows.id != NULL)
            elif self.counts[COUNT] and weight[i] > 0:
                rows.number[i] = self.take_key(key_at(&rows, i))

    cdef int64_t take_one(self, const double* x, Py_ssize_t n, bint has_id, int64_t id) noexcept:
        # The same for one row.
        if not self.counts[COUNT]:
            return 0
        return self.take_key(key_of_id(id) if has_id else key_of_row(x, n))

    cdef int64_t take_key(self, uint64_t key) noexcept:
        cdef Py_ssize_t place = self.place_of(key)
        cdef int64_t number
        if place < 0:
            return 0
        number = self.number[place]
        self.forget(place)
        return number

    def put_back(self, const int64_t[::1] numbers):
        """Make rows that were taken since the last observation wait again; 0 means no row."""
        cdef Py_ssize_t i
        for i in range(numbers.shape[0]):
            if 0 < numbers[i] <= self.counts[OBSERVED] and not self.number[numbers[i] % self.room]:
                self.number[numbers[i] % self.room] = numbers[i]
                self.counts[COUNT] += 1
        self.link_all()

    cdef Py_ssize_t place_of(self, uint64_t key) noexcept:
        # Of the oldest row with this key; -1 if there is none.
        cdef Py_ssize_t place = self.first[key % <uint64_t> self.room]
        while place >= 0 and self.key[place] != key:
            place = self.following[place]
        return place

    cdef void link(self, Py_ssize_t place) noexcept:
        # Append a place to the chain of its key.
        cdef Py_ssize_t chain = self.key[place] % <uint64_t> self.room
        self.following[place] = -1
        if self.first[chain] < 0:
            self.first[chain] = place
        else:
            self.following[self.last[chain]] = place
        self.last[chain] = place

    cdef void link_all(self) noexcept:
        cdef Py_ssize_t place, number
        for place in range(self.room):
            self.first[place] = -1
        for number in range(max(self.counts[OBSERVED] - self.room, 0) + 1, self.counts[OBSERVED] + 1):
            if self.number[number % self.room] == number:
                self.link(number % self.room)

    cdef void forget(self, Py_ssize_t place) noexcept:
        # The key stays where it is, for `put_back`.
        cdef Py_ssize_t chain = self.key[place] % <uint64_t> self.room, before = -1, at = self.first[chain]
        while at != place:
            before, at = at, self.following[at]
        if before < 0:
            self.first[chain] = self.following[place]
        else:
            self.following[before] = self.following[place]
        if self.last[chain] == place:
            self.last[chain] = before
        self.number[place] = 0
        self.counts[COUNT] -= 1

    def state(self):
        """Return copies of the arrays; the keys of rows that do not wait are 0."""
        state = {name: self.arrays[name].copy() for name in LAYOUT}
        state["key"][state["number"] == 0] = 0
        return state

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        arrays = layouts.checked_arrays(LAYOUT, {"waiting": None}, state, self.who)
        number, who = arrays["number"], self.who
        (count, observed), room = arrays["counts"].tolist(), len(number)
        require(1 <= room <= self.most, who, "number", f"has room for {room} rows, not for 1 to {self.most}")
        used = np.flatnonzero(number)
        require(count == len(used), who, "counts", f"says that {count} rows wait, not {len(used)}")
        least = max(observed - room, 0)
        good = bool((number[used] % room == used).all() and (number[used] <= observed).all())
        good = good and bool((number[used] > least).all())
        require(good, who, "number", f"must hold numbers from {least + 1} to {observed}, each in its place")
        self.adopt(arrays | {"chain": new_chains(room)})
        self.link_all()

    @property
    def bytes(self):
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())


cdef inline uint64_t key_of_id(int64_t id) noexcept nogil:
    return bits(mix(<uint64_t> id), OF_ID)


cdef inline uint64_t key_of_row(const double* x, Py_ssize_t n) noexcept nogil:
    cdef uint64_t word, key = 0
    cdef Py_ssize_t j
    for j in range(n):
        if not isnan(x[j]):
            memcpy(&word, x + j, sizeof(double))
            key = mix(key ^ bits(word, j + 1))  # of 0 in the first place, too, another number than 0
    return bits(key, OF_ROW)


cdef rows_t rows_of(cnp.ndarray X, cnp.ndarray ids, cnp.ndarray numbers):
    # No rows if they have neither ids nor values.
    cdef rows_t rows
    rows.n = len(numbers) if ids is not None or X is not None else 0
    rows.x, rows.n_features = NULL, 0
    if X is not None:
        rows.x, rows.n_features = doubles(X), X.shape[1]
    rows.id, rows.number = NULL if ids is None else int64s(ids), int64s(numbers)
    return rows


cdef inline uint64_t key_at(const rows_t* rows, Py_ssize_t i) noexcept nogil:
    if rows.id != NULL:
        return key_of_id(rows.id[i])
    return key_of_row(rows.x + i * rows.n_features, rows.n_features)


def grown(arrays, room):
    """Return the arrays with this much room."""
    number = arrays["number"]
    used = number[number > 0]
    new = {"counts": arrays["counts"], "chain": new_chains(room)}
    for name in ("key", "number"):
        new[name] = layouts.new_array(room, arrays[name].dtype)
        new[name][used % room] = arrays[name][used % len(number)]
    return new


def new_chains(room):
    """Return memory for the chains of this many places."""
    return layouts.new_array((3, room), INDEX)

"""A block of rows whose inputs are sorted once, for growing many trees on it, and the room to do so."""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from .impurity cimport LINES


def entropy_lines():
    """Return levels and slopes: chords of f(x) + f(1 - x) and of f(x) = x log x, tangents of f."""
    x = np.arange(LINES + 1) / LINES
    f = x * np.log(np.maximum(x, 1e-300))
    values = np.stack([f + f[::-1], f])
    slopes = np.diff(values, append=0.0) * LINES
    middles = np.append(x[:-1] + 0.5 / LINES, 1.0)
    levels = np.vstack([values - slopes * x, -middles])
    return np.stack([levels, np.vstack([slopes, np.log(middles) + 1])], axis=2)


def c_log_c(most):
    """Return c log c for all whole numbers up to `most` at least; later calls share the longest made."""
    global known_logs
    if len(known_logs) <= most:
        c = np.arange(2.0 * most + 1)
        known_logs = c * np.log(np.maximum(c, 1))
    return known_logs


cdef double[:, :, ::1] ENTROPY_LINES = entropy_lines()
known_logs = np.zeros(1)


cdef class Block:
    """Room for rows whose inputs are sorted once and on which many trees can be grown."""

    def __init__(self, room, n_features, n_classes):
        self.n_features = n_features
        self.n_classes = n_classes
        self.core.n = 0
        self.make(room)

    def make(self, room):
        """Make room for this many rows; those loaded are lost."""
        nodes = 2 * room + 1
        cdef double[:, ::1] columns = np.empty((self.n_features, room))
        cdef int[:, :, ::1] orders = np.empty((2, self.n_features, room), dtype=np.intc)
        cdef int[::1] spare = np.empty(room, dtype=np.intc)
        cdef char[::1] left = np.empty(room, dtype=np.int8)
        cdef Py_ssize_t[:, ::1] places = np.empty((2, nodes), dtype=np.intp)
        cdef char[::1] best = np.empty(nodes * sizeof(split_t), dtype=np.int8)
        cdef double[::1] sums = np.empty(3 * self.n_classes)
        cdef uint64_t[::1] keys = np.empty(2 * room, dtype=np.uint64)
        cdef double[::1] logs = c_log_c(2 * room)
        # The views keep their memory alive.
        self.arrays = dict(enumerate((columns, orders, spare, left, places, best, sums, keys, logs)))
        cdef block_t* b = &self.core
        b.room = room
        b.columns, b.spare, b.left, b.sums, b.keys = &columns[0, 0], &spare[0], &left[0], &sums[0], &keys[0]
        b.held, b.logs = &sums[2 * self.n_classes], &logs[0]
        b.pair_chords, b.chords, b.tangents = (
            &ENTROPY_LINES[0, 0, 0], &ENTROPY_LINES[1, 0, 0], &ENTROPY_LINES[2, 0, 0]
        )
        b.sorted, b.order = &orders[0, 0, 0], &orders[1, 0, 0]
        b.start, b.stop, b.best = &places[0, 0], &places[1, 0], <split_t*> &best[0]

    def load(self, const double[:, ::1] X):
        """Take these rows, in place of all before, and sort every input."""
        if X.shape[1] != self.n_features:
            raise ValueError(f"Block: a row has {X.shape[1]} inputs, the block is made for {self.n_features}")
        if X.shape[0] > self.core.room:
            self.make(X.shape[0])
        self.core.n = X.shape[0]
        if X.shape[0]:
            block_load(&self.core, &X[0, 0], X.shape[0], X.shape[1])


cdef void block_load(block_t* b, const double* X, Py_ssize_t n, Py_ssize_t n_features) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double* column
    b.n = n
    for j in range(n_features):
        column = b.columns + j * b.room
        for i in range(n):
            column[i] = X[i * n_features + j]
        sort(b, column, b.sorted + j * b.room)


cdef inline uint64_t key_of(double value) noexcept nogil:
    # A number that sorts as the value does, missing ones last.
    cdef uint64_t bits
    if isnan(value):
        return ~<uint64_t> 0
    value += 0.0                        # -0 becomes 0
    memcpy(&bits, &value, 8)
    return ~bits if bits >> 63 else bits | (<uint64_t> 1 << 63)


cdef void sort(block_t* b, const double* column, int* order) noexcept nogil:
    # By the upper half of the keys, which nearly always tells all values apart; by all of them if not.
    if not sorted_by(b, column, order, 4):
        sorted_by(b, column, order, 0)


cdef bint sorted_by(block_t* b, const double* column, int* order, Py_ssize_t lowest) noexcept nogil:
    # Radix sort by the bytes of the keys from `lowest` on; the row takes the place of the lowest bits. An
    # insertion sort settles what is left, and gives up if that is much, unless all bytes were used.
    cdef Py_ssize_t counts[256]
    cdef Py_ssize_t i, byte, place, total, count, n = b.n, n_moves = 0
    cdef uint64_t mask = 1, differing = 0
    cdef uint64_t* keys = b.keys
    cdef uint64_t* other = b.keys + b.room
    cdef int row
    while mask < <uint64_t> n:
        mask <<= 1
    mask -= 1
    for i in range(n):
        keys[i] = (key_of(column[i]) & ~mask) | <uint64_t> i
        differing |= keys[i] ^ keys[0]
    for byte in range(lowest, 8):
        if ((differing & ~mask) >> (8 * byte)) & 255 == 0:
            continue
        memset(counts, 0, sizeof(counts))
        for i in range(n):
            counts[(keys[i] >> (8 * byte)) & 255] += 1
        total = 0
        for place in range(256):
            count = counts[place]
            counts[place] = total
            total += count
        for i in range(n):
            place = (keys[i] >> (8 * byte)) & 255
            other[counts[place]] = keys[i]
            counts[place] += 1
        keys, other = other, keys
    for i in range(n):
        row = <int> (keys[i] & mask)
        place = i
        while place > 0 and column[order[place - 1]] > column[row]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = row
        n_moves += i - place
        if lowest > 0 and n_moves > n:
            return False
    return True

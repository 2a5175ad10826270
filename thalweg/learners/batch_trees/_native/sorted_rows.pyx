"""Rows whose inputs are sorted once, for growing many trees on them, and the memory to do so."""

import numpy as np

from thalweg._native import layout as layouts

from libc.math cimport isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from thalweg._native.failure cimport begin_call, call_t, end_call, should_stop
from .impurity cimport LINES
from thalweg._native.pointers cimport doubles, flags, integers, ints, words


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


cdef class SortedRows:
    """Memory for rows whose inputs are sorted once and on which many trees can be grown.

    `n_logs` is the largest number whose c log c is kept, for trees by entropy; by default twice the room.
    """

    def __init__(self, room, n_features, n_classes, n_logs=None):
        self.n_features = n_features
        self.n_classes = n_classes
        self.n_logs = 2 * room if n_logs is None else n_logs
        self.adopt(self.memory(room))

    def memory(self, room):
        """Return arrays for this many rows."""
        shapes = {
            "columns": ((self.n_features, room), layouts.FLOAT),
            "orders": ((2, self.n_features, room), layouts.INT),
            "spare": (room + ROWS_TOGETHER, layouts.INT),
            "borders": ((2, room + BORDERS_AT_ONCE), layouts.INT),
            "inverses": ((2, room + BORDERS_AT_ONCE, sizeof(float)), layouts.FLAG),
            "second": (room, layouts.FLAG),
            "distinct": (self.n_features, layouts.FLAG),
            "promise": (self.n_features, layouts.FLOAT),
            "left": (room, layouts.FLAG),
            "keys": ((2, room), layouts.WORD),
            "sums": ((3, self.n_classes), layouts.FLOAT),
            "count": (1, layouts.INDEX),
            "places": ((5, 2 * room + 1), layouts.INDEX),
            "splits": ((2 * room + 1 + self.n_features, sizeof(batch_split_t)), layouts.FLAG),
            "numbers": ((2, 2 * room + 1), layouts.FLOAT),
            "weights": ((2 * room + 1, self.n_classes), layouts.FLOAT),
        }
        arrays = {name: layouts.new_array(shape, dtype) for name, (shape, dtype) in shapes.items()}
        inverse, backwards = arrays["inverses"].view(np.float32)[:, :, 0]
        inverse[:] = 1 / np.arange(1, len(inverse) + 1)
        backwards[:room] = inverse[:room][::-1]
        return arrays | {"logs": c_log_c(self.n_logs)}

    cdef void adopt(self, dict arrays):
        # Use this memory; the rows loaded before are lost.
        cdef sorted_rows_t* b = &self.core
        cdef Py_ssize_t room = len(arrays["left"]), n_nodes = 2 * room + 1
        cdef Py_ssize_t* places = integers(arrays["places"])
        self.arrays = arrays
        b.n, b.room = 0, room
        b.columns, b.keys, b.spare = doubles(arrays["columns"]), words(arrays["keys"]), ints(arrays["spare"])
        b.sorted, b.left = ints(arrays["orders"]), flags(arrays["left"])
        b.order = b.sorted + self.n_features * room
        b.counts, b.places = ints(arrays["borders"]), ints(arrays["borders"]) + room + BORDERS_AT_ONCE
        b.second, b.distinct = flags(arrays["second"]), flags(arrays["distinct"])
        b.inverse, b.promise = <float*> flags(arrays["inverses"]), doubles(arrays["promise"])
        b.reversed = b.inverse + room + BORDERS_AT_ONCE
        b.sums = doubles(arrays["sums"])
        b.held = b.sums + 2 * self.n_classes
        b.logs, b.n_logs = doubles(arrays["logs"]), self.n_logs
        b.start, b.stop, b.nodes.feature, b.nodes.child, b.nodes.missing = (
            places, places + n_nodes, places + 2 * n_nodes, places + 3 * n_nodes, places + 4 * n_nodes
        )
        b.nodes.n, b.best = integers(arrays["count"]), <batch_split_t*> flags(arrays["splits"])
        b.found = b.best + n_nodes
        b.nodes.threshold, b.nodes.weights = doubles(arrays["numbers"]), doubles(arrays["weights"])
        b.nodes.category = b.nodes.threshold + n_nodes
        b.pair_chords, b.chords, b.tangents = (
            &ENTROPY_LINES[0, 0, 0], &ENTROPY_LINES[1, 0, 0], &ENTROPY_LINES[2, 0, 0]
        )
        b.n_visits, b.may_stop, b.stopped = 0, True, False

    def load(self, const double[:, ::1] X):
        """Replace all rows by these, and sort every input."""
        cdef call_t call
        if X.shape[1] != self.n_features:
            raise ValueError(f"SortedRows: a row has {X.shape[1]} inputs, not {self.n_features}")
        if X.shape[0] > self.core.room:
            self.n_logs = max(self.n_logs, 2 * X.shape[0])
            self.adopt(self.memory(X.shape[0]))
        self.core.n = 0
        if X.shape[0] == 0:
            return
        begin_call(&call, 0)
        with nogil:
            load_rows(&self.core, &X[0, 0], X.shape[0], X.shape[1])
        if self.core.stopped:
            self.core.n = 0
        end_call(&call, -1)


cdef void poll_signals(sorted_rows_t* b) noexcept nogil:
    b.n_visits = 0
    if b.may_stop and should_stop():
        b.stopped = True


cdef void load_rows(sorted_rows_t* b, const double* X, Py_ssize_t n, Py_ssize_t n_features) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double* column
    b.n, b.n_visits, b.stopped = n, 0, False
    for j in range(n_features):
        if is_stopped(b, n):
            return
        column = b.columns + j * b.room
        for i in range(n):
            column[i] = X[i * n_features + j]
        sort(b, column, b.sorted + j * b.room)
        b.distinct[j] = not is_stopped(b, n) and all_differ(column, b.sorted + j * b.room, n)


cdef inline bint all_differ(const double* column, const int* order, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint found = not isnan(column[order[n - 1]])
    for i in range(1, n):
        found &= column[order[i - 1]] < column[order[i]]
    return found


cdef inline uint64_t key_of(double value) noexcept nogil:
    # A number that sorts as the value does, missing ones last.
    cdef uint64_t bits
    if isnan(value):
        return ~<uint64_t> 0
    value += 0.0                        # -0 becomes 0
    memcpy(&bits, &value, 8)
    return ~bits if bits >> 63 else bits | (<uint64_t> 1 << 63)


cdef void sort(sorted_rows_t* b, const double* column, int* order) noexcept nogil:
    # By the upper half of the keys, which nearly always tells all values apart; by all of them if not.
    if not sorted_by(b, column, order, 4):
        sorted_by(b, column, order, 0)


cdef bint sorted_by(sorted_rows_t* b, const double* column, int* order, Py_ssize_t lowest) noexcept nogil:
    # Radix sort by the bytes of the keys from `lowest` on; the row takes the place of the lowest bits. An
    # insertion sort orders what is left, and gives up if that is much, unless all bytes were used.
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
        if is_stopped(b, n):
            return True
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

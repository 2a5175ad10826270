"""Categories as separate inputs, for kernels that can only use numbers.

A row is widened: an input of k > 2 categories has a place for each of the first `own` of them and one more
for all others; 1 is written into the place of the row's category, 0 into the rest. All are 0 where the
category is missing. Two categories need one place, which is 0 for the first and 1 for the second (`own` is
-1), and a number stays as it is (`own` is 0).
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX

from libc.math cimport floor
from libc.stdint cimport int64_t
from libc.string cimport memset

from thalweg._native cimport kernel as learner
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.pointers cimport doubles, integers

ctypedef struct widening_t:
    Py_ssize_t n_features
    Py_ssize_t width
    const Py_ssize_t* own               # [input]

ctypedef struct one_hot_t:
    widening_t widening
    const learner_t* member
    double* row                         # [width]: memory to learn a row
    double* scratch                     # for the member to predict it


cdef inline void widen(const widening_t* c, const double* x, double* row) noexcept nogil:
    cdef Py_ssize_t j, n
    for j in range(c.n_features):
        n = c.own[j]
        if n == 0:
            row[0] = x[j]
            row += 1
        elif n < 0:
            row[0] = min(max(x[j], 0.0), 1.0) if x[j] == x[j] else x[j]
            row += 1
        else:
            memset(row, 0, (n + 1) * sizeof(double))
            if x[j] >= 0.0 and floor(x[j]) == x[j]:
                row[<Py_ssize_t> min(x[j], <double> n)] = 1.0
            row += n + 1


def widened(const double[:, ::1] X, const Py_ssize_t[::1] own):
    """Return rows × places, for rows × inputs."""
    cdef widening_t c
    cdef Py_ssize_t i
    cdef double[:, ::1] rows
    width = width_of(np.asarray(own))
    wide = layouts.new_array((X.shape[0], width), FLOAT)
    rows = wide
    c.n_features, c.width, c.own = own.shape[0], width, &own[0]
    with nogil:
        for i in range(X.shape[0]):
            widen(&c, &X[i, 0], &rows[i, 0])
    return wide


def widened_sparse(const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns, const double[::1] values,
                   const Py_ssize_t[::1] own, places=None):
    """Return starts, columns and values of widened sparse rows.

    Row i has values in the columns from starts[i] to starts[i + 1], in increasing order; the others are
    0, which is the first category of an input that has several. `places` is what `sparse_places` returns
    for `own`.
    """
    cdef Py_ssize_t i, j, c, at, stop, n = 0, n_several
    cdef double x
    several, first = sparse_places(np.asarray(own)) if places is None else places
    n_several = len(several)
    most = (starts[starts.shape[0] - 1] - starts[0]) + (starts.shape[0] - 1) * n_several
    found = [layouts.new_array(starts.shape[0], INDEX), layouts.new_array(most, INDEX),
             layouts.new_array(most, FLOAT)]
    cdef Py_ssize_t[::1] new_starts = found[0], new_columns = found[1]
    cdef double[::1] new_values = found[2]
    cdef const Py_ssize_t[::1] inputs = several, place = first
    with nogil:
        for i in range(starts.shape[0] - 1):
            at, stop, c = starts[i], starts[i + 1], 0
            while at < stop or c < n_several:
                if c < n_several and (at == stop or inputs[c] <= columns[at]):
                    j, x = inputs[c], 0.0
                    if at < stop and columns[at] == j:
                        x = values[at]
                        at += 1
                    c += 1
                    if not (x >= 0.0 and floor(x) == x):
                        continue
                    new_columns[n] = place[j] + <Py_ssize_t> min(x, <double> own[j])
                    x = 1.0
                else:
                    j, x = columns[at], values[at]
                    at += 1
                    if own[j] < 0 and x == x:
                        x = min(max(x, 0.0), 1.0)
                    new_columns[n] = place[j]
                new_values[n] = x
                n += 1
            new_starts[i + 1] = n
    return found[0], found[1][:n], found[2][:n]


def sparse_places(own):
    """Return the inputs that have several categories, and the first place of each input."""
    widths = np.where(own > 0, own + 1, 1)
    return np.flatnonzero(own > 0), np.cumsum(widths) - widths


def width_of(own):
    """Return how many places there are in all."""
    return int(np.where(own > 0, own + 1, 1).sum())


cdef class OneHotKernel(Kernel):
    """Calls `member`, a kernel for widened rows, with rows that are not."""

    cdef one_hot_t core
    cdef readonly Kernel member
    cdef tuple memory

    def __init__(self, Kernel member, own):
        cdef one_hot_t* c = &self.core
        cdef learner_t* h = &member.handle
        self.member, self.calls_python, self.lock = member, member.calls_python, member.lock
        self.arrays, self.layout, self.lengths = {}, {}, {}     # the whole state is the member's
        self.memory = own, layouts.new_array(h.n_features + h.scratch_size, FLOAT)
        c.widening.n_features, c.widening.width, c.widening.own = len(own), h.n_features, integers(own)
        c.member, c.row = h, doubles(self.memory[1])
        c.scratch = c.row + h.n_features
        self.set_handle(<void*> c, len(own), h.n_classes, learn, predict, predict_learn)
        self.handle.scratch_size = h.n_features + h.scratch_size
        if h.flush != NULL:
            self.handle.flush = flush
        if h.observe != NULL:
            self.handle.observe = observe

    @property
    def bytes(self):
        """Bytes of the member's arrays."""
        return self.member.bytes


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef one_hot_t* c = <one_hot_t*> state
    widen(&c.widening, x, c.row)
    c.member.learn(c.member.state, c.row, y, w, number)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const one_hot_t* c = <const one_hot_t*> state
    widen(&c.widening, x, scratch)
    c.member.predict(c.member.state, scratch, p, scratch + c.widening.width)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef one_hot_t* c = <one_hot_t*> state
    widen(&c.widening, x, c.row)
    learner.predict_learn(c.member, c.row, y, w, number, p, c.scratch)


cdef void flush(void* state) noexcept nogil:
    learner.flush((<one_hot_t*> state).member)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef one_hot_t* c = <one_hot_t*> state
    widen(&c.widening, x, c.row)
    learner.observe(c.member, c.row, number)

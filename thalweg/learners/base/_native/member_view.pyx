"""A member's own view of the rows: some of the inputs, and means instead of missing values.

An ensemble calls the adapter as it would call the member. Gaps are filled as for a learner alone: a row that
is learned first updates the means of its inputs, which its missing values do not change.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, MOST_VALUE, Array, require

from thalweg._native cimport kernel as learner
from thalweg._native.failure cimport record_failure
from thalweg._native.missing cimport fill_row, update_row
from thalweg._native.pointers cimport doubles, integers


cdef class AdapterKernel(Kernel):
    """Calls `member`, a kernel, with the inputs at `columns` (None: the first), without gaps if `fills`."""

    def __init__(self, who, Kernel member, n_features, columns, fills):
        cdef adapter_t* c = &self.core
        cdef learner_t* h = &member.handle
        layout = {"columns": Array(INDEX, "column", low=0, high="input")}
        if fills:
            layout["mean"] = Array(FLOAT, "column", low=-MOST_VALUE, high=MOST_VALUE)
            layout["count"] = Array(FLOAT, "column", low=0, high=MOST_COUNTED)
        self.allocate(who, layout, {"input": n_features, "column": h.n_features})
        self.arrays["columns"][:] = np.arange(h.n_features) if columns is None else columns
        self.member, self.calls_python = member, member.calls_python
        self.memory = layouts.new_array(h.n_features + h.scratch_size + h.n_classes, FLOAT)
        c.member, c.n_features, c.width = h, n_features, h.n_features
        c.row = doubles(self.memory)
        c.scratch = c.row + c.width
        c.again = c.scratch + h.scratch_size
        self.set_handle(<void*> c, n_features, h.n_classes, learn, predict, predict_learn)
        self.handle.predict_learn_again = predict_learn_again
        self.handle.scratch_size = c.width + h.scratch_size
        if h.fit_block != NULL:
            self.handle.fit_block = fit_block
        if h.flush != NULL:
            self.handle.flush = flush
        if h.observe != NULL:
            self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        self.core.columns = integers(self.arrays["columns"])
        if "mean" in self.arrays:
            self.core.mean, self.core.count = doubles(self.arrays["mean"]), doubles(self.arrays["count"])

    cdef void adopt(self, dict arrays):
        # In place: the learner may share the means.
        for name in arrays:
            self.arrays[name][...] = arrays[name]

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from an adapter with fewer inputs: its columns come first, new ones follow."""
        for name in self.layout:
            self.arrays[name][:len(old.arrays[name])] = old.arrays[name]

    def check(self, arrays):
        """Raise StateError unless the columns are in increasing order."""
        good = bool((np.diff(arrays["columns"]) > 0).all())
        require(good, self.who, "columns", "must hold columns in growing order")

    @property
    def size(self):
        """Size of the member."""
        return self.member.size

    @property
    def bytes(self):
        """Bytes of all arrays, those of the member included."""
        return self.array_bytes + self.member.bytes


cdef inline void gather(const adapter_t* c, const double* x, double* row) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(c.width):
        row[j] = x[c.columns[j]]


cdef inline void gather_to_learn(adapter_t* c, const double* x, double* row) noexcept nogil:
    gather(c, x, row)
    if c.mean != NULL:
        update_row(row, c.width, c.mean, c.count)
        fill_row(row, c.width, c.mean)


cdef inline void gather_to_see(const adapter_t* c, const double* x, double* row) noexcept nogil:
    gather(c, x, row)
    if c.mean != NULL:
        fill_row(row, c.width, c.mean)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef adapter_t* c = <adapter_t*> state
    gather_to_learn(c, x, c.row)
    c.member.learn(c.member.state, c.row, y, w, number)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const adapter_t* c = <const adapter_t*> state
    gather_to_see(c, x, scratch)
    c.member.predict(c.member.state, scratch, p, scratch + c.width)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef adapter_t* c = <adapter_t*> state
    gather_to_learn(c, x, c.row)
    learner.predict_learn(c.member, c.row, y, w, number, p, c.scratch)


cdef Py_ssize_t predict_learn_again(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                    double* p) noexcept nogil:
    cdef adapter_t* c = <adapter_t*> state
    gather_to_learn(c, x, c.row)
    return learner.predict_learn_again(c.member, c.row, y, w, number, p, c.again, c.scratch)


cdef bint fit_block(void* state, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil:
    cdef adapter_t* c = <adapter_t*> state
    cdef Py_ssize_t i
    cdef bint done
    cdef double* rows = <double*> malloc(max(n * c.width, 1) * sizeof(double))
    if rows == NULL:
        with gil:
            record_failure(MemoryError("no memory for the rows of a batch"))
        return False
    for i in range(n):
        if w[i] > 0:
            gather_to_learn(c, X + i * c.n_features, rows + i * c.width)
        else:
            gather_to_see(c, X + i * c.n_features, rows + i * c.width)
    done = c.member.fit_block(c.member.state, rows, y, w, n, may_stop)
    free(rows)
    return done


cdef void flush(void* state) noexcept nogil:
    learner.flush((<adapter_t*> state).member)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef adapter_t* c = <adapter_t*> state
    gather_to_see(c, x, c.row)
    learner.observe(c.member, c.row, number)

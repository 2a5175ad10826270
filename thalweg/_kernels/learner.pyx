"""The handle of a learner, the block loops over it, and the trampoline for learners written in Python."""

import numpy as np

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.math cimport fabs, isnan
from libc.stdlib cimport free, malloc

from . import layout as layouts

from .failure cimport (
    begin_call, call_t, computed, current_failure, end_call, failure_t, poll_signals, record_failure,
)

cdef enum:
    FIRST_ROWS = 64                     # processed before the first look at the clock
    ON_STACK = 64                       # doubles of scratch memory that need no allocation

cdef double LARGEST = 1e150             # of the values that reach a kernel; see missing.pyx


cdef bint is_row(Py_buffer* view, Py_ssize_t n_features) noexcept nogil:
    cdef Py_ssize_t j
    cdef const double* x = <const double*> view.buf
    if view.ndim != 1 or view.shape[0] != n_features or view.strides[0] != sizeof(double):
        return False
    if view.format[0] != b"d" or view.format[1] != 0:
        return False
    for j in range(n_features):
        if fabs(x[j]) > LARGEST:
            return False
    return True


cdef double* new_scratch(const learner_t* h) except NULL:
    cdef double* scratch = <double*> malloc(max(h.scratch_size, 1) * sizeof(double))
    if scratch == NULL:
        raise MemoryError("no memory for a prediction")
    return scratch


cdef class Kernel:
    """A native learner's state and its handle.

    A subclass declares its arrays and makes them with `allocate`, puts its functions into `handle`, and points
    the handle's state at the arrays' memory in `bind`, which reads addresses and nothing else. To grow, it makes
    new arrays and calls `adopt`: arrays and pointers change together or not at all. Everything the learner
    knows is in `arrays`: saving and copying need nothing else. Arrays there that are not declared follow from
    the parameters and the declared ones; they are no part of a state, and `restore` derives them again.
    """

    def __cinit__(self):
        self.n_rows = FIRST_ROWS

    cdef void allocate(self, str who, dict layout, dict lengths, dict initial=None):
        # Declare and make the arrays; `initial` are the lengths with which axes that grow begin. A subclass may
        # call it again to add more arrays.
        self.who = who
        self.layout = layout if self.layout is None else self.layout | layout
        self.lengths = lengths if self.lengths is None else self.lengths | lengths
        made = layouts.new_arrays(layout, self.lengths | (initial or {}))
        self.arrays = made if self.arrays is None else self.arrays | made

    cdef void bind(self):
        pass

    cdef void adopt(self, dict arrays):
        # Go on with these arrays, in place of those of the same names.
        self.arrays = self.arrays | arrays
        self.bind()

    cdef bint adopt_computed(self, compute, tuple arguments) noexcept:
        # Adopt the arrays that compute(*arguments) returns, for a callback; False, and a recorded failure, if it
        # cannot.
        new = computed(compute, arguments)
        try:
            if new is not None:
                self.adopt(new)
                return True
        except Exception as error:
            record_failure(error)
        return False

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0."""
        cdef Py_ssize_t start = 0, stop
        cdef learner_t* h = &self.handle
        cdef double* scratch = new_scratch(h)
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            stop = min(start + call.n_rows, X.shape[0]) if call.polls else X.shape[0]
            with nogil:
                while start < stop and not call.failure.failed:
                    predict_learn(h, &X[start, 0], y[start], w[start], &p[start, 0], scratch)
                    start += 1
            poll_signals(&call)
        self.n_rows = max(call.n_rows, FIRST_ROWS)
        free(scratch)
        end_call(&call, start)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        cdef Py_ssize_t start = 0, stop
        cdef learner_t* h = &self.handle
        cdef double* scratch = new_scratch(h)
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            stop = min(start + call.n_rows, X.shape[0]) if call.polls else X.shape[0]
            with nogil:
                while start < stop and not call.failure.failed:
                    h.predict(h.state, &X[start, 0], &p[start, 0], scratch)
                    start += 1
            poll_signals(&call)
        free(scratch)
        end_call(&call, -1)

    def learn_row(self, x, Py_ssize_t y):
        """Learn one row, if it is an array of as many float64, missing or of usual size, as there are inputs.

        Return whether it was: fast for what is nearly always given, all else is left to the caller.
        """
        cdef Py_buffer view
        cdef bint good
        cdef call_t call
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features)
        if good:
            try:
                self.lock.begin_write()
            except BaseException:
                PyBuffer_Release(&view)
                raise
            begin_call(&call, 0)
            self.handle.learn(self.handle.state, <const double*> view.buf, y, 1.0)
            self.lock.end_write()
            PyBuffer_Release(&view)
            end_call(&call, 1)
            return True
        PyBuffer_Release(&view)
        return False

    def predict_row(self, x, double[::1] p):
        """Write the probabilities of one row into `p`, if it is such an array; return whether it was."""
        cdef Py_buffer view
        cdef bint good
        cdef call_t call
        cdef double[ON_STACK] stack
        cdef double* scratch = stack
        if self.handle.scratch_size > ON_STACK:
            scratch = new_scratch(&self.handle)
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features)
        if good:
            try:
                self.lock.begin_read()
            except BaseException:
                PyBuffer_Release(&view)
                if scratch != stack:
                    free(scratch)
                raise
            begin_call(&call, 0)
            self.handle.predict(self.handle.state, <const double*> view.buf, &p[0], scratch)
            self.lock.end_read()
        PyBuffer_Release(&view)
        if scratch != stack:
            free(scratch)
        if good:
            end_call(&call, -1)
        return good

    def state(self):
        """Return copies of the arrays, without what is held in reserve."""
        if self.layout is None:
            return {name: array.copy() for name, array in self.arrays.items()}
        used = self.used()
        return {name: self.arrays[name][tuple(slice(used.get(axis)) for axis in array.axes)].copy()
                for name, array in self.layout.items()}

    def used(self):
        """Return how much of each axis that grows is in use, where some of it is held in reserve."""
        return {}

    def restore(self, state):
        """Go on from what `state` returned; raise StateError, and change nothing, if it does not fit."""
        if self.layout is None:
            self.arrays = {name: np.array(state[name], dtype=old.dtype, order="C")
                           for name, old in self.arrays.items()}
            self.bind()
            return
        arrays = layouts.checked_arrays(self.layout, self.lengths, state, self.who)
        self.check(arrays)
        self.adopt(arrays)

    def check(self, arrays):
        """Raise StateError if arrays that fit their declarations contradict each other."""

    @property
    def bytes(self):
        """Bytes of all arrays, rows held in reserve included."""
        return sum(array.nbytes for array in self.arrays.values())

    @property
    def size(self):
        """How much the model has grown, where it grows: the nodes of a tree; else 0."""
        return 0


cdef class PythonKernel(Kernel):
    """The handle of a learner written in Python: each call takes the GIL and passes one row."""

    cdef object learner
    cdef object weight
    cdef object code
    cdef object ignored

    def __init__(self, learner, n_features, n_classes):
        self.allocate(type(learner).__name__, {}, {})
        self.learner = learner
        self.weight = np.empty(1)
        self.code = np.empty(1, dtype=np.intp)
        self.ignored = np.empty((1, n_classes))
        self.handle = learner_t(<void*> self, n_features, n_classes, 0, python_learn, python_predict, NULL)

    cdef void call(self, const double* x, Py_ssize_t y, double w, double* p) noexcept:
        # Rows are copied: the learner may keep or change what it is given.
        cdef Py_ssize_t k
        try:
            X = np.array(<const double[:1, :self.handle.n_features:1]> x)
            if p == NULL:
                self.code[0], self.weight[0] = y, w
                self.learner._learn(X, self.code, self.weight, self.ignored)
            else:
                row = np.full((1, self.handle.n_classes), np.nan)
                self.learner._predict(X, row)
                for k in range(self.handle.n_classes):
                    p[k] = row[0, k]
                    if isnan(p[k]):
                        raise ValueError(f"{self.who}: _predict left a probability unset or NaN")
        except BaseException as error:
            if p != NULL:
                for k in range(self.handle.n_classes):
                    p[k] = 1.0 / self.handle.n_classes
            record_failure(error)


cdef void python_learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, y, w, NULL)


cdef void python_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, -1, 0.0, p)

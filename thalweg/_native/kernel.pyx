"""The handle of a learner, its arrays, and the loops over blocks of rows."""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.math cimport fabs, isnan
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cimport numpy as cnp

from . import layout as layouts

from .failure cimport (
    attempt, begin_call, call_t, current_failure, end_call, failure_t, poll_after, should_stop,
)
from .missing cimport LARGEST, update_row
from .pointers cimport doubles
from .waiting_index cimport WaitingIndex

cnp.import_array()

cdef enum:
    FIRST_ROWS = 64                     # processed before the first check of the clock
    ROWS_A_LOOK = 256                   # of a batch, between two checks for signals
    WORTHWHILE = 16                     # rows done together: try the next ones together, too
    ON_STACK = 64                       # doubles of scratch memory that need no allocation

globals().update(HEAVIEST=HEAVIEST)     # for Python, as `cpdef` does for integers


cdef bint is_row(Py_buffer* view, Py_ssize_t n_features, bint is_whole) noexcept nogil:
    # Whether these are as many float64 as there are inputs, none huge and, if `is_whole`, none missing.
    cdef Py_ssize_t j
    cdef const double* x = <const double*> view.buf
    if view.ndim != 1 or view.shape[0] != n_features or view.strides[0] != sizeof(double):
        return False
    if view.format[0] != b"d" or view.format[1] != 0:
        return False
    for j in range(n_features):
        if fabs(x[j]) > LARGEST or is_whole and isnan(x[j]):
            return False
    return True


cdef double* new_scratch(const learner_t* h) except NULL:
    cdef double* scratch = <double*> malloc(max(h.scratch_size, 1) * sizeof(double))
    if scratch == NULL:
        raise MemoryError("no memory for a prediction")
    return scratch


cdef Py_ssize_t learn_rows(const learner_t* h, const double* x, const Py_ssize_t* y, const double* w,
                           const int64_t* ids, double* p, double* scratch, Py_ssize_t n,
                           const failure_t* failure) noexcept nogil:
    # Predict n rows, each just before it is learned; stop after one that fails. Return how many were learned.
    cdef Py_ssize_t i = 0, n_done, retry = 0
    while i < n and not failure.failed:
        if i >= retry and ids == NULL and h.predict_learn_rows != NULL:
            n_done = h.predict_learn_rows(h.state, x + i * h.n_features, y + i, w + i, n - i,
                                          p + i * h.n_classes)
            i += n_done
            retry = i if n_done >= WORTHWHILE else i + ROWS_A_LOOK
            if i == n:
                break
        predict_learn(h, x + i * h.n_features, y[i], w[i], 0 if ids == NULL else ids[i],
                      p + i * h.n_classes, scratch)
        i += 1
    return i


cdef class Kernel:
    """A native learner's state and its handle.

    A subclass declares its arrays and makes them with `allocate`, puts its functions into `handle`, and
    points the handle's state at the arrays' memory in `bind`, which reads addresses and nothing else. To
    grow, it makes new arrays and calls `adopt`: arrays and pointers change together or not at all. All the
    learner knows is in `arrays`: saving and copying need nothing else. Arrays there that are not declared
    follow from the parameters and the declared ones; they are not part of a state, and `derive` recomputes
    them.
    """

    def __cinit__(self):
        self.n_rows = FIRST_ROWS

    cdef void set_handle(self, void* state, Py_ssize_t n_features, Py_ssize_t n_classes, learn_f learn,
                         predict_f predict, predict_learn_f predict_learn=NULL):
        # The functions that every handle has; those that may be NULL are set one by one.
        self.handle.state, self.handle.n_features, self.handle.n_classes = state, n_features, n_classes
        self.handle.learn, self.handle.predict = learn, predict
        self.handle.predict_learn = predict_learn

    cdef void allocate(self, str who, dict layout, dict lengths, dict initial=None):
        # Declare and make the arrays; `initial` are the lengths with which axes that grow begin. A subclass
        # may call it again to add more arrays.
        self.who = who
        self.layout = layout if self.layout is None else self.layout | layout
        self.lengths = lengths if self.lengths is None else self.lengths | lengths
        made = layouts.new_arrays(layout, self.lengths | (initial or {}))
        self.arrays = made if self.arrays is None else self.arrays | made

    cdef void bind(self):
        pass

    cdef void derive(self):
        # Recompute in place the arrays that are not declared; allocates nothing.
        pass

    cdef void adopt(self, dict arrays):
        # Replace the arrays of the same names by these.
        self.arrays = self.arrays | arrays
        self.bind()

    cdef bint adopt_computed(self, compute, tuple arguments) noexcept:
        # Adopt the arrays that compute(*arguments) returns; False if it raises, which is recorded.
        arrays = attempt(compute, arguments)
        if arrays is not None:
            self.adopt(arrays)
        return arrays is not None

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p,
              const unsigned char[::1] tested=None, const int64_t[::1] ids=None,
              const unsigned char[::1] observed=None):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0.

        Where `tested` is 0 a row is only learned, which is faster; its row of `p` is then undefined. Where
        `observed` is 1 a row, of weight 0, is seen as one that has no label yet. `ids` are the numbers with
        which rows are or were observed, 0 for those that were not.
        """
        cdef Py_ssize_t start = 0, first, stop
        cdef learner_t* h = &self.handle
        cdef double* scratch = new_scratch(h)
        cdef const int64_t* numbers = NULL if ids is None or not ids.shape[0] else &ids[0]
        cdef int64_t number
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            first = start
            stop = min(start + call.n_rows, X.shape[0]) if call.polls else X.shape[0]
            with nogil:
                if tested is None and observed is None:
                    start += learn_rows(h, &X[start, 0], &y[start], &w[start],
                                        NULL if numbers == NULL else numbers + start, &p[start, 0], scratch,
                                        stop - start, call.failure)
                while start < stop and not call.failure.failed:
                    number = 0 if numbers == NULL else numbers[start]
                    if tested is None or tested[start]:
                        predict_learn(h, &X[start, 0], y[start], w[start], number, &p[start, 0], scratch)
                    elif w[start] > 0:
                        h.learn(h.state, &X[start, 0], y[start], w[start], number)
                    if observed is not None and observed[start]:
                        observe(h, &X[start, 0], number)
                    start += 1
            poll_after(&call, start - first)
        self.n_rows = call.n_rows
        free(scratch)
        end_call(&call, start)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        self.process(X, p, None, True, False)

    def predict_observe(self, const double[:, ::1] X, double[:, ::1] p, const int64_t[::1] ids=None):
        """For each row: write its probabilities into `p`, then observe it without a label."""
        self.process(X, p, ids, True, True)

    def observe(self, const double[:, ::1] X, const int64_t[::1] ids=None):
        """Observe rows without labels; `ids` are their numbers, if labels may follow."""
        if self.handle.observe != NULL:
            self.process(X, None, ids, False, True)

    cdef int process(self, const double[:, ::1] X, double[:, ::1] p, const int64_t[::1] ids, bint predicts,
                     bint observes) except -1:
        cdef Py_ssize_t start = 0, first, stop
        cdef learner_t* h = &self.handle
        cdef double* scratch = new_scratch(h)
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            first = start
            stop = min(start + call.n_rows, X.shape[0]) if call.polls else X.shape[0]
            with nogil:
                while start < stop and not call.failure.failed:
                    if predicts:
                        h.predict(h.state, &X[start, 0], &p[start, 0], scratch)
                    if observes:
                        observe(h, &X[start, 0], 0 if ids is None else ids[start])
                    start += 1
            poll_after(&call, start - first)
        free(scratch)
        end_call(&call, start if observes else -1)
        return 0

    def fit_block(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w):
        """Learn rows as one batch, before anything else was learned."""
        cdef call_t call
        if not X.shape[0] == y.shape[0] == w.shape[0]:
            raise ValueError(f"{self.who}: got {len(y)} labels and {len(w)} weights for {len(X)} rows")
        if X.shape[0] == 0:
            return
        begin_call(&call, 0)
        with nogil:
            fit_block(&self.handle, &X[0, 0], &y[0], &w[0], X.shape[0], True)
        end_call(&call, -1)

    def flush(self):
        """Learn the rows that were held back to wait for more."""
        cdef call_t call
        begin_call(&call, 0)
        with nogil:
            flush(&self.handle)
        end_call(&call, -1)

    def learn_row(self, x, Py_ssize_t y, means=None, WaitingIndex waiting=None, given=None):
        """Learn one row, if it is an array of as many float64 of usual size as there are inputs.

        Return whether it was: this is fast for the usual case, and leaves all others to the caller. Values
        may be missing, unless there are `means`: a pair of means and counts, which are updated. If it waits,
        by the id `given` or by its values, it waits no longer.
        """
        cdef Py_buffer view
        cdef bint good, has_id = given is not None
        cdef int64_t number = 0, id = given if has_id else 0
        cdef call_t call
        cdef double* mean = NULL if means is None else doubles(means[0])
        cdef double* count = NULL if means is None else doubles(means[1])
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features, mean != NULL)
        if good:
            try:
                self.lock.begin_write()
            except BaseException:
                PyBuffer_Release(&view)
                raise
            if waiting is not None:
                number = waiting.take_one(<const double*> view.buf, self.handle.n_features, has_id, id)
            begin_call(&call, 0)
            self.handle.learn(self.handle.state, <const double*> view.buf, y, 1.0, number)
            if mean != NULL:            # a row that was interrupted is learned
                update_row(<const double*> view.buf, self.handle.n_features, mean, count)
            self.lock.end_write()
            PyBuffer_Release(&view)
            end_call(&call, 1)
            return True
        PyBuffer_Release(&view)
        return False

    def predict_row(self, x, double[::1] p, bint is_whole=False):
        """Write the probabilities of one row into `p`, if it is such an array; return whether it was.

        If it must be whole, no value may be missing.
        """
        cdef Py_buffer view
        cdef bint good
        cdef call_t call
        cdef double[ON_STACK] stack
        cdef double* scratch = stack
        if self.handle.scratch_size > ON_STACK:
            scratch = new_scratch(&self.handle)
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features, is_whole)
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
        """Return copies of the arrays, without reserved memory."""
        used = self.used()
        own = {name: self.arrays[name][tuple(slice(used.get(axis)) for axis in array.axes)].copy()
               for name, array in self.layout.items()}
        return own if self.kept is None else own | self.kept.state()

    def used(self):
        """Return how much of each axis that grows is in use, where some of it is reserved."""
        return {}

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        kept = {}
        if self.kept is not None and isinstance(state, dict):
            kept = {name: array for name, array in state.items() if name in self.kept.layout}
            state = {name: array for name, array in state.items() if name not in kept}
        arrays = layouts.checked_arrays(self.layout, self.lengths, state, self.who)
        self.check(arrays)
        if self.kept is not None:
            self.kept.restore(kept)
        self.adopt(arrays)
        self.derive()

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs, as if the new ones had never occurred.

        `missing` is what stands for a value that an old row lacks: NaN, or 0 where rows are filled. Arrays
        with an axis of classes or inputs are lengthened; a subclass whose arrays depend on their numbers in
        another way does more.
        """
        self.inherit_kept(old)
        self.adopt(layouts.grown(self.layout, self.lengths, self.arrays, old.arrays, self.who, missing))
        self.derive()

    cdef void inherit_kept(self, Kernel old):
        # Keep what is kept with rows, unless it is more numbers by now.
        if self.kept is not None and self.kept.lengths["value"] == old.kept.lengths["value"]:
            self.kept.restore(old.kept.state())

    def beginning(self):
        """Return copies of the arrays, with reserved memory: for `reset`."""
        if self.kept is not None:
            return self.state()
        return {name: self.arrays[name].copy() for name in self.layout}

    def reset(self, dict state):
        """Return to what `beginning` returned, of this kernel or of one made alike; nothing is checked.

        No memory is allocated unless arrays have grown since.
        """
        if self.kept is not None:
            self.restore(state)
        elif not copy_numbers(self.arrays, state):
            self.adopt({name: array.copy() for name, array in state.items()})
        self.derive()

    def check(self, arrays):
        """Raise StateError if arrays that fit their declarations contradict each other."""

    @property
    def bytes(self):
        """Bytes of all arrays, reserved rows and those of members included."""
        return self.array_bytes

    @property
    def array_bytes(self):
        """Bytes of all arrays but those of members."""
        own = sum(array.nbytes for array in self.arrays.values())
        return own if self.kept is None else own + self.kept.array_bytes

    @property
    def is_fixed(self):
        """Whether no axis of its arrays grows with what is learned, and nothing is kept with rows."""
        return self.kept is None and None not in self.lengths.values()

    @property
    def size(self):
        """Size of a model that grows: the nodes of a tree; otherwise 0."""
        return 0


def call_counted(learner, str counter, Py_ssize_t n_rows, method, *arguments):
    """Call a kernel's method and add the number of rows that it has processed to an attribute of the learner.

    No signal is handled between the two: the number is right, wherever a signal comes.
    """
    try:
        method(*arguments)
    except BaseException as error:
        setattr(learner, counter, getattr(learner, counter) + getattr(error, "rows_learned", 0))
        raise
    setattr(learner, counter, getattr(learner, counter) + n_rows)


cdef dict extended(dict layout, dict arrays, str axis, Py_ssize_t length):
    cdef dict new = {}
    cdef Py_ssize_t n_bytes = 0
    for name in layout:
        n_bytes += cnp.PyArray_NBYTES(<cnp.ndarray> arrays[name])
    layouts.charge(n_bytes)
    for name, declared in layout.items():
        axes = declared.axes
        if axis in axes:
            new[name] = lengthened(arrays[name], axes.index(axis), length, declared.fill)
        else:
            new[name] = cnp.PyArray_NewCopy(arrays[name], cnp.NPY_CORDER)
    return new


cdef cnp.ndarray lengthened(cnp.ndarray old, Py_ssize_t axis, Py_ssize_t length, fill):
    # A copy with one axis extended; both are in C order.
    cdef Py_ssize_t n_parts = 1, before = cnp.PyArray_ITEMSIZE(old), after, i
    cdef list shape = [cnp.PyArray_DIM(old, i) for i in range(cnp.PyArray_NDIM(old))]
    cdef cnp.ndarray new
    cdef char* source
    cdef char* target
    for i in range(cnp.PyArray_NDIM(old)):
        if i < axis:
            n_parts *= shape[i]
        else:
            before *= shape[i]
    after = before // shape[axis] * length
    shape[axis] = length
    new = layouts.new_array(tuple(shape), old.dtype, fill)
    source, target = <char*> cnp.PyArray_DATA(old), <char*> cnp.PyArray_DATA(new)
    for i in range(n_parts):
        memcpy(target + i * after, source + i * before, before)
    return new


cdef inline Py_ssize_t length_of(cnp.ndarray array):
    cdef Py_ssize_t axis, n = 1         # PyArray_SIZE would be a call
    for axis in range(cnp.PyArray_NDIM(array)):
        n *= cnp.PyArray_DIM(array, axis)
    return n


cdef bint copy_numbers(dict arrays, dict state):
    # Copy the numbers of `state` into the arrays of the same names; False once one has grown.
    cdef cnp.ndarray target, source
    for name, array in state.items():
        target, source = arrays[name], array
        if length_of(target) != length_of(source):
            return False
        memcpy(target.data, source.data, length_of(source) * cnp.PyArray_ITEMSIZE(source))
    return True


cdef bint fit_block(const learner_t* h, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil:
    cdef Py_ssize_t i
    if h.fit_block != NULL:
        return h.fit_block(h.state, X, y, w, n, may_stop)
    for i in range(n):
        if w[i] > 0:
            h.learn(h.state, X + i * h.n_features, y[i], w[i], 0)
        if may_stop and (i % ROWS_A_LOOK == ROWS_A_LOOK - 1 and should_stop() or current_failure().failed):
            return False
    flush(h)
    return True

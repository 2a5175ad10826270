"""A learner behind steps that transform each row, with what they know before it, and then learn it.

A row that is observed is kept as it was transformed, until its label arrives: it is learned as it was when it
could be predicted, and the steps learn it once.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_VALUE, require

from thalweg._native cimport kernel as learner
from thalweg._native.failure cimport record_failure
from thalweg._native.kept_rows cimport KeptRows, is_kept, keep_row, kept_by, kept_rows_t, take_kept
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.pointers cimport doubles, integers
from .base cimport StepKernel, step_t, transform_row, update_row

ctypedef struct pipeline_t:
    learner_t* member
    Py_ssize_t n_features
    Py_ssize_t n_steps
    step_t** steps                      # [n_steps]
    Py_ssize_t width                    # of a member's row
    Py_ssize_t n_outputs                # of all steps
    bint learns                         # a step changes with the rows
    double* row                         # [n_outputs]: memory to learn a row
    double* scratch                     # memory to predict while a row is learned
    kept_rows_t* kept


cdef class PipelineKernel(Kernel):
    """Calls a member with rows that went through the kernels of steps."""

    cdef pipeline_t core
    cdef readonly object member         # the learner; nobody else keeps it
    cdef readonly Kernel member_kernel
    cdef readonly tuple steps
    cdef tuple memory

    def __init__(self, who, n_features, n_classes, steps, most_kept):
        cdef pipeline_t* c = &self.core
        cdef StepKernel step
        self.allocate(who, {}, {})
        self.steps = tuple(steps)
        pointers = layouts.new_array(max(len(steps), 1), INDEX)
        c.n_features = c.width = n_features
        for i, step in enumerate(steps):
            pointers[i] = <Py_ssize_t> &step.step
            c.width = step.step.n_outputs
            c.n_outputs += c.width
            c.learns = c.learns or step.learns
        c.n_steps, c.steps = len(steps), <step_t**> integers(pointers)
        bounds = {"low": -MOST_VALUE, "high": MOST_VALUE, "missing": True}
        self.kept = KeptRows(who, c.width, most_kept, bounds)
        self.memory = (pointers,)
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.bind()

    cdef void bind(self):
        self.core.kept = kept_by(self)

    @property
    def width(self):
        """Number of inputs of the member."""
        return self.core.width

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs or classes: rows that become as long keep waiting."""
        self.inherit_kept(old)

    def set_member(self, member, Kernel kernel):
        """Call this learner, through the given kernel, from now on."""
        cdef pipeline_t* c = &self.core
        cdef learner_t* h = &kernel.handle
        require(h.n_features == c.width, self.who, "member", f"has {h.n_features} inputs, not {c.width}")
        memory = layouts.new_array(c.n_outputs + h.scratch_size + 1, FLOAT)
        self.member, self.member_kernel, self.memory = member, kernel, (self.memory[0], memory)
        self.calls_python = kernel.calls_python
        c.member, c.row = h, doubles(memory)
        c.scratch = c.row + c.n_outputs
        self.handle.scratch_size = c.n_outputs + h.scratch_size
        self.handle.fit_block, self.handle.flush, self.handle.observe = NULL, NULL, NULL
        if h.fit_block != NULL:
            self.handle.fit_block = fit_block
        if h.flush != NULL:
            self.handle.flush = flush
        if c.learns or h.observe != NULL:
            self.handle.observe = observe

    @property
    def size(self):
        """Size of the member."""
        return self.member_kernel.size

    @property
    def bytes(self):
        """Bytes of all arrays, those of the member included."""
        return self.array_bytes + self.member_kernel.bytes + sum([step.bytes for step in self.steps])


cdef const double* transform(const pipeline_t* c, const double* x, double* memory) noexcept nogil:
    # Return the row for the member, which lies in `memory` if there is a step.
    cdef Py_ssize_t i
    for i in range(c.n_steps):
        transform_row(c.steps[i], x, memory)
        x = memory
        memory += c.steps[i].n_outputs
    return x


cdef const double* transform_to_learn(pipeline_t* c, const double* x) noexcept nogil:
    # The same, in the memory to learn a row; then the steps learn it.
    cdef double* memory = c.row
    cdef Py_ssize_t i
    for i in range(c.n_steps):
        transform_row(c.steps[i], x, memory)
        update_row(c.steps[i], x)
        x = memory
        memory += c.steps[i].n_outputs
    return x


cdef inline const double* row_to_learn(pipeline_t* c, const double* x, int64_t number) noexcept nogil:
    cdef const double* kept = take_kept(c.kept, number)
    return transform_to_learn(c, x) if kept == NULL else kept


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const pipeline_t* c = <const pipeline_t*> state
    c.member.predict(c.member.state, transform(c, x, scratch), p, scratch + c.n_outputs)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef pipeline_t* c = <pipeline_t*> state
    c.member.learn(c.member.state, row_to_learn(c, x, number), y, w, number)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef pipeline_t* c = <pipeline_t*> state
    if is_kept(c.kept, number):         # the row to learn may be another than the one to predict
        c.member.predict(c.member.state, transform(c, x, c.row), p, c.scratch)
        learn(state, x, y, w, number)
    else:
        learner.predict_learn(c.member, transform_to_learn(c, x), y, w, number, p, c.scratch)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef pipeline_t* c = <pipeline_t*> state
    cdef const double* row = transform_to_learn(c, x)
    cdef double* kept
    if c.learns:
        kept = keep_row(c.kept, number)
        if kept != NULL:
            memcpy(kept, row, c.width * sizeof(double))
    learner.observe(c.member, row, number)


cdef void flush(void* state) noexcept nogil:
    learner.flush((<pipeline_t*> state).member)


cdef bint fit_block(void* state, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil:
    cdef pipeline_t* c = <pipeline_t*> state
    cdef Py_ssize_t i
    cdef bint done
    cdef const double* row
    cdef double* rows = <double*> malloc(max(n * c.width, 1) * sizeof(double))
    if rows == NULL:
        with gil:
            record_failure(MemoryError("no memory for the rows of a batch"))
        return False
    for i in range(n):
        row = X + i * c.n_features
        row = transform_to_learn(c, row) if w[i] > 0 else transform(c, row, c.row)
        memcpy(rows + i * c.width, row, c.width * sizeof(double))
    done = c.member.fit_block(c.member.state, rows, y, w, n, may_stop)
    free(rows)
    return done

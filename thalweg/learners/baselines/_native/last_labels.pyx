"""The latest known labels as further inputs of a member.

A row of d inputs becomes one of d + n V: for each of the n latest labels, the newest first, an input for each
class (one alone as long as there are two classes, for the second), 1 for that label and 0 for the others; all
0 before there were so many labels. Inputs and classes that come later get the places behind all others. A
label that comes late is learned with the labels that were known when its row was observed.
"""

import numpy as np

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array, require

from thalweg._native cimport kernel as learner
from thalweg._native.kept_rows cimport KeptRows, is_kept, keep_row, kept_by, kept_rows_t, take_kept
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.pointers cimport doubles, integers

ctypedef struct last_labels_t:
    learner_t* member
    Py_ssize_t n_features
    Py_ssize_t n_labels
    Py_ssize_t n_values                 # V
    Py_ssize_t width                    # of a member's row
    const Py_ssize_t* input_place       # [input]: where it is in a member's row
    const Py_ssize_t* label_place       # [label, value]
    Py_ssize_t* last                    # [label]: codes, the newest first, -1 before there were so many
    double* row                         # [width]: memory to learn a row
    double* scratch                     # memory to predict while a row is learned
    kept_rows_t* kept


cdef class LastLabelsKernel(Kernel):
    """Calls a member with the latest labels as further inputs."""

    cdef last_labels_t core
    cdef readonly object member         # the learner; nobody else keeps it
    cdef Kernel member_kernel
    cdef object memory

    def __init__(self, who, n_features, n_classes, n_labels, n_values, most_kept):
        width = n_features + n_labels * n_values
        self.allocate(who, {
            "last": Array(INDEX, "label", low=-1, high="class", fill=-1),
            "input_place": Array(INDEX, "input", low=0, high="width"),
            "label_place": Array(INDEX, "label", "value", low=0, high="width"),
        }, {"label": n_labels, "class": n_classes, "input": n_features, "value": n_values, "width": width})
        self.arrays["input_place"][:] = np.arange(n_features)
        self.arrays["label_place"][:] = np.arange(n_features, width).reshape(n_labels, n_values)
        self.kept = KeptRows(who, n_labels, most_kept, {"low": -1, "high": n_classes - 1})
        cdef last_labels_t* c = &self.core
        c.n_features, c.n_labels, c.n_values = n_features, n_labels, n_values
        c.width = width
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        self.core.last, self.core.kept = integers(self.arrays["last"]), kept_by(self)
        self.core.input_place = integers(self.arrays["input_place"])
        self.core.label_place = integers(self.arrays["label_place"])

    def check(self, arrays):
        """Raise StateError unless every place of a member's row is used once."""
        places = np.concatenate([arrays["input_place"], arrays["label_place"].ravel()])
        good = len(np.unique(places)) == self.core.width
        require(good, self.who, "label_place", "must hold the places that 'input_place' leaves")

    def inherit(self, Kernel old, double missing=0.0):
        """Go on from a kernel of fewer inputs or classes, whose places stay."""
        cdef LastLabelsKernel before = <LastLabelsKernel?> old
        following = before.core.width
        new = {"last": before.arrays["last"].copy()}
        for name in ("input_place", "label_place"):
            found = before.arrays[name]
            wider = layouts.new_array(self.arrays[name].shape, INDEX, -1)
            wider[..., :found.shape[found.ndim - 1]] = found
            n_new = int((wider < 0).sum())
            wider[wider < 0] = np.arange(following, following + n_new)
            following += n_new
            new[name] = wider
        self.inherit_kept(before)
        self.adopt(new)

    def set_member(self, member, Kernel kernel):
        """Call this learner, whose kernel is given, from now on."""
        cdef last_labels_t* c = &self.core
        require(kernel.handle.n_features == c.width, self.who, "member",
                f"has {kernel.handle.n_features} inputs, not {c.width}")
        memory = layouts.new_array(c.width + kernel.handle.scratch_size, FLOAT)
        self.member, self.member_kernel, self.memory = member, kernel, memory
        self.calls_python = kernel.calls_python
        c.member, c.row = &kernel.handle, doubles(memory)
        c.scratch = c.row + c.width
        self.handle.scratch_size = c.width + kernel.handle.scratch_size
        self.handle.flush = NULL
        if kernel.handle.flush != NULL:
            self.handle.flush = flush_member

    @property
    def size(self):
        """Size of the member."""
        return self.member_kernel.size

    @property
    def bytes(self):
        """Bytes of all arrays, those of the member included."""
        return self.array_bytes + self.member_kernel.bytes


cdef inline void mark(const last_labels_t* c, Py_ssize_t i, Py_ssize_t label, double* row) noexcept nogil:
    # Write the inputs that tell the i-th latest label, -1 if there is none.
    cdef const Py_ssize_t* place = c.label_place + i * c.n_values
    cdef Py_ssize_t k
    for k in range(c.n_values):
        row[place[k]] = 0.0
    if c.n_values == 1:
        row[place[0]] = label == 1
    elif label >= 0:
        row[place[label]] = 1.0


cdef void extend(const last_labels_t* c, const double* x, double* row) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(c.n_features):
        row[c.input_place[i]] = x[i]
    for i in range(c.n_labels):
        mark(c, i, c.last[i], row)


cdef void extend_to_learn(last_labels_t* c, const double* x, Py_ssize_t y, int64_t number) noexcept nogil:
    # Writes the row to learn, and notes its label as the latest.
    cdef Py_ssize_t i
    cdef const double* kept = take_kept(c.kept, number)
    extend(c, x, c.row)
    if kept != NULL:
        for i in range(c.n_labels):
            mark(c, i, <Py_ssize_t> kept[i], c.row)
    for i in range(c.n_labels - 1, 0, -1):
        c.last[i] = c.last[i - 1]
    c.last[0] = y


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const last_labels_t* c = <const last_labels_t*> state
    extend(c, x, scratch)
    c.member.predict(c.member.state, scratch, p, scratch + c.width)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef last_labels_t* c = <last_labels_t*> state
    extend_to_learn(c, x, y, number)
    c.member.learn(c.member.state, c.row, y, w, number)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef last_labels_t* c = <last_labels_t*> state
    if is_kept(c.kept, number):         # the row to learn may have other labels than the one to predict
        extend(c, x, c.row)
        c.member.predict(c.member.state, c.row, p, c.scratch)
        learn(state, x, y, w, number)
    else:
        extend_to_learn(c, x, y, number)
        learner.predict_learn(c.member, c.row, y, w, number, p, c.scratch)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef last_labels_t* c = <last_labels_t*> state
    cdef double* kept = keep_row(c.kept, number)
    cdef Py_ssize_t i
    if kept != NULL:
        for i in range(c.n_labels):
            kept[i] = c.last[i]
    if c.member.observe != NULL:
        extend(c, x, c.row)
        c.member.observe(c.member.state, c.row, number)


cdef void flush_member(void* state) noexcept nogil:
    learner.flush((<last_labels_t*> state).member)

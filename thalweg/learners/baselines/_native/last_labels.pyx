"""The latest known labels as further inputs of a member.

A row of d inputs becomes one of d + n V: for each of the n latest labels, the newest first, an input for each
class (one alone as long as there are two classes, for the second), 1 for that label and 0 for the others; all
0 before there were so many labels. Inputs and classes that come later get the places behind all others. A
label that is late is learned with the labels that were known when its row was observed.
"""

import numpy as np

from thalweg._native.layout import INDEX, Array

from thalweg._native.kept_rows cimport KeptRows, kept_by
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport integers
from .rewriting cimport RewritingKernel, rewriting_t

ctypedef struct last_labels_t:
    rewriting_t rows
    Py_ssize_t n_labels
    Py_ssize_t n_values                 # V
    const Py_ssize_t* input_place       # [input]: where it is in a member's row
    const Py_ssize_t* label_place       # [label, value]
    Py_ssize_t* last                    # [label]: codes, the newest first, -1 before there were so many


cdef class LastLabelsKernel(RewritingKernel):
    """Calls a member with the latest labels as further inputs."""

    cdef last_labels_t core

    def __init__(self, who, n_features, n_classes, n_labels, n_values, most_kept):
        cdef last_labels_t* c = &self.core
        width = n_features + n_labels * n_values
        self.allocate(who, {
            "last": Array(INDEX, "label", low=-1, high="class", fill=-1),
            "input_place": Array(INDEX, "input", low=0, high="width"),
            "label_place": Array(INDEX, "label", "value", low=0, high="width"),
        }, {"label": n_labels, "class": n_classes, "input": n_features, "value": n_values, "width": width})
        self.arrays["input_place"][:] = np.arange(n_features)
        self.arrays["label_place"][:] = np.arange(n_features, width).reshape(n_labels, n_values)
        self.kept = KeptRows(who, n_labels, most_kept, {"low": -1, "high": n_classes - 1})
        c.n_labels, c.n_values = n_labels, n_values
        c.rows.write_row, c.rows.write_to_learn, c.rows.keep = extend, extend_to_learn, keep_labels
        self.set_rewriting(&c.rows, n_features, n_classes, width, "label_place")
        self.bind()

    cdef void bind(self):
        self.core.last, self.core.rows.kept = integers(self.arrays["last"]), kept_by(self)
        self.core.input_place = integers(self.arrays["input_place"])
        self.core.label_place = integers(self.arrays["label_place"])

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs or classes, whose places stay."""
        cdef LastLabelsKernel before = <LastLabelsKernel?> old
        new = self.later_places(before) | {"last": before.arrays["last"].copy()}
        self.inherit_kept(before)
        self.adopt(new)


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


cdef void extend(const void* state, const double* x, double* row) noexcept nogil:
    cdef const last_labels_t* c = <const last_labels_t*> state
    cdef Py_ssize_t i
    for i in range(c.rows.n_features):
        row[c.input_place[i]] = x[i]
    for i in range(c.n_labels):
        mark(c, i, c.last[i], row)


cdef void extend_to_learn(void* state, const double* x, Py_ssize_t y, double w,
                          const double* kept) noexcept nogil:
    # Notes the row's label as the latest.
    cdef last_labels_t* c = <last_labels_t*> state
    cdef Py_ssize_t i
    extend(state, x, c.rows.row)
    if kept != NULL:
        for i in range(c.n_labels):
            mark(c, i, <Py_ssize_t> kept[i], c.rows.row)
    for i in range(c.n_labels - 1, 0, -1):
        c.last[i] = c.last[i - 1]
    c.last[0] = y


cdef void keep_labels(const void* state, double* kept) noexcept nogil:
    cdef const last_labels_t* c = <const last_labels_t*> state
    cdef Py_ssize_t i
    for i in range(c.n_labels):
        kept[i] = c.last[i]

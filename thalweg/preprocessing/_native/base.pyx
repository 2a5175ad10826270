"""Steps of a pipeline: some inputs, the columns, become other inputs, and the others are passed on.

Outputs are in the order of the inputs, so inputs that come later add outputs at the end; shared outputs, to
which all columns add, come first.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX

from thalweg._native.pointers cimport integers


cdef class StepKernel(Kernel):
    """What a step has learned. A part of a kernel, not a learner."""

    cdef void set_step(self, void* state, Py_ssize_t n_inputs, columns, sizes, convert_f convert,
                       update_f update, Py_ssize_t n_shared=0):
        # `sizes` are the numbers of outputs of the columns.
        cdef step_t* s = &self.step
        inputs, outputs = np.array(columns, dtype=INDEX), np.ones(n_inputs, dtype=INDEX)
        column = np.full(n_inputs, -1, dtype=INDEX)
        column[inputs] = np.arange(len(inputs))
        outputs[inputs] = sizes
        place = n_shared + np.cumsum(outputs) - outputs
        if n_shared:
            place[inputs] = 0
        self.maps = inputs, column, place
        s.state, s.convert, s.update = state, convert, update
        s.n_inputs, s.n_outputs, s.n_shared = n_inputs, n_shared + outputs.sum(), n_shared
        s.n_columns = len(inputs)
        s.inputs, s.column, s.place = integers(inputs), integers(column), integers(place)

    @property
    def n_outputs(self):
        """Length of a transformed row."""
        return self.step.n_outputs

    @property
    def learns(self):
        """Whether rows change what the step does."""
        return self.step.update != NULL and self.step.n_columns > 0

    def transform(self, const double[:, ::1] X):
        """Return rows × outputs."""
        cdef Py_ssize_t i
        cdef double[:, ::1] out
        made = layouts.new_array((X.shape[0], self.step.n_outputs), FLOAT)
        out = made
        with nogil:
            for i in range(X.shape[0]):
                transform_row(&self.step, &X[i, 0], &out[i, 0])
        return made

    def update(self, const double[:, ::1] X):
        """Learn rows."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(X.shape[0]):
                update_row(&self.step, &X[i, 0])

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a step with fewer inputs, whose columns are the first of these."""
        new = {name: array.copy() for name, array in self.arrays.items()}
        for name in new:
            new[name][:len(old.arrays[name])] = old.arrays[name]
        self.adopt(new)

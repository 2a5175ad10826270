"""The step that replaces times by their parts (calendar.pyx)."""

from libc.math cimport NAN, isnan

from thalweg._native.layout import FLOAT, MOST_VALUE, Array

from thalweg._native.calendar cimport is_moment, parts_of, parts_t, write_inputs
from thalweg._native.pointers cimport doubles
from .base cimport StepKernel

ctypedef struct dates_t:
    parts_t parts
    double* origin                      # [column]: the first time learned, NaN before


cdef class DatesKernel(StepKernel):
    """The given parts of the times at `columns`."""

    cdef dates_t core

    def __init__(self, who, n_inputs, columns, sizes, parts):
        origin = Array(FLOAT, "column", low=-MOST_VALUE, high=MOST_VALUE, fill=NAN, missing=True)
        self.allocate(who, {"origin": origin}, {"column": len(columns)})
        self.core.parts = parts_of(parts)
        self.set_step(<void*> &self.core, n_inputs, columns, sizes, convert, learn)
        if not self.core.parts.elapsed:
            self.step.update = NULL
        self.bind()

    cdef void bind(self):
        self.core.origin = doubles(self.arrays["origin"])


cdef void convert(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const dates_t* s = <const dates_t*> state
    write_inputs(&s.parts, value, 0.0 if isnan(s.origin[c]) else value - s.origin[c], out)


cdef void learn(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef dates_t* s = <dates_t*> state
    if isnan(s.origin[c]) and is_moment(value):
        s.origin[c] = value

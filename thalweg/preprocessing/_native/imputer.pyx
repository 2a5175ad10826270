"""Missing values filled with the running mean or the last value, and flags that mark where they were."""

from libc.math cimport isnan

from thalweg._native.layout import FLOAT, MOST_COUNTED, MOST_VALUE, Array

from thalweg._native.missing cimport fill_row, update_row
from thalweg._native.pointers cimport doubles
from .base cimport StepKernel

ctypedef struct imputer_t:
    bint flags                          # a second output is 1 where the value is missing, else 0
    double* fill                        # [column]
    double* count                       # [column]: values learned


cdef class ImputerKernel(StepKernel):
    """Fills gaps at `columns`, with the last value if `last`, else with the mean."""

    cdef imputer_t core

    def __init__(self, who, n_inputs, columns, sizes, last, flags):
        self.allocate(who, {
            "fill": Array(FLOAT, "column", low=-MOST_VALUE, high=MOST_VALUE),
            "count": Array(FLOAT, "column", low=0, high=MOST_COUNTED),
        }, {"column": len(columns)})
        self.core.flags = flags
        self.set_step(<void*> &self.core, n_inputs, columns, sizes, fill, learn_last if last else learn_mean)
        self.bind()

    cdef void bind(self):
        self.core.fill, self.core.count = doubles(self.arrays["fill"]), doubles(self.arrays["count"])


cdef void fill(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const imputer_t* s = <const imputer_t*> state
    out[0] = value
    fill_row(out, 1, s.fill + c)
    if s.flags:
        out[1] = isnan(value)


cdef void learn_mean(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef imputer_t* s = <imputer_t*> state
    update_row(&value, 1, s.fill + c, s.count + c)


cdef void learn_last(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef imputer_t* s = <imputer_t*> state
    if not isnan(value):
        s.fill[c] = value

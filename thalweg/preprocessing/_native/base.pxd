# What happens to a row before it is learned: a step makes outputs of the inputs, value by value.

from libc.string cimport memset

from thalweg._native.kernel cimport Kernel

ctypedef void (*convert_f)(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil
ctypedef void (*update_f)(void* state, Py_ssize_t c, double value) noexcept nogil

ctypedef struct step_t:
    void* state
    Py_ssize_t n_inputs
    Py_ssize_t n_outputs
    Py_ssize_t n_shared                 # outputs, the first, to which all columns add
    Py_ssize_t n_columns
    const Py_ssize_t* inputs            # [column]: its place in the row, in increasing order
    const Py_ssize_t* column            # [input]: which column it is, -1 if it is only passed on
    const Py_ssize_t* place             # [input]: where its outputs begin
    # write the outputs of a value of column c, or add to the shared ones, of which out is the first
    convert_f convert
    # learn a value of column c; NULL if nothing is learned
    update_f update


cdef class StepKernel(Kernel):
    cdef step_t step
    cdef tuple maps

    cdef void set_step(self, void* state, Py_ssize_t n_inputs, columns, sizes, convert_f convert,
                       update_f update, Py_ssize_t n_shared=*)


cdef inline void transform_row(const step_t* s, const double* x, double* out) noexcept nogil:
    cdef Py_ssize_t j
    memset(out, 0, s.n_shared * sizeof(double))
    for j in range(s.n_inputs):
        if s.column[j] < 0:
            out[s.place[j]] = x[j]
        else:
            s.convert(s.state, s.column[j], x[j], out + s.place[j])


cdef inline void update_row(const step_t* s, const double* x) noexcept nogil:
    cdef Py_ssize_t c
    if s.update != NULL:
        for c in range(s.n_columns):
            s.update(s.state, c, x[s.inputs[c]])

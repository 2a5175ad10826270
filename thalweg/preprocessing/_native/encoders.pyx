"""Categories as codes: as inputs of 0 or 1, or as numbers 0, 1, 2, …

A value that is learned and not known yet gets the next free code of its column; when there is none left, it
stays unseen.
"""

import numpy as np

from libc.math cimport NAN, isnan
from libc.string cimport memset

from thalweg._native.layout import FLOAT, INDEX, MOST_VALUE, Array

from thalweg._native.pointers cimport doubles, integers
from .base cimport StepKernel

ctypedef struct categories_t:
    Py_ssize_t most                     # codes of any column
    const Py_ssize_t* room              # [column]: codes
    double* known                       # [column, most]: the value of each code, NaN where there is none yet
    bint marks_unseen                   # unseen values have their own place or code


cdef class CategoriesKernel(StepKernel):
    """Codes of the values at `columns`, with `room` for so many in each.

    `n_known` codes of each are those of 0, 1, … from the start. A column has an output for each code if
    `one_hot`, and one more if unseen values are marked; otherwise the output is the code.
    """

    cdef categories_t core
    cdef object room

    def __init__(self, who, n_inputs, columns, sizes, room, n_known, one_hot, marks_unseen):
        most = max(list(room) + [1])
        known = Array(FLOAT, "column", "category", low=-MOST_VALUE, high=MOST_VALUE, fill=NAN, missing=True)
        self.allocate(who, {"known": known}, {"column": len(columns), "category": most})
        for c, n in enumerate(n_known):
            self.arrays["known"][c, :n] = range(n)
        self.room = np.array([*room, 0], dtype=INDEX)
        self.core.most, self.core.room, self.core.marks_unseen = most, integers(self.room), marks_unseen
        self.set_step(<void*> &self.core, n_inputs, columns, sizes,
                      mark_code if one_hot else write_code, learn)
        self.bind()

    cdef void bind(self):
        self.core.known = doubles(self.arrays["known"])


cdef inline Py_ssize_t code_of(const categories_t* s, Py_ssize_t c, double value) noexcept nogil:
    # -1 if it is unseen
    cdef const double* known = s.known + c * s.most
    cdef Py_ssize_t k, n = s.room[c]
    if 0.0 <= value < n and known[<Py_ssize_t> value] == value:
        return <Py_ssize_t> value
    for k in range(n):
        if known[k] == value:
            return k
    return -1


cdef void mark_code(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const categories_t* s = <const categories_t*> state
    cdef Py_ssize_t code
    memset(out, 0, (s.room[c] + s.marks_unseen) * sizeof(double))
    if isnan(value):
        return
    code = code_of(s, c, value)
    if code >= 0:
        out[code] = 1.0
    elif s.marks_unseen:
        out[s.room[c]] = 1.0


cdef void write_code(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const categories_t* s = <const categories_t*> state
    cdef Py_ssize_t code = -1 if isnan(value) else code_of(s, c, value)
    if code >= 0:
        out[0] = code
    else:
        out[0] = s.room[c] if s.marks_unseen and not isnan(value) else NAN


cdef void learn(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef categories_t* s = <categories_t*> state
    cdef double* known = s.known + c * s.most
    cdef Py_ssize_t k
    if isnan(value) or code_of(s, c, value) >= 0:
        return
    for k in range(s.room[c]):
        if isnan(known[k]):
            known[k] = value
            return

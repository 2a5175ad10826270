"""Many inputs as few: each adds its value, or 1 for its category, to an output chosen by a hash."""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from thalweg._native.layout import FLAG, WORD

from thalweg._native.maths cimport clipped
from thalweg._native.missing cimport LARGEST
from thalweg._native.pointers cimport flags, words
from thalweg._native.rng cimport bits, mix, multiply_high
from .base cimport StepKernel

ctypedef struct hasher_t:
    uint64_t n_places
    bint is_signed                      # half of the inputs and categories are subtracted
    const uint64_t* key                 # [column]
    const char* is_category             # [column]


cdef class HasherKernel(StepKernel):
    """Adds the values at `columns` to `n_places` outputs."""

    cdef hasher_t core
    cdef tuple kept

    def __init__(self, who, n_inputs, columns, n_places, is_category, is_signed):
        self.allocate(who, {}, {})
        keys = np.array([bits(0, <uint64_t> j) for j in columns] + [0], dtype=WORD)
        self.kept = keys, np.array([*is_category, 0], dtype=FLAG)
        self.core.n_places, self.core.is_signed = n_places, is_signed
        self.core.key, self.core.is_category = words(keys), flags(self.kept[1])
        self.set_step(<void*> &self.core, n_inputs, columns, 0, add, NULL, n_places)


cdef void add(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const hasher_t* s = <const hasher_t*> state
    cdef uint64_t word, key = s.key[c]
    cdef Py_ssize_t place
    if isnan(value):
        return
    if s.is_category[c]:
        memcpy(&word, &value, sizeof(double))
        key = mix(key ^ word)
        value = 1.0
    if s.is_signed and key & 1:
        value = -value
    place = <Py_ssize_t> multiply_high(key, s.n_places)
    out[place] = clipped(out[place] + value, LARGEST)

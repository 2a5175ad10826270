"""The two learners that use no input: the class seen most often, and the class seen last.

    counts_k = sum of the weights of class k's rows      (1)
    last     = class of the last row                     (2)
"""

from libc.stdint cimport int64_t

from thalweg._native.layout import FLOAT, INDEX, Array

from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers

ctypedef struct counts_t:
    Py_ssize_t n_classes
    double* counts
    Py_ssize_t* last


cdef class MajorityKernel(Kernel):
    """Weight seen of each class."""

    cdef counts_t core

    def __init__(self, n_features, n_classes):
        self.allocate("MajorityClass", {"counts": Array(FLOAT, "class", low=0.0)}, {"class": n_classes})
        self.core.n_classes, self.core_size = n_classes, sizeof(counts_t)
        self.set_handle(<void*> &self.core, n_features, n_classes, majority_learn, majority_predict,
                        majority_predict_learn)
        self.bind()

    cdef void bind(self):
        self.core.counts = doubles(self.arrays["counts"])


cdef void majority_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    (<counts_t*> state).counts[y] += w                                          # (1)


cdef void majority_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef counts_t* c = <counts_t*> state
    cdef double total = 0.0
    cdef Py_ssize_t k
    for k in range(c.n_classes):
        total += c.counts[k]
    for k in range(c.n_classes):
        p[k] = c.counts[k] / total if total > 0 else 1.0 / c.n_classes


cdef void majority_predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                 double* p) noexcept nogil:
    majority_predict(state, x, p, NULL)
    majority_learn(state, x, y, w, number)


cdef class LastKernel(Kernel):
    """Class of the last row, -1 before the first."""

    cdef counts_t core

    def __init__(self, n_features, n_classes):
        last = Array(INDEX, 1, low=-1, high="class", fill=-1)
        self.allocate("NoChange", {"last": last}, {"class": n_classes})
        self.core.n_classes, self.core_size = n_classes, sizeof(counts_t)
        self.set_handle(<void*> &self.core, n_features, n_classes, last_learn, last_predict,
                        last_predict_learn)
        self.bind()

    cdef void bind(self):
        self.core.last = integers(self.arrays["last"])


cdef void last_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    (<counts_t*> state).last[0] = y                                             # (2)


cdef void last_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef counts_t* c = <counts_t*> state
    cdef Py_ssize_t k
    for k in range(c.n_classes):
        p[k] = 1.0 / c.n_classes if c.last[0] < 0 else (1.0 if k == c.last[0] else 0.0)


cdef void last_predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                             double* p) noexcept nogil:
    last_predict(state, x, p, NULL)
    last_learn(state, x, y, w, number)

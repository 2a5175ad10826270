"""The kernel of the nearest class mean, forgetting exponentially."""

from libc.math cimport exp, fabs
from libc.stdint cimport int64_t

from thalweg._native.layout import FLOAT, MOST_VALUE, Array

from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles

ctypedef struct means_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    double rate
    double* mean                        # [class, input]


cdef class MeansKernel(Kernel):
    """Means of the classes."""

    cdef means_t core

    def __init__(self, who, n_features, n_classes, rate):
        mean = Array(FLOAT, "class", "input", low=-MOST_VALUE, high=MOST_VALUE)
        self.allocate(who, {"mean": mean}, {"class": n_classes, "input": n_features})
        self.core.n_features, self.core.n_classes, self.core.rate = n_features, n_classes, rate
        self.set_handle(<void*> &self.core, n_features, n_classes, learn, predict)
        self.bind()

    cdef void bind(self):
        self.core.mean = doubles(self.arrays["mean"])


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef means_t* c = <means_t*> state
    cdef double* mean = c.mean + y * c.n_features
    cdef Py_ssize_t j
    for j in range(c.n_features):
        mean[j] += c.rate * (x[j] - mean[j])


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const means_t* c = <const means_t*> state
    cdef Py_ssize_t j, k
    cdef double nearest, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
        for j in range(c.n_features):
            p[k] += fabs(x[j] - c.mean[k * c.n_features + j])
        nearest = p[k] if k == 0 else min(nearest, p[k])
    for k in range(c.n_classes):
        p[k] = exp(-min(p[k] - nearest, 700.0))
        total += p[k]
    for k in range(c.n_classes):
        p[k] /= total

"""The handle of a learner written in Python: each call acquires the GIL."""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from .failure cimport record_failure
from .kernel cimport Kernel
from .pointers cimport doubles, integers


cdef class PythonKernel(Kernel):
    """Passes a learner one row at a time, or a whole batch to fit."""

    cdef object learner
    cdef object weight
    cdef object code
    cdef object ignored
    cdef bint takes_ids                 # `_learn` and `_observe` of the learner get the numbers of rows

    def __init__(self, learner, n_features, n_classes):
        self.allocate(type(learner).__name__, {}, {})
        self.calls_python = True
        self.learner = learner
        self.weight = np.empty(1)
        self.code = np.empty(1, dtype=np.intp)
        self.ignored = np.empty((1, n_classes))
        self.takes_ids = learner.takes_ids
        self.set_handle(<void*> self, n_features, n_classes, python_learn, python_predict)
        self.handle.fit_block, self.handle.flush = python_fit_block, python_flush
        if learner.observes:
            self.handle.observe = python_observe

    cdef object copied(self, const double* X, Py_ssize_t n):
        # The learner may keep or change what it is given.
        rows = np.empty((n, self.handle.n_features))
        memcpy(doubles(rows), X, n * self.handle.n_features * sizeof(double))
        return rows

    cdef dict ids_of(self, int64_t number):
        return {"ids": np.array([number], dtype=np.int64)} if self.takes_ids else {}

    cdef void call(self, const double* x, Py_ssize_t y, double w, int64_t number, double* p) noexcept:
        cdef Py_ssize_t k
        try:
            X = self.copied(x, 1)
            if p == NULL:
                self.code[0], self.weight[0] = y, w
                self.learner._learn(X, self.code, self.weight, self.ignored, **self.ids_of(number))
            else:
                row = np.full((1, self.handle.n_classes), np.nan)
                self.learner._predict(X, row)
                for k in range(self.handle.n_classes):
                    p[k] = row[0, k]
                    if isnan(p[k]):
                        raise ValueError(f"{self.who}: _predict left a probability unset or NaN")
        except BaseException as error:
            if p != NULL:
                for k in range(self.handle.n_classes):
                    p[k] = 1.0 / self.handle.n_classes
            record_failure(error)

    cdef bint fit(self, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n) noexcept:
        try:
            codes, weights = np.empty(n, dtype=np.intp), np.empty(n)
            memcpy(integers(codes), y, n * sizeof(Py_ssize_t))
            memcpy(doubles(weights), w, n * sizeof(double))
            self.learner._fit_block(self.copied(X, n), codes, weights)
            return True
        except BaseException as error:
            record_failure(error)
            return False

    cdef void see(self, const double* x, int64_t number) noexcept:
        # A row without a label; NULL for the end of a batch.
        try:
            if x == NULL:
                self.learner._flush()
            else:
                self.learner._observe(self.copied(x, 1), **self.ids_of(number))
        except BaseException as error:
            record_failure(error)


cdef void python_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, y, w, number, NULL)


cdef void python_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, -1, 0.0, 0, p)


cdef bint python_fit_block(void* state, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                           bint may_stop) noexcept nogil:
    with gil:
        return (<PythonKernel> state).fit(X, y, w, n)


cdef void python_flush(void* state) noexcept nogil:
    with gil:
        (<PythonKernel> state).see(NULL, 0)


cdef void python_observe(void* state, const double* x, int64_t number) noexcept nogil:
    with gil:
        (<PythonKernel> state).see(x, number)

"""The handle of a learner, the block loops over it, and the trampoline for learners written in Python."""

import numpy as np

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.math cimport isinf


cdef bint is_row(Py_buffer* view, Py_ssize_t n_features) noexcept nogil:
    cdef Py_ssize_t j
    cdef const double* x = <const double*> view.buf
    if view.ndim != 1 or view.shape[0] != n_features or view.strides[0] != sizeof(double):
        return False
    if view.format[0] != b"d" or view.format[1] != 0:
        return False
    for j in range(n_features):
        if isinf(x[j]):
            return False
    return True


cdef class Kernel:
    """A native learner's state and its handle.

    A subclass puts its NumPy arrays into `arrays`, its functions into `handle`, and points the handle's
    state at the arrays' memory in `bind`, which is called again whenever an array is replaced. Everything
    the learner knows is in `arrays`: saving and copying need nothing else.
    """

    cdef void bind(self):
        pass

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0."""
        cdef Py_ssize_t i
        cdef learner_t* h = &self.handle
        with nogil:
            for i in range(X.shape[0]):
                if self.both != NULL and w[i] > 0:
                    self.both(h.state, &X[i, 0], y[i], w[i], &p[i, 0])
                    continue
                h.predict(h.state, &X[i, 0], &p[i, 0])
                if w[i] > 0:
                    h.learn(h.state, &X[i, 0], y[i], w[i])
        self.raise_error()

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        cdef Py_ssize_t i
        cdef learner_t* h = &self.handle
        with nogil:
            for i in range(X.shape[0]):
                h.predict(h.state, &X[i, 0], &p[i, 0])
        self.raise_error()

    def learn_row(self, x, Py_ssize_t y):
        """Learn one row, if it is an array of as many finite or missing float64 as there are inputs.

        Return whether it was: quick for what is nearly always given, all else is left to the caller.
        """
        cdef Py_buffer view
        cdef bint good
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features)
        if good:
            self.handle.learn(self.handle.state, <const double*> view.buf, y, 1.0)
        PyBuffer_Release(&view)
        self.raise_error()
        return good

    def predict_row(self, x, double[::1] p):
        """Write the probabilities of one row into `p`, if it is such an array; return whether it was."""
        cdef Py_buffer view
        cdef bint good
        PyObject_GetBuffer(x, &view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES)
        good = is_row(&view, self.handle.n_features)
        if good:
            self.handle.predict(self.handle.state, <const double*> view.buf, &p[0])
        PyBuffer_Release(&view)
        self.raise_error()
        return good

    def state(self):
        """Return copies of the arrays."""
        return {name: array.copy() for name, array in self.arrays.items()}

    def restore(self, state):
        """Go on from what `state` returned."""
        self.arrays = {name: np.array(state[name], dtype=old.dtype, order="C")
                       for name, old in self.arrays.items()}
        self.bind()

    @property
    def size(self):
        """How much the model has grown, where it grows: the nodes of a tree; else 0."""
        return 0

    def raise_error(self):
        """Raise what a member written in Python raised during the loop, which itself cannot."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error


cdef class PythonKernel(Kernel):
    """The handle of a learner written in Python: each call takes the GIL and passes one row."""

    cdef object learner
    cdef object weight
    cdef object code
    cdef object ignored

    def __init__(self, learner, n_features, n_classes):
        self.arrays = {}
        self.learner = learner
        self.weight = np.empty(1)
        self.code = np.empty(1, dtype=np.intp)
        self.ignored = np.empty((1, n_classes))
        self.handle = learner_t(<void*> self, n_features, n_classes, python_learn, python_predict)

    cdef void call(self, const double* x, Py_ssize_t y, double w, double* p):
        # Rows are copied: the learner may keep or change what it is given.
        cdef Py_ssize_t k
        if self.error is not None:
            return
        try:
            X = np.array(<const double[:1, :self.handle.n_features:1]> x)
            if p == NULL:
                self.code[0], self.weight[0] = y, w
                self.learner._learn(X, self.code, self.weight, self.ignored)
            else:
                row = np.empty((1, self.handle.n_classes))
                self.learner._predict(X, row)
                for k in range(self.handle.n_classes):
                    p[k] = row[0, k]
        except Exception as error:
            self.error = error


cdef void python_learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, y, w, NULL)


cdef void python_predict(void* state, const double* x, double* p) noexcept nogil:
    with gil:
        (<PythonKernel> state).call(x, -1, 0.0, p)

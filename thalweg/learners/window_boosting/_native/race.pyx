"""Several learners in parallel; the one with the lowest recent error rate answers.

    error_c += RATE (1 if learner c was wrong else 0, - error_c)   before it learns the row   (1)

The learner of least error answers, of equal ones the first.
"""

import numpy as np

from libc.stdint cimport int64_t

from thalweg.errors import StateError

from thalweg._native.layout import FLOAT, Array

from thalweg._native.kernel cimport Kernel, learner_t, predict_learn
from thalweg._native.pointers cimport doubles, integers

from thalweg._native cimport kernel as learner

cdef double RATE = 0.002

ctypedef struct race_t:
    Py_ssize_t n
    Py_ssize_t n_classes
    learner_t** runner                  # [n]
    double* error                       # [n]
    double* p                           # [class]; scratch
    double* memory                      # for predictions of a runner; scratch


cdef class RaceKernel(Kernel):
    """Calls the kernels `runners` with every row; their states are part of its own."""

    cdef race_t core
    cdef readonly list runners
    cdef object table
    cdef object p
    cdef object memory

    def __init__(self, who, list runners):
        cdef Kernel kernel
        cdef Py_ssize_t i, n = len(runners)
        self.allocate(who, {"error": Array(FLOAT, n, low=0, high=1)}, {})
        self.runners = runners
        self.table = np.zeros(n, dtype=np.intp)
        self.core.n = n
        self.core.runner = <learner_t**> integers(self.table)
        for i in range(n):
            kernel = runners[i]
            self.core.runner[i] = &kernel.handle
            self.calls_python = self.calls_python or kernel.calls_python
        self.core.n_classes = kernel.handle.n_classes
        self.handle.n_features, self.handle.n_classes = kernel.handle.n_features, kernel.handle.n_classes
        self.p = np.zeros(self.core.n_classes)
        self.core.p = doubles(self.p)
        self.make_scratch()
        self.handle.state = <void*> &self.core
        self.handle.learn, self.handle.predict, self.handle.predict_learn = learn, predict, both
        self.handle.flush, self.n_rows = flush, 1
        self.bind()

    cdef void bind(self):
        self.core.error = doubles(self.arrays["error"])

    def make_scratch(self):
        """Make memory for predictions of the runners, whose members may have changed."""
        cdef Py_ssize_t size = 0
        cdef Kernel kernel
        for kernel in self.runners:
            size = max(size, kernel.handle.scratch_size)
        self.memory = np.zeros(max(size, 1))
        self.core.memory, self.handle.scratch_size = doubles(self.memory), size

    def learn(self, X, y, w, p, tested=None, ids=None):
        """For each row that is `tested`: write its probabilities into `p`; then learn it if it has weight."""
        for kernel in self.runners:
            kernel.finish(0)
        Kernel.learn(self, X, y, w, p, tested, ids)

    @property
    def leader(self):
        """Position of the kernel that answers now."""
        return first_of_least(&self.core)

    def state(self):
        """Return the errors, and the states of the kernels in a list."""
        return Kernel.state(self) | {"runners": [kernel.state() for kernel in self.runners]}

    def restore(self, state):
        """Restore what `state` returned; raise StateError if it does not fit."""
        states = state["runners"]
        if not isinstance(states, list) or len(states) != len(self.runners):
            raise StateError(f"{self.who}: the state must hold {len(self.runners)} runners")
        for kernel, each in zip(self.runners, states, strict=True):
            kernel.restore(each)
        Kernel.restore(self, {name: value for name, value in state.items() if name != "runners"})

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs."""
        Kernel.inherit(self, old, missing)
        for kernel, before in zip(self.runners, old.runners, strict=True):
            kernel.inherit(before, missing)

    @property
    def bytes(self):
        """Bytes of all arrays."""
        return self.arrays["error"].nbytes + sum(kernel.bytes for kernel in self.runners)


cdef Py_ssize_t first_of_least(const race_t* c) noexcept nogil:
    cdef Py_ssize_t i, best = 0
    for i in range(1, c.n):
        if c.error[i] < c.error[best]:
            best = i
    return best


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef race_t* c = <race_t*> state
    cdef learner_t* h = c.runner[first_of_least(c)]
    h.predict(h.state, x, p, scratch)


cdef void flush(void* state) noexcept nogil:
    cdef race_t* c = <race_t*> state
    cdef Py_ssize_t i
    for i in range(c.n):
        learner.flush(c.runner[i])


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    run(<race_t*> state, x, y, w, number, NULL)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
               double* p) noexcept nogil:
    run(<race_t*> state, x, y, w, number, p)


cdef void run(race_t* c, const double* x, Py_ssize_t y, double w, int64_t number, double* p) noexcept nogil:
    cdef Py_ssize_t i, k, best, leader = first_of_least(c)
    for i in range(c.n):
        predict_learn(c.runner[i], x, y, w, number, c.p, c.memory)
        best = 0
        for k in range(c.n_classes):
            if c.p[k] > c.p[best]:
                best = k
            if p != NULL and i == leader:
                p[k] = c.p[k]
        c.error[i] += RATE * ((best != y) - c.error[i])                                     # (1)

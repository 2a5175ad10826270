"""Rows of a member weighted by their classes.

A row of class y and weight w is learned with the weight w f_y. With f given for each class that is all.
Otherwise the classes are balanced, with n_k the rows of class k so far, faded, and K the classes seen:

    n_k <- d n_k for all k,  n_y <- n_y + w,  f_y = sum of n_k / (K n_y), at most MOST_FACTOR      (1)
"""

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, MOST_WEIGHT, Array

from thalweg._native cimport kernel as learner
from thalweg._native.kernel cimport HEAVIEST, Kernel, learner_t
from thalweg._native.pointers cimport doubles
from thalweg.learners.base._native.one_member cimport OneMemberKernel

MOST_FACTOR = 1000.0
cdef double MOST = MOST_FACTOR
cdef double MOST_ROWS = MOST_WEIGHT

ctypedef struct class_weights_t:
    learner_t* member
    double* own                         # none
    double* scratch                     # memory to predict while a row is learned
    Py_ssize_t own_size                 # 0
    Py_ssize_t n_classes
    bint balances
    double decay                        # d
    double* n_rows                      # [class]
    const double* factor                # [class]: f, if it is given


cdef class ClassWeightsKernel(OneMemberKernel):
    """Calls a member with rows weighted by their classes."""

    cdef class_weights_t core
    cdef dict buffers

    def __init__(self, who, n_features, n_classes, factors, decay):
        cdef class_weights_t* c = &self.core
        self.allocate(who, {"n_rows": Array(FLOAT, "class", low=0.0, high=MOST_WEIGHT)}, {"class": n_classes})
        self.buffers = {"factor": layouts.new_array(n_classes, FLOAT, 1.0)}
        c.balances, c.decay, c.n_classes = factors is None, decay, n_classes
        if factors is not None:
            self.buffers["factor"][:] = factors
        c.factor = doubles(self.buffers["factor"])
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.bind()

    cdef void bind(self):
        self.core.n_rows = doubles(self.arrays["n_rows"])

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs."""
        self.adopt(layouts.grown(self.layout, self.lengths, self.arrays, old.arrays, self.who, missing))

    cdef void follow_member(self):
        self.handle.observe = NULL
        if self.core.member.observe != NULL:
            self.handle.observe = observe_member


cdef double weighed(class_weights_t* c, Py_ssize_t y, double w) noexcept nogil:
    # Count a row of class y; return the weight with which it is learned.
    cdef Py_ssize_t k, n_seen = 0
    cdef double total = 0.0, factor = c.factor[y]
    if c.balances:
        for k in range(c.n_classes):
            c.n_rows[k] *= c.decay
        c.n_rows[y] = min(c.n_rows[y] + w, MOST_ROWS)
        for k in range(c.n_classes):
            total += c.n_rows[k]
            n_seen += c.n_rows[k] > 0
        factor = min(total / (n_seen * c.n_rows[y]), MOST)                                         # (1)
    return min(w * factor, HEAVIEST)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const class_weights_t* c = <const class_weights_t*> state
    c.member.predict(c.member.state, x, p, scratch)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef class_weights_t* c = <class_weights_t*> state
    w = weighed(c, y, w)
    c.member.learn(c.member.state, x, y, w, number)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef class_weights_t* c = <class_weights_t*> state
    w = weighed(c, y, w)
    learner.predict_learn(c.member, x, y, w, number, p, c.scratch)


cdef void observe_member(void* state, const double* x, int64_t number) noexcept nogil:
    cdef class_weights_t* c = <class_weights_t*> state
    c.member.observe(c.member.state, x, number)

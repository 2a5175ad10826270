"""Logistic regression whose cost is linear in the inputs of a row that are not 0.

An input is measured by the values of it that were not 0: their number, mean m and variance V. Let s be the
share of these among all rows, and t that among the rows where it is not missing. Inputs that are mostly 0
enter as multiples of the root mean square of those values; inputs that are mostly not 0 (c = 1) as distances
from their mean in standard deviations; the others as something in between:

    c = 4 s - 1, within 0 and 1,  D = V ((1 - c) + c t) + m^2 ((1 - c) + c t (1 - t))                 (1)
    u = (x - c t m)/D^(1/2), at most 3; 0 if x is missing                                             (2)

So only common inputs, those with c > 0, have to be looked at in rows where they are 0, and there are fewer
than four times as many of them as values that are not 0 in a row of average length.

Three models with coefficients beta see u. With q the probability a model gives to class k, and e = 1 - q for
rows of that class, -q for others, a row of weight v changes beta by step times u times e. The steps of an
input are, for the quick, the bold and the careful model, with V' = s (V + (1 - s) m^2) its variance,

    0.3 D/V',   1/(1 + G)^(1/2),   0.1/(1 + G)^(1/2),   G <- decay G + v (e u)^2                      (3)

The quick model's are those of stochastic gradient descent for inputs divided by their standard deviations,
as they are: rare inputs weigh much, and a surprise may turn everything. The others are AdaGrad's, and go to
the maximum of the row's likelihood times what the past says. With z the score or, for several classes,
log q/(1 - q), and size the sum of step u^2 over the inputs and the constant, whose u is 1,

    z* = z + v size e*,  e* = e at z*,  beta <- beta + step u v e*                                    (4)

A weight above 1 makes the quick step as long as that of (4), where that is longer (5). After a step,

    beta <- beta/(1 + step l2)                                                                        (6)

The models' scores f_mk, logarithms of their probabilities, at least log 0.001, add up to the answer,

    p_k ~ exp(sum_m w_m f_mk)                                                                         (7)

with weights that follow the likelihood by Newton's steps; h are the scores less their mean under p:

    A <- 0.99 A + 0.1 I + v sum_k p_k h_k h_k',  w <- w + A^-1 v h_y                                  (8)
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLAG, FLOAT, INDEX
from .linear_layout import check_linear, linear_layout, with_more_inputs, with_one_more_class

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from thalweg._native.kernel cimport Kernel
from .linear_inputs cimport (
    gather, gather_sparse, learn_input, learn_wide, set_common, set_scale, standardise,
)
from .linear_stack cimport (
    MOST_REPEATS, MOST_TRUST, STACK_RIDGE, bound_scores, combine, find_newton, learn_weights, newton_t,
)
from .linear_state cimport N_ADAPTIVE, N_MODELS, linear_t, vector_width
from .linear_steps cimport find_moves, find_steps, move
from thalweg._native.maths cimport clipped, logistic, softmax
from thalweg._native.pointers cimport doubles, flags, integers
from thalweg.learners.base._native.sparse_kernel cimport SparseKernel, sparse_row_t

cdef extern from *:
    """
    static const double HIGHEST_SCORE = 1e100;
    """
    double HIGHEST_SCORE                # bound of |z|, far from any it has

RATES = (0.3, 1.0, 0.1)


cdef class LinearKernel(SparseKernel):
    """The three models, their weights, and what is known of the inputs."""

    cdef linear_t core
    cdef dict apart

    def __init__(self, who, n_features, n_classes, rate, decay, l2):
        cdef linear_t* s = &self.core
        cdef Py_ssize_t m
        s.n_inputs, s.n_classes, s.n_filters = n_features, n_classes, 1 if n_classes == 2 else n_classes
        s.n_lanes = N_MODELS * s.n_filters
        s.decay, s.l2, s.is_wide = decay, l2, vector_width() >= 32
        for m in range(N_MODELS):
            s.rate[m] = rate * RATES[m]
        adaptive = N_ADAPTIVE * s.n_filters
        self.allocate(who, linear_layout(N_MODELS, MOST_TRUST), {
            "input": n_features, "lane": s.n_lanes, "adaptive lane": adaptive,
        })
        self.arrays["information"][:] = STACK_RIDGE * np.eye(N_MODELS)
        self.arrays |= {
            "centre": layouts.new_array(n_features, FLOAT), "scale": layouts.new_array(n_features, FLOAT),
            "is_common": layouts.new_array(n_features, FLAG), "common": layouts.new_array(n_features, INDEX),
            "n_common": layouts.new_array(1, INDEX),
        }
        self.apart = {
            "columns": layouts.new_array(n_features, INDEX), "u": layouts.new_array(n_features, FLOAT),
            "quick": layouts.new_array(n_features, FLOAT), "p": layouts.new_array(n_classes, FLOAT),
            "steps": layouts.new_array(n_features * adaptive, FLOAT),
            "lanes": layouts.new_array(5 * s.n_lanes, FLOAT),
        }
        self.set_handle(<void*> s, n_features, n_classes, learn, predict)
        self.learn_sparse_row, self.predict_sparse_row = learn_sparse_row, predict_sparse_row
        self.handle.scratch_size = 2 * n_features + s.n_lanes
        self.core_size = sizeof(linear_t)
        self.bind()

    cdef void bind(self):
        cdef linear_t* s = &self.core
        s.seen, s.count = doubles(self.arrays["seen"]), doubles(self.arrays["count"])
        s.missing = doubles(self.arrays["missing"])
        s.mean, s.variance = doubles(self.arrays["mean"]), doubles(self.arrays["variance"])
        s.beta, s.square = doubles(self.arrays["beta"]), doubles(self.arrays["square"])
        s.constant = doubles(self.arrays["constant"])
        s.constant_square = doubles(self.arrays["constant_square"])
        s.weights, s.information = doubles(self.arrays["weights"]), doubles(self.arrays["information"])
        s.centre, s.scale = doubles(self.arrays["centre"]), doubles(self.arrays["scale"])
        s.is_common, s.common = flags(self.arrays["is_common"]), integers(self.arrays["common"])
        s.n_common = integers(self.arrays["n_common"])
        s.columns, s.u = integers(self.apart["columns"]), doubles(self.apart["u"])
        s.quick, s.steps = doubles(self.apart["quick"]), doubles(self.apart["steps"])
        s.z, s.p = doubles(self.apart["lanes"]), doubles(self.apart["p"])
        s.q, s.size, s.moved = s.z + s.n_lanes, s.z + 2 * s.n_lanes, s.z + 3 * s.n_lanes
        s.bounded = s.z + 4 * s.n_lanes

    cdef void derive(self):
        cdef linear_t* s = &self.core
        cdef Py_ssize_t j
        s.n_common[0] = 0
        for j in range(s.n_inputs):
            s.is_common[j] = False
            set_scale(s, j)
            set_common(s, j)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        check_linear(arrays, STACK_RIDGE, self.who)

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs, or one class less: a single class taught nothing."""
        cdef LinearKernel other = old
        if other.core.n_inputs < self.core.n_inputs:
            self.adopt(with_more_inputs(self.layout, self.lengths, self.arrays, old.arrays, self.who))
        elif other.core.n_classes > 1:
            self.adopt(with_one_more_class(self.layout, self.arrays, old.arrays))
        self.derive()


cdef void predict(void* state, const double* row, double* p, double* scratch) noexcept nogil:
    cdef linear_t* s = <linear_t*> state
    cdef Py_ssize_t* columns = <Py_ssize_t*> (scratch + s.n_inputs)
    predict_gathered(s, gather(s, row, columns, scratch), p, scratch)


cdef void predict_sparse_row(void* state, const sparse_row_t* row, double* p, double* scratch) noexcept nogil:
    cdef linear_t* s = <linear_t*> state
    cdef Py_ssize_t* columns = <Py_ssize_t*> (scratch + s.n_inputs)
    predict_gathered(s, gather_sparse(s, row.columns, row.values, row.n, columns, scratch), p, scratch)


cdef void predict_gathered(const linear_t* s, Py_ssize_t n, double* p, double* scratch) noexcept nogil:
    # scratch: the values of n inputs, then their columns, then room for scores.
    cdef Py_ssize_t i
    cdef const Py_ssize_t* columns = <const Py_ssize_t*> (scratch + s.n_inputs)
    cdef double* z = scratch + 2 * s.n_inputs
    if s.n_classes == 1:
        p[0] = 1.0
        return
    for i in range(n):
        scratch[i] = standardise(s, columns[i], scratch[i])
    find_scores(s, columns, scratch, n, z)
    bound_scores(s, z)
    combine(s, z, p)


cdef inline void find_scores(const linear_t* s, const Py_ssize_t* columns, const double* u, Py_ssize_t n,
                             double* z) noexcept nogil:
    if s.n_lanes == N_MODELS:
        add_scores(s, columns, u, n, z, N_MODELS)
    else:
        add_scores(s, columns, u, n, z, s.n_lanes)


cdef inline void add_scores(const linear_t* s, const Py_ssize_t* columns, const double* u, Py_ssize_t n,
                            double* z, Py_ssize_t n_lanes) noexcept nogil:
    cdef Py_ssize_t i, lane
    cdef const double* beta
    for lane in range(n_lanes):
        z[lane] = s.constant[lane]
    for i in range(n):
        beta = s.beta + columns[i] * n_lanes
        for lane in range(n_lanes):
            z[lane] += beta[lane] * u[i]
    for lane in range(n_lanes):
        z[lane] = clipped(z[lane], HIGHEST_SCORE)


cdef void learn(void* state, const double* row, Py_ssize_t y, double v, int64_t number) noexcept nogil:
    cdef linear_t* s = <linear_t*> state
    learn_gathered(s, gather(s, row, s.columns, s.u), y, v)


cdef void learn_sparse_row(void* state, const sparse_row_t* row, Py_ssize_t y, double v) noexcept nogil:
    cdef linear_t* s = <linear_t*> state
    learn_gathered(s, gather_sparse(s, row.columns, row.values, row.n, s.columns, s.u), y, v)


cdef void learn_gathered(linear_t* s, Py_ssize_t n, Py_ssize_t y, double v) noexcept nogil:
    # Learn the row with n values s.u in the columns s.columns.
    cdef Py_ssize_t i, m
    cdef newton_t step
    if s.n_classes == 1:
        return
    s.seen[0] += 1.0
    for i in range(learn_wide(s) if s.is_wide and n == s.n_inputs else 0, n):
        learn_input(s, i)
    find_scores(s, s.columns, s.u, n, s.z)
    for m in range(N_MODELS):
        if s.n_filters == 1:
            s.q[m] = logistic(s.z[m])
        else:
            softmax(s.z + m * s.n_filters, s.q + m * s.n_filters, s.n_filters)
    memcpy(s.bounded, s.z, s.n_lanes * sizeof(double))
    bound_scores(s, s.bounded)
    find_newton(s, s.bounded, y, min(v, MOST_REPEATS), &step)
    find_steps(s, n)
    find_moves(s, y, v)
    learn_weights(s, &step)
    if s.n_filters == 1:
        move(s, n, y, v, 1)
    else:
        move(s, n, y, v, s.n_filters)

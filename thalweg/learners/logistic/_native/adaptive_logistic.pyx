"""Logistic regression as a recursive filter that forgets, and mixtures of such filters.

An input enters as its distance from its running mean in running standard deviations, at most ten of them;
an indicator (1 for one category, else 0) as it is, since a rare category would be many standard
deviations off, and its coefficient, uncertain again whenever it comes. The last entry of x is 1, the
intercept. A filter keeps coefficients beta and the inverse R of the information. For a row of weight v,
with c = 1 if it is of the filter's class and 0 otherwise:

    z = beta'x,  q = logistic(z), or softmax over the filters,  a = v q (1 - q),  e = v (c - q)      (1)
    k = R x/(decay + a x'R x),  R <- (R - a k x'R)/decay,  beta <- beta + k e                        (2)

That is one Newton step for the row's likelihood times what the past says. The converged step goes all the
way to the maximum, z* = z + x'R x e*/decay with e* = v (c - q(z*)), takes a there too, and has

    beta <- beta + R x e*/decay                                                                      (3)

Tuned forgetting weighs the two sums of the approximation by what the row brings to each; with the
converged step, which has no second sum, ratio is 1:

    damped(u) = least + (1 - least) exp(-bandwidth |u|)                                              (4)
    b = -e - a z,  decay = damped(a/v),  ratio = damped(b/v)/decay                                   (5)
    beta <- ratio beta - k (b + ratio a z)                                                           (6)

Adaptive forgetting climbs the row's log-likelihood along psi = d beta/d decay and S = d R/d decay, with
F = I - a k x', D = S/decay - R/decay^2 of the old R and S, and e* = e decay/(decay + a x'R x) for (2):

    g = e x'psi,  psi <- F (psi + D x e*),  S <- F D F'                                              (7)
    decay <- decay + rate g, or RPROP's step with the sign of g; within [least, 1]                   (8)

The guard adds the information u = d (1 - decay)/guard to one of the d directions in turn, so that R stays
below about guard where no news comes; S follows with G = I - u R_i i'/(1 + u R_ii):

    R <- R - u R_i R_i'/(1 + u R_ii),  S <- G S G' + R_i R_i' d/guard with the new R_i               (9)

Members of a mixture are weighted by their discounted likelihood. Powers are costly, so the discount comes
every ROUND rows, all of it at once:

    share <- share q_y^v,  every ROUND rows share <- share^(discount^ROUND),  scaled to sum 1       (10)

A probit filter has the normal distribution function Phi, with density phi, for the logistic one. It tells
its class from the rest; several have Phi(z) scaled to sum 1. With t = z, or -z if c = 0, and e* likewise:

    r = phi(t)/Phi(t),  a = v r (t + r),  e = v r, or -v r if c = 0                                 (11)

If rows have times, decay is to the power of the gap, the steps of time since the row before. Of a gap above
1 all but the last step is a wait, in which the guard has as many turns as there are steps, at most d, with
u/turns each; S follows with rise = d left/d decay instead of 1:

    left = max(decay^(gap - 1), LEAST_LEFT),  R <- R/left,  u = d (1 - left)/guard                  (12)

Filters lie side by side (sweeps.pxd), those of a member together.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, require
from .logistic_layout import logistic_layout, with_more_inputs, with_one_more_class

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int64_t

from . cimport sweeps
from thalweg._native.kernel cimport Kernel
from .logistic_decay cimport damped, left_after, shorten, take_time, wait, without_time
from .logistic_shares cimport ROUND, find_normals, judge
from .logistic_slopes cimport adapt, guard_slopes
from .logistic_state cimport FIXED, GRADIENT, RPROP, TUNED, best_logit, logistic_t, logit_lanes_t
from .logit cimport converge, find_chances, step_together
from thalweg._native.maths cimport clipped
from .probit cimport converge_probit, curvature, mills
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.standardiser cimport set_scale, standardised, update

KINDS = {"fixed": FIXED, "tuned": TUNED, "adaptive": GRADIENT, "rprop": RPROP}
MOST_MEMBERS = 64

cdef extern from *:
    """
    static const double STEEPEST = 500.0, FARTHEST = 1e8;
    """
    double STEEPEST, FARTHEST           # bounds of |z|: logit, probit

cdef class LogisticKernel(Kernel):
    """The filters of one or more members, which differ in `least`, their strongest forgetting."""

    cdef logistic_t core
    cdef object apart

    def __init__(self, who, n_features, n_classes, kind, least, bandwidth, rate, converged, probit,
                 standardise, guard, prior, discount, indicators, time=None):
        cdef logistic_t* s = &self.core
        s.timed, s.time, s.gap = time is not None, -1 if time is None else time, 1.0
        s.n_inputs = n_features - (s.time >= 0)
        s.d, s.n_classes, s.n_members = s.n_inputs + 1, n_classes, len(least)
        s.n_filters = 1 if n_classes == 2 else n_classes
        s.n = s.n_members * s.n_filters
        s.kind, s.bandwidth, s.rate, s.converged = KINDS[kind], bandwidth, rate, converged
        s.standardise, s.guard, s.prior, s.discount = standardise, guard, prior, discount**ROUND
        s.sweeps, s.logit = sweeps.best_sweeps(s.n), best_logit(s.n)
        s.probit, s.steepest = probit, FARTHEST if probit else STEEPEST
        least = np.repeat(np.array(least, dtype=np.float64), s.n_filters)
        slopes = s.n if s.kind >= GRADIENT else 0
        self.allocate(who, logistic_layout(s.n_members, ROUND, rate, s.timed), {
            "input": s.n_inputs, "member": s.n_members, "direction": s.d, "filter": s.n,
            "pair": s.d * (s.d + 1) // 2, "slope": slopes,
        })
        if s.kind == FIXED:
            self.arrays["decay"][:] = least
        self.arrays["R"] = layouts.aligned(self.arrays["R"])
        self.arrays["R"][np.cumsum(np.arange(1, s.d + 1)) - 1] = prior
        self.arrays |= {name: layouts.new_array(s.n_inputs, FLOAT) for name in ("scale", "bound")}
        self.arrays["variance"][indicators] = 1.0
        self.apart = least, np.zeros(2 * s.d), layouts.new_aligned((2 * s.d + 12) * s.n), indicators
        self.apart[2][:] = 1.0
        s.n_indicators = len(indicators)
        self.core_size = sizeof(logistic_t)
        self.set_handle(<void*> s, n_features, n_classes, learn, predict)
        self.handle.scratch_size = s.d + 2 * s.n + (s.n_inputs if s.timed else 0)
        self.bind()
        self.derive()

    @property
    def time(self):
        """The place of the time in a row, -1 if there is none."""
        return self.core.time

    cdef void adopt(self, dict arrays):
        Kernel.adopt(self, arrays | {"R": layouts.aligned(arrays["R"])})

    cdef void derive(self):
        cdef Py_ssize_t j
        for j in range(self.core.n_inputs):
            set_scale(self.core.variance[j], self.core.scale + j, self.core.bound + j)

    def check(self, arrays):
        """Raise StateError unless the shares of the members add up and every filter remembers something."""
        require(abs(arrays["share"].sum() - 1.0) < 1e-9, self.who, "share", "does not add up to 1")
        good = (arrays["decay"] >= self.apart[0]).all()
        require(good, self.who, "decay", "holds a number below the least of its filter")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs, one class less, or without a time.

        A single class taught nothing.
        """
        cdef LogisticKernel other = old
        if other.core.n_inputs < self.core.n_inputs:
            self.adopt(with_more_inputs(self.layout, self.arrays, old.arrays))
        elif other.core.n_classes == self.core.n_classes:
            self.adopt({name: old.arrays[name].copy() for name in self.layout})
        elif other.core.n_classes > 1:
            n_filters = other.core.n_filters, self.core.n_filters
            self.adopt(with_one_more_class(
                self.layout, self.arrays, old.arrays, self.core.n_members, n_filters,
                bool(self.core.probit),
            ))
        self.derive()

    cdef void bind(self):
        cdef logistic_t* s = &self.core
        cdef Py_ssize_t n = s.n
        s.count, s.mean = doubles(self.arrays["count"]), doubles(self.arrays["mean"])
        s.variance, s.scale = doubles(self.arrays["variance"]), doubles(self.arrays["scale"])
        s.share, s.turn = doubles(self.arrays["share"]), integers(self.arrays["turn"])
        s.bound = doubles(self.arrays["bound"])
        s.place, s.restarts = integers(self.arrays["place"]), integers(self.arrays["restarts"])
        s.beta, s.R = doubles(self.arrays["beta"]), doubles(self.arrays["R"])
        s.S, s.psi = doubles(self.arrays["S"]), doubles(self.arrays["psi"])
        s.decay, s.step = doubles(self.arrays["decay"]), doubles(self.arrays["step"])
        s.slope = doubles(self.arrays["slope"])
        s.least, s.x, s.g = doubles(self.apart[0]), doubles(self.apart[1]), doubles(self.apart[2])
        s.row, s.indicators = s.x + s.d, integers(self.apart[3])
        s.clock = doubles(self.arrays["clock"]) if s.timed else NULL
        s.h, s.z = s.g + s.d * n, s.g + 2 * s.d * n
        s.q, s.size, s.a, s.e = s.z + n, s.z + 2 * n, s.z + 3 * n, s.z + 4 * n
        s.moved, s.ratio, s.up = s.z + 5 * n, s.z + 6 * n, s.z + 7 * n
        s.one, s.two, s.past, s.rise = s.z + 8 * n, s.z + 9 * n, s.z + 10 * n, s.z + 11 * n
        s.step_of = logit_lanes_t(
            n=n, several=s.n_filters > 1, tuned=s.kind == TUNED, weight=1.0, bandwidth=s.bandwidth,
            steepest=s.steepest, sign=s.ratio, z=s.z, q=s.q, size=s.size, least=s.least, decay=s.decay,
            past=s.past, up=s.up, e=s.e, a=s.a, moved=s.moved,
        )


cdef inline double value_of(logistic_t* s, double value, Py_ssize_t j) noexcept nogil:
    # A missing value counts as the mean.
    if s.standardise:
        return standardised(value, s.mean[j], s.scale[j])
    return value if value == value else s.mean[j]


cdef void predict(void* state, const double* row, double* p, double* scratch) noexcept nogil:
    # scratch: the row as the filters see it, their scores and probabilities, and the row without its time.
    cdef logistic_t* s = <logistic_t*> state
    cdef Py_ssize_t j, m, k
    cdef double* z = scratch + s.d
    cdef double* q = z + s.n
    if s.n_classes == 1:
        p[0] = 1.0
        return
    if s.timed:
        row = without_time(s, row, q + s.n)
    for j in range(s.n_inputs):
        scratch[j] = value_of(s, row[j], j)
    scratch[s.n_inputs] = 1.0
    for k in range(s.n_classes):
        p[k] = 0.0
    if s.n == 1:
        sweeps.dots(&s.sweeps, s.beta, scratch, z, s.d, 1)
    else:
        sweeps.dots(&s.sweeps, s.beta, scratch, z, s.d, s.n)
    for m in range(s.n):
        z[m] = clipped(z[m], s.steepest)
    if s.probit:
        find_normals(s, z, q)
    else:
        find_chances(s, z, q, s.n)
    if s.n_classes == 2:
        for m in range(s.n):
            p[1] += s.share[m] * q[m]
        p[1] = min(p[1], 1.0)           # shares sum to 1 except for rounding
        p[0] = 1.0 - p[1]
        return
    for m in range(s.n_members):
        for k in range(s.n_filters):
            p[k] += s.share[m] * q[k]
        q += s.n_filters


cdef void learn(void* state, const double* row, Py_ssize_t y, double v, int64_t number) noexcept nogil:
    cdef logistic_t* s = <logistic_t*> state
    cdef Py_ssize_t j
    if s.n_classes == 1:
        return
    if s.timed:
        take_time(s, row)
        row = without_time(s, row, s.row)
    update(row, s.count, s.mean, s.variance, s.scale, s.bound, s.n_inputs)
    for j in range(s.n_indicators):
        s.mean[s.indicators[j]], s.variance[s.indicators[j]], s.scale[s.indicators[j]] = 0.0, 1.0, 1.0
    for j in range(s.n_inputs):
        s.x[j] = value_of(s, row[j], j)
    s.x[s.n_inputs] = 1.0
    if s.n == 1:
        learn_lanes(s, y, v, 1)
    elif s.n == 4 and s.n_filters == 1:
        learn_lanes(s, y, v, 4)
    else:
        learn_lanes(s, y, v, s.n)


cdef inline void learn_lanes(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t m, k
    sweeps.dots(&s.sweeps, s.beta, s.x, s.z, s.d, n)
    for m in range(n):
        s.z[m] = clipped(s.z[m], s.steepest)
    if not s.probit:
        find_chances(s, s.z, s.q, n)
    elif s.n_members > 1:
        find_normals(s, s.z, s.q)
    if s.n_members > 1:
        judge(s, y, v)
    if s.gap > 1.0:
        wait_before(s, y, n)
    sweeps.times(&s.sweeps, s.R, s.x, s.g, s.d, n)
    sweeps.dots(&s.sweeps, s.g, s.x, s.size, s.d, n)
    if s.probit:
        learn_probit(s, y, v, n)
    elif n > 1 and s.converged and not s.brief:
        step_together(s, y, v, n)
    else:
        for m in range(n):
            k = m % s.n_filters if s.n_filters > 1 else 1
            weigh(s, m, y == k, v)
        if s.converged:
            converge(s, y, v, n)
    if s.kind >= GRADIENT:
        adapt(s, n)
    if s.kind == TUNED and not s.converged:
        sweeps.scale(&s.sweeps, s.beta, s.ratio, s.d, n)                                 # (6)
    for m in range(n):
        s.one[m], s.z[m] = s.moved[m] * s.up[m], s.e[m]
    sweeps.move(&s.sweeps, s.beta, s.g, s.one, s.z, s.d, n)                              # (2), (3), (6)
    forget(s, n)
    check(s, n)
    s.place[0] = s.place[0] + 1 if s.place[0] + 1 < s.d else 0


cdef void wait_before(logistic_t* s, Py_ssize_t y, Py_ssize_t n) noexcept nogil:
    # (12). No inline function, nor is learn_probit: the quick path stays small.
    cdef Py_ssize_t m
    if s.kind == TUNED:
        for m in range(n):
            s.decay[m] = damped(s, m, curvature(s, m, y))
    wait(s, n)


cdef inline void weigh(logistic_t* s, Py_ssize_t m, bint is_class, double v) noexcept nogil:
    cdef double q = s.q[m], c = 1.0 if is_class else 0.0
    settle(s, m, q * (1.0 - q), c - q, v)                                                # (1)


cdef void learn_probit(logistic_t* s, Py_ssize_t y, double v, Py_ssize_t n) noexcept nogil:
    # (11)
    cdef Py_ssize_t m
    cdef double r, sign, excess
    for m in range(n):
        sign = 1.0 if y == (m % s.n_filters if s.n_filters > 1 else 1) else -1.0
        r = mills(sign * s.z[m], &excess)
        settle(s, m, r * excess, sign * r, v)
    if s.converged:
        converge_probit(s, y, v, n)


cdef inline void settle(logistic_t* s, Py_ssize_t m, double a, double e, double v) noexcept nogil:
    # What the row is to lane m: its curvature a, error e, the forgetting, how far a single step moves beta.
    cdef double z = s.z[m]
    s.a[m], s.e[m], s.ratio[m] = v * a, v * e, 1.0
    if s.kind == TUNED:
        s.decay[m] = damped(s, m, a)
        if not s.converged:
            s.ratio[m] = (
                left_after(damped(s, m, e + a * z), s.gap) / left_after(s.decay[m], s.gap)   # (5)
            )
    s.past[m] = s.decay[m]
    if s.brief:
        shorten(s, m)
    s.up[m] = 1.0 / s.past[m]
    if not s.converged:
        s.moved[m] = v * (e + a * z * (1.0 - s.ratio[m]))
        s.moved[m] *= s.past[m] / (s.past[m] + s.a[m] * s.size[m])                       # (2), (6)


cdef inline void forget(logistic_t* s, Py_ssize_t n) noexcept nogil:
    # (2) and (9) for R in one sweep; first the guard's column as it will be.
    cdef Py_ssize_t i = s.place[0], m
    cdef double u, leak = s.d / s.guard if s.guard > 0 else 0.0
    for m in range(n):
        s.one[m] = sqrt(max(s.a[m] / (s.past[m] + s.a[m] * s.size[m]), 0.0))
    sweeps.scale(&s.sweeps, s.g, s.one, s.d, n)
    sweeps.column(&s.sweeps, s.R, s.g, s.up, s.h, i, s.d, n)
    for m in range(n):
        u = (1.0 - s.past[m]) * leak
        s.two[m] = sqrt(u / (1.0 + u * s.h[i * n + m]))
    sweeps.scale(&s.sweeps, s.h, s.two, s.d, n)
    sweeps.discount(&s.sweeps, s.R, s.g, s.h, s.up, s.d, n)
    if s.kind >= GRADIENT and s.guard > 0:
        guard_slopes(s, leak, n)


cdef inline void check(logistic_t* s, Py_ssize_t n) noexcept nogil:
    # Anything infinite or NaN in a filter reaches its coefficients or its gradient by the next row; z is
    # their sum.
    cdef Py_ssize_t m
    for m in range(n):
        if not isfinite(s.z[m]):
            restart(s, m)


cdef void restart(logistic_t* s, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t j, n = s.n, packed = s.d * (s.d + 1) // 2
    s.restarts[m] += 1
    for j in range(packed):
        s.R[j * n + m] = 0.0
    for j in range(s.d):
        s.R[sweeps.at(j, j, n) + m] = s.prior
        s.beta[j * n + m] = 0.0
    if s.kind >= GRADIENT:
        for j in range(packed):
            s.S[j * n + m] = 0.0
        for j in range(s.d):
            s.psi[j * n + m] = 0.0
    s.decay[m] = s.least[m] if s.kind == FIXED else 1.0
    s.step[m], s.slope[m] = s.rate, 0.0

"""Logistic regression on what members say, fitted to the bulk of the rows.

With p_mk(i) the probability that member m gives class k for row i, the probability of the label y is

    q = exp(s_y)/sum_k exp(s_k),   s_k = sum_m w_m p_mk(i),                                   (1)

for two classes the logistic function of sum_m w_m (2 p_m - 1). Weights and outliers maximise the score

    sum over the others of v_i log q_i  -  penalty × sum over outliers of v_i  -  ridge/2 |w|²,   (2)

where v_i is the weight of the row. Given the outliers, w comes by Newton's method: with a_ik the vector of
p_my - p_mk and q_ik the probability of class k, the gradient and the negative Hessian are

    sum_i v_i sum_k q_ik a_ik - ridge w,                                                      (3)
    sum_i v_i (sum_k q_ik a_ik a_ik' - b_i b_i') + ridge I,   b_i = sum_k q_ik a_ik,          (4)

and steps are halved until the score does not fall. Given the weights, the likelihoods log q_i are parted into
three clusters, and each of the two borders between them is tried: rows below it are outliers, unless that is
half of the rows, and w is fitted to the others. The best of both is kept if it has a higher score than the
fit before; then likelihoods are parted again.                                                (5)
"""

import numpy as np

from . import layout as layouts

from libc.math cimport INFINITY, exp, fabs, log
from libc.string cimport memcpy, memset

from .cholesky cimport factorise_column, solve
from .failure cimport begin_call, call_t, end_call, should_stop
from .pointers cimport doubles, flags

cdef extern from "logistic_pass.h" nogil:
    ctypedef double (*pass_f)(const pass_t* p) noexcept nogil
    ctypedef struct pass_t:
        Py_ssize_t n_tiles
        Py_ssize_t n_members
        const double* tiles
        const double* active
        const double* weights
        double* likelihood
        double* sums
        double* gradient
        double* hessian
    pass_f best_pass() noexcept

cdef enum:
    MOST_NEWTON = 60                    # steps of a fit
    MOST_HALVINGS = 40
    MOST_MEANS = 100                    # passes of the clustering
    WORK_A_LOOK = 1 << 22               # multiplications between two looks for signals

cdef double ROUGH = 1e-1                # Newton decrement at which a fit ends while two are compared,
cdef double COARSE = 1e-3               # if they are close, and of the better one,
cdef double FINE = 1e-7                 # and before the last step of the fit that is kept
cdef double LEAST_GAIN = 1e-3           # of the score, for another round
cdef double MOST_WEIGHT = 1e6           # of a member, where rows can be told apart without error
cdef pass_f score_tiles = best_pass()


cdef bint is_over(weighing_t* f) noexcept nogil:
    # To be asked after each pass over the rows.
    f.n_passes += 1
    if f.n_passes * f.n * f.n_others * (f.n_members + 8) * f.n_members > WORK_A_LOOK:
        f.n_passes = 0
        f.stopped = f.stopped or (f.may_stop and should_stop())
    return f.stopped


cdef bint weigh_members(weighing_t* f) noexcept nogil:
    cdef Py_ssize_t _round, m
    cdef double borders[2]
    f.n_rounds, f.stopped, f.score = 0, False, 0.0
    for m in range(f.n_members):
        f.weights[m] = 2.0 / f.n_members  # near 1/2 this gives the mean of the members' probabilities
    memset(f.out, 0, f.n)
    if f.n == 0:
        return True
    activate(f, f.out)
    f.score = newton(f, f.weights, COARSE)
    for _round in range(MOST_ROUNDS if f.penalty >= 0 else 0):                                # (5)
        if f.stopped or not part_likelihoods(f, borders) or not improve(f, borders):
            break
        f.scores[f.n_rounds] = f.score
        f.n_rounds += 1
    finish(f)
    return not f.stopped


cdef void finish(weighing_t* f) noexcept nogil:
    # Bring the weights as near to the optimum as numbers go.
    cdef Py_ssize_t m
    cdef const double* direction = f.system + (f.n_members + 1) * f.n_members
    activate(f, f.out)
    newton(f, f.weights, FINE)
    for m in range(f.n_members):
        f.weights[m] += direction[m]
    f.score = scored(f, f.weights, False)


cdef bint improve(weighing_t* f, const double* borders) noexcept nogil:
    # Fit with outliers below either border; keep the better fit if it is better than the one there is.
    cdef Py_ssize_t side, best, size = f.n_members * sizeof(double)
    cdef double[2] score, missing
    memcpy(f.old_likelihood, f.likelihood, f.n * sizeof(double))
    for side in range(2):
        memcpy(f.trial + side * f.n_members, f.weights, size)
        score[side], missing[side] = fit_below(f, borders, side, ROUGH), f.decrement
    if fabs(score[0] - score[1]) <= 2 * (missing[0] + missing[1]):
        for side in range(2):
            score[side] = fit_below(f, borders, side, COARSE)
    best = score[1] > score[0]
    if score[best] == -INFINITY or f.stopped:
        return False
    score[best] = fit_below(f, borders, best, COARSE)
    if f.stopped or score[best] <= f.score + LEAST_GAIN:
        return False
    f.score = score[best]
    memcpy(f.weights, f.trial + best * f.n_members, size)
    memcpy(f.out, f.trial_out, f.n)
    return True


cdef double fit_below(weighing_t* f, const double* borders, Py_ssize_t side, double tolerance) noexcept nogil:
    # Return the score of a fit with outliers below a border; -inf if it would leave none or more than half.
    f.decrement = 0.0
    if not mark(f, borders[side]):
        return -INFINITY
    return newton(f, f.trial + side * f.n_members, tolerance)


cdef bint mark(weighing_t* f, double border) noexcept nogil:
    # Mark the rows below the border as outliers; False if these are none or more than half.
    cdef Py_ssize_t i, n = 0
    for i in range(f.n):
        f.trial_out[i] = f.old_likelihood[i] < border
        n += f.trial_out[i]
    activate(f, f.trial_out)
    return 0 < n and 2 * n <= f.n


cdef void activate(weighing_t* f, const char* out) noexcept nogil:
    # Let these rows be the outliers.
    cdef Py_ssize_t i
    f.cost = 0.0
    for i in range(f.n):
        f.active[i] = 0.0 if out[i] else f.v[i]
        if out[i]:
            f.cost += f.v[i] * f.penalty
    for i in range(f.n, f.n + (-f.n) % 8):
        f.active[i] = 0.0


cdef bint part_likelihoods(weighing_t* f, double* borders) noexcept nogil:
    # Lloyd's algorithm for three clusters on a line; False if all are equal.
    cdef Py_ssize_t i, k, _pass
    cdef double low = f.likelihood[0], high = low, sum_all = 0.0, z, moved
    cdef double[3] centre, total, n
    for i in range(f.n):
        z = f.likelihood[i]
        low, high, sum_all = min(low, z), max(high, z), sum_all + z
    for k in range(3):
        centre[k] = low + (high - low) * (2 * k + 1) / 6
    for _pass in range(MOST_MEANS):
        borders[0], borders[1] = (centre[0] + centre[1]) / 2, (centre[1] + centre[2]) / 2
        total[0] = total[2] = n[0] = n[2] = 0.0
        for i in range(f.n):
            z = f.likelihood[i]
            total[0] += z if z < borders[0] else 0.0
            n[0] += 1.0 if z < borders[0] else 0.0
            total[2] += z if z >= borders[1] else 0.0
            n[2] += 1.0 if z >= borders[1] else 0.0
        total[1], n[1] = sum_all - total[0] - total[2], f.n - n[0] - n[2]
        moved = 0.0
        for k in range(3):
            if n[k] > 0:
                moved = max(moved, fabs(centre[k] - total[k] / n[k]))
                centre[k] = total[k] / n[k]
        if moved <= 1e-12 * fabs(low):
            break
    return low < high


cdef double newton(weighing_t* f, double* w, double tolerance) noexcept nogil:
    # Improve w and return the score (2); the likelihoods are then those of w, and the score can still rise by
    # about half of the decrement.
    cdef Py_ssize_t m, _step, _halving, n = f.n_members
    cdef double* gradient = f.system + n * n
    cdef double* direction = gradient + n
    cdef double* old = direction + n
    cdef double score = scored(f, w, True), new, step
    for _step in range(MOST_NEWTON):
        if is_over(f):
            break
        memcpy(direction, gradient, n * sizeof(double))
        for m in range(n):
            factorise_column(f.system, n, m)
        solve(f.system, n, direction)
        f.decrement = 0.0
        for m in range(n):
            f.decrement += gradient[m] * direction[m]
        if not f.decrement > tolerance:
            break
        memcpy(old, w, n * sizeof(double))
        step = 1.0
        for _halving in range(MOST_HALVINGS):
            for m in range(n):
                w[m] = min(max(old[m] + step * direction[m], -MOST_WEIGHT), MOST_WEIGHT)
            new = scored(f, w, True)
            if is_over(f) or new >= score - 1e-13 * fabs(score):
                break
            step /= 2
        else:
            memcpy(w, old, n * sizeof(double))
            memset(direction, 0, n * sizeof(double))
            return scored(f, w, True)
        score = new
    return score


cdef double scored(weighing_t* f, const double* w, bint with_hessian) noexcept nogil:
    # Return the score of w; write the likelihoods, (3), and (4) if it is wanted.
    cdef Py_ssize_t m, n = f.n_members
    cdef double* gradient = f.system + n * n
    cdef double score = -f.cost
    cdef pass_t p
    if with_hessian:
        memset(f.system, 0, n * n * sizeof(double))
    for m in range(n):
        if with_hessian:
            f.system[m * n + m] = f.ridge
        gradient[m] = -f.ridge * w[m]
        score -= f.ridge / 2 * w[m] * w[m]
    if f.n_others > 1:
        return score + score_rows(f, w, with_hessian)
    p.n_tiles, p.n_members, p.tiles, p.active, p.weights = (f.n + 7) // 8, n, f.lead, f.active, w
    p.likelihood, p.sums, p.gradient = f.likelihood, f.sums, gradient
    p.hessian = f.system if with_hessian else NULL
    return score + score_tiles(&p)


cdef double score_rows(weighing_t* f, const double* w, bint with_hessian) noexcept nogil:
    # The same for several classes, row by row; returns the first sum of (2).
    cdef Py_ssize_t i, k, m, n = f.n_members
    cdef double* gradient = f.system + n * n
    cdef double* b = gradient + 3 * n
    cdef const double* a = f.lead
    cdef double score = 0.0
    for i in range(f.n):
        f.likelihood[i] = likelihood_of(f, a, w)                                              # (1)
        score += f.active[i] * f.likelihood[i]                                                # (2)
        memset(b, 0, n * sizeof(double))
        for k in range(f.n_others):
            for m in range(n):
                b[m] += f.shares[k] * a[k * n + m]
            if with_hessian:
                add_outer(f.system, a + k * n, f.active[i] * f.shares[k], n)                  # (4)
        if with_hessian:
            add_outer(f.system, b, -f.active[i], n)
        for m in range(n):
            gradient[m] += f.active[i] * b[m]                                                 # (3)
        a += f.n_others * n
    return score


cdef inline double likelihood_of(weighing_t* f, const double* a, const double* w) noexcept nogil:
    # The logarithm of the label's probability; the others' probabilities go into `shares`.
    cdef Py_ssize_t k, m, n = f.n_members
    cdef double top = 0.0, total = 0.0, z
    for k in range(f.n_others):
        z = 0.0
        for m in range(n):
            z -= w[m] * a[k * n + m]
        f.shares[k] = z
        top = max(top, z)
    for k in range(f.n_others):
        f.shares[k] = exp(f.shares[k] - top)
        total += f.shares[k]
    z = exp(-top)
    total += z
    for k in range(f.n_others):
        f.shares[k] /= total
    return -top - log(total)


cdef inline void add_outer(double* matrix, const double* a, double factor, Py_ssize_t n) noexcept nogil:
    # Add factor a a' to the lower triangle.
    cdef Py_ssize_t i, j
    cdef double left
    for i in range(n):
        left = factor * a[i]
        for j in range(i + 1):
            matrix[i * n + j] += left * a[j]


class Weighing:
    """A fit to the answers P[member, row, class] of members, for tests and for figures.

    Attributes are its `weights`, `outliers`, `likelihoods`, `score`, and the `scores` after each round.
    """

    def __init__(self, P, y, v=None, ridge=1.0, penalty=1.5):
        cdef weighing_t f
        cdef call_t call
        n_members, n, n_classes = P.shape
        memory = make_memory(&f, n_members, n, n_classes)
        f.n, f.n_members, f.ridge, f.penalty, f.may_stop = n, n_members, ridge, penalty, True
        rows = np.arange(n)
        others = np.array([[k for k in range(n_classes) if k != label] for label in range(n_classes)])[y]
        lead = np.moveaxis(P[:, rows, y][:, :, None] - P[:, rows[:, None], others], 0, 2)
        if n_classes == 2:
            lead = np.resize(lead, (n + 8 - n % 8, n_members)).reshape(-1, 8, n_members).swapaxes(1, 2)
        memory["lead"][:lead.size] = lead.ravel()
        memory["v"][:n] = 1.0 if v is None else v
        begin_call(&call, 0)
        with nogil:
            weigh_members(&f)
        end_call(&call, -1)
        self.weights, self.outliers = memory["weights"], memory["out"][:n].astype(bool)
        self.likelihoods, self.score = memory["likelihood"][:n], f.score
        self.scores = [f.scores[i] for i in range(f.n_rounds)]

    def probabilities(self, P):
        """Return the probabilities of the classes, rows × classes, where members answer P."""
        z = np.tensordot(self.weights, P, 1)
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return z / z.sum(axis=1, keepdims=True)


cdef dict make_memory(weighing_t* f, n_members, n, n_classes):
    # Memory for so many members and rows, and its addresses.
    n_others, n = max(n_classes - 1, 1), n + 8 - n % 8
    shapes = {
        "lead": n * n_others * n_members, "v": n, "active": n, "likelihood": n, "old_likelihood": n,
        "weights": n_members, "trial": 2 * n_members, "system": n_members * (n_members + 4),
        "shares": n_others, "sums": 8 * (n_members + n_members * (n_members + 1) // 2),
    }
    memory = {name: layouts.new_aligned(size) for name, size in shapes.items()}
    memory |= {name: layouts.new_array(n, layouts.FLAG) for name in ("out", "trial_out")}
    f.n_others, f.n_passes = n_others, 0
    f.lead, f.v, f.active = doubles(memory["lead"]), doubles(memory["v"]), doubles(memory["active"])
    f.likelihood, f.old_likelihood = doubles(memory["likelihood"]), doubles(memory["old_likelihood"])
    f.weights, f.trial = doubles(memory["weights"]), doubles(memory["trial"])
    f.system = doubles(memory["system"])
    f.shares, f.sums = doubles(memory["shares"]), doubles(memory["sums"])
    f.out, f.trial_out = flags(memory["out"]), flags(memory["trial_out"])
    return memory

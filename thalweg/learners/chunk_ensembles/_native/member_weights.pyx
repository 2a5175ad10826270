"""Logistic regression on the members' predictions, fitted to the rows without outliers.

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
more than half of the rows, and w is fitted to the others. The best of both is kept if it has a higher score
than the fit before; then likelihoods are parted again.                                       (5)
"""

import numpy as np

from thalweg._native import layout as layouts

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from thalweg._native.cholesky cimport factorise_column, solve
from thalweg._native.failure cimport begin_call, call_t, end_call, should_stop
from thalweg._native.pointers cimport doubles, flags

cdef extern from "thalweg/learners/chunk_ensembles/_native/logistic_pass.h" nogil:
    enum: ROW_LANES
    ctypedef struct pass_t:
        Py_ssize_t n_tiles
        Py_ssize_t n_members
        Py_ssize_t n_others
        const double* tiles
        const double* active
        const double* weights
        double* likelihood
        double* shares
        double* memory
        double* gradient
        double* hessian
    ctypedef void (*pass_f)(const pass_t* p) noexcept nogil
    ctypedef struct passes_t:
        pass_f predict
        pass_f add
    passes_t best_passes() noexcept

cdef enum:
    MOST_NEWTON = 60                    # steps of a fit
    MOST_HALVINGS = 40
    MOST_MEANS = 100                    # passes of the clustering
    WORK_A_LOOK = 1 << 22               # multiplications between two checks for signals

cdef double COARSE = 1e-3               # Newton decrement at which a fit ends while outliers are looked for,
cdef double FINE = 1e-7                 # and before the last step of the fit that is kept
cdef double LEAST_GAIN = 1e-3           # of the score, for another round
cdef double MOST_WEIGHT = 1e6           # of a member, where rows can be told apart without error
cdef passes_t passes = best_passes()


cdef inline Py_ssize_t n_padded(Py_ssize_t n) noexcept nogil:
    # Rows that the passes read for n rows: whole tiles.
    return (n + ROW_LANES - 1) // ROW_LANES * ROW_LANES


cdef void look_for_signals(weighing_t* f) noexcept nogil:
    # To be called after each pass over the rows.
    f.n_passes += 1
    if f.n_passes * f.n * f.n_others * (f.n_members + 8) * f.n_members > WORK_A_LOOK:
        f.n_passes = 0
        f.stopped = f.stopped or (f.may_stop and should_stop())


cdef bint weigh_members(weighing_t* f) noexcept nogil:
    cdef fit_t* best = f.fits
    cdef Py_ssize_t _round
    cdef double borders[2]
    f.n_rounds, f.stopped, best.score, best.cost = 0, False, 0.0, 0.0
    memset(best.out, 0, f.n)
    if f.n == 0:
        return True
    activate(f, best)
    newton(f, best, COARSE)
    for _round in range(MOST_ROUNDS if f.penalty >= 0 else 0):                                # (5)
        if f.stopped or not part_likelihoods(f, borders) or not improve(f, borders):
            break
        f.scores[f.n_rounds] = best.score
        f.n_rounds += 1
    finish(f, best)
    return not f.stopped


cdef void finish(weighing_t* f, fit_t* best) noexcept nogil:
    # Move the weights to the optimum within rounding.
    cdef Py_ssize_t m
    newton(f, best, FINE)
    for m in range(f.n_members):
        best.weights[m] += best.direction[m]
    evaluate(f, best)


cdef bint improve(weighing_t* f, const double* borders) noexcept nogil:
    # Fit with outliers below either border, until one is ahead by more than the other can still gain. It
    # replaces the best fit if it gets a higher score.
    cdef fit_t* best = f.fits
    cdef fit_t* trial = f.fits + 1
    cdef Py_ssize_t side, _step
    for side in range(2):
        begin_trial(f, trial + side, borders[side])
    for _step in range(MOST_NEWTON):
        if not fabs(trial[0].score - trial[1].score) <= trial[0].missing + trial[1].missing:
            break
        for side in range(2):
            step(f, trial + side)
    if trial[1].score > trial[0].score:
        trial += 1
    for _step in range(MOST_NEWTON):
        step(f, trial)
    if f.stopped or trial.score <= best.score + LEAST_GAIN:
        return False
    best[0], trial[0] = trial[0], best[0]
    return True


cdef void begin_trial(weighing_t* f, fit_t* trial, double border) noexcept nogil:
    # Begin a fit with outliers below a border; its score is -inf if these would be none or more than half.
    cdef const fit_t* best = f.fits
    trial.score, trial.missing = -INFINITY, 0.0
    if not mark(f, trial, border):
        return
    memcpy(trial.weights, best.weights, f.n_members * sizeof(double))
    memcpy(trial.likelihood, best.likelihood, f.n * sizeof(double))
    memcpy(trial.shares, best.shares, n_padded(f.n) * f.n_others * sizeof(double))
    activate(f, trial)
    trial.score = score_of(f, trial)
    find_direction(f, trial)
    trial.missing = 2 * trial.decrement


cdef void step(weighing_t* f, fit_t* trial) noexcept nogil:
    # One of Newton's, if it is worth it. How far it is from what was expected says how much may be missing.
    cdef double before = trial.score
    if not trial.missing > COARSE or f.stopped:
        return
    if not trial.has_direction:
        find_direction(f, trial)
    if not trial.decrement > COARSE:
        trial.missing = 0.0
        return
    advance(f, trial)
    trial.missing = 2 * fabs(trial.score - before - trial.decrement / 2)


cdef bint mark(const weighing_t* f, fit_t* trial, double border) noexcept nogil:
    # Mark the rows below the border as outliers; False if these are none or more than half.
    cdef Py_ssize_t i, n = 0
    for i in range(f.n):
        trial.out[i] = f.fits[0].likelihood[i] < border
        n += trial.out[i]
    return 0 < n and 2 * n <= f.n


cdef void activate(const weighing_t* f, fit_t* c) noexcept nogil:
    # Weights of the rows without the outliers, and what these cost.
    cdef Py_ssize_t i
    c.cost = 0.0
    for i in range(f.n):
        c.active[i] = 0.0 if c.out[i] else f.v[i]
        if c.out[i]:
            c.cost += f.v[i] * f.penalty
    for i in range(f.n, n_padded(f.n)):
        c.active[i] = 0.0


cdef bint part_likelihoods(weighing_t* f, double* borders) noexcept nogil:
    # Lloyd's algorithm for three clusters on a line; False if all are equal.
    cdef Py_ssize_t i, k, _pass
    cdef const double* likelihood = f.fits[0].likelihood
    cdef double low = likelihood[0], high = low, sum_all = 0.0, z, moved
    cdef double[3] centre, total, n
    for i in range(f.n):
        z = likelihood[i]
        low, high, sum_all = min(low, z), max(high, z), sum_all + z
    for k in range(3):
        centre[k] = low + (high - low) * (2 * k + 1) / 6
    for _pass in range(MOST_MEANS):
        borders[0], borders[1] = (centre[0] + centre[1]) / 2, (centre[1] + centre[2]) / 2
        total[0] = total[2] = n[0] = n[2] = 0.0
        for i in range(f.n):
            z = likelihood[i]
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


cdef void newton(weighing_t* f, fit_t* c, double tolerance) noexcept nogil:
    # Improve the weights until the score (2) can only rise by about half of the tolerance.
    cdef Py_ssize_t _step
    evaluate(f, c)
    for _step in range(MOST_NEWTON):
        if f.stopped:
            break
        find_direction(f, c)
        if not c.decrement > tolerance or not advance(f, c):
            break


cdef bint advance(weighing_t* f, fit_t* c) noexcept nogil:
    # Go in the direction as far as the score does not fall; False, and no direction, if it falls everywhere.
    cdef Py_ssize_t m, _halving, n = f.n_members
    cdef double size = 1.0, before = c.score
    memcpy(f.old, c.weights, n * sizeof(double))
    c.has_direction = False
    for _halving in range(MOST_HALVINGS):
        for m in range(n):
            c.weights[m] = min(max(f.old[m] + size * c.direction[m], -MOST_WEIGHT), MOST_WEIGHT)
        evaluate(f, c)
        if f.stopped or c.score >= before - 1e-13 * fabs(before):
            return True
        size /= 2
    memcpy(c.weights, f.old, n * sizeof(double))
    memset(c.direction, 0, n * sizeof(double))
    c.has_direction, c.decrement = True, 0.0
    evaluate(f, c)
    return False


cdef void find_direction(weighing_t* f, fit_t* c) noexcept nogil:
    # Newton's step from the weights, whose likelihoods are known, and the decrement.
    cdef Py_ssize_t m, n = f.n_members
    cdef pass_t p = pass_of(f, c)
    memset(f.hessian, 0, n * n * sizeof(double))
    for m in range(n):
        f.hessian[m * n + m] = f.ridge
        f.gradient[m] = -f.ridge * c.weights[m]
    passes.add(&p)                                                                        # (3), (4)
    memcpy(c.direction, f.gradient, n * sizeof(double))
    for m in range(n):
        factorise_column(f.hessian, n, m)
    solve(f.hessian, n, c.direction)
    c.has_direction, c.decrement = True, 0.0
    for m in range(n):
        c.decrement += f.gradient[m] * c.direction[m]
    look_for_signals(f)


cdef void evaluate(weighing_t* f, fit_t* c) noexcept nogil:
    # The likelihoods (1) of the weights, and the score.
    cdef pass_t p = pass_of(f, c)
    passes.predict(&p)
    c.score = score_of(f, c)
    look_for_signals(f)


cdef inline pass_t pass_of(const weighing_t* f, const fit_t* c) noexcept nogil:
    cdef pass_t p
    p.n_tiles, p.n_members, p.n_others = n_padded(f.n) // ROW_LANES, f.n_members, f.n_others
    p.tiles, p.active, p.weights = f.lead, c.active, c.weights
    p.likelihood, p.shares, p.memory = c.likelihood, c.shares, f.sums
    p.gradient, p.hessian = f.gradient, f.hessian
    return p


cdef double score_of(const weighing_t* f, const fit_t* c) noexcept nogil:
    # The score (2), by the likelihoods.
    cdef Py_ssize_t i, lane, m
    cdef double[ROW_LANES] total
    cdef double score = -c.cost
    for lane in range(ROW_LANES):
        total[lane] = 0.0
    for i in range(n_padded(f.n) // ROW_LANES):
        for lane in range(ROW_LANES):
            total[lane] += c.active[i * ROW_LANES + lane] * c.likelihood[i * ROW_LANES + lane]
    for lane in range(ROW_LANES):
        score += total[lane]
    for m in range(f.n_members):
        score -= f.ridge / 2 * c.weights[m] * c.weights[m]
    return score


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
        lead = np.resize(lead, (n + 8 - n % 8, n_classes - 1, n_members))
        lead = np.moveaxis(lead.reshape(-1, 8, n_classes - 1, n_members), 1, 3)
        memory["lead"][:lead.size] = lead.ravel()
        memory["weights"][0] = 2.0 / n_members
        memory["v"][:n] = 1.0 if v is None else v
        begin_call(&call, 0)
        with nogil:
            weigh_members(&f)
        end_call(&call, -1)
        place = f.fits[0].place
        self.weights, self.outliers = memory["weights"][place], memory["out"][place, :n].astype(bool)
        self.likelihoods, self.score = memory["likelihood"][place, :n], f.fits[0].score
        self.scores = [f.scores[i] for i in range(f.n_rounds)]

    def probabilities(self, P):
        """Return the probabilities of the classes, rows × classes, where members answer P."""
        z = np.tensordot(self.weights, P, 1)
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return z / z.sum(axis=1, keepdims=True)


cdef dict make_memory(weighing_t* f, n_members, n, n_classes):
    # Memory for so many members and rows, and its addresses.
    n_others, n = max(n_classes - 1, 1), n + 8 - n % 8
    n_sums = n_members * (n_members + 1) // 2 + 2 * n_members + 2 * n_others
    sizes = {
        "lead": n * n_others * n_members, "v": n, "sums": 8 * n_sums, "hessian": n_members * n_members,
        "gradient": n_members, "old": n_members,
    }
    of_fits = {
        "active": n, "likelihood": n, "shares": n * n_others, "weights": n_members, "direction": n_members
    }
    memory = {name: layouts.new_aligned(size) for name, size in sizes.items()}
    memory |= {name: layouts.new_aligned(N_FITS * size).reshape(N_FITS, -1) for name, size in of_fits.items()}
    memory["out"] = layouts.new_array((N_FITS, n), layouts.FLAG)
    f.n_others, f.n_passes = n_others, 0
    f.lead, f.v, f.sums = doubles(memory["lead"]), doubles(memory["v"]), doubles(memory["sums"])
    f.hessian, f.gradient = doubles(memory["hessian"]), doubles(memory["gradient"])
    f.old = doubles(memory["old"])
    for place in range(N_FITS):
        f.fits[place] = fit_in(memory, place)
    return memory


cdef fit_t fit_in(memory, place):
    cdef fit_t c
    c.place, c.score, c.cost, c.decrement, c.missing, c.has_direction = place, 0.0, 0.0, 0.0, 0.0, False
    c.out, c.active = flags(memory["out"][place]), doubles(memory["active"][place])
    c.likelihood, c.shares = doubles(memory["likelihood"][place]), doubles(memory["shares"][place])
    c.weights, c.direction = doubles(memory["weights"][place]), doubles(memory["direction"][place])
    return c

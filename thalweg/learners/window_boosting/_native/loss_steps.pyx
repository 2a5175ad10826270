"""Steps of the members' weights alpha that lower the exponential loss E of a window (see loss_window.pyx).

With a_mi the answer of member m on row i, and k the newest row:

    stochastic   alpha_m += rate share_k a_mk                                                 (1)
    batch        alpha_m += rate sum_i share_i a_mi = -rate d log E/d alpha_m                 (2)
    implicit     alpha_m += s a_mk,  s = rate w_k exp(-(margin_k + s sum_m a_mk^2))           (3)
    coordinate   for each m in turn:  alpha_m += rate/2 log((K-1) R/W),                       (4)

R and W being the shares of the rows on which m is right and wrong: the exact minimum along alpha_m if rate
is 1.
log E is convex, and its second derivatives along any direction of length 1 are at most the number of members:
(2) never raises the loss if rate <= 1/members, nor does (4) if rate <= 1.
"""

from libc.math cimport exp, log

from .loss_window cimport (
    change_alphas, compute_shares, is_right, is_stopped, loss_window_t, sum_over_members, sum_over_rows,
)
from thalweg._native.ring cimport end_of_places

cdef double LEAST_SHARE = 1e-3          # of R and W in (4)
cdef int MOST_TRIES = 60                # of Newton's method; it needs about five


cdef bint take_steps(loss_window_t* v, int kind, double rate, Py_ssize_t* left,
                     Py_ssize_t newest) noexcept nogil:
    if kind == STOCHASTIC or kind == IMPLICIT:
        if not follow_newest(v, kind, rate, left[0], newest):
            return False
        left[0] = 0
    while left[0] > 0:
        if kind == BATCH:
            if is_stopped(v, 0.25 * v.n_members * v.rows.span.count):
                return False
            batch_step(v, rate)
        elif not sweep(v, rate):
            return False
        left[0] -= 1
    return True


cdef bint follow_newest(loss_window_t* v, int kind, double rate, Py_ssize_t n,
                        Py_ssize_t newest) noexcept nogil:
    # All steps go along the answers on the newest row; only how far they go is to be found.
    cdef Py_ssize_t m, i, _step
    cdef double s = 0.0, length = 0.0
    for m in range(v.n_members):
        v.direction[m] = 0.0
        if v.born[m]:
            v.direction[m] = v.right if is_right(v, m, newest) else v.wrong
        length += v.direction[m] * v.direction[m]
    if length == 0:
        return True
    sum_over_members(v, v.direction, v.slope)
    for _step in range(n):
        if is_stopped(v, 10.0 * v.rows.span.count):
            return False
        if kind == STOCHASTIC:
            compute_shares(v, s, v.slope)
            s += rate * v.share[newest]                                                     # (1)
        else:
            s += implicit_step(log(rate) + v.rows.w[newest] - v.margin[newest] - s * length, length)
    for i in range(end_of_places(&v.rows)):
        v.margin[i] += s * v.slope[i]
    for m in range(v.n_members):
        v.alpha[m] += s * v.direction[m]
    return True


cdef double implicit_step(double log_gain, double length) noexcept nogil:
    # The s of (3): z + log z = log_gain + log length for z = s length, by Newton's method in log z.
    cdef double goal = log_gain + log(length), u = min(goal, 0.0) if goal < 1 else log(goal), step
    cdef int _i
    for _i in range(MOST_TRIES):
        step = (exp(u) + u - goal) / (exp(u) + 1.0)
        u -= step
        if -1e-14 < step < 1e-14:
            break
    return exp(u) / length                                                                  # (3)


cdef void batch_step(loss_window_t* v, double rate) noexcept nogil:
    cdef Py_ssize_t m
    compute_shares(v, 0.0, NULL)
    sum_over_rows(v, v.share, v.gradient)
    for m in range(v.n_members):
        v.gradient[m] *= rate
    change_alphas(v, v.gradient)                                                            # (2)


cdef bint sweep(loss_window_t* v, double rate) noexcept nogil:
    # The shares follow each change by two factors; the margins once at the end.
    cdef Py_ssize_t m
    cdef double step, total, odds = -v.right / v.wrong                                      # K - 1
    compute_shares(v, 0.0, NULL)
    for m in range(v.n_members):
        v.direction[m] = 0.0
        if v.born[m]:
            if is_stopped(v, 2.0 * v.rows.span.count):
                return False
            step = 0.5 * rate * log(odds * right_to_wrong(v, m, &total))                    # (4)
            follow(v, m, step, total)
            v.direction[m] = step
    change_alphas(v, v.direction)
    return True


cdef double right_to_wrong(loss_window_t* v, Py_ssize_t m, double* total) noexcept nogil:
    cdef Py_ssize_t i
    cdef double[2] sums
    cdef double least
    sums[0] = sums[1] = 0.0
    for i in range(end_of_places(&v.rows)):
        sums[is_right(v, m, i)] += v.share[i]
    total[0] = sums[0] + sums[1]
    least = LEAST_SHARE * total[0]
    return max(sums[1], least) / max(sums[0], least)


cdef void follow(loss_window_t* v, Py_ssize_t m, double step, double total) noexcept nogil:
    # The shares after alpha_m += step; only their ratios matter, so they may as well stay of the order of 1.
    cdef Py_ssize_t i
    cdef double[2] factor
    factor[0], factor[1] = exp(step) / total, exp(-step) / total
    for i in range(end_of_places(&v.rows)):
        v.share[i] *= factor[is_right(v, m, i)]

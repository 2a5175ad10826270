"""Online coordinate boosting: AdaBoost on the first rows, then its weights followed row by row.

The members 1 … J are those of AdaBoost (rows.pyx) on the first `window` rows, and never change. With
answers a as in loss_window.pyx, (1), and row i of weight w_i, AdaBoost on all rows so far would have

    d_ij = w_i exp(-sum_{k<j} alpha_k a_ki),                                                  (1)
    W+_j, W-_j the sums of d_ij over the rows on which member j is right, wrong,
    alpha_j = 1/2 log((K-1) W+_j/W-_j), shares of less than LEAST_SHARE taken as that.        (2)

When alpha_1, alpha_2, … have moved by step_1, step_2, …, all d_ij change. Their sums are followed by means of
W+_jk and W-_jk, the sums over the rows on which member k is right as well, k = j-1 … j-order, as if within
W+_j and within W-_j the answers of these members were independent:

    f_k = q_k exp(-step_k right) + (1 - q_k) exp(-step_k wrong),   q_k = W_jk/W_j
    W_j  *= prod_k f_k                                                                        (3)
    W_jk *= exp(-step_k right) prod_{l != k} f_l                                              (4)

for W+ and W- each; then the newest row's d_ij is added. Exact for up to two members and order 1 or more. Sums
are kept as shares of W+_j + W-_j, and the logarithm of that.
"""

import numpy as np

from thalweg._native.layout import FLOAT, INDEX, Array, require

from libc.math cimport exp, log
from libc.stdint cimport int64_t

from .rows cimport (
    DONE, ROWS, STAGE, boost_finish, boost_from_scratch, boost_see_class, boost_slide,
    boost_vote, iboost_t,
)
from .iboost cimport IBoostKernel
from .loss_window cimport is_right, is_stopped, loss_window_t
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.ring cimport clear_rows, place_of

cdef double LEAST_SHARE = 1e-3

ctypedef struct coordinate_t:
    iboost_t* boost
    Py_ssize_t order
    Py_ssize_t* has_started
    double* log_total                   # [member]
    double* right                       # [member, order + 1]: W+_j, then W+_jk
    double* wrong                       # [member, order + 1]: W-_j, then W-_jk
    double* right_factor                # [member]: exp(-step right); scratch, as is all that follows
    double* wrong_factor                # [member]: exp(-step wrong)
    double* factor                      # [2, order + 1]
    double* log_d                       # [row]


cdef class CoordinateKernel(IBoostKernel):
    """AdaBoost's members and the sums by which their weights follow the rows."""

    cdef coordinate_t sums

    def __init__(self, who, n_features, n_categories, n_classes, n_members, room, settings, order, build):
        cdef coordinate_t* a = &self.sums
        IBoostKernel.__init__(self, who, n_features, n_categories, n_classes, n_members, room, settings, 0.0,
                              build)
        share = {"low": 0.0, "high": 1.0 + 1e-9}
        self.allocate(who, {
            "has_started": Array(INDEX, 1, low=0, high=1),
            "log_total": Array(FLOAT, "member", low=-1e9, high=1e9),
            "sums_right": Array(FLOAT, "member", "sum", **share),
            "sums_wrong": Array(FLOAT, "member", "sum", **share),
        }, {"sum": order + 1})
        lengths = {"right_factor": n_members, "wrong_factor": n_members, "factor": 2 * (order + 1),
                   "log_d": room}
        self.scratch |= {name: np.zeros(length) for name, length in lengths.items()}
        a.boost, a.order = &self.core, order
        a.factor, a.log_d = doubles(self.scratch["factor"]), doubles(self.scratch["log_d"])
        a.right_factor = doubles(self.scratch["right_factor"])
        a.wrong_factor = doubles(self.scratch["wrong_factor"])
        self.core.start, self.core.method = start, <void*> a
        self.handle.state = <void*> a
        self.handle.learn, self.handle.predict, self.handle.predict_learn = learn, predict, both
        self.handle.flush = flush
        self.bind()

    cdef void bind(self):
        IBoostKernel.bind(self)
        if "sums_right" in self.arrays:
            self.sums.has_started = integers(self.arrays["has_started"])
            self.sums.log_total = doubles(self.arrays["log_total"])
            self.sums.right = doubles(self.arrays["sums_right"])
            self.sums.wrong = doubles(self.arrays["sums_wrong"])

    @property
    def has_started(self):
        """Whether the members are trained, and only their weights move."""
        return bool(self.sums.has_started[0])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        IBoostKernel.check(self, arrays)
        most = 0.5 * log(max(self.core.n_classes - 1, 1) / LEAST_SHARE) + 1e-9
        good = np.abs(arrays["alpha"]).max() <= most
        require(good, self.who, "alpha", f"holds a weight beyond {most:.4g}, which no sums have")       # (2)
        if not arrays["has_started"][0]:
            return
        n = np.count_nonzero(arrays["born"])
        good = n > 0 and (arrays["born"][:n] > 0).all() and arrays["span"][1] == 0
        require(good, self.who, "has_started", "says that the members are trained, which cannot be")
        total = arrays["sums_right"][:n, 0] + arrays["sums_wrong"][:n, 0]
        require(np.allclose(total, 1.0), self.who, "sums_right", "and 'sums_wrong' are not shares of all")
        for name in ("sums_right", "sums_wrong"):
            good = (arrays[name][:, 1:] <= arrays[name][:, :1] + 1e-9).all()
            require(good, self.who, name, "holds a part larger than the whole")


cdef Py_ssize_t n_trained(const iboost_t* c) noexcept nogil:
    cdef Py_ssize_t n = 0
    while n < c.window.n_members and c.window.born[n]:
        n += 1
    return n


cdef bint start(void* method) noexcept nogil:
    # Sum up the window's rows and release them; if no member beats chance, the next row trains them again.
    cdef coordinate_t* a = <coordinate_t*> method
    cdef iboost_t* c = a.boost
    cdef loss_window_t* v = &c.window
    cdef Py_ssize_t j, age, slot, n = n_trained(c)
    if n == 0:
        return True
    for age in range(v.rows.span.count):
        slot = place_of(&v.rows, age)
        a.log_d[slot] = v.rows.w[slot]
    for j in range(n):
        if is_stopped(v, <double> v.rows.span.count * (a.order + 10)):
            return False
        sum_up(a, j)
        for age in range(v.rows.span.count):
            slot = place_of(&v.rows, age)
            a.log_d[slot] -= v.alpha[j] * (v.right if is_right(v, j, slot) else v.wrong)      # (1)
    a.has_started[0] = 1
    clear_rows(&v.rows)
    return True


cdef void sum_up(coordinate_t* a, Py_ssize_t j) noexcept nogil:
    cdef loss_window_t* v = &a.boost.window
    cdef Py_ssize_t b, age, slot, width = a.order + 1
    cdef double* right = a.right + j * width
    cdef double* sums
    cdef double d, top = -1e300, total = 0.0
    for b in range(width):
        right[b] = a.wrong[j * width + b] = 0.0
    for age in range(v.rows.span.count):
        top = max(top, a.log_d[place_of(&v.rows, age)])
    for age in range(v.rows.span.count):
        slot = place_of(&v.rows, age)
        d = exp(a.log_d[slot] - top)
        total += d
        sums = right if is_right(v, j, slot) else a.wrong + j * width
        sums[0] += d
        for b in range(1, min(a.order, j) + 1):
            if is_right(v, j - b, slot):
                sums[b] += d
    a.log_total[j] = top
    rescale(a, j, total)


cdef void rescale(coordinate_t* a, Py_ssize_t j, double total) noexcept nogil:
    # Divide the sums of member j by their total.
    cdef Py_ssize_t b, width = a.order + 1
    for b in range(width):
        a.right[j * width + b] /= total
        a.wrong[j * width + b] /= total
    a.log_total[j] += log(total)


cdef double find_factors(const coordinate_t* a, const double* sums, Py_ssize_t j,
                         double* factor) noexcept nogil:
    # The factors of (3) for one sign; return the logarithm of their product.
    cdef Py_ssize_t b, k
    cdef double product = 1.0, log_product = 0.0, q
    for b in range(1, min(a.order, j) + 1):
        k = j - b
        q = min(sums[b] / sums[0], 1.0) if sums[0] > 0 else 0.0
        factor[b] = q * a.right_factor[k] + (1.0 - q) * a.wrong_factor[k]
        product *= factor[b]                                                                  # (3)
        if not 1e-150 < product < 1e150:
            log_product += log(product)
            product = 1.0
    return log_product + log(product)


cdef void move_sums(const coordinate_t* a, double* sums, Py_ssize_t j, const double* factor,
                    double scale) noexcept nogil:
    # The sums of one sign after (3) and (4); `scale` is the product of the factors, or what stands for it.
    cdef Py_ssize_t b
    sums[0] *= scale
    for b in range(1, min(a.order, j) + 1):
        sums[b] *= scale / factor[b] * a.right_factor[j - b]                                  # (4)


cdef void adjust(coordinate_t* a, Py_ssize_t y, double w) noexcept nogil:
    # Let the members' weights follow a row, on which they answer `output`.
    cdef iboost_t* c = a.boost
    cdef loss_window_t* v = &c.window
    cdef Py_ssize_t j, n = n_trained(c)
    cdef double log_d = log(w), alpha, step
    for j in range(n):
        alpha = adjusted_alpha(a, j, y, log_d)
        step = alpha - v.alpha[j]
        a.right_factor[j], a.wrong_factor[j] = exp(-step * v.right), exp(-step * v.wrong)
        v.alpha[j] = alpha
        log_d -= alpha * (v.right if c.output[j] == y else v.wrong)                           # (1)


cdef double adjusted_alpha(coordinate_t* a, Py_ssize_t j, Py_ssize_t y, double log_d) noexcept nogil:
    cdef iboost_t* c = a.boost
    cdef Py_ssize_t b, width = a.order + 1
    cdef double* right = a.right + j * width
    cdef double* wrong = a.wrong + j * width
    cdef double* sums = right if c.output[j] == y else wrong
    cdef double up = find_factors(a, right, j, a.factor)
    cdef double down = find_factors(a, wrong, j, a.factor + width)
    cdef double top = max(max(up, down), log_d - a.log_total[j]), d = exp(log_d - a.log_total[j] - top)
    move_sums(a, right, j, a.factor, exp(up - top))
    move_sums(a, wrong, j, a.factor + width, exp(down - top))
    a.log_total[j] += top
    sums[0] += d
    for b in range(1, min(a.order, j) + 1):
        if c.output[j - b] == y:
            sums[b] += d
    rescale(a, j, right[0] + wrong[0])
    return 0.5 * log(-c.window.right / c.window.wrong * max(right[0], LEAST_SHARE)
                     / max(wrong[0], LEAST_SHARE))                                            # (2)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
               double* p) noexcept nogil:
    cdef coordinate_t* a = <coordinate_t*> state
    cdef iboost_t* c = a.boost
    cdef Py_ssize_t n
    if c.progress[STAGE] != DONE:
        boost_finish(c, False)
    boost_vote(c, x, p, c.votes, c.output)
    c.progress[ROWS] += 1
    if a.has_started[0]:
        boost_see_class(c, y)
        adjust(a, y, w)
        return
    boost_slide(c, x, y, w, False)
    n = c.progress[ROWS]
    if n & (n - 1) == 0 or c.window.rows.span.count == c.window.rows.room:
        boost_from_scratch(c)
        boost_finish(c, True)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    both(state, x, y, w, number, (<coordinate_t*> state).boost.p)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    boost_vote((<coordinate_t*> state).boost, x, p, scratch, NULL)


cdef void flush(void* state) noexcept nogil:
    boost_finish((<coordinate_t*> state).boost, True)

"""Online boosting: a row's weight is passed from member to member, and rises after an error of a member.

With the total weight N of the rows so far, and the weight each member m has had right, r_m, and wrong, e_m, a
row of weight w begins with l = w. The members in turn learn it Poisson(l) times, and then predict it:

    right:  r_m += l,  l *= N/(2 r_m)                                             (1)
    wrong:  e_m += l,  l *= N/(2 e_m)                                             (2)

Member m votes with its probabilities times

    log((1 - q)/q) + shift,   q = e_m/(r_m + e_m) <= bound                        (3)

and has no vote where q is above the bound or unknown; where none has a vote, all have the same. Oza and
Russell ask the members in order, bound 1/2, and stop at the first that may not vote. BOLE skips it, and its
order is by the members' accuracy so far: after an error the worst of those left, after a right answer the
best.                                                                             (4)
"""

import numpy as np

from libc.math cimport isfinite, log
from libc.stdint cimport int64_t, uint64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, WORD, Array, require

from .base cimport NEXT_NOTE, ROWS, EnsembleKernel, learn_by, predict_learn_again
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles, integers, words
from .poisson cimport poisson
from thalweg._native.rng cimport bits, fill_ziggurat

cdef double SMALLEST_ERROR = 1e-300     # its logarithm is finite
cdef double SMALLEST_VOTE = 1e-100      # of all members: less counts as none


cdef class BoostingKernel(EnsembleKernel):
    """Online boosting, in Oza and Russell's order or BOLE's."""

    def __init__(self, who, n_features, n_classes, n_members, key, by_accuracy, bound, shift,
                 n_templates, build, n_kinds=1):
        cdef boosting_t* c = &self.core
        lengths = {"member": n_members, "slot": n_members, "kind": n_kinds, "class": n_classes,
                   "input": n_features, "template": n_templates}
        EnsembleKernel.__init__(self, who, lengths, 1, build)
        self.own_scratch = n_classes
        weight = {"low": 0.0, "high": 1e150}
        self.allocate(who, {
            "keys": Array(WORD, 1),
            "total": Array(FLOAT, 1, **weight),
            "right": Array(FLOAT, "member", **weight),
            "wrong": Array(FLOAT, "member", **weight),
            "order": Array(INDEX, "member", low=0, high="member"),
        }, {})
        self.arrays["keys"][0] = key
        self.arrays["order"][:] = np.arange(n_members)
        self.accuracy = layouts.new_array(n_members, FLOAT)
        self.said = layouts.new_array(n_members, INDEX, -1)
        c.kernel, c.member, c.accuracy = <void*> self, self.member, doubles(self.accuracy)
        c.said = integers(self.said)
        c.n_members, c.n_classes = n_members, n_classes
        c.by_accuracy, c.bound, c.shift = by_accuracy, bound, shift
        fill_ziggurat(&c.ziggurat)
        self.set_handle(<void*> c, n_features, n_classes, online_boost_learn, online_boost_predict,
                        online_boost_predict_learn)
        self.bind()

    cdef void bind(self):
        EnsembleKernel.bind(self)
        cdef boosting_t* c = &self.core
        c.progress, c.key, c.order = self.progress, words(self.arrays["keys"]), integers(self.arrays["order"])
        c.total, c.right = doubles(self.arrays["total"]), doubles(self.arrays["right"])
        c.wrong = doubles(self.arrays["wrong"])

    def set_members(self, members, kernels):
        """Call these learners, whose kernels are given, from now on."""
        EnsembleKernel.set_members(self, members, kernels)
        self.core.scratch = self.scratch

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's vote.
        return max(vote_of(&self.core, m), 0.0)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        EnsembleKernel.check(self, arrays)
        good = np.array_equal(np.sort(arrays["order"]), np.arange(self.core.n_members))
        require(good, self.who, "order", "must hold every member once")


cdef double vote_of(const boosting_t* c, Py_ssize_t m) noexcept nogil:
    # (3); -1 where there is no vote.
    cdef double error
    if not (c.right[m] > 0 and c.wrong[m] > 0):
        return -1.0
    error = c.wrong[m] / (c.right[m] + c.wrong[m])
    if error > c.bound:
        return -1.0
    error = max(error, SMALLEST_ERROR)
    return max(log((1.0 - error) / error) + c.shift, 0.0)


cdef double carried(double share, double total, double part) noexcept nogil:
    # share N/(2 part), for (1) and (2): `part` has been raised by `share`, so this is at most N/2.
    cdef double factor = total / (2.0 * part)
    if isfinite(factor):
        return share * factor
    return share / part * (total / 2.0) if part > 0 else 0.0


cdef void sort_by_accuracy(boosting_t* c) noexcept nogil:
    cdef Py_ssize_t i, j, m
    cdef double accuracy
    for i in range(c.n_members):
        m = c.order[i]
        accuracy = c.right[m] + c.wrong[m]
        if accuracy != 0:
            accuracy = c.right[m] / accuracy
        j = i
        while j > 0 and c.accuracy[j - 1] < accuracy:
            c.order[j] = c.order[j - 1]
            c.accuracy[j] = c.accuracy[j - 1]
            j -= 1
        c.order[j] = m
        c.accuracy[j] = accuracy


cdef bint learn_in_turn(boosting_t* c, Py_ssize_t m, Py_ssize_t turn, const double* x, Py_ssize_t y,
                        double share, int64_t number) noexcept nogil:
    cdef uint64_t word = <uint64_t> c.progress[ROWS] * <uint64_t> c.n_members + <uint64_t> turn
    cdef double k = poisson(&c.ziggurat, share, bits(c.key[0], word))
    if k > 0 and c.member[m].predict_learn_again != NULL:
        return predict_learn_again(c.member[m], x, y, k, number, c.scratch, NULL, NULL) == y
    if k > 0:
        learn_by(c.member[m], x, y, k, number)
    elif c.said[m] >= 0:
        return c.said[m] == y           # it did not learn the row, and would say the same again
    c.member[m].predict(c.member[m].state, x, c.scratch, c.scratch + c.n_classes)
    return likeliest(c.scratch, c.n_classes) == y


cdef double pass_on(boosting_t* c, Py_ssize_t m, double share, double total, bint is_right) noexcept nogil:
    if is_right:
        c.right[m] += share
        return carried(share, total, c.right[m])                                 # (1)
    c.wrong[m] += share
    return carried(share, total, c.wrong[m])                                     # (2)


cdef void finish_row(boosting_t* c) noexcept nogil:
    c.progress[ROWS] += 1
    if c.progress[ROWS] == c.progress[NEXT_NOTE]:
        with gil:
            (<BoostingKernel> c.kernel).note()


cdef void online_boost_learn(void* state, const double* x, Py_ssize_t y, double w,
                             int64_t number) noexcept nogil:
    cdef boosting_t* c = <boosting_t*> state
    cdef Py_ssize_t i, m, best = 0, worst = c.n_members - 1
    cdef bint is_right = False
    cdef double share = w
    c.total[0] += w
    if c.by_accuracy:
        sort_by_accuracy(c)
    for i in range(c.n_members):
        m = i
        if c.by_accuracy and is_right:                                           # (4)
            m = c.order[best]
            best += 1
        elif c.by_accuracy:
            m = c.order[worst]
            worst -= 1
        is_right = learn_in_turn(c, m, i, x, y, share, number)
        share = pass_on(c, m, share, c.total[0], is_right)
    finish_row(c)


cdef inline double add(const boosting_t* c, Py_ssize_t m, const double* x, double vote, double* p,
                       double* scratch, Py_ssize_t* said) noexcept nogil:
    cdef Py_ssize_t k
    c.member[m].predict(c.member[m].state, x, scratch, scratch + c.n_classes)
    if said != NULL:
        said[m] = likeliest(scratch, c.n_classes)
    for k in range(c.n_classes):
        p[k] += vote * scratch[k]
    return vote


cdef void online_boost_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    combine(<const boosting_t*> state, x, p, scratch, NULL)


cdef void online_boost_predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                     double* p) noexcept nogil:
    # The same as predict and then learn, but members that do not learn the row are asked once.
    cdef boosting_t* c = <boosting_t*> state
    cdef Py_ssize_t m
    combine(c, x, p, c.scratch, c.said)
    online_boost_learn(state, x, y, w, number)
    for m in range(c.n_members):
        c.said[m] = -1


cdef void combine(const boosting_t* c, const double* x, double* p, double* scratch,
                  Py_ssize_t* said) noexcept nogil:
    # What members predict is written into said[member], unless that is NULL.
    cdef Py_ssize_t m, k
    cdef double vote, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        vote = vote_of(c, m)
        if vote > 0:
            total += add(c, m, x, vote, p, scratch, said)
        elif vote < 0 and not c.by_accuracy:
            break
    if total < SMALLEST_VOTE:
        for k in range(c.n_classes):
            p[k] = 0.0
        total = 0.0
        for m in range(c.n_members):
            total += add(c, m, x, 1.0, p, scratch, said)
    for k in range(c.n_classes):
        p[k] /= total

"""Online boosting: a row's weight goes from member to member, up where one errs, down where it is right.

With the total weight N of the rows so far, and the weight each member m has had right, r_m, and wrong, e_m, a
row of weight w begins with l = w. The members in turn take it Poisson(l) times, and then predict it:

    right:  r_m += l,  l *= N/(2 r_m)                                             (1)
    wrong:  e_m += l,  l *= N/(2 e_m)                                             (2)

Member m votes with its probabilities times

    log((1 - q)/q) + shift,   q = e_m/(r_m + e_m) <= bound                        (3)

and has no vote where q is above the bound or unknown; where none has a vote, all have the same. Oza and
Russell ask the members in order, bound 1/2, and stop at the first that may not vote. BOLE passes over it, and
takes the members by their accuracy so far: after an error the worst of those left, after a right answer the
best.                                                                             (4)
"""

import numpy as np

from libc.math cimport log
from libc.stdint cimport uint64_t

from .ensemble cimport NEXT_NOTE, ROWS, EnsembleKernel, learn_by, likeliest, member_t, predict_by
from .learner cimport learner_t
from .pointers cimport doubles, integers, words
from .poisson cimport poisson
from .rng cimport bits, fill_ziggurat, ziggurat_t

ctypedef struct boosting_t:
    void* kernel
    member_t* member
    Py_ssize_t n_members
    Py_ssize_t n_classes
    bint by_accuracy                    # BOLE's order (4), and voting goes on after a member without a vote
    double bound
    double shift
    ziggurat_t ziggurat
    Py_ssize_t* progress
    uint64_t* key
    double* total                       # N
    double* right                       # [member]
    double* wrong                       # [member]
    Py_ssize_t* order                   # [member]: best first, as of the last row learned
    double* accuracy                    # [member], in that order; scratch
    double* p                           # [class]; scratch


cdef class BoostingKernel(EnsembleKernel):
    """Online boosting, in Oza and Russell's order or BOLE's."""

    cdef boosting_t core
    cdef dict scratch

    def __init__(self, n_features, n_classes, n_members, key, by_accuracy, bound, shift, build):
        EnsembleKernel.__init__(self, n_members, n_members, build)
        self.arrays["keys"] = np.array([key], dtype=np.uint64)
        self.arrays["total"] = np.zeros(1)
        self.arrays["right"] = np.zeros(n_members)
        self.arrays["wrong"] = np.zeros(n_members)
        self.arrays["order"] = np.arange(n_members)
        self.scratch = {"accuracy": np.zeros(n_members), "p": np.zeros(n_classes)}
        self.core.n_members, self.core.n_classes = n_members, n_classes
        self.core.by_accuracy, self.core.bound, self.core.shift = by_accuracy, bound, shift
        fill_ziggurat(&self.core.ziggurat)
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, 0, learn, predict, NULL)
        self.bind()

    cdef void bind(self):
        EnsembleKernel.bind(self)
        cdef boosting_t* c = &self.core
        c.kernel, c.member, c.progress = <void*> self, self.member, self.progress
        c.key, c.order = words(self.arrays["keys"]), integers(self.arrays["order"])
        c.total, c.right = doubles(self.arrays["total"]), doubles(self.arrays["right"])
        c.wrong = doubles(self.arrays["wrong"])
        c.accuracy, c.p = doubles(self.scratch["accuracy"]), doubles(self.scratch["p"])

    def noted(self):
        """Return the members' votes."""
        cdef Py_ssize_t m
        return [max(vote_of(&self.core, m), 0.0) for m in range(self.core.n_members)]


cdef double vote_of(const boosting_t* c, Py_ssize_t m) noexcept nogil:
    # (3); -1 where there is no vote.
    cdef double error
    if not (c.right[m] > 0 and c.wrong[m] > 0):
        return -1.0
    error = c.wrong[m] / (c.right[m] + c.wrong[m])
    if error > c.bound:
        return -1.0
    return max(log((1.0 - error) / error) + c.shift, 0.0)


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


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef boosting_t* c = <boosting_t*> state
    cdef Py_ssize_t i, m, best = 0, worst = c.n_members - 1
    cdef bint is_right = False
    cdef double share = w, k
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
        k = poisson(&c.ziggurat, share, bits(c.key[0], c.progress[ROWS] * c.n_members + i))
        if k > 0:
            learn_by(c.member + m, x, y, k)
        predict_by(c.member + m, x, c.p)
        is_right = likeliest(c.p, c.n_classes) == y
        if is_right:
            c.right[m] += share
            share *= c.total[0] / (2.0 * c.right[m])                             # (1)
        else:
            c.wrong[m] += share
            share *= c.total[0] / (2.0 * c.wrong[m])                             # (2)
    c.progress[ROWS] += 1
    if c.progress[ROWS] == c.progress[NEXT_NOTE]:
        with gil:
            (<BoostingKernel> c.kernel).note()


cdef inline double add(boosting_t* c, Py_ssize_t m, const double* x, double vote, double* p) noexcept nogil:
    cdef Py_ssize_t k
    predict_by(c.member + m, x, c.p)
    for k in range(c.n_classes):
        p[k] += vote * c.p[k]
    return vote


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef boosting_t* c = <boosting_t*> state
    cdef Py_ssize_t m, k
    cdef double vote, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        vote = vote_of(c, m)
        if vote > 0:
            total += add(c, m, x, vote, p)
        elif vote < 0 and not c.by_accuracy:
            break
    if total == 0:
        for m in range(c.n_members):
            total += add(c, m, x, 1.0, p)
    for k in range(c.n_classes):
        p[k] /= total

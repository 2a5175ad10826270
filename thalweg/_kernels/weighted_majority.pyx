"""Dynamic weighted majority: members lose weight for errors, the lightest go, new ones come.

Each member votes for its likeliest class with its weight. Every `period` learned rows

    the weight of each member that is wrong is multiplied by beta,                (1)
    weights are divided by the largest,                                           (2)
    members of weight below theta are dropped,                                    (3)
    and if the vote was wrong, a fresh member of weight 1 comes in.               (4)

Then all members learn the row. If there are as many as memory allows, the lightest makes room in (4).
"""

import numpy as np

from .failure cimport record_failure
from .ensemble cimport NEXT_NOTE, ROWS, EnsembleKernel, learn_by, likeliest, member_t, predict_by, predict_learn
from .learner cimport learner_t
from .pointers cimport doubles, flags

cdef enum:
    CAME = 0
    WENT = 1

ctypedef struct majority_t:
    void* kernel
    member_t* member
    Py_ssize_t n_members                # now
    Py_ssize_t most
    Py_ssize_t n_classes
    Py_ssize_t period
    double beta
    double theta
    Py_ssize_t* progress
    double* weight                      # [member]
    char* wrong                         # [member]; scratch
    double* p                           # [class]; scratch
    double* votes                       # [class]; scratch


cdef class WeightedMajorityKernel(EnsembleKernel):
    """Dynamic weighted majority; `build(m)` makes the last member m, `drop(m)` lets go of member m."""

    cdef majority_t core
    cdef object drop
    cdef dict scratch

    def __init__(self, n_features, n_classes, most, period, beta, theta, build, drop):
        EnsembleKernel.__init__(self, most, most, build)
        self.drop = drop
        self.arrays["weight"] = np.ones(most)
        self.scratch = {"wrong": np.zeros(most, dtype=np.int8), "p": np.zeros(n_classes),
                        "votes": np.zeros(n_classes)}
        self.core.most, self.core.n_classes = most, n_classes
        self.core.period, self.core.beta, self.core.theta = period, beta, theta
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, 0, learn, predict, NULL)
        self.handle.predict_learn = both
        self.bind()

    cdef void bind(self):
        EnsembleKernel.bind(self)
        cdef majority_t* c = &self.core
        c.kernel, c.member, c.progress = <void*> self, self.member, self.progress
        c.weight, c.wrong = doubles(self.arrays["weight"]), flags(self.scratch["wrong"])
        c.p, c.votes = doubles(self.scratch["p"]), doubles(self.scratch["votes"])

    def call(self, kernels):
        """Call these members from now on."""
        EnsembleKernel.call(self, kernels)
        self.core.n_members = self.n_members

    def put(self, m, kernel):
        """Call this kernel as member m."""
        EnsembleKernel.put(self, m, kernel)
        self.core.n_members = self.n_members

    def noted(self):
        """Return the members' weights."""
        return self.arrays["weight"][:self.n_members]

    cdef void change(self, bint wrong):
        # (3) and (4), with the members in one list.
        cdef Py_ssize_t m
        try:
            weight = self.arrays["weight"]
            for m in range(self.n_members - 1, -1, -1):
                if weight[m] < self.core.theta:
                    self.let_go(m)
            if wrong:
                if self.n_members == self.core.most:
                    self.let_go(int(weight[:self.n_members].argmin()))
                m = self.n_members
                self.put(m, self.build(m))
                weight[m] = 1.0
                self.happened(self.progress[ROWS], m, CAME)
        except BaseException as error:
            record_failure(error)

    def let_go(self, Py_ssize_t m):
        """Drop member m; those after it move up."""
        self.happened(self.progress[ROWS], m, WENT)
        weight = self.arrays["weight"]
        weight[m:self.n_members - 1] = weight[m + 1:self.n_members].copy()
        kernels = self.kernels[:m] + self.kernels[m + 1:]
        self.drop(m)
        self.call(kernels)


cdef void finish(majority_t* c, const double* x, Py_ssize_t y, double* votes) noexcept nogil:
    # After the vote: weights, members, and the vote as probabilities.
    cdef Py_ssize_t m, k
    cdef double top = 0.0, total = 0.0
    cdef bint light = False, is_wrong = likeliest(votes, c.n_classes) != y
    for k in range(c.n_classes):
        total += votes[k]
    for k in range(c.n_classes):
        votes[k] /= total
    if (c.progress[ROWS] + 1) % c.period == 0:
        for m in range(c.n_members):
            if c.wrong[m]:
                c.weight[m] *= c.beta                                            # (1)
            top = max(top, c.weight[m])
        for m in range(c.n_members):
            c.weight[m] /= top                                                   # (2)
            light = light or c.weight[m] < c.theta
        if light or is_wrong:
            with gil:
                (<WeightedMajorityKernel> c.kernel).change(is_wrong)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil:
    cdef majority_t* c = <majority_t*> state
    cdef Py_ssize_t m, k, chosen
    cdef bint due = (c.progress[ROWS] + 1) % c.period == 0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        if due:
            predict_by(c.member + m, x, c.p)
        else:
            predict_learn(c.member + m, x, y, w, c.p)
        chosen = likeliest(c.p, c.n_classes)
        p[chosen] += c.weight[m]
        c.wrong[m] = chosen != y
    finish(c, x, y, p)
    if due:
        for m in range(c.n_members):
            learn_by(c.member + m, x, y, w)
    c.progress[ROWS] += 1
    if c.progress[ROWS] == c.progress[NEXT_NOTE]:
        with gil:
            (<WeightedMajorityKernel> c.kernel).note()


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    both(state, x, y, w, (<majority_t*> state).votes)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef majority_t* c = <majority_t*> state
    cdef Py_ssize_t m, k
    cdef double total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        predict_by(c.member + m, x, c.p)
        p[likeliest(c.p, c.n_classes)] += c.weight[m]
        total += c.weight[m]
    for k in range(c.n_classes):
        p[k] /= total

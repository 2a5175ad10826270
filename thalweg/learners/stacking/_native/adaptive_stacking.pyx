"""Stacking: members of any kind, weighted by logistic regressions on their answers (see stackers.pyx).

Members predict and learn a block of rows each by itself; then the stackers answer and learn row by row. A
row whose label is late is observed first: the predictions of the members and the stackers are kept with
it, and these are learned from when the label arrives. What a member would predict by then, with more
labels known, does not measure its quality. A label that comes d rows late counts as 1/sqrt(1 + d):
whatever is learned from it will answer d rows more before it is found to be wrong. If the members had
learned k labels when the row was observed, and n by now, it counts as (k/n)^2 of that: at the beginning
they knew much less than now.

Trivial members, which use no input, are not weighted by the stackers: they take part in the mixture,
and a last look at the answer follows one of them where that was right more often (see selector.pxd). A
look before that one follows longer chains of labels in the same way. Where these tell nearly everything,
a mixture by log-loss hands over to them some rows too late.

A frozen learner answers many rows for which no label comes. One regression more weights only members that see
no past labels, and gives the frozen answer. Of labels that come at once it learns every eighth.
"""

import numpy as np

from libc.math cimport fabs, log, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from thalweg._native import layout as layouts
from thalweg._native.layout import FLAG, FLOAT, INDEX, Array, require

from thalweg._native cimport kernel as learner
from thalweg.learners.ensembles._native.base cimport predict_learn
from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, n_observed, take_kept
from thalweg._native.kernel cimport learner_t
from thalweg._native.maths cimport likeliest
from thalweg.learners.ensembles._native.threaded cimport (
    ThreadedKernel,
    answer_of,
    threaded_t,
    note_if_due,
    number_at,
    row_of,
)
from thalweg._native.pointers cimport doubles, flags, integers
from .selector cimport learn_selector, select_class, selector_t
from .stackers cimport (
    N_RATES, RIDGE, best_add_information, lanes_of, stack_answers, stack_bound, stack_learn,
    stack_learn_weights, stack_mix, stack_mixed, stack_spread, stackers_t,
)

cdef double MOST = 1e6                  # of weights
cdef double FREE_DECAY = 0.999
cdef double FADING = 0.008              # of the members' parts in the answers, when they are noted
cdef Py_ssize_t ROWS_A_NOTE = 8         # they are noted in one of so many rows
cdef double FAINT = 1e-6                # a share of trust whose part is not worth a logarithm
cdef double MOST_COUNT = 1e3            # of a row
MOST_HEARD = 1 << 48                    # labels of a class, in a saved state
MEMBERS_TRUST = 0.3                     # at the beginning, of all members together

ctypedef struct stacking_t:
    stackers_t stackers
    selector_t chains                   # the first look, at chains of labels that stackers weigh
    selector_t selector                 # the last look, at trivial members
    kept_rows_t* kept
    double* part                        # [member]: faded mean of what it adds to the answer's margin
    double* z                           # [stacked, class]
    double* said                        # [member, stacker and mixture; class]
    double* mixed                       # [class]: the answer before both looks
    double* looked                      # [class]: between them
    stackers_t free                     # the regression over members that see no past labels
    double* free_z                      # [free, class]
    double* free_said                   # [member and regression, class]
    double* plain                       # [class]: the answer of a learner that is not frozen
    char* frozen
    Py_ssize_t own_scratch


cdef class StackingKernel(ThreadedKernel):
    """Members, their weights, and the answers that wait for labels."""

    cdef stacking_t core

    def __init__(self, who, n_features, n_classes, is_trivial, is_chain, is_free, decays, noises, switching,
                 most_kept, n_jobs, build):
        cdef stacking_t* c = &self.core
        trivial, stacked = np.flatnonzero(is_trivial), np.flatnonzero(~np.asarray(is_trivial, dtype=bool))
        chains, free = np.flatnonzero(is_chain), np.flatnonzero(is_free)
        if len(free) < 2:
            free = free[:0]
        n_members, n_stacked, n_lanes = len(is_trivial), len(stacked), lanes_of(len(stacked))
        lengths = {"member": n_members, "slot": n_members, "kind": 1, "class": n_classes, "input": n_features,
                   "template": n_members, "stacker": len(decays), "expert": n_members + len(decays),
                   "stacked": n_stacked, "lane": n_lanes, "trivial": len(trivial), "chain": len(chains),
                   "free": len(free), "free lane": lanes_of(len(free))}
        start = np.repeat([MEMBERS_TRUST / n_members, (1 - MEMBERS_TRUST) / len(decays)],
                          [n_members, len(decays)])
        ThreadedKernel.__init__(self, who, lengths, n_jobs, build)
        self.allocate(who, {
            "weights": Array(FLOAT, "stacker", "lane", low=-MOST, high=MOST),
            "inverse": Array(FLOAT, "stacker", "stacked", "lane", low=-MOST, high=MOST),
            "trust": Array(FLOAT, N_RATES, "expert", low=0.0, high=1.0),
            "rate_trust": Array(FLOAT, N_RATES, low=0.0, high=1.0, fill=1.0 / N_RATES),
            "right": Array(FLOAT, "trivial", 2, low=0.0, high=MOST),
            "chain_right": Array(FLOAT, "chain", 2, low=0.0, high=MOST),
            "part": Array(FLOAT, "member", low=-MOST, high=MOST),
            "heard": Array(INDEX, "class", low=0, high=MOST_HEARD),
            "free_weights": Array(FLOAT, "free lane", low=-MOST, high=MOST),
            "free_inverse": Array(FLOAT, "free", "free lane", low=-MOST, high=MOST),
            "frozen": Array(FLAG, 1, low=0, high=1),
        }, {})
        self.arrays["weights"][:, :n_stacked] = 1.0 / n_stacked
        self.arrays["inverse"][:] = np.eye(n_stacked, n_lanes) / RIDGE
        self.arrays["trust"][:] = start
        self.arrays["free_weights"][: len(free)] = 1.0 / max(len(free), 1)
        self.arrays["free_inverse"][:] = np.eye(len(free), lanes_of(len(free))) / RIDGE
        width = (n_members + len(decays) + N_RATES) * n_classes
        self.buffers |= {
            "decay": np.array(decays, dtype=float),
            "noise": np.array(noises, dtype=float),
            "start": start,
            "work": layouts.new_array(3 * n_lanes + n_classes, FLOAT),
            "z": layouts.new_array((n_stacked, n_classes), FLOAT),
            "said": layouts.new_array(width, FLOAT),
            "mixed": layouts.new_array(n_classes, FLOAT),
            "looked": layouts.new_array(n_classes, FLOAT),
            "plain": layouts.new_array(n_classes, FLOAT),
            "stacked": stacked.astype(INDEX),
            "trivial": trivial.astype(INDEX),
            "chain": chains.astype(INDEX),
            "spread": layouts.new_array(n_classes, FLOAT),
            "free": free.astype(INDEX),
            "free_decay": np.array([FREE_DECAY]),
            "free_noise": np.zeros(1),
            "free_z": layouts.new_array((len(free), n_classes), FLOAT),
            "free_said": layouts.new_array((n_members + 1) * n_classes, FLOAT),
        }
        self.kept = KeptRows(who, width, most_kept, {"low": 0.0, "high": 1.0 + 1e-9})
        c.stackers.n_members, c.stackers.n_classes, c.stackers.n_stackers = n_members, n_classes, len(decays)
        c.stackers.n_stacked, c.stackers.n_lanes = n_stacked, n_lanes
        c.stackers.stacked = integers(self.buffers["stacked"])
        c.stackers.add_information = best_add_information()
        c.selector.n_classes, c.selector.n_watched = n_classes, len(trivial)
        c.chains.n_classes, c.chains.n_watched = n_classes, len(chains)
        c.selector.watched = integers(self.buffers["trivial"])
        c.chains.watched = integers(self.buffers["chain"])
        c.mixed, c.looked = doubles(self.buffers["mixed"]), doubles(self.buffers["looked"])
        c.stackers.switching, c.stackers.decay = switching, doubles(self.buffers["decay"])
        c.stackers.noise = doubles(self.buffers["noise"])
        c.stackers.work, c.stackers.start = doubles(self.buffers["work"]), doubles(self.buffers["start"])
        c.z, c.said = doubles(self.buffers["z"]), doubles(self.buffers["said"])
        c.free.n_members, c.free.n_classes, c.free.n_stackers = n_members, n_classes, 1
        c.free.n_stacked, c.free.n_lanes = len(free), lanes_of(len(free))
        c.free.stacked, c.free.decay = integers(self.buffers["free"]), doubles(self.buffers["free_decay"])
        c.free.noise, c.free.spread = doubles(self.buffers["free_noise"]), doubles(self.buffers["spread"])
        c.free.work, c.free.add_information = c.stackers.work, c.stackers.add_information
        c.plain = doubles(self.buffers["plain"])
        c.free_z, c.free_said = doubles(self.buffers["free_z"]), doubles(self.buffers["free_said"])
        self.own_scratch = c.own_scratch = n_members * n_classes + width
        self.own_observe = True
        self.threaded.method, self.threaded.process, self.threaded.finish = <void*> c, process, do_nothing
        self.threaded.combine, self.threaded.predict_rows = stack, predict_rows
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        cdef stacking_t* c = &self.core
        ThreadedKernel.bind(self)
        c.stackers.weights = doubles(self.arrays["weights"])
        c.stackers.inverse = doubles(self.arrays["inverse"])
        c.stackers.trust, c.part = doubles(self.arrays["trust"]), doubles(self.arrays["part"])
        c.stackers.rate_trust = doubles(self.arrays["rate_trust"])
        c.selector.right, c.chains.right = doubles(self.arrays["right"]), doubles(self.arrays["chain_right"])
        c.kept = kept_by(self)
        c.stackers.heard, c.stackers.spread = integers(self.arrays["heard"]), doubles(self.buffers["spread"])
        stack_spread(&c.stackers)
        c.free.weights = doubles(self.arrays["free_weights"])
        c.free.inverse = doubles(self.arrays["free_inverse"])
        c.frozen = <char*> flags(self.arrays["frozen"])

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's weight, that of all stackers together.
        cdef const stackers_t* s = &self.core.stackers
        return weight_of(s, m)

    cdef void note_weights(self, Py_ssize_t line) noexcept nogil:
        # Instead of those noted before the stackers had learned the block's rows.
        cdef Py_ssize_t m
        for m in range(self.threaded.n_members):
            self.threaded.notes[2 * line * self.threaded.n_members + m] = self.number_of(m)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ThreadedKernel.check(self, arrays)
        for name in ("trust", "rate_trust"):
            good = bool((abs(arrays[name].sum(axis=-1) - 1) < 1e-6).all())
            require(good, self.who, name, "must sum to 1")
        n = self.core.stackers.n_stacked
        padding = [arrays[name][..., n:] for name in ("weights", "inverse")]
        require(not any(each.any() for each in padding), self.who, "inverse", "must be filled up with zeros")
        inverse = arrays["inverse"][:, :, :n]
        good = np.allclose(inverse, inverse.transpose(0, 2, 1), rtol=1e-6, atol=1e-9)
        require(good, self.who, "inverse", "must hold symmetric matrices")
        n, free = self.core.free.n_stacked, arrays["free_inverse"]
        good = not free[:, n:].any() and not arrays["free_weights"][n:].any()
        good = good and np.allclose(free[:, :n], free[:, :n].T, rtol=1e-6, atol=1e-9)
        require(good, self.who, "free_inverse", "must hold a symmetric matrix, filled up with zeros")


cdef double weight_of(const stackers_t* s, Py_ssize_t m) noexcept nogil:
    # A member that is trusted by itself has the weight 1 there.
    cdef Py_ssize_t j
    cdef double weight = trust_of(s, m)
    for j in range(s.n_stacked):
        if s.stacked[j] == m:
            weight += stacked_weight(s, j)
    return weight


cdef inline double trust_of(const stackers_t* s, Py_ssize_t expert) noexcept nogil:
    cdef Py_ssize_t r
    cdef double trust = 0.0
    for r in range(N_RATES):
        trust += s.rate_trust[r] * s.trust[r * (s.n_members + s.n_stackers) + expert]
    return trust


cdef inline double stacked_weight(const stackers_t* s, Py_ssize_t j) noexcept nogil:
    # That of all stackers together.
    cdef Py_ssize_t i
    cdef double weight = 0.0
    for i in range(s.n_stackers):
        weight += trust_of(s, s.n_members + i) * s.weights[i * s.n_lanes + j]
    return weight


cdef void process(threaded_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop,
                  double* scratch) noexcept nogil:
    cdef const learner_t* h = b.member[m]
    cdef Py_ssize_t i
    scratch += (<stacking_t*> b.method).own_scratch
    for i in range(start, stop):
        predict_learn(h, row_of(b, i), b.y[i], b.w[i], number_at(b, i), answer_of(b, m, i), scratch)
        if b.w[i] > 0:
            note_if_due(b, m, i)


cdef void do_nothing(threaded_t* b) noexcept nogil:
    pass


cdef void stack(threaded_t* b, double* p) noexcept nogil:
    # Answer and learn the block's rows, one by one.
    cdef stacking_t* c = <stacking_t*> b.method
    cdef stackers_t* s = &c.stackers
    cdef Py_ssize_t i, k, m
    cdef const double* answer
    cdef const double* answered
    for i in range(b.n):
        for m in range(b.n_members):
            answer = answer_of(b, m, i)
            for k in range(b.n_classes):
                c.said[m * b.n_classes + k] = answer[k]
        stack_bound(s, c.said)
        stack_answers(s, c.said, c.z)
        stack_mix(s, c.said, p)
        memcpy(c.mixed, p, b.n_classes * sizeof(double))
        select_class(&c.chains, c.said, p)
        memcpy(c.looked, p, b.n_classes * sizeof(double))
        select_class(&c.selector, c.said, p)
        answered = p
        if c.frozen[0]:
            memcpy(c.plain, p, b.n_classes * sizeof(double))
            answer_frozen(&c.free, c.said, c.free_said, c.free_z, p)
            answered = c.plain
        if b.w[i] > 0:
            c.frozen[0] = False
            learn_answers(c, number_at(b, i), b.y[i], b.w[i], b.position[i], answered)
            if (b.position[i] + 1) % b.stride == 0:
                with gil:
                    (<StackingKernel> b.kernel).note_weights(
                        (b.position[i] + 1) // b.stride - b.first // b.stride - 1)
        p += b.n_classes


cdef void learn_answers(stacking_t* c, int64_t number, Py_ssize_t y, double w, Py_ssize_t n_learned,
                        const double* p) noexcept nogil:
    cdef stackers_t* s = &c.stackers
    cdef const double* kept = take_kept(c.kept, number)
    cdef double counts = min(w, MOST_COUNT)
    if n_learned % ROWS_A_NOTE == 0:
        note_parts(c, p)
    if c.free.n_stacked and (kept != NULL or n_learned % ROWS_A_NOTE == 0):
        free_answers(&c.free, c.said, c.free_said, c.free_z)
        stack_learn_weights(&c.free, c.free_z, c.free_said, y, w)
    if kept == NULL:
        learn_looks(c, c.said, y, counts)
        stack_learn(s, c.z, c.said, c.said, y, w)
    else:
        stack_mixed(s, kept, c.mixed)
        memcpy(c.looked, c.mixed, s.n_classes * sizeof(double))
        select_class(&c.chains, kept, c.looked)
        learn_looks(c, kept, y, counts)
        memcpy(c.said, kept, s.n_members * s.n_classes * sizeof(double))
        stack_answers(s, c.said, c.z)
        stack_learn(s, c.z, c.said, kept, y, w * worth_when_late(c.kept, n_learned))


cdef inline void free_answers(const stackers_t* s, const double* said, double* free_said,
                              double* z) noexcept nogil:
    if said != free_said:
        memcpy(free_said, said, s.n_members * s.n_classes * sizeof(double))
    stack_answers(s, free_said, z)


cdef void answer_frozen(const stackers_t* s, const double* said, double* free_said, double* z,
                        double* p) noexcept nogil:
    # What the regression over members without past labels answers; p as it is if there is none.
    if s.n_stacked and s.n_classes > 1:
        free_answers(s, said, free_said, z)
        memcpy(p, free_said + s.n_members * s.n_classes, s.n_classes * sizeof(double))


cdef inline void learn_looks(stacking_t* c, const double* said, Py_ssize_t y, double w) noexcept nogil:
    learn_selector(&c.chains, said, c.mixed, y, w)
    learn_selector(&c.selector, said, c.looked, y, w)


cdef double worth_when_late(const kept_rows_t* kept, double n_learned) noexcept nogil:
    # What the label of the row taken last counts. Labels that are as late as this one, or never come, are
    # counted as known: it is about how long the members have been learning.
    cdef double known = max(n_learned, <double> (n_observed(kept) - 1 - kept.age))
    cdef double share = (max(known - kept.age, 0.0) + 1.0) / (known + 1.0)
    return share * share / sqrt(1.0 + kept.age)


cdef void note_parts(stacking_t* c, const double* p) noexcept nogil:
    # How much each member adds to the lead of the most likely class over the next.
    cdef stackers_t* s = &c.stackers
    cdef Py_ssize_t i, j, k, m, best = likeliest(p, s.n_classes), second = -1
    cdef double* weight = s.work
    cdef double trust
    for k in range(s.n_classes):
        if k != best and (second < 0 or p[k] > p[second]):
            second = k
    if second < 0:
        return
    for m in range(s.n_members):
        c.part[m] *= 1 - FADING
        if trust_of(s, m) > FAINT:
            note_part(c, m, trust_of(s, m) * log(c.said[m * s.n_classes + best]
                                                 / c.said[m * s.n_classes + second]))
    for j in range(s.n_stacked):
        weight[j] = 0.0
    for i in range(s.n_stackers):
        trust = trust_of(s, s.n_members + i)
        for j in range(s.n_stacked):
            weight[j] += trust * s.weights[i * s.n_lanes + j]
    for j in range(s.n_stacked):
        note_part(c, s.stacked[j], weight[j] * (c.z[j * s.n_classes + best] - c.z[j * s.n_classes + second]))


cdef inline void note_part(stacking_t* c, Py_ssize_t m, double part) noexcept nogil:
    c.part[m] += FADING * part
    if not fabs(c.part[m]) <= MOST:
        c.part[m] = 0.0


cdef void answers_of(const threaded_t* b, const double* x, double* said, double* p,
                     double* scratch) noexcept nogil:
    # The answers of the members, the stackers and the mixtures, and p, the answer.
    cdef const stackers_t* s = &(<const stacking_t*> b.method).stackers
    cdef const learner_t* h
    cdef Py_ssize_t m
    for m in range(b.n_members):
        h = b.member[m]
        h.predict(h.state, x, said + m * b.n_classes, scratch + b.n_members * b.n_classes)
    stack_bound(s, said)
    stack_answers(s, said, scratch)
    stack_mix(s, said, p)
    select_class(&(<const stacking_t*> b.method).chains, said, p)
    select_class(&(<const stacking_t*> b.method).selector, said, p)


cdef void predict_rows(const threaded_t* b, const double* x, Py_ssize_t n, double* p,
                       double* scratch) noexcept nogil:
    cdef const stacking_t* c = <const stacking_t*> b.method
    cdef Py_ssize_t i, width = c.own_scratch - b.n_members * b.n_classes
    for i in range(n):
        answers_of(b, x + i * b.n_features, scratch, p + i * b.n_classes, scratch + width)
        if c.frozen[0]:
            answer_frozen(&c.free, scratch, scratch, scratch + width, p + i * b.n_classes)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef threaded_t* b = <threaded_t*> state
    cdef stacking_t* c = <stacking_t*> b.method
    cdef double* kept = keep_row(c.kept, number)
    cdef Py_ssize_t m
    if kept != NULL:
        answers_of(b, x, kept, b.ignored, b.scratch)
    for m in range(b.n_members):
        learner.observe(b.member[m], x, number)

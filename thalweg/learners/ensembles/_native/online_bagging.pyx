"""Online bagging: each member learns each row as often as a Poisson number says; ADWIN may watch the members.

Member m gives row t, the t-th that is learned, the weight

    w k,   k ~ Poisson(poisson_mean), from word t of the member's random stream          (1)

and the ensemble's probabilities are the mean of the members'. Where the members are watched, each has an
ADWIN on its errors once it has learned the row. If the mean of any rises, the member with the highest
ADWIN mean is replaced by a new one.                                              (2)

Given the rows, members are independent except for (2), which affects one member only. So the members
process a block of rows one after another, and write alarms and ADWIN means for each row. Then (2) is done
for the alarms from first to last: the new member processes the rest of the block again. This is the same
as processing row by row. Alarms cluster: after one, blocks are short for a while, so that fewer rows are
processed again.
"""

from libc.stdint cimport uint64_t

from thalweg._native import layout as layouts
from .base import check_watches
from thalweg._native.layout import FLAG, FLOAT, WORD, Array

from thalweg.drift._native.adwin cimport (
    adwin_begin,
    adwin_doubles,
    adwin_mean,
    adwin_reset,
    adwin_t,
    adwin_update,
)
from .base cimport predict_learn, predict_learn_again
from thalweg._native.kernel cimport learner_t
from .threaded cimport ThreadedKernel, answer_of, threaded_t, note_if_due, number_at, row_of
from thalweg._native.pointers cimport doubles, flags, words
from .poisson cimport drawn, fill_poisson, poisson_t
from thalweg._native.rng cimport bits

cdef enum:
    PERIOD = 32                         # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows
    SHORTEST = 32                       # rows of a block after an alarm

ctypedef struct bagging_t:
    poisson_t weights
    uint64_t* key                       # [member]: its random stream
    bint watched
    Py_ssize_t watch_size
    double* watch                       # [member, watch_size]: its ADWIN
    double* rate                        # [member, row of the block]: mean of the ADWIN
    char* alarm                         # [member, row of the block]


cdef class BaggingKernel(ThreadedKernel):
    """Bagging, with ADWIN on the members' errors unless `delta` is None."""

    cdef bagging_t core

    def __init__(self, who, n_features, n_classes, keys, poisson_mean, delta, n_jobs, n_templates, build):
        cdef bagging_t* c = &self.core
        cdef Py_ssize_t n_members = len(keys), m
        c.watched, c.watch_size = delta is not None, adwin_doubles(SIZES)
        lengths = {"member": n_members, "slot": n_members, "kind": 1, "class": n_classes, "input": n_features}
        lengths |= {"watch": c.watch_size, "template": n_templates}
        ThreadedKernel.__init__(self, who, lengths, n_jobs, build)
        self.own_scratch, self.most_spares = n_classes, n_templates
        fill_poisson(&c.weights, poisson_mean)
        self.allocate(who, {"keys": Array(WORD, "member")}, {})
        self.arrays["keys"][:] = keys
        if c.watched:
            self.allocate(who, {"watch": Array(FLOAT, "member", "watch")}, {})
            self.buffers["rate"] = layouts.new_array((n_members, self.threaded.room), FLOAT)
            self.buffers["alarm"] = layouts.new_array((n_members, self.threaded.room), FLAG)
            c.rate, c.alarm = doubles(self.buffers["rate"]), flags(self.buffers["alarm"])
        self.threaded.method, self.threaded.process, self.threaded.finish = <void*> c, process, replace_worst
        self.threaded.vote_of, self.threaded.predict = vote_of, predict
        self.bind()
        for m in range(n_members if c.watched else 0):
            adwin_begin(watch_of(c, m), delta, PERIOD, SIZES)

    cdef void bind(self):
        ThreadedKernel.bind(self)
        self.core.key = words(self.arrays["keys"])
        if self.core.watched:
            self.core.watch = doubles(self.arrays["watch"])

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's error rate, or 1 where members are not watched.
        return adwin_mean(watch_of(&self.core, m)) if self.core.watched else 1.0

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ThreadedKernel.check(self, arrays)
        if self.core.watched:
            check_watches(arrays, self.arrays, "watch", self.who)


cdef inline adwin_t* watch_of(const bagging_t* c, Py_ssize_t m) noexcept nogil:
    return <adwin_t*> (c.watch + m * c.watch_size)


cdef double vote_of(const threaded_t* b, Py_ssize_t m) noexcept nogil:
    return 1.0


cdef void predict(const threaded_t* b, Py_ssize_t m, const double* x, double* p,
                  double* scratch) noexcept nogil:
    cdef const learner_t* h = b.member[m]
    h.predict(h.state, x, p, scratch)


cdef void process(threaded_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop,
                  double* scratch) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> b.method
    cdef const learner_t* h = b.member[m]
    cdef double* again = scratch
    cdef double* told
    cdef double weight
    cdef Py_ssize_t i, said
    scratch += b.n_classes
    for i in range(start, stop):
        if c.watched:
            c.alarm[m * b.room + i] = 0
        if not b.w[i] > 0:
            h.predict(h.state, row_of(b, i), answer_of(b, m, i), scratch)
            continue
        told = answer_of(b, m, i)
        weight = b.w[i] * drawn(&c.weights, bits(c.key[m], b.position[i]))        # (1)
        if c.watched:
            said = predict_learn_again(h, row_of(b, i), b.y[i], weight, number_at(b, i), told, again, scratch)
            c.alarm[m * b.room + i] = adwin_update(watch_of(c, m), said != b.y[i]) > 0
            c.rate[m * b.room + i] = adwin_mean(watch_of(c, m))
        else:
            predict_learn(h, row_of(b, i), b.y[i], weight, number_at(b, i), told, scratch)
        note_if_due(b, m, i)


cdef bint is_alarm(const threaded_t* b, Py_ssize_t i) noexcept nogil:
    cdef const bagging_t* c = <const bagging_t*> b.method
    cdef Py_ssize_t m
    for m in range(b.n_members):
        if c.alarm[m * b.room + i]:
            return True
    return False


cdef void replace_worst(threaded_t* b) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> b.method
    cdef Py_ssize_t i, m, worst, n_alarms = 0
    cdef bint replaced
    if not c.watched:
        return
    for i in range(b.n):
        if not is_alarm(b, i):
            continue
        worst = 0
        for m in range(1, b.n_members):
            if c.rate[m * b.room + i] > c.rate[worst * b.room + i]:
                worst = m
        with gil:                                                                # (2)
            replaced = (<BaggingKernel> b.kernel).replace(worst, b.position[i])
        if replaced:
            adwin_reset(watch_of(c, worst))
            note_if_due(b, worst, i)
            b.process(b, worst, i + 1, b.n, b.scratch)
        n_alarms += 1
    if n_alarms > 0:
        b.most_rows = min(SHORTEST, b.room)
    elif b.n == b.most_rows:
        b.most_rows = min(b.most_rows + b.most_rows // 8, b.room)

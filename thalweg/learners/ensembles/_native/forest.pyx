"""Forests that adapt: each member is a tree with two ADWINs on its errors, and at a warning a next tree.

For each learned row and each member, whose tree had `right` of the weight `seen` right since it took over:

    vote = 100 right/seen, or 1 where that is 0 or unknown                        (1)
    the tree predicts; seen += w, and right += w if it is right                   (2)
    k ~ Poisson(poisson_mean), from word t of the member's random stream; if k is 0, this is all
    the tree and the next one, if there is one, learn the row with weight k w
    both ADWINs get the tree's error once it has learned the row
    the warning one rises: a new next tree begins, and that ADWIN starts again    (3)
    the drift one rises: the next tree takes over, or a new one; right = seen = 0 and the ADWINs begin
    again, except for the warning one if there was no next tree                      (4)

Member m has the slots 2m and 2m + 1 for its trees.
"""

from libc.stdint cimport uint64_t

from thalweg._native import layout as layouts
from .base import check_watches
from thalweg._native.layout import FLAG, FLOAT, INDEX, WORD, Array, require

from thalweg.drift._native.adwin cimport adwin_begin, adwin_doubles, adwin_reset, adwin_t, adwin_update
from .base cimport learn_by, predict_learn_again
from thalweg._native.failure cimport record_failure
from thalweg._native.kernel cimport learner_t
from thalweg._native.maths cimport likeliest
from .threaded cimport ThreadedKernel, answer_of, threaded_t, note_if_due, number_at, row_of
from thalweg._native.pointers cimport doubles, flags, integers, words
from .poisson cimport drawn, fill_poisson, poisson_t
from thalweg._native.rng cimport bits

cdef enum:
    PERIOD = 32                         # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows
    APART = 8                           # numbers of a cache line: threads do not write into the same one

cdef enum:
    # kinds of events
    WARNED = 0
    REPLACED = 1

cdef double SMALLEST_VOTE = 1e-100      # smaller ones could leave sums of votes without a digit

ctypedef struct forest_t:
    poisson_t weights
    uint64_t* key                       # [member]: its random stream
    Py_ssize_t* active                  # [member]: which of its slots has the tree, 0 or 1
    Py_ssize_t* has_next                # [member]
    double* right                       # [member, APART]: the first counts
    double* seen                        # [member, APART]
    Py_ssize_t watch_size
    double* warning                     # [member, watch_size]: an ADWIN
    double* drift                       # [member, watch_size]: an ADWIN
    char* event                         # [member, row of the block]: bits of the kinds


cdef class ForestKernel(ThreadedKernel):
    """A forest of any learners."""

    cdef forest_t core

    def __init__(self, who, n_features, n_classes, keys, poisson_mean, deltas, n_jobs, n_templates, build):
        cdef forest_t* c = &self.core
        cdef Py_ssize_t n_members = len(keys), m
        c.watch_size = adwin_doubles(SIZES)
        lengths = {"member": n_members, "slot": 2 * n_members, "kind": 2, "class": n_classes}
        lengths |= {"input": n_features, "watch": c.watch_size, "template": n_templates}
        ThreadedKernel.__init__(self, who, lengths, n_jobs, build)
        self.own_scratch, self.most_spares = n_classes, n_jobs * n_templates
        fill_poisson(&c.weights, poisson_mean)
        self.allocate(who, {
            "keys": Array(WORD, "member"),
            "active": Array(INDEX, "member", low=0, high=1),
            "has_next": Array(INDEX, "member", low=0, high=1),
            "right": Array(FLOAT, "member", APART, low=0.0, high=1e150),
            "seen": Array(FLOAT, "member", APART, low=0.0, high=1e150),
            "warning": Array(FLOAT, "member", "watch"),
            "drift": Array(FLOAT, "member", "watch"),
        }, {})
        self.arrays["keys"][:] = keys
        self.buffers["event"] = layouts.new_array((n_members, self.threaded.room), FLAG)
        c.event = flags(self.buffers["event"])
        self.threaded.method, self.threaded.process, self.threaded.finish = <void*> c, process, record_events
        self.threaded.vote_of, self.threaded.predict = vote_of, predict
        self.bind()
        for m in range(n_members):
            adwin_begin(adwin_of(c, c.warning, m), deltas[0], PERIOD, SIZES)
            adwin_begin(adwin_of(c, c.drift, m), deltas[1], PERIOD, SIZES)

    cdef void bind(self):
        ThreadedKernel.bind(self)
        cdef forest_t* c = &self.core
        c.key = words(self.arrays["keys"])
        c.active, c.has_next = integers(self.arrays["active"]), integers(self.arrays["has_next"])
        c.right, c.seen = doubles(self.arrays["right"]), doubles(self.arrays["seen"])
        c.warning, c.drift = doubles(self.arrays["warning"]), doubles(self.arrays["drift"])

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's vote.
        return vote_of(&self.threaded, m)

    cdef Py_ssize_t slot_of(self, Py_ssize_t m) noexcept nogil:
        return 2 * m + self.core.active[m]

    cdef Py_ssize_t template_of(self, Py_ssize_t slot) noexcept nogil:
        return slot // 2 % self.n_templates

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ThreadedKernel.check(self, arrays)
        for name in ("warning", "drift"):
            check_watches(arrays, self.arrays, name, self.who)
        good = bool((arrays["right"] <= arrays["seen"]).all())
        require(good, self.who, "right", "holds more than 'seen' does")

    cdef void move(self, Py_ssize_t slot, Py_ssize_t other):
        # Put the tree of a slot into another one, too.
        self.members[other], self.kernels[other] = self.members[slot], self.kernels[slot]
        self.member[other] = self.member[slot]

    cdef bint begin_tree(self, Py_ssize_t m, Py_ssize_t slot) noexcept:
        # Put a new tree into a slot of member m; return whether that was done. While a member has no next
        # tree, what is in its other slot is not in use and can be built again.
        cdef Py_ssize_t other = 2 * m + 1 - self.core.active[m]
        cdef bint is_idle = not self.core.has_next[m]
        try:
            spare = self.reusable(other) if is_idle else self.take_spare(self.next_template(slot))
            fresh = self.built_from(slot, spare)
            if fresh is None:
                return False
            old = self.reusable(slot)
            if is_idle and slot != other and fresh[0] is spare:
                self.move(slot, other)
            self.put(slot, fresh)
            if not is_idle:
                self.keep(self.template_of(slot), old)
            return True
        except BaseException as error:
            record_failure(error)
            return False


cdef inline adwin_t* adwin_of(const forest_t* c, double* watch, Py_ssize_t m) noexcept nogil:
    return <adwin_t*> (watch + m * c.watch_size)


cdef double vote_of(const threaded_t* b, Py_ssize_t m) noexcept nogil:
    cdef const forest_t* c = <const forest_t*> b.method
    cdef double right = c.right[m * APART]
    return max(100.0 * right / c.seen[m * APART], SMALLEST_VOTE) if right > 0 else 1.0    # (1)


cdef void predict(const threaded_t* b, Py_ssize_t m, const double* x, double* p,
                  double* scratch) noexcept nogil:
    cdef const forest_t* c = <const forest_t*> b.method
    cdef const learner_t* h = b.member[2 * m + c.active[m]]
    h.predict(h.state, x, p, scratch)


cdef void process(threaded_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop,
                  double* scratch) noexcept nogil:
    cdef forest_t* c = <forest_t*> b.method
    cdef Py_ssize_t i, slot, said
    cdef double k
    cdef double* p
    cdef double* again = scratch
    cdef const double* x
    scratch += b.n_classes
    for i in range(start, stop):
        slot = 2 * m + c.active[m]
        x = row_of(b, i)
        p = answer_of(b, m, i)
        b.vote[m * b.room + i] = vote_of(b, m)
        c.event[m * b.room + i] = 0
        if not b.w[i] > 0:
            b.member[slot].predict(b.member[slot].state, x, p, scratch)
            continue
        k = drawn(&c.weights, bits(c.key[m], b.position[i]))
        said = predict_learn_again(b.member[slot], x, b.y[i], k * b.w[i], number_at(b, i), p, again, scratch)
        c.seen[m * APART] += b.w[i]                                                      # (2)
        if likeliest(p, b.n_classes) == b.y[i]:
            c.right[m * APART] += b.w[i]
        if k > 0:
            if c.has_next[m]:
                learn_by(b.member[slot ^ 1], x, b.y[i], k * b.w[i], number_at(b, i))
            c.event[m * b.room + i] = watch(b, m, said != b.y[i])
        note_if_due(b, m, i)


cdef int watch(threaded_t* b, Py_ssize_t m, bint wrong) noexcept nogil:
    # The kinds of events that a member's error leads to, as bits.
    cdef forest_t* c = <forest_t*> b.method
    cdef adwin_t* warning = adwin_of(c, c.warning, m)
    cdef adwin_t* drift = adwin_of(c, c.drift, m)
    cdef Py_ssize_t slot = 2 * m + c.active[m]
    cdef int event = 0
    if adwin_update(warning, wrong) > 0 and begin_tree(b, m, slot ^ 1):          # (3)
        c.has_next[m] = 1
        adwin_reset(warning)
        event |= 1 << WARNED
    if adwin_update(drift, wrong) > 0:                                           # (4)
        if c.has_next[m]:
            c.active[m] ^= 1
            c.has_next[m] = 0
            adwin_reset(warning)
        elif not begin_tree(b, m, slot):
            return event
        adwin_reset(drift)
        c.right[m * APART] = c.seen[m * APART] = 0.0
        event |= 1 << REPLACED
    return event


cdef bint begin_tree(threaded_t* b, Py_ssize_t m, Py_ssize_t slot) noexcept nogil:
    with gil:
        return (<ForestKernel> b.kernel).begin_tree(m, slot)


cdef void record_events(threaded_t* b) noexcept nogil:
    # By rows and then members: the order in which threads found them does not count.
    cdef forest_t* c = <forest_t*> b.method
    cdef Py_ssize_t i, m, kind
    for i in range(b.n):
        for m in range(b.n_members):
            for kind in range(2 if c.event[m * b.room + i] else 0):
                if c.event[m * b.room + i] >> kind & 1:
                    (<ForestKernel> b.kernel).record_event(b.position[i], m, kind)

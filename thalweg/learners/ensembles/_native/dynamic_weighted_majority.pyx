"""Dynamic weighted majority: members lose weight for errors; the lightest are dropped, new ones are added.

Each member votes for its most likely class with its weight. Every `period` learned rows

    the weight of each member that is wrong is multiplied by beta,                (1)
    weights are divided by the largest,                                           (2)
    members of weight below theta are dropped,                                    (3)
    and if the vote was wrong, a new member of weight 1 is added.                 (4)

Then all members learn the row. If there are as many as memory allows, the lightest makes room in (4). Where
there are several templates, new members are made from them in turn. On request, (1) and (2) come after
every row, and a new member first learns the latest rows, which are kept for that.
"""

import numpy as np

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLAG, FLOAT, INDEX, Array, require
from thalweg._native.ring_layout import check_ring, ring_layout

from .base cimport NEXT_NOTE, ROWS, EnsembleKernel, learn_by, predict_learn
from thalweg._native.failure cimport begin_call, call_t, end_call, record_failure
from thalweg._native.kernel cimport HEAVIEST, Kernel, fit_block, learner_t
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles, flags, integers
from thalweg._native.ring cimport append_row, bind_ring, copy_rows, ring_t

cdef enum:
    # kinds of events
    CAME = 0
    WENT = 1
    MOST_TRIES = 100                    # to train a new member, if signals stop that

ctypedef struct majority_t:
    void* kernel
    learner_t** member
    Py_ssize_t n_members                # now
    Py_ssize_t most
    Py_ssize_t n_classes
    Py_ssize_t period
    double beta
    double theta
    bint at_once                        # whether weights change after every row
    ring_t rows                         # the latest rows; without room if none are kept
    Py_ssize_t* progress
    double* weight                      # [member]
    Py_ssize_t* template                # [member]: from which it is made; NULL if there is one template
    char* wrong                         # [member]; memory to learn a row
    double* votes                       # [class]; the same
    double* scratch                     # the same, to predict


cdef class WeightedMajorityKernel(EnsembleKernel):
    """Dynamic weighted majority."""

    cdef majority_t core
    cdef object wrong
    cdef object votes
    cdef dict window                    # memory for the rows that a new member learns

    def __init__(self, who, n_features, n_classes, most, period, beta, theta, at_once, room, n_templates,
                 build):
        cdef majority_t* c = &self.core
        lengths = {"member": most, "slot": most, "kind": 2, "class": n_classes, "input": n_features}
        EnsembleKernel.__init__(self, who, lengths | {"template": n_templates}, 1, build)
        self.own_scratch, self.most_spares = n_classes, most
        self.allocate(who, {"weight": Array(FLOAT, "member", low=0.0, high=1.0, fill=1.0)}, {})
        if n_templates > 1:
            self.allocate(who, {"template": Array(INDEX, "slot", low=0, high="template")}, {})
            self.arrays["template"][:] = np.arange(most) % n_templates
        if room:
            self.allocate(who, ring_layout(), {"row": room})
            self.window = {
                "X": layouts.new_array((room, n_features), FLOAT), "y": layouts.new_array(room, INDEX),
                "w": layouts.new_array(room, FLOAT),
            }
        self.wrong, self.votes = layouts.new_array(most, FLAG), layouts.new_array(n_classes, FLOAT)
        c.kernel, c.member = <void*> self, self.member
        c.wrong, c.votes = flags(self.wrong), doubles(self.votes)
        c.most, c.n_classes, c.period, c.beta, c.theta = most, n_classes, period, beta, theta
        c.at_once = at_once
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_and_learn)
        self.bind()

    cdef void bind(self):
        EnsembleKernel.bind(self)
        self.core.progress, self.core.weight = self.progress, doubles(self.arrays["weight"])
        if "template" in self.arrays:
            self.core.template = integers(self.arrays["template"])
        if "span" in self.arrays:
            bind_ring(&self.core.rows, self.arrays)

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        EnsembleKernel.check(self, arrays)
        if "span" in arrays:
            check_ring(arrays, self.who)

    def check_number(self, n):
        """Raise StateError if a state cannot have n members."""
        require(1 <= n <= self.core.most, self.who, "members", f"are {n}, not between 1 and {self.core.most}")
        require(self.arrays["weight"][:n].max() == 1.0, self.who, "weight", f"is 1 for none of {n} members")

    def set_members(self, members, kernels):
        """Call these learners, whose kernels are given, from now on."""
        EnsembleKernel.set_members(self, members, kernels)
        self.core.n_members, self.core.scratch = self.n_called, self.scratch

    cdef Py_ssize_t template_of(self, Py_ssize_t slot) noexcept nogil:
        return 0 if self.core.template == NULL else self.core.template[slot]

    cdef Py_ssize_t next_template(self, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t i, n = 0
        for i in range(self.core.most):
            n += self.n_built[i]
        return n % self.n_templates

    cdef void put(self, Py_ssize_t slot, tuple fresh):
        if self.core.template != NULL:
            self.core.template[slot] = self.next_template(slot)
        EnsembleKernel.put(self, slot, fresh)

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's weight.
        return self.core.weight[m]

    cdef void change(self, bint is_wrong) noexcept:
        # (3) and (4): all that code written in Python does comes first, then nothing can fail.
        cdef majority_t* c = &self.core
        cdef Py_ssize_t m, lightest = 0
        try:
            kept = [m for m in range(c.n_members) if c.weight[m] >= c.theta]
            if is_wrong and len(kept) == c.most:
                for m in range(1, c.most):
                    if c.weight[m] < c.weight[lightest]:
                        lightest = m
                fresh = self.trained(c.most - 1)
                if fresh is not None:
                    kept.remove(lightest)
            else:
                fresh = self.trained(len(kept)) if is_wrong else None
            self.go_on_with(kept, fresh)
        except BaseException as error:
            record_failure(error)

    cdef tuple trained(self, Py_ssize_t slot):
        # A new member that has learned the rows kept; None if that failed, which is recorded. What Ctrl-C
        # raises in a member written in Python is recorded, and a new one trained instead.
        cdef majority_t* c = &self.core
        cdef Kernel kernel
        cdef call_t call
        cdef double* X
        cdef double* w
        cdef Py_ssize_t* y
        cdef Py_ssize_t _try
        if c.rows.room == 0 or c.rows.span.count == 0:
            return self.built(slot)
        X, y, w = doubles(self.window["X"]), integers(self.window["y"]), doubles(self.window["w"])
        copy_rows(&c.rows, X, y, w)
        for _try in range(MOST_TRIES):
            fresh = self.built(slot)
            if fresh is None:
                return None
            kernel = fresh[1]
            begin_call(&call, 0)
            with nogil:
                fit_block(&kernel.handle, X, y, w, c.rows.span.count, False)
            try:
                end_call(&call, -1)
                return fresh
            except BaseException as error:
                record_failure(error)
                if isinstance(error, Exception):
                    return None
        return None

    cdef void go_on_with(self, list kept, tuple fresh):
        # Keep these members, in their order, and append a new one unless it is None.
        cdef majority_t* c = &self.core
        cdef Py_ssize_t m, n = 0
        gone = [m for m in range(c.n_members - 1, -1, -1) if m not in kept]
        spares = [(self.template_of(m), self.reusable(m)) for m in gone]
        last = [] if fresh is None else [None]
        members, kernels = [self.members[m] for m in kept] + last, [self.kernels[m] for m in kept] + last
        self.members, self.kernels = members, kernels
        for m in gone:
            self.record_event(self.progress[ROWS], m, WENT)
        for m in kept:
            c.member[n], c.weight[n] = c.member[m], c.weight[m]
            if c.template != NULL:
                c.template[n] = c.template[m]
            n += 1
        for m in range(n, c.n_members):
            c.weight[m] = 1.0
        c.n_members = n
        if fresh is not None:
            self.put(n, fresh)
            c.n_members = n + 1
            self.record_event(self.progress[ROWS], n, CAME)
        self.n_called = c.n_members
        for template, spare in spares[:c.most - c.n_members - len(self.spares)]:
            self.keep(template, spare)


cdef void vote(majority_t* c, Py_ssize_t y, double* votes, bint is_due) noexcept nogil:
    # Turn votes into probabilities, and change weights and members if that is due.
    cdef Py_ssize_t m, k
    cdef double top = 0.0, total = 0.0
    cdef bint is_light = False, is_wrong = likeliest(votes, c.n_classes) != y
    for k in range(c.n_classes):
        total += votes[k]
    for k in range(c.n_classes):
        votes[k] /= total
    if is_due or c.at_once:
        for m in range(c.n_members):
            if c.wrong[m]:
                c.weight[m] *= c.beta                                            # (1)
            top = max(top, c.weight[m])
        for m in range(c.n_members):
            c.weight[m] /= top                                                   # (2)
            is_light = is_light or c.weight[m] < c.theta
        if is_due and (is_light or is_wrong):
            with gil:
                (<WeightedMajorityKernel> c.kernel).change(is_wrong)


cdef void predict_and_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                            double* p) noexcept nogil:
    cdef majority_t* c = <majority_t*> state
    cdef Py_ssize_t m, k, chosen
    cdef bint is_due = (c.progress[ROWS] + 1) % c.period == 0
    cdef double* answer = c.scratch
    cdef double* scratch = c.scratch + c.n_classes
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        if is_due:
            c.member[m].predict(c.member[m].state, x, answer, scratch)
        else:
            predict_learn(c.member[m], x, y, w, number, answer, scratch)
        chosen = likeliest(answer, c.n_classes)
        p[chosen] += c.weight[m]
        c.wrong[m] = chosen != y
    vote(c, y, p, is_due)
    if is_due:
        for m in range(c.n_members):
            learn_by(c.member[m], x, y, w, number)
    if c.rows.room > 0 and w > 0:
        append_row(&c.rows, x, y, min(w, HEAVIEST))
    c.progress[ROWS] += 1
    if c.progress[ROWS] == c.progress[NEXT_NOTE]:
        with gil:
            (<WeightedMajorityKernel> c.kernel).note()


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    predict_and_learn(state, x, y, w, number, (<majority_t*> state).votes)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const majority_t* c = <const majority_t*> state
    cdef Py_ssize_t m, k
    cdef double total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        c.member[m].predict(c.member[m].state, x, scratch, scratch + c.n_classes)
        p[likeliest(scratch, c.n_classes)] += c.weight[m]
    for k in range(c.n_classes):        # in the order of `vote`: the bits of a sum depend on it
        total += p[k]
    for k in range(c.n_classes):
        p[k] /= total

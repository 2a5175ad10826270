"""Online boosting that replaces members that make the vote worse on the latest rows.

Rows go through the members, and these vote, as in online_boost.pyx, except that a member that
has had fewer than `least` rows has no vote. Every `period` rows the vote's error on the latest `window` rows
is compared with that of the vote without member m, for each m that has a vote and is not the only one. If the
smallest of these errors is below that of all, member m is replaced by a new one, r = e = 0.
Each row counts by its weight.                                                               (1)
"""

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require
from thalweg._native.ring_layout import check_ring, ring_layout

from .online_boost cimport BoostingKernel, boosting_t, finish_row, learn_in_turn, pass_on, vote_of
from .base cimport ROWS
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.ring cimport append_row, bind_ring, ring_t, row_at

cdef double SMALLEST_VOTE = 1e-100      # of all members: less counts as none

ctypedef struct nonstationary_t:
    void* kernel
    boosting_t* boost
    ring_t latest
    Py_ssize_t period
    Py_ssize_t least
    Py_ssize_t* n_rows                  # [member]: rows it has had
    double* answer                      # [member, class]; memory to compare, as is all that follows
    double* vote                        # [member]
    double* error                       # [member]: of the vote without it
    double* p                           # [class]


cdef class NonstationaryKernel(BoostingKernel):
    """Online boosting and the rows on which its members are judged."""

    cdef nonstationary_t judge
    cdef dict buffers

    def __init__(self, who, n_features, n_classes, n_members, key, room, period, least,
                 n_templates, build):
        cdef nonstationary_t* a = &self.judge
        BoostingKernel.__init__(self, who, n_features, n_classes, n_members, key, False, 0.5, 0.0,
                                n_templates, build)
        self.most_spares = n_templates
        layout = ring_layout() | {"n_rows": Array(INDEX, "member", low=0, high=MOST_COUNTED)}
        self.allocate(who, layout, {"row": room})
        shapes = {"answer": (n_members, n_classes), "vote": n_members, "error": n_members, "p": n_classes}
        self.buffers = {name: layouts.new_array(shape, FLOAT) for name, shape in shapes.items()}
        a.answer, a.vote = doubles(self.buffers["answer"]), doubles(self.buffers["vote"])
        a.error, a.p = doubles(self.buffers["error"]), doubles(self.buffers["p"])
        a.kernel, a.boost, a.period, a.least = <void*> self, &self.core, period, least
        self.handle.state = <void*> a
        self.handle.learn, self.handle.predict = learn, predict
        self.handle.predict_learn = NULL
        self.bind()

    cdef void bind(self):
        BoostingKernel.bind(self)
        if "span" in self.arrays:
            bind_ring(&self.judge.latest, self.arrays)
            self.judge.n_rows = integers(self.arrays["n_rows"])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        BoostingKernel.check(self, arrays)
        check_ring(arrays, self.who)
        rows = int(arrays["progress"][ROWS])
        require((arrays["n_rows"] <= rows).all(), self.who, "n_rows", f"holds more than the {rows} learned")

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's vote.
        return mature_vote(&self.judge, m)

    cdef void begin_member(self, Py_ssize_t m) noexcept:
        # Replace member m by a new one.
        if self.replace(m, self.progress[ROWS]):
            self.core.right[m] = self.core.wrong[m] = 0.0
            self.judge.n_rows[m] = 0


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef nonstationary_t* a = <nonstationary_t*> state
    cdef boosting_t* c = a.boost
    cdef Py_ssize_t m
    cdef double share = w
    c.total[0] += w
    for m in range(c.n_members):
        share = pass_on(c, m, share, c.total[0], learn_in_turn(c, m, m, x, y, share, number))
        a.n_rows[m] += 1
    append_row(&a.latest, x, y, w)
    if (c.progress[ROWS] + 1) % a.period == 0:
        replace_harmful(a)
    finish_row(c)


cdef inline double mature_vote(const nonstationary_t* a, Py_ssize_t m) noexcept nogil:
    return max(vote_of(a.boost, m), 0.0) if a.n_rows[m] >= a.least else 0.0


cdef double sum_of_votes(const nonstationary_t* a) noexcept nogil:
    cdef Py_ssize_t m
    cdef double total = 0.0
    for m in range(a.boost.n_members):
        total += mature_vote(a, m)
    return total


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const nonstationary_t* a = <const nonstationary_t*> state
    cdef const boosting_t* c = a.boost
    cdef Py_ssize_t m, k
    cdef double vote, total = sum_of_votes(a)
    cdef bint alike = total < SMALLEST_VOTE
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.n_members):
        vote = 1.0 if alike else mature_vote(a, m)
        if vote > 0:
            c.member[m].predict(c.member[m].state, x, scratch, scratch + c.n_classes)
            for k in range(c.n_classes):
                p[k] += vote * scratch[k]
    for k in range(c.n_classes):
        p[k] /= c.n_members if alike else total


cdef void replace_harmful(nonstationary_t* a) noexcept nogil:
    cdef Py_ssize_t place, m, n_voters = 0, worst = -1
    cdef double error = 0.0
    for m in range(a.boost.n_members):
        a.error[m], a.vote[m] = 0.0, mature_vote(a, m)
        n_voters += a.vote[m] > 0
    if n_voters < 2:
        return
    for place in range(a.latest.span.count):
        error += judge_row(a, place)
    for m in range(a.boost.n_members):
        if a.vote[m] > 0 and a.error[m] < error:
            error, worst = a.error[m], m
    if worst >= 0:
        with gil:
            (<NonstationaryKernel> a.kernel).begin_member(worst)                       # (1)


cdef double judge_row(nonstationary_t* a, Py_ssize_t place) noexcept nogil:
    # The row's weight if the vote is wrong on it, else 0; the same into `error` for the vote without each.
    cdef boosting_t* c = a.boost
    cdef Py_ssize_t m, k, y = a.latest.y[place]
    cdef double* answer
    for k in range(c.n_classes):
        a.p[k] = 0.0
    for m in range(c.n_members):
        if a.vote[m] > 0:
            answer = a.answer + m * c.n_classes
            c.member[m].predict(c.member[m].state, row_at(&a.latest, place), answer, c.scratch)
            for k in range(c.n_classes):
                answer[k] *= a.vote[m]
                a.p[k] += answer[k]
    for m in range(c.n_members):
        if a.vote[m] > 0:
            answer = a.answer + m * c.n_classes
            for k in range(c.n_classes):
                answer[k] = a.p[k] - answer[k]
            if likeliest(answer, c.n_classes) != y:
                a.error[m] += a.latest.w[place]
    return 0.0 if likeliest(a.p, c.n_classes) == y else a.latest.w[place]

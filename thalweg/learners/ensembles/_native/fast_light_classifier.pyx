"""The fast and light classifier: online boosting whose members learn a row harder when ADWIN sees a change.

ADWIN watches whether the vote is right on each row before it is learned. Rows go through the members as in
online boosting (online_boost.pyx), except that N there is the weight each member has had, r_m + e_m.    (1)
Where ADWIN cuts its window, a row of weight w reaches member m not with what the one before passes on, but
with

    l = w (1 - q)/q,   q = e_m/(r_m + e_m), at least LEAST_ERROR; w if q is unknown.         (2)
"""

from libc.stdint cimport int64_t

from thalweg.drift._native.adwin import check_adwin, holds_losses
from thalweg._native.layout import FLOAT, Array, require

from thalweg.drift._native.adwin cimport adwin_begin, adwin_doubles, adwin_t, adwin_update
from .online_boost cimport (
    BoostingKernel, boosting_t, finish_row, learn_in_turn, online_boost_predict, pass_on,
)
from .base cimport ROWS
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles

cdef enum:
    CHANGED = 0                         # kind of event
    N_KINDS = 2
    PERIOD = 1                          # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows

cdef double LEAST_ERROR = 1e-3

ctypedef struct watched_t:
    void* kernel
    boosting_t* boost
    adwin_t* watch


cdef class FastLightKernel(BoostingKernel):
    """Online boosting and the ADWIN that watches its vote."""

    cdef watched_t watched

    def __init__(self, who, n_features, n_classes, n_members, key, delta, n_templates, build):
        BoostingKernel.__init__(self, who, n_features, n_classes, n_members, key, False, 0.5, 0.0,
                                n_templates, build, N_KINDS)
        self.own_scratch = 2 * n_classes
        self.allocate(who, {"watch": Array(FLOAT, adwin_doubles(SIZES))}, {})
        self.watched.kernel, self.watched.boost = <void*> self, &self.core
        self.handle.state = <void*> &self.watched
        self.handle.learn, self.handle.predict, self.handle.predict_learn = learn, predict, both
        self.bind()
        adwin_begin(self.watched.watch, delta, PERIOD, SIZES)

    cdef void bind(self):
        BoostingKernel.bind(self)
        if "watch" in self.arrays:
            self.watched.watch = <adwin_t*> doubles(self.arrays["watch"])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        BoostingKernel.check(self, arrays)
        watch = arrays["watch"]
        check_adwin(watch, self.who, "watch")
        good = (watch[:4] == self.arrays["watch"][:4]).all() and holds_losses(watch)
        require(good, self.who, "watch", "holds an ADWIN with other settings, or not of losses from 0 to 1")


cdef double weight_at_change(const boosting_t* c, Py_ssize_t m, double w) noexcept nogil:
    cdef double total = c.right[m] + c.wrong[m], error
    if not total > 0:
        return w
    error = min(max(c.wrong[m] / total, LEAST_ERROR), 1.0)
    return w * (1.0 - error) / error                                                         # (2)


cdef void learn_voted(watched_t* a, const double* x, Py_ssize_t y, double w, int64_t number,
                      const double* p) noexcept nogil:
    # Learn a row for which the members voted p.
    cdef boosting_t* c = a.boost
    cdef Py_ssize_t m
    cdef double share = w
    cdef bint is_right, has_changed = adwin_update(a.watch, likeliest(p, c.n_classes) != y) != 0
    c.total[0] += w
    if has_changed:
        with gil:
            (<FastLightKernel> c.kernel).record_event(c.progress[ROWS], 0, CHANGED)
    for m in range(c.n_members):
        if has_changed:
            share = weight_at_change(c, m, w)
        is_right = learn_in_turn(c, m, m, x, y, share, number)
        share = pass_on(c, m, share, c.right[m] + c.wrong[m] + share, is_right)              # (1)
    finish_row(c)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
               double* p) noexcept nogil:
    cdef watched_t* a = <watched_t*> state
    online_boost_predict(a.boost, x, p, a.boost.scratch)
    learn_voted(a, x, y, w, number, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef watched_t* a = <watched_t*> state
    online_boost_predict(a.boost, x, a.boost.scratch, a.boost.scratch + a.boost.n_classes)
    learn_voted(a, x, y, w, number, a.boost.scratch)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    online_boost_predict((<watched_t*> state).boost, x, p, scratch)

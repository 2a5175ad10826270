"""Kernels that transform each row, and call one member with the result.

The array `input_place` says where inputs are in a member's row, -1 for those that are not in it; another one,
which a kernel names, where the inputs are that it makes. A row that is observed keeps what was known then,
and is learned with it.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import INDEX, require

from thalweg._native cimport kernel as learner
from thalweg._native.kept_rows cimport is_kept, keep_row, take_kept


cdef class RewritingKernel(OneMemberKernel):
    """Calls a member with the rows that a subclass writes."""

    cdef void set_rewriting(self, rewriting_t* c, Py_ssize_t n_features, Py_ssize_t n_classes,
                            Py_ssize_t width, str further):
        self.rewriting, self.further = c, further
        c.n_features, c.width = n_features, width
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.observe = observe

    def check(self, arrays):
        """Raise StateError unless every place of a member's row is used once."""
        inputs = arrays["input_place"]
        places = np.concatenate([inputs[inputs >= 0], arrays[self.further].ravel()])
        good = len(np.unique(places)) == self.rewriting.width
        require(good, self.who, self.further, "must hold the places that 'input_place' leaves")

    cdef dict later_places(self, RewritingKernel before):
        following, found = before.rewriting.width, {}
        for name in ("input_place", self.further):
            earlier = before.arrays[name]
            wider = layouts.new_array(self.arrays[name].shape, INDEX, -1)
            wider[tuple([slice(n) for n in earlier.shape])] = earlier
            is_new = (wider < 0) & (self.arrays[name] >= 0)
            n_new = int(is_new.sum())
            wider[is_new] = np.arange(following, following + n_new)
            following += n_new
            found[name] = wider
        return found

    cdef Py_ssize_t n_member_inputs(self):
        return self.rewriting.width


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const rewriting_t* c = <const rewriting_t*> state
    c.write_row(state, x, scratch)
    c.member.predict(c.member.state, scratch, p, scratch + c.width)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef rewriting_t* c = <rewriting_t*> state
    c.write_to_learn(state, x, y, w, take_kept(c.kept, number))
    c.member.learn(c.member.state, c.row, y, w, number)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef rewriting_t* c = <rewriting_t*> state
    if is_kept(c.kept, number):         # the row to learn may differ from the one to predict
        c.write_row(state, x, c.row)
        c.member.predict(c.member.state, c.row, p, c.scratch)
        learn(state, x, y, w, number)
    else:
        c.write_to_learn(state, x, y, w, NULL)
        learner.predict_learn(c.member, c.row, y, w, number, p, c.scratch)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef rewriting_t* c = <rewriting_t*> state
    cdef double* kept = keep_row(c.kept, number) if c.kept.width else NULL
    c.write_row(state, x, c.row)
    if kept != NULL:
        c.keep(state, kept)
    if c.member.observe != NULL:
        c.member.observe(c.member.state, c.row, number)

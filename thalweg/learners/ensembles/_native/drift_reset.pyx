"""A member with a detector on its errors: a warning starts another member, which replaces it at an alarm.

For each learned row: the detector gets the loss 1 if the member's most likely class is wrong, else 0. At
a warning the other member, new when the warning began, learns the row too; when the warning ends it is
dropped. At an alarm it replaces the member, or a new one does if there was no warning. Then the member
learns the row.
"""

import numpy as np

from libc.stdint cimport int64_t

from thalweg._native import layout as layouts
from thalweg.drift._native.base import PythonDetectorKernel
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from thalweg.drift._native.base cimport ALARM, WARNING, DetectorKernel, detector_t
from thalweg._native.failure cimport record_failure
from thalweg._native.kernel cimport Kernel, flush, learner_t, observe
from thalweg._native.maths cimport likeliest
from thalweg.learners.base._native.member_pool cimport MemberPool
from thalweg._native.pointers cimport doubles, integers

cdef enum:
    MOST_DRIFTS = 1000

cdef enum:
    # places in `counts`
    ROWS = 0                            # learned so far
    DRIFTS = 1                          # alarms so far
    WARNED = 2                          # 1 while the other member learns

ctypedef struct reset_t:
    learner_t** member                  # the one in charge and the other one
    detector_t* detector
    Py_ssize_t n_classes
    Py_ssize_t* counts
    Py_ssize_t* drifts                  # rows of the latest drifts, a ring
    double* p                           # [class]; memory to learn a row
    double* again                       # [class]; the same
    bint is_fresh                       # the other member has learned nothing
    double* scratch                     # the same, to predict
    void* kernel


cdef class DriftResetKernel(MemberPool):
    """Calls the member, the other member and the detector through their handles."""

    cdef reset_t core
    cdef readonly object detector
    cdef DetectorKernel watch           # the detector's kernel
    cdef object p
    cdef object memory

    def __init__(self, who, n_features, n_classes, build):
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, {
            "counts": Array(INDEX, 3, **number),
            "drifts": Array(INDEX, MOST_DRIFTS, **number),
        }, {})
        self.make_slots(2, 1, build)
        self.p = layouts.new_array(2 * n_classes, FLOAT)
        self.core.p, self.core.n_classes, self.core.kernel = doubles(self.p), n_classes, <void*> self
        self.core.again = self.core.p + self.core.n_classes
        self.core.member = self.member
        self.set_handle(<void*> &self.core, n_features, n_classes, learn, predict, predict_learn)
        self.handle.predict_learn_again = predict_learn_again
        self.bind()

    cdef void bind(self):
        self.core.counts, self.core.drifts = integers(self.arrays["counts"]), integers(self.arrays["drifts"])

    def set_parts(self, list members, list kernels, detector, DetectorKernel watch):
        """Call these two learners, whose kernels are given, and this detector from now on."""
        cdef Kernel member = kernels[0], other = kernels[1]
        n = max(member.handle.scratch_size, other.handle.scratch_size)
        memory = layouts.new_array(n + 1, FLOAT)
        self.members, self.kernels, self.detector, self.watch = members, kernels, detector, watch
        self.memory, self.core.scratch = memory, doubles(memory)
        self.handle.scratch_size = self.member_scratch = n
        self.member[0], self.member[1] = &member.handle, &other.handle
        self.core.detector = &watch.handle
        self.core.is_fresh = False
        self.handle.flush = self.handle.observe = NULL
        if member.handle.flush != NULL:
            self.handle.flush = flush_member
        if member.handle.observe != NULL:
            self.handle.observe = observe_member
        self.calls_python = (
            member.calls_python or other.calls_python or isinstance(watch, PythonDetectorKernel)
        )

    cdef bint renew(self) noexcept:
        # Build the other member, which is not in use, again; return whether that was done.
        if self.core.is_fresh:
            return True
        try:
            fresh = self.build_member(0, 1, 0, self.reusable(1))
            if fresh is not None:
                self.put(1, fresh)
            self.core.is_fresh = fresh is not None
            return self.core.is_fresh
        except BaseException as error:
            record_failure(error)
            return False

    cdef bint replace(self) noexcept:
        # Let the other member take over; return whether that was done.
        cdef reset_t* c = &self.core
        if not c.counts[WARNED] and not self.renew():
            return False
        self.members[0], self.members[1] = self.members[1], self.members[0]
        self.kernels[0], self.kernels[1] = self.kernels[1], self.kernels[0]
        c.member[0], c.member[1] = c.member[1], c.member[0]
        c.is_fresh = False
        self.renew()                    # frees memory
        return True

    def check(self, arrays):
        """Raise StateError if counts and drifts contradict each other."""
        rows, n_drifts, warned = arrays["counts"].tolist()
        good = warned <= 1 and n_drifts <= rows
        require(good, self.who, "counts", f"holds {[rows, n_drifts, warned]}, which do not fit each other")
        good = bool((arrays["drifts"][:n_drifts] < max(rows, 1)).all())
        require(good, self.who, "drifts", f"holds a row beyond the last, {rows}")

    @property
    def size(self):
        """Size of the member in charge."""
        return self.kernels[0].size

    def drifts(self):
        """Return the numbers of the latest rows with an alarm, in order."""
        n = int(self.arrays["counts"][DRIFTS])
        if n <= MOST_DRIFTS:
            return self.arrays["drifts"][:n].copy()
        return np.roll(self.arrays["drifts"], -(n % MOST_DRIFTS))


cdef bint learn_predicted(reset_t* c, const double* x, Py_ssize_t y, double w, int64_t number,
                          const double* p, bint has_learned) noexcept nogil:
    # The member has predicted p, and may have learned the row as well: one that is replaced is not missed.
    # Returns whether it was.
    cdef int level = c.detector.update(c.detector.state, 0.0 if likeliest(p, c.n_classes) == y else 1.0)
    cdef bint replaced = False
    if level == ALARM:
        with gil:
            replaced = (<DriftResetKernel> c.kernel).replace()
        if replaced:
            c.drifts[c.counts[DRIFTS] % MOST_DRIFTS] = c.counts[ROWS]
            c.counts[DRIFTS] += 1
    elif level == WARNING and not c.counts[WARNED]:
        with gil:
            c.counts[WARNED] = (<DriftResetKernel> c.kernel).renew()
    if level == WARNING and c.counts[WARNED]:
        c.is_fresh = False
        c.member[1].learn(c.member[1].state, x, y, w, number)
    else:
        c.counts[WARNED] = 0
    if replaced or not has_learned:
        c.member[0].learn(c.member[0].state, x, y, w, number)
    c.counts[ROWS] += 1
    return replaced


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    predict_learn(state, x, y, w, number, (<reset_t*> state).p)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    cdef bint both = c.member[0].predict_learn != NULL
    if both:
        c.member[0].predict_learn(c.member[0].state, x, y, w, number, p)
    else:
        c.member[0].predict(c.member[0].state, x, p, c.scratch)
    learn_predicted(c, x, y, w, number, p, both)


cdef Py_ssize_t predict_learn_again(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                    double* p) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    cdef Py_ssize_t said
    if c.member[0].predict_learn_again == NULL:
        predict_learn(state, x, y, w, number, p)
    else:
        said = c.member[0].predict_learn_again(c.member[0].state, x, y, w, number, p)
        if not learn_predicted(c, x, y, w, number, p, True):
            return said
    c.member[0].predict(c.member[0].state, x, c.again, c.scratch)
    return likeliest(c.again, c.n_classes)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const reset_t* c = <const reset_t*> state
    c.member[0].predict(c.member[0].state, x, p, scratch)


cdef void flush_member(void* state) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    flush(c.member[0])
    flush(c.member[1])


cdef void observe_member(void* state, const double* x, int64_t number) noexcept nogil:
    observe((<reset_t*> state).member[0], x, number)

"""A member with a detector on its errors: a warning starts another member, an alarm puts it in place.

For each learned row: the detector takes the loss 1 if the member's likeliest class is wrong, else 0. At a
warning the other member, fresh when the warning began, learns the row, too; when all is quiet again it is
dropped. At an alarm it replaces the member, or a fresh one does if there was no warning. Then the member
learns the row.
"""

import numpy as np

from .detector cimport ALARM, WARNING, DetectorKernel, detector_t
from .failure cimport record_failure
from .learner cimport Kernel, learner_t
from .pointers cimport doubles, integers

cdef enum:
    MOST_DRIFTS = 1000

ctypedef struct reset_t:
    learner_t* member
    learner_t* other
    detector_t* detector
    Py_ssize_t n_classes
    Py_ssize_t* rows                    # learned so far
    Py_ssize_t* n_drifts
    Py_ssize_t* warned                  # 1 while the other member learns
    Py_ssize_t* drifts                  # rows of the latest drifts, a ring
    double* p
    double* scratch                     # for the member's predictions
    void* kernel


cdef class DriftResetKernel(Kernel):
    """Calls the member, the other member and the detector through their handles.

    `replace(warned)` is called at an alarm, `renew()` when a warning begins; both return the kernels of the
    member and the other one, which from then on are called.
    """

    cdef reset_t core
    cdef Kernel member
    cdef Kernel other
    cdef DetectorKernel detector
    cdef object replace
    cdef object renew
    cdef double[::1] p
    cdef object scratch

    def __init__(self, n_features, n_classes, replace, renew):
        self.arrays = {"counts": np.zeros(3, dtype=np.intp), "drifts": np.zeros(MOST_DRIFTS, dtype=np.intp)}
        self.replace = replace
        self.renew = renew
        self.p = np.empty(n_classes)
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, 0, learn, predict, NULL)
        self.handle.predict_learn = both
        self.bind()

    def call(self, Kernel member, Kernel other, DetectorKernel detector):
        """Call these kernels from now on."""
        self.member, self.other, self.detector = member, other, detector
        self.core.member = &member.handle
        self.core.other = &other.handle
        self.core.detector = &detector.handle
        self.scratch = np.zeros(max(member.handle.scratch_size, 1))
        self.core.scratch = doubles(self.scratch)

    cdef void bind(self):
        cdef reset_t* c = &self.core
        c.rows = integers(self.arrays["counts"])
        c.n_drifts, c.warned = c.rows + 1, c.rows + 2
        c.drifts, c.p = integers(self.arrays["drifts"]), &self.p[0]
        c.n_classes, c.kernel = self.handle.n_classes, <void*> self

    @property
    def size(self):
        """Size of the member in charge."""
        return self.member.size

    def drifts(self):
        """Return the numbers of the latest rows with an alarm, in order."""
        n = self.arrays["counts"][1]
        if n <= MOST_DRIFTS:
            return self.arrays["drifts"][:n].copy()
        return np.roll(self.arrays["drifts"], -(n % MOST_DRIFTS))

    cdef void change(self, bint alarm):
        try:
            member, other = self.replace(bool(self.core.warned[0])) if alarm else self.renew()
            self.call(member, other, self.detector)
        except BaseException as error:
            record_failure(error)


cdef void change(reset_t* c, bint alarm) noexcept nogil:
    with gil:
        (<DriftResetKernel> c.kernel).change(alarm)


cdef void learn_predicted(reset_t* c, const double* x, Py_ssize_t y, double w,
                          const double* p) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    cdef int level
    for k in range(1, c.n_classes):
        if p[k] > p[best]:
            best = k
    level = c.detector.update(c.detector.state, 0.0 if best == y else 1.0)
    if level == ALARM:
        change(c, True)
        c.drifts[c.n_drifts[0] % MOST_DRIFTS] = c.rows[0]
        c.n_drifts[0] += 1
    elif level == WARNING:
        if not c.warned[0]:
            change(c, False)
        c.other.learn(c.other.state, x, y, w)
    c.warned[0] = level == WARNING
    c.member.learn(c.member.state, x, y, w)
    c.rows[0] += 1


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    c.member.predict(c.member.state, x, c.p, c.scratch)
    learn_predicted(c, x, y, w, c.p)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    c.member.predict(c.member.state, x, p, c.scratch)
    learn_predicted(c, x, y, w, p)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef reset_t* c = <reset_t*> state
    c.member.predict(c.member.state, x, p, c.scratch)

"""Members that are learners, each trained once on weighted rows and then only asked.

Training may take long, fail, or be stopped by a signal. So a fresh member is trained aside, and its answers
on the rows are noted aside: only then it becomes a member. One whose training was stopped is built and
trained again later, from the same number, so that it becomes what it would have been.
"""

import numpy as np

from thalweg.errors import StateError

from thalweg._native.failure cimport attempt, begin_call, call_t, end_call, record_failure, should_stop
from thalweg._native.kernel cimport fit_block
from thalweg._native.pointers cimport integers


cdef class TrainedMembers(Kernel):
    """A kernel with such members; there may be none, where it has stumps instead."""

    cdef void prepare(self, Py_ssize_t n_members, build):
        # Build one member, which shows how much memory a prediction needs, and the table of handles.
        cdef Kernel kernel
        self.build = build
        self.members, self.kernels, self.spares = [None] * n_members, [None] * n_members, []
        if build is None:
            return
        learner, kernel = build(0, None)
        self.member_scratch, self.calls_python = kernel.handle.scratch_size, kernel.calls_python
        self.spares.append(learner)
        self.table = np.zeros(n_members, dtype=np.intp)
        self.member = <learner_t**> integers(self.table)

    def built(self, number, spare):
        """Return a fresh learner and its kernel."""
        cdef Kernel kernel
        learner, kernel = self.build(number, spare)
        if (kernel.handle.scratch_size > self.member_scratch
                or kernel.handle.n_classes != self.handle.n_classes):
            raise RuntimeError(f"{self.who}: parameters were changed while it learned; begin again")
        return learner, kernel

    cdef outcome_t train(self, Py_ssize_t number, const double* X, const Py_ssize_t* y, const double* w,
                         Py_ssize_t n, bint may_stop, judge_f judge, void* core) noexcept:
        # Train a fresh member on n rows and let it be judged: ADDED if it may be put in its place.
        cdef Kernel kernel
        cdef call_t call
        cdef bint done
        if may_stop and should_stop():
            return STOPPED
        spare = self.spares[len(self.spares) - 1] if self.spares else None
        fresh = attempt(self.built, (number, spare))
        if fresh is None:
            return REFUSED
        if spare is not None:
            self.spares.pop()
        self.fresh, kernel = fresh, fresh[1]
        begin_call(&call, 0)
        with nogil:
            done = fit_block(&kernel.handle, X, y, w, n, may_stop) and judge(core, &kernel.handle)
        try:
            end_call(&call, -1)
            if done:
                return ADDED
            stopped = True
        except BaseException as error:
            record_failure(error)
            stopped = not isinstance(error, Exception)
        self.discard()
        return STOPPED if stopped else REFUSED

    cdef void put(self, Py_ssize_t m) noexcept:
        # The learner that was trained becomes member m, of which there is none.
        cdef Kernel kernel = self.fresh[1]
        self.members[m], self.kernels[m] = self.fresh[0], kernel
        self.member[m] = &kernel.handle
        self.fresh = None

    cdef void discard(self) noexcept:
        # The learner that was trained becomes no member.
        self.keep(self.fresh[0])
        self.fresh = None

    cdef void drop(self, Py_ssize_t m) noexcept:
        self.keep(self.members[m])
        self.members[m] = self.kernels[m] = None
        self.member[m] = NULL

    cdef void keep(self, learner) noexcept:
        # Keep a learner to be built again.
        try:
            self.spares.append(learner)
        except MemoryError:
            pass

    def set_members(self, slots, learners, kernels):
        """Call these learners, whose kernels are given, as the members in these slots."""
        cdef Kernel kernel
        cdef Py_ssize_t m
        members, handles = [None] * len(self.members), [None] * len(self.members)
        for m, learner, each in zip(slots, learners, kernels, strict=True):
            members[m], handles[m] = learner, each
            kernel = each
            if kernel.handle.scratch_size > self.member_scratch:
                raise StateError(f"{self.who}: a member of the state is another learner than the template")
        self.members, self.kernels = members, handles
        for m in slots:
            kernel = handles[m]
            self.member[m] = &kernel.handle

    @property
    def bytes(self):
        """Bytes of all arrays, those of the members included."""
        own = sum(array.nbytes for array in self.arrays.values())
        return own + sum(kernel.bytes for kernel in self.kernels if kernel is not None)

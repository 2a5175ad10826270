"""Members that are learners, each trained once on weighted rows and then only used to predict.

Training may take long, fail, or be stopped by a signal. So a new member is trained aside, and its answers
on the rows are noted aside: only then it becomes a member. One whose training was stopped is built and
trained again later, from the same number, so that it becomes what it would have been.
"""

from thalweg._native.failure cimport begin_call, call_t, end_call, record_failure, should_stop
from thalweg._native.kernel cimport Kernel, fit_block


cdef class TrainedMembers(MemberPool):
    """A kernel with such members; there may be none, where it has stumps instead."""

    cdef void prepare(self, Py_ssize_t n_members, build):
        # Build one member, which shows how much memory a prediction needs, and the table of handles.
        cdef Kernel kernel
        if build is not None:
            self.make_slots(n_members, 1, build)
            learner, kernel = build(0, 0, 0, None)
            self.member_scratch, self.calls_python = kernel.handle.scratch_size, kernel.calls_python
            self.spares.append((0, learner))
            self.most_spares = n_members + 1
        self.members, self.kernels = [None] * n_members, [None] * n_members

    cdef void make_scratch(self, Py_ssize_t size):
        # Make memory for predictions of members that need so much each.
        self.member_scratch = size

    def first_members(self):
        """Return the learner that was built to begin with, of each template."""
        return [self.spares[0][1]] if self.build is not None else []

    cdef outcome_t train(self, Py_ssize_t number, const double* X, const Py_ssize_t* y, const double* w,
                         Py_ssize_t n, bint may_stop, judge_f judge, void* core) noexcept:
        # Train a new member on n rows and let it be judged: ADDED if it may be put in its place.
        cdef Kernel kernel
        cdef call_t call
        cdef bint done
        if may_stop and should_stop():
            return STOPPED
        fresh = self.build_member(0, 0, number, self.take_spare(0))
        if fresh is None:
            return REFUSED
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

    cdef void put_fresh(self, Py_ssize_t m) noexcept:
        # Make the trained learner member m, whose slot is empty.
        self.put(m, self.fresh)
        self.fresh = None

    cdef void discard(self) noexcept:
        # Discard the trained learner.
        self.keep(0, self.fresh[0])
        self.fresh = None

    cdef void drop(self, Py_ssize_t m) noexcept:
        self.keep(0, self.reusable(m))
        self.members[m] = self.kernels[m] = None
        self.member[m] = NULL

    def set_members(self, slots, learners, kernels):
        """Call these learners, whose kernels are given, as the members in these slots."""
        cdef Kernel kernel
        cdef Py_ssize_t m, most = self.member_scratch
        members, handles = [None] * len(self.members), [None] * len(self.members)
        for m, learner, each in zip(slots, learners, kernels, strict=True):
            members[m], handles[m] = learner, each
            kernel = each
            most = max(most, kernel.handle.scratch_size)
        # Members that have grown may need more than one which begins now: a stack keeps what it chose.
        self.make_scratch(most)
        self.members, self.kernels = members, handles
        for m in slots:
            kernel = handles[m]
            self.member[m] = &kernel.handle

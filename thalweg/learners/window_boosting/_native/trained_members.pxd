# Members that are learners, each trained once on weighted rows and then only used to predict.

from thalweg._native.kernel cimport learner_t
from thalweg.learners.base._native.member_pool cimport MemberPool

cdef enum outcome_t:
    STOPPED = -1                        # by a signal: to be tried again
    REFUSED = 0                         # an error was recorded, or the member is not good enough
    ADDED = 1

# look at a new member's answers, into memory of `core`; return False if a signal stopped that
ctypedef bint (*judge_f)(void* core, const learner_t* h) noexcept nogil


cdef class TrainedMembers(MemberPool):
    cdef tuple fresh                    # a learner and its kernel, trained and not yet a member

    cdef void prepare(self, Py_ssize_t n_members, build)
    cdef void make_scratch(self, Py_ssize_t size)
    cdef outcome_t train(self, Py_ssize_t number, const double* X, const Py_ssize_t* y, const double* w,
                         Py_ssize_t n, bint may_stop, judge_f judge, void* core) noexcept
    cdef void put_fresh(self, Py_ssize_t m) noexcept
    cdef void discard(self) noexcept
    cdef void drop(self, Py_ssize_t m) noexcept

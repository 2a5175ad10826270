# Members that are learners, each trained once on weighted rows and then only asked.

from thalweg._native.kernel cimport Kernel, learner_t

cdef enum outcome_t:
    STOPPED = -1                        # by a signal: to be tried again
    REFUSED = 0                         # an error was recorded, or the member is not good enough
    ADDED = 1

# look at a fresh member's answers, into memory of `core`; return False if a signal stopped that
ctypedef bint (*judge_f)(void* core, const learner_t* h) noexcept nogil


cdef class TrainedMembers(Kernel):
    cdef object build                   # build(number, spare) returns a fresh learner and its kernel
    cdef readonly list members          # [member]: learners, None where there is none
    cdef list kernels                   # [member]: theirs
    cdef list spares                    # learners that are no longer called and may be built again
    cdef tuple fresh                    # a learner and its kernel, trained and not yet a member
    cdef object table                   # memory of `member`
    cdef learner_t** member             # [member]
    cdef Py_ssize_t member_scratch      # doubles a member's prediction needs

    cdef void prepare(self, Py_ssize_t n_members, build)
    cdef outcome_t train(self, Py_ssize_t number, const double* X, const Py_ssize_t* y, const double* w,
                         Py_ssize_t n, bint may_stop, judge_f judge, void* core) noexcept
    cdef void put(self, Py_ssize_t m) noexcept
    cdef void discard(self) noexcept
    cdef void drop(self, Py_ssize_t m) noexcept
    cdef void keep(self, learner) noexcept

# Members called through their handles: built from templates, replaced, and kept to be reused.

from thalweg._native.kernel cimport Kernel, learner_t


cdef class MemberPool(Kernel):
    # build(template, slot, n_built, spare) returns a new learner and the kernel to call it through
    cdef object build
    cdef readonly Py_ssize_t n_templates    # from which members are made
    cdef readonly list members          # [slot]: the learners, which nobody else keeps; None for none
    cdef list kernels                   # [slot]: theirs
    cdef list spares                    # (template, member) that is no longer called and may be built again
    cdef Py_ssize_t most_spares
    cdef public list resettable         # [template]: whether a spare member can be reset to its beginning
    cdef object table                   # memory of `member`
    cdef learner_t** member             # [slot]
    cdef Py_ssize_t member_scratch      # doubles a member needs, at most

    cdef void make_slots(self, Py_ssize_t n, Py_ssize_t n_templates, build)
    cdef tuple build_member(self, Py_ssize_t template, Py_ssize_t slot, Py_ssize_t n_built, spare)
    cdef void put(self, Py_ssize_t slot, tuple fresh)
    cdef object take_spare(self, Py_ssize_t template)
    cdef object reusable(self, Py_ssize_t slot)
    cdef void keep(self, Py_ssize_t template, member) noexcept

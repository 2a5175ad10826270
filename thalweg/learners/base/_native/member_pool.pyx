"""Members called through their handles: built from templates, replaced, and kept to be reused.

A new member is built by code written in Python, which may fail or be interrupted anywhere and so changes
nothing that is in use; `put` then changes lists and table together.
"""

import numpy as np

from .member_view cimport AdapterKernel
from thalweg._native.failure cimport attempt, record_failure
from thalweg._native.pointers cimport integers


cdef class MemberPool(Kernel):
    """A kernel that calls other learners through their handles."""

    cdef void make_slots(self, Py_ssize_t n, Py_ssize_t n_templates, build):
        # Make room for n members; none exist yet.
        self.build, self.n_templates = build, n_templates
        self.members, self.kernels, self.spares, self.resettable = [], [], [], [False] * n_templates
        self.table = np.zeros(n, dtype=np.intp)
        self.member = <learner_t**> integers(self.table)

    cdef tuple build_member(self, Py_ssize_t template, Py_ssize_t slot, Py_ssize_t n_built, spare):
        # A new learner and its kernel, made of `spare` unless that is None; None if that failed, which is
        # recorded.
        cdef Kernel kernel
        cdef learner_t* h
        fresh = attempt(self.build, (template, slot, n_built, spare))
        if fresh is None:
            return None
        kernel = fresh[1]
        h = &kernel.handle
        if (h.scratch_size > self.member_scratch or h.n_features != self.handle.n_features
                or h.n_classes != self.handle.n_classes):
            record_failure(RuntimeError(f"{self.who}: parameters were changed while it learned; begin again"))
            return None
        return fresh

    cdef void put(self, Py_ssize_t slot, tuple fresh):
        # Call what `build_member` returned in this slot from now on. No code written in Python runs here.
        cdef Kernel kernel = fresh[1]
        self.members[slot], self.kernels[slot] = fresh[0], kernel
        self.member[slot] = &kernel.handle

    cdef object take_spare(self, Py_ssize_t template):
        # A member of this template that is no longer called; None if none is kept.
        cdef Py_ssize_t i
        for i in range(len(self.spares)):
            if self.spares[i][0] == template:
                return self.spares.pop(i)[1]
        return None

    cdef object reusable(self, Py_ssize_t slot):
        # The member of a slot, to be built again once it is no longer called; None if its owner let it begin
        # again by itself, so that it has another kernel than the one that is called here.
        kernel, member = self.kernels[slot], self.members[slot]
        if isinstance(kernel, AdapterKernel):
            kernel = (<AdapterKernel> kernel).member
        return member if getattr(member, "_kernel", None) is kernel else None

    cdef void keep(self, Py_ssize_t template, member) noexcept:
        # Keep a member that is no longer called, if it can be used again.
        try:
            if member is not None and self.resettable[template] and len(self.spares) < self.most_spares:
                self.spares.append((template, member))
        except MemoryError:
            pass

    @property
    def bytes(self):
        """Bytes of all arrays, those of the members included."""
        return self.array_bytes + sum(kernel.bytes for kernel in self.kernels if kernel is not None)

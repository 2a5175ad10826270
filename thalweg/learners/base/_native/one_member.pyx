"""What kernels around one member share: how they keep it, and pass on what is not theirs."""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, require

from thalweg._native cimport kernel as learner
from thalweg._native.pointers cimport doubles


cdef class OneMemberKernel(Kernel):
    """Calls one member, a learner, through its handle."""

    cdef Py_ssize_t n_member_inputs(self):
        return self.handle.n_features

    cdef void follow_member(self):
        pass

    def set_member(self, member, Kernel kernel):
        """Call this learner, whose kernel is given, from now on."""
        cdef around_t* c = <around_t*> self.handle.state
        for name, found, wanted in (
            ("inputs", kernel.handle.n_features, self.n_member_inputs()),
            ("classes", kernel.handle.n_classes, self.handle.n_classes),
        ):
            require(found == wanted, self.who, "member", f"has {found} {name}, not {wanted}")
        memory = layouts.new_array(max(c.own_size + kernel.handle.scratch_size, 1), FLOAT)
        self.member, self.member_kernel, self.memory = member, kernel, memory
        self.calls_python = kernel.calls_python
        c.member, c.own = &kernel.handle, doubles(memory)
        c.scratch = c.own + c.own_size
        self.handle.scratch_size = c.own_size + kernel.handle.scratch_size
        self.handle.flush = NULL
        if kernel.handle.flush != NULL:
            self.handle.flush = flush_member
        self.follow_member()

    @property
    def size(self):
        """Size of the member."""
        return self.member_kernel.size

    @property
    def bytes(self):
        """Bytes of all arrays, those of the member included."""
        return self.array_bytes + self.member_kernel.bytes


cdef void flush_member(void* state) noexcept nogil:
    learner.flush((<around_t*> state).member)

# A kernel's functions on states that lie in slots: memory laid out as the kernel's own arrays.

from thalweg._native.kernel cimport Kernel, learner_t

ctypedef struct view_t:
    learner_t handle                    # its state is a copy of the kernel's struct
    Py_ssize_t n_addresses
    const Py_ssize_t* field             # [address]: where in the struct it stands, in bytes
    const Py_ssize_t* place             # [address]: what it is the address of, in bytes from a slot's start


cdef inline void bind_at(const view_t* v, char* base) noexcept nogil:
    # Point the struct at the slot that begins at `base`.
    cdef Py_ssize_t i
    for i in range(v.n_addresses):
        (<char**> (<char*> v.handle.state + v.field[i]))[0] = base + v.place[i]


cdef class SlotKernel:
    cdef readonly Kernel kernel
    cdef readonly Py_ssize_t size       # bytes of a slot, a multiple of 64
    cdef readonly dict places           # name of an array: its place in a slot, in bytes
    cdef object memory                  # the slot in which the kernel's own arrays lie
    cdef object addresses               # fields and places, as view_t has them
    cdef view_t own

    cdef int find_addresses(self) except -1
    cdef int move_to(self, memory) except -1
    cdef char* own_slot(self)
    cdef view_t new_view(self) except *
    cdef void derive_at(self, char* base)


cdef void free_view(view_t* view) noexcept nogil

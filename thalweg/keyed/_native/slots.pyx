"""Kernels whose state can lie anywhere: one kernel serves many states, each in its own slot.

The arrays of the kernel are moved into one piece of memory, the slot. What its struct holds then are
settings, addresses of scratch memory, and addresses inside the slot. The last are found by binding the
kernel to two slots and comparing the structs: they are the words that moved as far as the slot did. To
work on another state, `bind_at` writes these addresses again, in a copy of the struct, so that each
thread has one.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from .slot_layout import arrays_in, new_slot, slot_places

from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport integers


def obstacle(Kernel kernel):
    """Return why the state of a kernel cannot be moved to a slot, or None if it can."""
    if kernel.kept is not None:
        return "keeps what it said about rows that wait for their labels"
    if kernel.lengths is not None and None in kernel.lengths.values():
        return "grows with what it learns"
    if kernel.core_size == 0:
        return "has members, or numbers outside its arrays"
    return None


cdef class SlotKernel:
    """A kernel, which now belongs to this object, and the layout of its slot."""

    def __init__(self, Kernel kernel):
        found = obstacle(kernel)
        if found is not None:
            raise TypeError(f"{kernel.who} cannot be moved to a slot: it {found}")
        self.kernel = kernel
        self.places, self.size = slot_places(kernel.arrays)
        self.find_addresses()

    cdef int find_addresses(self) except -1:
        # Bind the kernel to two slots; its arrays stay in the second.
        cdef Kernel kernel = self.kernel
        cdef Py_ssize_t n_words = kernel.core_size // sizeof(void*)
        cdef uintptr_t* words = <uintptr_t*> kernel.handle.state
        first, second = new_slot(self.size), new_slot(self.size)
        self.move_to(first)
        before = [words[i] for i in range(n_words)]
        self.move_to(second)
        after = [words[i] for i in range(n_words)]
        self.memory = second
        start, moved = second.ctypes.data, second.ctypes.data - first.ctypes.data
        found = [i for i in range(n_words) if before[i] != after[i]]
        if any(after[i] - before[i] != moved or not 0 <= after[i] - start <= self.size for i in found):
            raise TypeError(f"{kernel.who}: what it is bound to follows from its arrays in another way")
        core = <uintptr_t> kernel.handle.state
        if any(core <= word < core + kernel.core_size for word in after):
            raise TypeError(f"{kernel.who}: its struct holds its own address")
        self.addresses = np.array([[i * sizeof(void*) for i in found], [after[i] - start for i in found]],
                                  dtype=np.intp)
        self.own.handle = kernel.handle
        self.own.n_addresses = len(found)
        self.own.field = integers(self.addresses)
        self.own.place = self.own.field + len(found)
        return 0

    cdef int move_to(self, memory) except -1:
        arrays = self.arrays_in(memory)
        for name, array in self.kernel.arrays.items():
            arrays[name][...] = array
        self.kernel.arrays = arrays     # not `adopt`, which may put some of them elsewhere
        self.kernel.bind()
        return 0

    def arrays_in(self, memory):
        """Return the arrays of the state in a slot, which share its memory.

        `memory` has bytes along its last axis; arrays get the axes before it, too.
        """
        return arrays_in(memory, self.places, self.kernel.arrays)

    def state_in(self, memory):
        """Return the declared ones of these arrays: what is saved."""
        arrays = self.arrays_in(memory)
        return {name: arrays[name] for name in self.kernel.layout}

    def template(self):
        """Return a copy of the slot as the kernel began."""
        return self.memory.copy()

    cdef char* own_slot(self):
        cdef uintptr_t address = self.memory.ctypes.data
        return <char*> address

    cdef view_t new_view(self) except *:
        # A view with its own struct, to be ended by free_view. Views share the kernel's scratch memory.
        cdef view_t view = self.own
        view.handle = self.kernel.handle
        view.handle.state = malloc(max(self.kernel.core_size, 1))
        if view.handle.state == NULL:
            raise MemoryError("no memory for a view of a state")
        memcpy(view.handle.state, self.kernel.handle.state, self.kernel.core_size)
        return view

    cdef void derive_at(self, char* base):
        # Compute the arrays of a slot that are not declared.
        cdef view_t view = self.own
        view.handle.state = self.kernel.handle.state
        bind_at(&view, base)
        self.kernel.derive()
        bind_at(&view, self.own_slot())


cdef void free_view(view_t* view) noexcept nogil:
    free(view.handle.state)
    view.handle.state = NULL

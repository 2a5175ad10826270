"""What ensembles share: members behind their handles, events, and a record that thins itself out.

The record (`history`) has a line for every STRIDE learned rows: the row, a number for each member (its weight
or error rate) and the member's size. When it is full, every other line goes and STRIDE doubles.
"""

import numpy as np

from .pointers cimport doubles, integers

MOST_EVENTS = 1000
MOST_NOTES = 128
FIRST_STRIDE = 256


cdef class EnsembleKernel(Kernel):
    """Calls its members through their handles; a subclass adds its arrays and says what it notes of them.

    There may be more slots for kernels than members: a forest has a second one for a member's next tree.
    """

    def __init__(self, n_members, n_slots, build):
        self.build = build
        self.n_members = 0
        self.arrays = {
            "progress": np.array([0, 0, 0, FIRST_STRIDE, FIRST_STRIDE], dtype=np.intp),
            "events": np.zeros((MOST_EVENTS, 3), dtype=np.intp),
            "history": np.full((MOST_NOTES, 1 + 2 * n_members), np.nan),
        }
        self.table = np.zeros(n_slots * sizeof(member_t), dtype=np.uint8)
        cdef unsigned char[::1] table = self.table
        self.member = <member_t*> &table[0]
        self.kernels = []
        self.scratch_of = [None] * n_slots

    def call(self, kernels):
        """Call these members from now on."""
        self.kernels = []
        self.n_members = 0
        for kernel in kernels:
            self.put(self.n_members, kernel)

    def put(self, Py_ssize_t m, Kernel kernel):
        """Call this kernel as member m, in the place of another one or as the last."""
        if m == self.n_members:
            self.kernels.append(kernel)
            self.n_members += 1
        else:
            self.kernels[m] = kernel
        self.scratch_of[m] = np.zeros(max(kernel.handle.scratch_size, 1))
        self.member[m] = member_t(&kernel.handle, doubles(self.scratch_of[m]))

    cdef void bind(self):
        self.progress = integers(self.arrays["progress"])

    cdef void happened(self, Py_ssize_t row, Py_ssize_t m, Py_ssize_t what):
        # Put down an event that befell a member.
        self.arrays["events"][self.progress[EVENTS] % MOST_EVENTS] = row, m, what
        self.progress[EVENTS] += 1

    cdef void note(self):
        # Write a line of the record: now is the time.
        self.write_note(self.progress[ROWS], self.noted(), self.sizes())

    cdef void write_note(self, Py_ssize_t row, numbers, sizes):
        cdef Py_ssize_t most = (self.arrays["history"].shape[1] - 1) // 2
        history = self.arrays["history"]
        if self.progress[NOTES] == MOST_NOTES:
            history[:MOST_NOTES // 2] = history[1::2]
            history[MOST_NOTES // 2:] = np.nan
            self.progress[NOTES] //= 2
            self.progress[STRIDE] *= 2
        line = history[self.progress[NOTES]]
        line[0] = row
        line[1:1 + len(numbers)] = numbers
        line[1 + most:1 + most + len(sizes)] = sizes
        self.progress[NOTES] += 1
        self.progress[NEXT_NOTE] = (row // self.progress[STRIDE] + 1) * self.progress[STRIDE]

    def noted(self):
        """Return the number to put down for each member."""
        return np.ones(self.n_members)

    def sizes(self):
        """Return the size of each member."""
        return [kernel.size for kernel in self.kernels]

    def events(self):
        """Return the latest events in order: the row, the member, and a code for what happened."""
        n = self.progress[EVENTS]
        if n <= MOST_EVENTS:
            return self.arrays["events"][:n].copy()
        return np.roll(self.arrays["events"], -(n % MOST_EVENTS), axis=0)

    def history(self):
        """Return the rows noted, the numbers of the members and their sizes."""
        lines = self.arrays["history"][:self.progress[NOTES]]
        rows, numbers, sizes = np.split(lines, [1, 1 + (lines.shape[1] - 1) // 2], axis=1)
        return rows[:, 0].astype(np.intp), numbers.copy(), sizes.copy()

    @property
    def size(self):
        """Sizes of the members together."""
        return sum(self.sizes())

"""What ensembles share: a pool of members, events, and a record of bounded length.

The record has a line for every STRIDE learned rows: the row, and of each member a number (its weight or error
rate) and its size. When it is full, every other line is dropped and STRIDE doubles.
"""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from thalweg._bounded_record import halved

from thalweg._native import layout as layouts
from thalweg.drift._native.adwin import check_adwin, holds_losses
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from thalweg.learners.base._native.member_view cimport AdapterKernel
from thalweg._native.failure cimport record_failure
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, integers

cdef enum:
    MOST_EVENTS = 1000
    MOST_NOTES = 128
    FIRST_STRIDE = 256
    FIRST_ROWS = 4                      # learned before the first check for signals: members may be slow
    LINE = 8                            # doubles of a cache line, into which two threads should not write


cdef class EnsembleKernel(MemberPool):
    """Calls its members through their handles; a subclass adds its arrays and says what it notes of them.

    There may be more slots than members: a forest has a second one for a member's next tree, and a majority
    has some to grow into. Members are made from one or more templates, which take turns.
    """

    def __init__(self, who, lengths, n_threads, build):
        self.make_slots(lengths["slot"], lengths["template"], build)
        self.n_threads, self.n_kinds, self.n_noted = n_threads, lengths["kind"], lengths["member"]
        self.n_rows = FIRST_ROWS
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, {
            "progress": Array(INDEX, 4, **number),
            "n_built": Array(INDEX, "slot", **number),
            "n_events": Array(INDEX, "kind", **number),
            "event_row": Array(INDEX, MOST_EVENTS, **number),
            "event_member": Array(INDEX, MOST_EVENTS, low=0, high="member"),
            "event_kind": Array(INDEX, MOST_EVENTS, low=0, high="kind"),
            "noted_row": Array(INDEX, MOST_NOTES, **number),
            "noted_number": Array(FLOAT, MOST_NOTES, "member", fill=NAN, missing=True),
            "noted_size": Array(FLOAT, MOST_NOTES, "member", fill=NAN, missing=True),
        }, lengths)
        self.arrays["progress"][STRIDE] = self.arrays["progress"][NEXT_NOTE] = FIRST_STRIDE
        self.line = np.zeros(2 * self.n_noted)

    cdef void bind(self):
        self.progress, self.n_built = integers(self.arrays["progress"]), integers(self.arrays["n_built"])
        self.n_events, self.event_row = integers(self.arrays["n_events"]), integers(self.arrays["event_row"])
        self.event_member = integers(self.arrays["event_member"])
        self.event_kind = integers(self.arrays["event_kind"])
        self.noted_row = integers(self.arrays["noted_row"])
        self.noted_number = doubles(self.arrays["noted_number"])
        self.noted_size = doubles(self.arrays["noted_size"])

    def build_members(self, n, widest=()):
        """Build the first n members; `widest` need as much scratch memory as any later one."""
        cdef Kernel kernel
        for kernel in widest:
            self.least_scratch = max(self.least_scratch, kernel.handle.scratch_size)
        fresh = [self.build(self.template_of(slot), slot, 0, None) for slot in range(n)]
        self.set_members([each[0] for each in fresh], [each[1] for each in fresh])
        for slot in range(n):
            self.put(slot, fresh[slot])

    def check_number(self, n):
        """Raise StateError if a state cannot have n members."""
        require(n == self.lengths["slot"], self.who, "members", f"are {n}, not {self.lengths['slot']}")

    def set_members(self, list members, list kernels):
        """Call these learners, whose kernels are given, from now on."""
        cdef Kernel kernel
        cdef Py_ssize_t slot, most = self.least_scratch
        if (<void**> self.handle.state)[0] != <void*> self:
            raise RuntimeError(f"{self.who}: the struct of its handle must begin with its kernel")
        for kernel in kernels:
            most = max(most, kernel.handle.scratch_size)
        step = (self.own_scratch + most) // LINE * LINE + 2 * LINE
        memory = layouts.new_array(self.n_threads * step, FLOAT)
        self.members, self.kernels, self.spares = members, kernels, []
        self.member_scratch, self.scratch_step, self.memory = most, step, memory
        self.scratch = doubles(memory)
        self.handle.scratch_size = self.own_scratch + most
        self.calls_python, self.n_called = False, len(kernels)
        if not self.own_flush:
            self.handle.flush = NULL
        if not self.own_observe:
            self.handle.observe = NULL
        for slot in range(len(kernels)):
            kernel = kernels[slot]
            self.member[slot] = &kernel.handle
            self.calls_python = self.calls_python or kernel.calls_python
            if kernel.handle.flush != NULL and not self.own_flush:
                self.handle.flush = flush
            if kernel.handle.observe != NULL and not self.own_observe:
                self.handle.observe = observe

    cdef tuple built(self, Py_ssize_t slot):
        # A new member for a slot; None if that failed, which is recorded.
        return self.built_from(slot, self.take_spare(self.next_template(slot)))

    cdef tuple built_from(self, Py_ssize_t slot, spare):
        # The same, made of a member that is no longer called unless `spare` is None.
        return self.build_member(self.next_template(slot), slot, self.n_built[slot], spare)

    cdef void put(self, Py_ssize_t slot, tuple fresh):
        MemberPool.put(self, slot, fresh)
        self.n_built[slot] += 1

    cdef bint replace(self, Py_ssize_t m, Py_ssize_t row) noexcept:
        # Replace member m by a new one, and record an event of the first kind; return whether it was.
        try:
            fresh = self.built(m)
            if fresh is None:
                return False
            old = self.reusable(m)
            self.put(m, fresh)
            self.keep(self.template_of(m), old)
            self.record_event(row, m, 0)
            return True
        except BaseException as error:
            record_failure(error)
            return False

    cdef Py_ssize_t template_of(self, Py_ssize_t slot) noexcept nogil:
        # From which template the member of a slot is made.
        return slot % self.n_templates

    cdef Py_ssize_t next_template(self, Py_ssize_t slot) noexcept nogil:
        # From which template the next member for a slot is to be made.
        return self.template_of(slot)

    cdef void record_event(self, Py_ssize_t row, Py_ssize_t m, Py_ssize_t kind) noexcept nogil:
        cdef Py_ssize_t i, place = 0
        for i in range(self.n_kinds):
            place += self.n_events[i]
        place %= MOST_EVENTS
        self.event_row[place], self.event_member[place], self.event_kind[place] = row, m, kind
        self.n_events[kind] += 1

    cdef void write_note(self, Py_ssize_t row, const double* numbers, const double* sizes) noexcept nogil:
        # Write a line of the record.
        cdef Py_ssize_t place, n = self.n_noted
        if self.progress[NOTES] == MOST_NOTES:
            self.halve_record()
        place = self.progress[NOTES]
        if place < MOST_NOTES:
            self.noted_row[place] = row
            memcpy(self.noted_number + place * n, numbers, n * sizeof(double))
            memcpy(self.noted_size + place * n, sizes, n * sizeof(double))
            self.progress[NOTES] += 1
        self.progress[NEXT_NOTE] = (row // self.progress[STRIDE] + 1) * self.progress[STRIDE]

    cdef void halve_record(self) noexcept nogil:
        # Drop every other line; the record stays full if that fails, which is recorded.
        with gil:
            if not self.adopt_computed(self.halved_record, ()):
                return
        self.progress[NOTES] //= 2
        self.progress[STRIDE] *= 2

    def halved_record(self):
        """Return the arrays of the record without every other line."""
        names = "noted_row", "noted_number", "noted_size"
        return {name: halved(self.arrays[name], self.layout[name].fill) for name in names}

    cdef void note(self) noexcept:
        # Write a line of the record about the members as they are now.
        cdef Py_ssize_t m
        cdef double* line = doubles(self.line)
        for m in range(self.n_noted):
            line[m] = self.number_of(m) if m < len(self.members) else NAN
            line[self.n_noted + m] = self.size_of(m) if m < len(self.members) else NAN
        self.write_note(self.progress[ROWS], line, line + self.n_noted)

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # What is noted of a member besides its size.
        return 1.0

    cdef Py_ssize_t slot_of(self, Py_ssize_t m) noexcept nogil:
        # Where the learner that votes for a member is.
        return m

    cdef double size_of(self, Py_ssize_t m) noexcept:
        try:
            return (<Kernel> self.kernels[self.slot_of(m)]).size
        except BaseException as error:
            record_failure(error)
            return NAN

    def check(self, arrays):
        """Raise StateError if counts, events and record contradict each other."""
        rows, n_notes, stride, next_note = arrays["progress"].tolist()
        good = stride >= FIRST_STRIDE and stride & (stride - 1) == 0 and n_notes <= MOST_NOTES
        good = good and next_note == (rows // stride + 1) * stride
        require(good, self.who, "progress", f"holds {arrays['progress'].tolist()}, which do not fit")
        noted = arrays["noted_row"][:n_notes]
        good = bool((np.diff(noted) > 0).all() and (noted > 0).all() and (noted <= rows).all())
        require(good, self.who, "noted_row", f"must hold growing numbers from 1 to {rows}")
        events = arrays["event_row"][:min(sum(arrays["n_events"].tolist()), MOST_EVENTS)]
        require(bool((events <= rows).all()), self.who, "event_row", f"holds a row beyond the last, {rows}")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs, without its members."""
        self.least_scratch = max(self.least_scratch, self.member_scratch)   # of members as they are built now
        Kernel.inherit(self, old, missing)

    def templates(self):
        """Return from which template the member of each slot is made."""
        return [self.template_of(slot) for slot in range(self.lengths["slot"])]

    def adapters(self):
        """Return the adapter through which each member is called, None where there is none."""
        return [kernel if isinstance(kernel, AdapterKernel) else None for kernel in self.kernels]

    def numbers(self):
        """Return what is noted of each member besides its size."""
        return np.array([self.number_of(m) for m in range(min(len(self.members), self.n_noted))])

    def events(self):
        """Return the latest events in order: the rows, the members, and the kinds."""
        n = sum(self.arrays["n_events"].tolist())
        order = np.arange(n) if n <= MOST_EVENTS else np.arange(n, n + MOST_EVENTS) % MOST_EVENTS
        return [self.arrays[name][order] for name in ("event_row", "event_member", "event_kind")]

    def history(self):
        """Return the rows noted, the numbers of the members and their sizes."""
        n = self.progress[NOTES]
        return [self.arrays[name][:n].copy() for name in ("noted_row", "noted_number", "noted_size")]

    @property
    def size(self):
        """Sizes of the members together."""
        return sum(self.kernels[self.slot_of(m)].size for m in range(min(len(self.members), self.n_noted)))

    @property
    def own_bytes(self):
        """Bytes of all arrays but those of the members; those for a block of rows at work included."""
        return self.array_bytes


cdef void flush(void* state) noexcept nogil:
    # The state of every ensemble begins with a pointer to its kernel.
    cdef Py_ssize_t slot
    kernel = (<void**> state)[0]
    for slot in range((<EnsembleKernel> kernel).n_called):
        learner.flush((<EnsembleKernel> kernel).member[slot])


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef Py_ssize_t slot
    kernel = (<void**> state)[0]
    for slot in range((<EnsembleKernel> kernel).n_called):
        learner.observe((<EnsembleKernel> kernel).member[slot], x, number)


def check_watches(arrays, fresh, name, who):
    """Raise StateError unless a saved state's array `name` holds an ADWIN on the errors of each member."""
    watches = arrays[name]
    n_settings = 4      # adwin_t: settings first
    good = np.array_equal(watches[:, :n_settings], fresh[name][:, :n_settings])
    require(good, who, name, "holds ADWINs with other settings than the parameters")
    for watch in watches:
        check_adwin(watch, who, name)
    require(holds_losses(watches), who, name, "holds an ADWIN of losses that are not between 0 and 1")

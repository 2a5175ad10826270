"""The states of many keys in one slab of memory, and the loops over their rows.

A row binds a copy of the kernel's struct to the slot of its key (slots.pyx); slots of the next rows are
fetched into the cache at the same time. Rows are done in their order. With several threads a thread has
the slots whose number leaves a certain rest: each key's rows are done by one thread, in their order, and
results are the same.

Mixed with a shared model that no longer learns, which gives a row the probabilities q, a key's p becomes

    b = 1/(1 + exp(-l)),  p <- b q + (1 - b) p                                                        (1)
    l <- DISCOUNT l + w (log max(q_y, LEAST) - log max(p_y, LEAST)),  within ±FARTHEST                (2)

with the p of before (1) in (2): models are weighted by their discounted likelihood.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

import numpy as np

cimport numpy as cnp

from thalweg._native import layout as layouts

from thalweg._native.failure cimport begin_call, call_t, end_call, poll_after
from thalweg._native.kernel cimport Kernel, learner_t, predict_learn
from thalweg._native.missing cimport LARGEST
from thalweg._native.pointers cimport doubles
from .slots cimport SlotKernel, bind_at, free_view, view_t
from thalweg._native.workers cimport Workers

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define fetch_line(address)
    #else
    #define fetch_line(address) __builtin_prefetch((address), 1, 3)
    #endif
    static const double DISCOUNT = 0.995, LEAST = 1e-4, FARTHEST = 30.0;
    """
    void fetch_line(const char* address) noexcept nogil
    double DISCOUNT
    double LEAST
    double FARTHEST

cdef enum:
    LINE = 64
    MOST_FETCHED = 4096                 # bytes of a slot that are fetched ahead
    NEAR = 2                            # rows ahead of which slots are fetched,
    FAR = 4                             # and if they are small: a row is then done before its slot is there
    SMALL = 1024                        # bytes
    CHUNK = 1 << 24                     # bytes of memory that is asked for at a time, unless a slot has more
    FIRST_ROWS = 256                    # before the first check for signals
    LEAST_SHARED = 8192                 # rows that are worth starting threads for


cdef class Slab:
    """Slots for the states of one kind of learner; `kernels` are a SlotKernel for each thread."""

    def __init__(self, list kernels, Kernel shared=None):
        cdef SlotKernel first = kernels[0]
        self.kernels, self.memory, self.shared = kernels, [], shared
        self.slots.mix = first.size if shared is not None else -1
        self.stride = first.size + (LINE if shared is not None else 0)
        self.slots.stride = self.stride
        while (self.stride << (self.slots.shift + 1)) <= CHUNK:
            self.slots.shift += 1
        self.template = np.zeros(self.stride, np.uint8)
        self.template[:first.size] = first.template()
        self.n_rows = FIRST_ROWS

    def __dealloc__(self):
        free(self.slots.chunk)

    @property
    def chunk_slots(self):
        """Slots in one piece of memory."""
        return 1 << self.slots.shift

    @property
    def nbytes(self):
        """Bytes of the slots in use."""
        return self.n_slots * self.stride

    def extend(self, Py_ssize_t n_slots):
        """Make slots up to `n_slots` in all; new ones begin as the template."""
        cdef const uint8_t[::1] template = self.template
        cdef Py_ssize_t slot
        while len(self.memory) << self.slots.shift < n_slots:
            self.add_chunk()
        for slot in range(self.n_slots, n_slots):
            memcpy(address(&self.slots, slot), &template[0], self.stride)
        self.n_slots = max(self.n_slots, n_slots)

    def add_chunk(self):
        """Ask for memory."""
        cdef uintptr_t start
        cdef char** longer
        if len(self.memory) == self.room:
            longer = <char**> realloc(self.slots.chunk, (2 * self.room + 16) * sizeof(char*))
            if longer == NULL:
                raise MemoryError("no memory for the states of more keys")
            self.slots.chunk, self.room = longer, 2 * self.room + 16
        memory = layouts.new_aligned((self.stride << self.slots.shift) // 8).view(np.uint8)
        start = memory.ctypes.data
        self.slots.chunk[len(self.memory)] = <char*> start
        self.memory.append(memory.reshape(-1, self.stride))

    def slot(self, Py_ssize_t slot):
        """Return the bytes of one slot, which are its memory."""
        if not 0 <= slot < self.n_slots:
            raise IndexError(slot)
        return self.memory[slot >> self.slots.shift][slot & (self.chunk_slots - 1)]

    cdef int check_there(self, const Py_ssize_t[::1] slots) except -1:
        cdef Py_ssize_t i
        for i in range(slots.shape[0]):
            if not 0 <= slots[i] < self.n_slots:
                raise ValueError(f"there is no slot {slots[i]}")
        return 0

    cdef char* at(self, Py_ssize_t slot):
        return address(&self.slots, slot)

    def reset(self, const Py_ssize_t[::1] slots):
        """Let slots begin as the template."""
        cdef const uint8_t[::1] template = self.template
        cdef Py_ssize_t i
        self.check_there(slots)
        for i in range(slots.shape[0]):
            memcpy(self.at(slots[i]), &template[0], self.stride)

    def read(self, const Py_ssize_t[::1] slots):
        """Return the bytes of slots, a row each."""
        cdef Py_ssize_t i
        self.check_there(slots)
        found = np.empty((slots.shape[0], self.stride), np.uint8)
        cdef uint8_t[:, ::1] target = found
        for i in range(slots.shape[0]):
            memcpy(&target[i, 0], self.at(slots[i]), self.stride)
        return found

    def write(self, Py_ssize_t slot, const uint8_t[::1] state):
        """Put the bytes of a slot in its place."""
        if not 0 <= slot < self.n_slots or state.shape[0] != self.stride:
            raise ValueError(f"{state.shape[0]} bytes for a slot of {self.stride}")
        memcpy(self.at(slot), &state[0], self.stride)

    def derive(self, Py_ssize_t start, Py_ssize_t stop):
        """Compute the arrays that follow from the declared ones, for slots from `start` to `stop`."""
        cdef SlotKernel kernel = self.kernels[0]
        cdef Py_ssize_t slot
        if not 0 <= start <= stop <= self.n_slots:
            raise ValueError(f"there are no slots from {start} to {stop}")
        for slot in range(start, stop):
            kernel.derive_at(self.at(slot))

    def learn(self, const Py_ssize_t[::1] slots, const double[:, ::1] X, const Py_ssize_t[::1] y,
              const double[::1] w, double[:, ::1] p, const uint8_t[::1] tested=None, Py_ssize_t n_jobs=1):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0.

        Rows of slot -1 are left out. Where `tested` is 0 a row is only learned.
        """
        self.check(slots, X, p)
        if not X.shape[0] == y.shape[0] == w.shape[0]:
            raise ValueError(f"{len(y)} labels and {len(w)} weights for {len(X)} rows")
        if X.shape[0] == 0:
            return
        cdef block_t b = self.begin_block(self.n_threads(n_jobs, X.shape[0]))
        b.slot, b.x, b.p, b.y, b.w = &slots[0], &X[0, 0], &p[0, 0], &y[0], &w[0]
        b.tested = NULL if tested is None else &tested[0]
        try:
            run(self, &b, X.shape[0])
        finally:
            self.end_block(&b)

    def predict(self, const Py_ssize_t[::1] slots, const double[:, ::1] X, double[:, ::1] p,
                Py_ssize_t n_jobs=1):
        """Write each row's probabilities into `p`; rows of slot -1 are left out."""
        self.check(slots, X, p)
        if X.shape[0] == 0:
            return
        cdef block_t b = self.begin_block(self.n_threads(n_jobs, X.shape[0]))
        b.slot, b.x, b.p = &slots[0], &X[0, 0], &p[0, 0]
        try:
            run(self, &b, X.shape[0])
        finally:
            self.end_block(&b)

    def learn_row(self, Py_ssize_t slot, cnp.ndarray x, Py_ssize_t y):
        """Learn one row of a slot above 0, if it is an array as the kernel takes it and no value is huge.

        Return whether it was: all else is left to the caller.
        """
        return slot > 0 and self.do_one(slot, x, &y, NULL)

    def predict_row(self, Py_ssize_t slot, cnp.ndarray x, cnp.ndarray p):
        """Write the probabilities of one such row into `p`, of any slot; return whether it was one."""
        return self.do_one(slot, x, NULL, doubles(p))

    cdef bint do_one(self, Py_ssize_t slot, cnp.ndarray row, const Py_ssize_t* y, double* p) except -1:
        cdef SlotKernel first = self.kernels[0]
        cdef const learner_t* h = &first.kernel.handle
        cdef const double* x
        cdef Py_ssize_t j
        cdef double w = 1.0
        cdef uint8_t tested = 0
        cdef block_t b
        if (slot < 0 or slot >= self.n_slots or cnp.PyArray_NDIM(row) != 1
                or cnp.PyArray_TYPE(row) != cnp.NPY_DOUBLE or not cnp.PyArray_IS_C_CONTIGUOUS(row)
                or cnp.PyArray_DIM(row, 0) != h.n_features):
            return False
        x = doubles(row)
        for j in range(h.n_features):
            if fabs(x[j]) > LARGEST:
                return False
        b = self.begin_block(1)
        b.x, b.y, b.w, b.tested = x, y, &w, &tested
        b.p = p if p != NULL else b.scratch + b.scratch_size - 2 * h.n_classes
        do_row(&b, 0, self.at(slot), b.view, b.scratch)
        self.end_block(&b)
        return True

    def check(self, const Py_ssize_t[::1] slots, const double[:, ::1] X, double[:, ::1] p):
        """Raise ValueError unless slots exist, and rows are as wide as the kernel takes them."""
        cdef SlotKernel first = self.kernels[0]
        cdef Py_ssize_t i
        if not slots.shape[0] == X.shape[0] == p.shape[0]:
            raise ValueError(f"{len(slots)} slots and {len(p)} answers for {len(X)} rows")
        if X.shape[1] != first.kernel.handle.n_features or p.shape[1] != first.kernel.handle.n_classes:
            raise ValueError(f"rows of {X.shape[1]} inputs and {p.shape[1]} classes")
        for i in range(slots.shape[0]):
            if slots[i] >= self.n_slots:
                raise ValueError(f"there is no slot {slots[i]}")

    def n_threads(self, Py_ssize_t n_jobs, Py_ssize_t n_rows):
        """Return how many threads are worth their start."""
        return max(min(n_jobs, len(self.kernels), n_rows // LEAST_SHARED + 1), 1)

    cdef block_t begin_block(self, Py_ssize_t n_threads) except *:
        # Views and scratch memory of a call, for each thread its own; to be ended by end_block.
        cdef block_t b
        cdef SlotKernel kernel = self.kernels[0]
        cdef Py_ssize_t i, size = kernel.kernel.handle.scratch_size
        b.shared, b.y, b.w, b.tested, b.slots, b.n_threads = NULL, NULL, NULL, NULL, &self.slots, n_threads
        b.n_views = 0
        if self.shared is not None:
            b.shared = &(<Kernel> self.shared).handle
            size = max(size, b.shared.scratch_size)
        b.scratch_size = size + 2 * kernel.kernel.handle.n_classes + 8
        b.view = <view_t*> calloc(n_threads, sizeof(view_t))
        b.scratch = <double*> malloc(n_threads * b.scratch_size * sizeof(double))
        try:
            if b.view == NULL or b.scratch == NULL:
                raise MemoryError("no memory for a block of rows")
            for i in range(n_threads):
                kernel = self.kernels[i]
                b.view[i] = kernel.new_view()
                b.n_views += 1
        except BaseException:
            self.end_block(&b)
            raise
        return b

    cdef void end_block(self, block_t* b) noexcept:
        cdef Py_ssize_t i
        for i in range(b.n_views):
            free_view(b.view + i)
        free(b.view)
        free(b.scratch)


cdef int run(Slab slab, block_t* b, Py_ssize_t n) except -1:
    # All rows, with a check for signals from time to time; a row that is begun is done.
    cdef Workers workers = None if b.n_threads == 1 else Workers(b.n_threads - 1)
    cdef Py_ssize_t start = 0
    cdef bint learns = b.y != NULL
    cdef call_t call
    if workers is not None:
        b.n_threads = workers.n + 1     # fewer than views if the system has no more
    begin_call(&call, slab.n_rows * b.n_threads)
    while start < n and not call.failure.failed:
        b.start, b.stop = start, min(start + call.n_rows, n) if call.polls else n
        if workers is None:
            with nogil:
                do_rows(<void*> b, 0)
        else:
            with nogil:
                workers.run(do_rows, <void*> b)
        start = b.stop
        poll_after(&call, b.stop - b.start)
    slab.n_rows = max(call.n_rows // b.n_threads, 1)
    if workers is not None:
        workers.close()
    end_call(&call, start if learns else -1)
    return 0


cdef inline void fetch(const slots_t* s, Py_ssize_t slot) noexcept nogil:
    cdef const char* start = address(s, slot)
    cdef const char* stop = start + min(s.stride, <Py_ssize_t> MOST_FETCHED)
    while start < stop:
        fetch_line(start)
        start += LINE


cdef inline bint is_mine(const block_t* b, Py_ssize_t slot, Py_ssize_t thread) noexcept nogil:
    return slot >= 0 and (b.n_threads == 1 or slot % b.n_threads == thread)


cdef void do_rows(void* on, Py_ssize_t thread) noexcept nogil:
    # The rows of one thread: those whose slots leave its number as a rest.
    cdef block_t* b = <block_t*> on
    cdef Py_ssize_t i, slot, ahead, n_ahead = FAR if b.slots.stride <= SMALL else NEAR
    for i in range(b.start, b.stop):
        if i + n_ahead < b.stop:
            ahead = b.slot[i + n_ahead]
            if is_mine(b, ahead, thread):
                fetch(b.slots, ahead)
        slot = b.slot[i]
        if is_mine(b, slot, thread):
            do_row(b, i, address(b.slots, slot), b.view + thread, b.scratch + thread * b.scratch_size)


cdef inline void do_row(const block_t* b, Py_ssize_t i, char* base, const view_t* view,
                        double* scratch) noexcept nogil:
    cdef const learner_t* h = &view.handle
    cdef const double* x = b.x + i * h.n_features
    cdef double* p = b.p + i * h.n_classes
    cdef double* q = scratch + b.scratch_size - h.n_classes
    cdef double* balance = <double*> (base + b.slots.mix)
    bind_at(view, base)
    if b.y == NULL:
        h.predict(h.state, x, p, scratch)
    elif b.shared == NULL and b.tested != NULL and not b.tested[i]:
        if b.w[i] > 0:
            h.learn(h.state, x, b.y[i], b.w[i], 0)
        return
    else:
        predict_learn(h, x, b.y[i], b.w[i], 0, p, scratch)
    if b.shared != NULL:
        b.shared.predict(b.shared.state, x, q, scratch)
        mix(balance, p, q, h.n_classes, -1 if b.y == NULL else b.y[i], 0.0 if b.y == NULL else b.w[i])


cdef void mix(double* balance, double* p, const double* q, Py_ssize_t n, Py_ssize_t y,
              double w) noexcept nogil:
    cdef Py_ssize_t k
    cdef double share = 1.0 / (1.0 + exp(-balance[0]))
    if w > 0:
        balance[0] = DISCOUNT * balance[0] + w * (log(max(q[y], LEAST)) - log(max(p[y], LEAST)))     # (2)
        balance[0] = min(max(balance[0], -FARTHEST), FARTHEST)
    for k in range(n):
        p[k] = share * q[k] + (1.0 - share) * p[k]                                                   # (1)


def mix_rows(double[::1] balance, double[:, ::1] p, const double[:, ::1] q, const Py_ssize_t[::1] y,
             const double[::1] w):
    """Mix rows of one key, each before it is learned: what the slab does, for a state that lies elsewhere."""
    cdef Py_ssize_t i
    for i in range(p.shape[0]):
        mix(&balance[0], &p[i, 0], &q[i, 0], p.shape[1], y[i], w[i])

"""Blocks of rows, taken member by member: for ensembles whose members know nothing of each other.

Every member writes for each row its probabilities and the weight of its vote; the ensemble's are

    p_i = sum_m vote_mi p_mi / sum_m vote_mi,                                     (1)

summed in the order of the members, so that the result does not depend on threads. A member's memory stays in
the cache for many rows. Threads take a part of the block at a time, with the member that is farthest behind,
so that they end together. Where a note is due, each member puts down its own number and size as it goes by.
"""

import numpy as np

from .ensemble cimport NEXT_NOTE, ROWS, STRIDE
from .failure cimport begin_call, call_t, end_call, poll_signals
from .learner cimport learner_t
from .workers cimport Workers
from .pointers cimport doubles, flags, integers

cdef extern from *:
    """
    static int claim(char *flag) { return !__atomic_test_and_set(flag, __ATOMIC_ACQUIRE); }
    static void release(char *flag) { __atomic_clear(flag, __ATOMIC_RELEASE); }
    """
    bint claim(char* flag) noexcept nogil
    void release(char* flag) noexcept nogil

cdef enum:
    FEW_ROWS = 16                       # are not worth threads
    MOST_ROWS = 4096                    # of a block
    PART = 128                          # rows a thread takes at a time, at most


cdef class BlockKernel(EnsembleKernel):
    """The loop over blocks; a subclass sets `take`, `heed` and `method` of its block."""

    def __init__(self, n_features, n_classes, n_members, n_slots, n_jobs, build):
        EnsembleKernel.__init__(self, n_members, n_slots, build)
        room = max(FEW_ROWS, min(MOST_ROWS, 65536 // (n_members * n_classes)))
        self.scratch = {
            "place": np.zeros(room, dtype=np.intp),
            "p": np.zeros((n_members, room, n_classes)),
            "vote": np.ones((n_members, room)),
            "taken": np.zeros(n_members, dtype=np.intp),
            "at_work": np.zeros(n_members, dtype=np.int8),
            "notes": np.zeros((room // self.arrays["progress"][STRIDE] + 1, 2, n_members)),
        }
        cdef block_t* b = &self.block
        b.kernel, b.member = <void*> self, self.member
        b.n_members, b.n_features, b.n_classes = n_members, n_features, n_classes
        b.room, b.pace, b.n_jobs = room, room, min(n_jobs, n_members)
        self.handle = learner_t(<void*> b, n_features, n_classes, 0, learn, predict, NULL)
        self.handle.predict_learn = both

    cdef void bind(self):
        EnsembleKernel.bind(self)
        self.block.progress, self.block.place = self.progress, integers(self.scratch["place"])
        self.block.p, self.block.vote = doubles(self.scratch["p"]), doubles(self.scratch["vote"])
        self.block.taken, self.block.at_work = integers(self.scratch["taken"]), flags(self.scratch["at_work"])

    def noted(self):
        """Return the number to put down for each member."""
        return [self.noted_of(m) for m in range(self.block.n_members)]

    def sizes(self):
        """Return the size of each member."""
        return [self.size_of(m) for m in range(self.block.n_members)]

    def noted_of(self, m):
        """Return the number to put down for a member."""
        return 1.0

    def size_of(self, m):
        """Return the size of a member."""
        return self.kernels[m].size

    cdef void note_member(self, Py_ssize_t m, Py_ssize_t row):
        self.scratch["notes"][row // self.block.stride - self.block.first // self.block.stride - 1, :, m] = (
            self.noted_of(m), self.size_of(m)
        )

    cdef void write_notes(self, Py_ssize_t last):
        # Those the members put down in the block; a note that is written may make others superfluous.
        cdef Py_ssize_t row, stride = self.block.stride
        for row in range((self.block.first // stride + 1) * stride, last + 1, stride):
            if row == self.progress[NEXT_NOTE]:
                numbers, sizes = self.scratch["notes"][row // stride - self.block.first // stride - 1]
                self.write_note(row, numbers, sizes)

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p):
        """For each row: write the probabilities it would get into `p`, then learn it."""
        self.pass_over(X, y, w, p)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        self.pass_over(X, None, None, p)

    def pass_over(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
                  double[:, ::1] p):
        """Take the rows block by block, on threads if there are enough rows for them."""
        cdef block_t* b = &self.block
        cdef Py_ssize_t start = 0
        cdef call_t call
        cdef Workers workers = Workers(b.n_jobs - 1 if X.shape[0] > FEW_ROWS else 0)
        begin_call(&call, 1)
        try:
            while start < X.shape[0] and not call.failure.failed:
                b.x, b.n = &X[start, 0], X.shape[0] - start
                b.y = NULL if y is None else &y[start]
                b.w = NULL if w is None else &w[start]
                cut(b)
                if workers.n and b.n > FEW_ROWS:
                    self.take_together(workers)
                else:
                    with nogil:
                        take_all(b)
                with nogil:
                    settle(b, &p[start, 0])
                start += b.n
                poll_signals(&call)
        finally:
            workers.close()
        end_call(&call, start)

    cdef void take_together(self, Workers workers):
        cdef Py_ssize_t m
        for m in range(self.block.n_members):
            self.block.taken[m] = 0
        with nogil:
            workers.run(take_parts, &self.block)


cdef void cut(block_t* b) noexcept nogil:
    cdef Py_ssize_t i, row = b.progress[ROWS]
    b.n = min(b.n, b.pace)
    b.first, b.stride = row, b.progress[STRIDE]
    for i in range(0 if b.w == NULL else b.n):
        b.place[i] = row
        row += b.w[i] > 0


cdef void take_all(block_t* b) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(b.n_members):
        b.take(b, m, 0, b.n)


cdef void take_parts(void* block) noexcept nogil:
    # Take parts of the block as long as there is a member that no other thread is at work with.
    cdef block_t* b = <block_t*> block
    cdef Py_ssize_t m = laggard(b), stop, part = max(FEW_ROWS, min(PART, b.n // 8))
    while m >= 0:
        if claim(b.at_work + m):
            stop = min(b.taken[m] + part, b.n)
            if b.taken[m] < stop:
                b.take(b, m, b.taken[m], stop)
                b.taken[m] = stop
            release(b.at_work + m)
        m = laggard(b)


cdef Py_ssize_t laggard(const block_t* b) noexcept nogil:
    cdef Py_ssize_t m, best = -1, least = b.n
    for m in range(b.n_members):
        if not b.at_work[m] and b.taken[m] < least:
            best, least = m, b.taken[m]
    return best


cdef void settle(block_t* b, double* p) noexcept nogil:
    cdef Py_ssize_t last = b.n - 1
    if b.w != NULL:
        b.heed(b)
    combine(b, p)
    if b.w != NULL:
        b.progress[ROWS] = b.place[last] + (b.w[last] > 0)
        if b.progress[ROWS] >= b.progress[NEXT_NOTE]:
            with gil:
                (<BlockKernel> b.kernel).write_notes(b.progress[ROWS])


cdef void combine(const block_t* b, double* p) noexcept nogil:
    cdef Py_ssize_t i, k, m
    cdef double vote, total
    cdef const double* answer
    for i in range(b.n):
        for k in range(b.n_classes):
            p[i * b.n_classes + k] = 0.0
        total = 0.0
        for m in range(b.n_members):
            vote = b.vote[m * b.room + i]
            answer = b.p + (m * b.room + i) * b.n_classes
            total += vote
            for k in range(b.n_classes):
                p[i * b.n_classes + k] += vote * answer[k]                       # (1)
        for k in range(b.n_classes):
            p[i * b.n_classes + k] /= total


cdef void both(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil:
    cdef block_t* b = <block_t*> state
    b.x, b.y, b.w, b.n = x, &y, &w, 1
    cut(b)
    take_all(b)
    settle(b, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef block_t* b = <block_t*> state
    # The answers have room to spare: a block of one row leaves the last member's last row alone.
    both(state, x, y, w, b.p + (b.n_members * b.room - 1) * b.n_classes)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef block_t* b = <block_t*> state
    b.x, b.y, b.w, b.n = x, NULL, NULL, 1
    cut(b)
    take_all(b)
    settle(b, p)

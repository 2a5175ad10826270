"""Blocks of rows, taken member by member: for ensembles whose members know nothing of each other.

Every member writes for each row its probabilities and the weight of its vote; the ensemble's are

    p_i = sum_m vote_mi p_mi / sum_m vote_mi,                                     (1)

summed in the order of the members, so that the result does not depend on threads. A member's memory stays in
the cache for the whole block. A block ends where a note is due, so the way rows are cut changes nothing.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .ensemble cimport NEXT_NOTE, ROWS
from .learner cimport learner_t
from .pointers cimport doubles, integers

cdef enum:
    FEW_ROWS = 16                       # are not worth threads


cdef class BlockKernel(EnsembleKernel):
    """The loop over blocks; a subclass sets `take`, `heed` and `method` of its block."""

    def __init__(self, n_features, n_classes, n_members, n_slots, n_jobs, build):
        EnsembleKernel.__init__(self, n_members, n_slots, build)
        self.n_jobs = n_jobs
        room = max(FEW_ROWS, min(1024, 65536 // (n_members * n_classes)))
        self.scratch = {
            "place": np.zeros(room, dtype=np.intp),
            "p": np.zeros((n_members, room, n_classes)),
            "vote": np.ones((n_members, room)),
        }
        cdef block_t* b = &self.block
        b.kernel, b.member = <void*> self, self.member
        b.n_members, b.n_features, b.n_classes, b.room = n_members, n_features, n_classes, room
        self.handle = learner_t(<void*> b, n_features, n_classes, learn, predict)
        self.both = both

    cdef void bind(self):
        EnsembleKernel.bind(self)
        self.block.progress, self.block.place = self.progress, integers(self.scratch["place"])
        self.block.p, self.block.vote = doubles(self.scratch["p"]), doubles(self.scratch["vote"])

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
        pool = ThreadPoolExecutor(self.n_jobs) if self.n_jobs > 1 and X.shape[0] > FEW_ROWS else None
        try:
            while start < X.shape[0]:
                b.x, b.n = &X[start, 0], X.shape[0] - start
                b.y = NULL if y is None else &y[start]
                b.w = NULL if w is None else &w[start]
                cut(b)
                if pool is None:
                    with nogil:
                        take_all(b)
                else:
                    members = iter(range(b.n_members))
                    for job in [pool.submit(self.take_some, members) for _ in range(self.n_jobs)]:
                        job.result()
                with nogil:
                    settle(b, &p[start, 0])
                start += b.n
        finally:
            if pool is not None:
                pool.shutdown()
        self.raise_error()

    def take_some(self, members):
        """Let the members that an iterator shared with other threads gives take the block."""
        cdef Py_ssize_t m
        for m in members:
            with nogil:
                self.block.take(&self.block, m, 0)


cdef void cut(block_t* b) noexcept nogil:
    # A block ends where the scratch does, and where a note is due.
    cdef Py_ssize_t i, row = b.progress[ROWS]
    b.n = min(b.n, b.room)
    if b.w == NULL:
        return
    for i in range(b.n):
        b.place[i] = row
        row += b.w[i] > 0
        if row == b.progress[NEXT_NOTE]:
            b.n = i + 1
            return


cdef void take_all(block_t* b) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(b.n_members):
        b.take(b, m, 0)


cdef void settle(block_t* b, double* p) noexcept nogil:
    cdef Py_ssize_t last = b.n - 1
    if b.w != NULL:
        b.heed(b)
    combine(b, p)
    if b.w != NULL:
        b.progress[ROWS] = b.place[last] + (b.w[last] > 0)
        if b.progress[ROWS] == b.progress[NEXT_NOTE]:
            with gil:
                (<BlockKernel> b.kernel).note()


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


cdef void predict(void* state, const double* x, double* p) noexcept nogil:
    cdef block_t* b = <block_t*> state
    b.x, b.y, b.w, b.n = x, NULL, NULL, 1
    take_all(b)
    settle(b, p)

"""Blocks of rows, processed member by member: for ensembles whose members are independent.

Every member writes for each row its probabilities and the weight of its vote; the ensemble's are

    p_i = sum_m vote_mi p_mi / sum_m vote_mi,                                     (1)

summed in the order of the members, so that the result does not depend on threads. A member's memory stays in
the cache for many rows. Threads process a part of the block at a time, each for the member that is farthest
behind among those it processed last, whose memory its core has in the cache; a thread that has none of these
left goes on with another's, so that all end together. A block takes about 50 ms at most: between two of them
there is a check for signals. If a row reaches code written in Python, which may fail, a block is that row, so
that all members have learned the same rows when the call ends. Predictions write into memory of their caller
alone.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from thalweg._native import layout as layouts
from thalweg._native.layout import FLAG, FLOAT, INDEX

from .base cimport NEXT_NOTE, ROWS, STRIDE
from thalweg._native.failure cimport begin_call, call_t, end_call, poll_after
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles, flags, integers

cdef extern from *:
    """
    static int claim(char *flag) { return !__atomic_test_and_set(flag, __ATOMIC_ACQUIRE); }
    static void release(char *flag) { __atomic_clear(flag, __ATOMIC_RELEASE); }
    static Py_ssize_t fetch_add(Py_ssize_t *number, Py_ssize_t n) {
        return __atomic_fetch_add(number, n, __ATOMIC_RELAXED);
    }
    """
    bint claim(char* flag) noexcept nogil
    void release(char* flag) noexcept nogil
    Py_ssize_t fetch_add(Py_ssize_t* number, Py_ssize_t n) noexcept nogil

cdef enum:
    FEW_ROWS = 16                       # are not worth threads
    MOST_ROWS = 4096                    # of a block
    MOST_NUMBERS = 65536                # probabilities of a block, unless it has FEW_ROWS
    PART = 128                          # rows a thread processes at a time, at most

ctypedef struct question_t:
    # rows to predict, shared by threads
    const threaded_t* ensemble
    const double* x
    double* p
    Py_ssize_t n
    Py_ssize_t n_begun                  # rows that some thread predicts or has predicted
    double* scratch                     # [thread, scratch_step]
    Py_ssize_t scratch_step


cdef class ThreadedKernel(EnsembleKernel):
    """The loop over blocks of rows; a subclass sets `method` and the functions of `threaded_t`."""

    def __init__(self, who, lengths, n_jobs, build):
        n_members, n_classes = lengths["member"], lengths["class"]
        n_jobs = min(n_jobs, n_members)
        EnsembleKernel.__init__(self, who, lengths, n_jobs, build)
        room = max(FEW_ROWS, min(MOST_ROWS, MOST_NUMBERS // (n_members * n_classes)))
        n_lines = room // self.arrays["progress"][STRIDE] + 2
        self.buffers = {
            "position": layouts.new_array(room, INDEX),
            "p": layouts.new_array((n_members, room, n_classes), FLOAT),
            "vote": layouts.new_array((n_members, room), FLOAT, 1.0),
            "ignored": layouts.new_array(n_classes, FLOAT),
            "notes": layouts.new_array((n_lines, 2, n_members), FLOAT),
            "n_done": layouts.new_array(n_members, INDEX),
            "is_busy": layouts.new_array(n_members, FLAG),
            "thread": layouts.new_array(n_members, INDEX),
        }
        self.buffers["thread"][:] = np.arange(n_members) % n_jobs
        cdef threaded_t* b = &self.threaded
        b.kernel, b.member = <void*> self, self.member
        b.n_members, b.n_features, b.n_classes, b.n_jobs = n_members, lengths["input"], n_classes, n_jobs
        b.room = b.most_rows = room
        b.combine, b.predict_rows = combine, predict_rows
        b.position, b.n_done = integers(self.buffers["position"]), integers(self.buffers["n_done"])
        b.p, b.vote = doubles(self.buffers["p"]), doubles(self.buffers["vote"])
        b.ignored, b.notes = doubles(self.buffers["ignored"]), doubles(self.buffers["notes"])
        b.is_busy, b.thread = flags(self.buffers["is_busy"]), integers(self.buffers["thread"])
        self.set_handle(<void*> b, b.n_features, n_classes, learn, predict, predict_learn)

    cdef void bind(self):
        EnsembleKernel.bind(self)
        self.threaded.progress = self.progress

    @property
    def own_bytes(self):
        """Bytes of all arrays but those of the members; those for a block of rows at work included."""
        kept = [*self.arrays.values(), *self.buffers.values()]
        return sum(array.nbytes for array in kept)

    def set_members(self, members, kernels):
        """Call these learners, whose kernels are given, from now on."""
        EnsembleKernel.set_members(self, members, kernels)
        self.threaded.scratch, self.threaded.scratch_step = self.scratch, self.scratch_step

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p,
              tested=None, const int64_t[::1] ids=None, observed=None):
        """For each row, `tested` or not: write its probabilities into `p`, then learn it if it has weight."""
        if observed is not None:        # members see a row only after all of them have predicted it
            Kernel.learn(self, X, y, w, p, tested, ids, observed)
            return
        cdef threaded_t* b = &self.threaded
        cdef Py_ssize_t start = 0, n
        cdef const int64_t* number
        cdef Workers workers = self.workers_for(X.shape[0])
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            n = min(X.shape[0] - start, call.n_rows if call.polls else b.room)
            number = NULL if ids is None else &ids[start]
            load(b, &X[start, 0], &y[start], &w[start], number, 1 if self.calls_python else n)
            with nogil:
                if workers.n and b.n > FEW_ROWS:
                    self.process_together(workers)
                else:
                    process_all(b)
                finish(b, &p[start, 0])
            start += b.n
            poll_after(&call, b.n)
        workers.close()
        self.n_rows = call.n_rows
        end_call(&call, start)

    def workers_for(self, n_rows):
        """Return threads to help with this many rows, if that is faster."""
        return Workers(self.threaded.n_jobs - 1 if n_rows > FEW_ROWS and not self.calls_python else 0)

    cdef void process_together(self, Workers workers) noexcept nogil:
        cdef Py_ssize_t m
        for m in range(self.threaded.n_members):
            self.threaded.n_done[m] = 0
        workers.run(process_parts, &self.threaded)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        cdef Py_ssize_t start = 0
        cdef Workers workers = self.workers_for(X.shape[0])
        cdef question_t q
        cdef call_t call
        q.ensemble, q.scratch_step = &self.threaded, self.scratch_step
        q.scratch = <double*> malloc((workers.n + 1) * q.scratch_step * sizeof(double))
        if q.scratch == NULL:
            raise MemoryError("no memory for predictions")
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            q.x, q.p, q.n_begun = &X[start, 0], &p[start, 0], 0
            q.n = min(X.shape[0] - start, call.n_rows if call.polls else X.shape[0])
            if self.calls_python:
                q.n = 1
            with nogil:
                if workers.n and q.n > FEW_ROWS:
                    workers.run(predict_parts, &q)
                else:
                    predict_parts(&q, 0)
            start += q.n
            poll_after(&call, q.n)
        workers.close()
        free(q.scratch)
        end_call(&call, -1)

    cdef void note_member(self, Py_ssize_t m, Py_ssize_t line) noexcept:
        cdef double* notes = self.threaded.notes + 2 * line * self.threaded.n_members
        notes[m], notes[self.threaded.n_members + m] = self.number_of(m), self.size_of(m)

    cdef void write_notes(self) noexcept nogil:
        # Those of the block's rows; a line that is written may make later ones superfluous.
        cdef threaded_t* b = &self.threaded
        cdef const double* notes = b.notes
        cdef Py_ssize_t row = (b.first // b.stride + 1) * b.stride
        while row <= self.progress[ROWS]:
            if row == self.progress[NEXT_NOTE]:
                self.write_note(row, notes, notes + b.n_members)
            row += b.stride
            notes += 2 * b.n_members


cdef void load(threaded_t* b, const double* x, const Py_ssize_t* y, const double* w, const int64_t* number,
               Py_ssize_t n) noexcept nogil:
    # Make the first of these rows the block.
    cdef Py_ssize_t i, row = b.progress[ROWS]
    b.x, b.y, b.w, b.number, b.n = x, y, w, number, min(n, b.most_rows)
    b.first, b.stride = row, b.progress[STRIDE]
    for i in range(b.n):
        b.position[i] = row
        row += w[i] > 0


cdef void process_all(threaded_t* b) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(b.n_members):
        b.process(b, m, 0, b.n, b.scratch)


cdef void process_parts(void* ensemble, Py_ssize_t thread) noexcept nogil:
    # Process parts of the block as long as there is a member behind that no other thread is busy with.
    cdef threaded_t* b = <threaded_t*> ensemble
    cdef double* scratch = b.scratch + thread * b.scratch_step
    cdef Py_ssize_t m = farthest_behind(b, thread), left, stop
    while m >= 0:
        if claim(b.is_busy + m):
            left = b.n - b.n_done[m]    # ever shorter parts: in the end no thread waits long for another
            stop = b.n_done[m] + min(left, max(FEW_ROWS, min(PART, left // 4)))
            if left > 0:
                b.process(b, m, b.n_done[m], stop, scratch)
                b.n_done[m], b.thread[m] = stop, thread
            release(b.is_busy + m)
        m = farthest_behind(b, thread)


cdef Py_ssize_t farthest_behind(const threaded_t* b, Py_ssize_t thread) noexcept nogil:
    # Of the members this thread processed last, if any of these is behind, else of all; -1 if none is.
    cdef Py_ssize_t m, best = -1, own = -1, least = b.n, own_least = b.n
    for m in range(b.n_members):
        if not b.is_busy[m] and b.n_done[m] < least:
            best, least = m, b.n_done[m]
        if not b.is_busy[m] and b.n_done[m] < own_least and b.thread[m] == thread:
            own, own_least = m, b.n_done[m]
    return own if own >= 0 else best


cdef void finish(threaded_t* b, double* p) noexcept nogil:
    cdef Py_ssize_t last = b.n - 1
    b.finish(b)
    b.combine(b, p)
    b.progress[ROWS] = b.position[last] + (b.w[last] > 0)
    if b.progress[ROWS] >= b.progress[NEXT_NOTE]:
        (<ThreadedKernel> b.kernel).write_notes()


cdef void combine(threaded_t* b, double* p) noexcept nogil:
    cdef Py_ssize_t i, k, m
    cdef double vote, total
    cdef const double* answer
    for i in range(b.n):
        for k in range(b.n_classes):
            p[i * b.n_classes + k] = 0.0
        total = 0.0
        for m in range(b.n_members):
            vote = b.vote[m * b.room + i]
            answer = answer_of(b, m, i)
            total += vote
            for k in range(b.n_classes):
                p[i * b.n_classes + k] += vote * answer[k]                       # (1)
        for k in range(b.n_classes):
            p[i * b.n_classes + k] /= total


cdef void predict_parts(void* question, Py_ssize_t thread) noexcept nogil:
    # Predict parts of the rows as long as there are any left.
    cdef question_t* q = <question_t*> question
    cdef const threaded_t* b = q.ensemble
    cdef double* scratch = q.scratch + thread * q.scratch_step
    cdef Py_ssize_t part = max(FEW_ROWS, min(PART, q.n // 8)), start = fetch_add(&q.n_begun, part)
    while start < q.n:
        b.predict_rows(
            b, q.x + start * b.n_features, min(part, q.n - start), q.p + start * b.n_classes, scratch,
        )
        start = fetch_add(&q.n_begun, part)


cdef void predict_rows(const threaded_t* b, const double* x, Py_ssize_t n, double* p,
                       double* scratch) noexcept nogil:
    cdef Py_ssize_t i, k, m
    cdef double vote, total = 0.0
    cdef double* answer = scratch
    for i in range(n * b.n_classes):
        p[i] = 0.0
    for m in range(b.n_members):
        vote = b.vote_of(b, m)
        total += vote
        for i in range(n):
            b.predict(b, m, x + i * b.n_features, answer, scratch + b.n_classes)
            for k in range(b.n_classes):
                p[i * b.n_classes + k] += vote * answer[k]                       # (1)
    for i in range(n * b.n_classes):
        p[i] /= total


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef threaded_t* b = <threaded_t*> state
    load(b, x, &y, &w, &number, 1)
    process_all(b)
    finish(b, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    predict_learn(state, x, y, w, number, (<threaded_t*> state).ignored)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const threaded_t* b = <const threaded_t*> state
    b.predict_rows(b, x, 1, p, scratch)

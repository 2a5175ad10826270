"""Online bagging: each member learns each row as often as a Poisson number says; ADWIN may watch the members.

Member m gives row t, the t-th that is learned, the weight

    w k,   k ~ Poisson(rate), from word t of the member's random stream          (1)

and the ensemble's probabilities are the mean of the members'. Where the members are watched, each has an
ADWIN on its errors once it has learned the row. If the mean of any rises, the member with the highest
ADWIN mean gives way to a fresh one.                                              (2)

Given the rows, members know nothing of each other but for (2), which touches one member alone. So a block of
rows is taken by one member after another, or by several at once on threads, with alarms and ADWIN means put
down for each row. Then (2) is done for the alarms from first to last: the fresh member takes the rest of the
block again. This is the same as going row by row, and keeps a member's memory in the cache.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libc.stdint cimport uint64_t

from .adwin cimport adwin_begin, adwin_doubles, adwin_mean, adwin_reset, adwin_t, adwin_update
from .ensemble cimport (NEXT_NOTE, ROWS, EnsembleKernel, likeliest, member_t, predict_by, take)
from .learner cimport learner_t
from .poisson cimport drawn, fill_poisson, poisson_t
from .rng cimport bits

cdef enum:
    PERIOD = 32                         # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows
    FEW_ROWS = 16                       # are not worth threads

ctypedef struct bagging_t:
    void* kernel
    member_t* member
    Py_ssize_t n_members
    Py_ssize_t n_features
    Py_ssize_t n_classes
    poisson_t* weights
    uint64_t* key                       # [member]: its random stream
    bint watched
    double* watch                       # [member, watch_size]: its ADWIN
    Py_ssize_t watch_size
    Py_ssize_t* progress
    # the block: rows, and what became of them
    Py_ssize_t room
    Py_ssize_t n
    const double* x
    const Py_ssize_t* y
    const double* w                     # NULL where rows are only predicted
    Py_ssize_t* place                   # [row]: its number among those learned, t of (1)
    double* p                           # [member, row, class]
    double* again                       # [member, class]: once the row is learned
    double* rate                        # [member, row]: mean of the ADWIN
    char* alarm                         # [member, row]


cdef class BaggingKernel(EnsembleKernel):
    """Bagging, with ADWIN on the members' errors unless `delta` is None."""

    cdef bagging_t core
    cdef poisson_t weights
    cdef dict scratch
    cdef Py_ssize_t n_jobs

    def __init__(self, n_features, n_classes, keys, rate, delta, n_jobs, build):
        cdef Py_ssize_t n_members = len(keys), m
        EnsembleKernel.__init__(self, n_members, build)
        self.n_jobs = n_jobs
        fill_poisson(&self.weights, rate)
        self.core.watched = delta is not None
        self.core.watch_size = adwin_doubles(SIZES) if self.core.watched else 1
        self.arrays["keys"] = np.array(keys, dtype=np.uint64)
        self.arrays["watch"] = np.zeros((n_members, self.core.watch_size))
        room = max(FEW_ROWS, min(1024, 65536 // (n_members * n_classes)))
        self.scratch = {
            "place": np.zeros(room, dtype=np.intp),
            "p": np.zeros((n_members, room, n_classes)),
            "again": np.zeros((n_members, n_classes)),
            "rate": np.zeros((n_members, room)),
            "alarm": np.zeros((n_members, room), dtype=np.uint8),
        }
        self.core.room = room
        self.handle = learner_t(<void*> &self.core, n_features, n_classes, learn, predict)
        self.both = both
        self.bind()
        if self.core.watched:
            for m in range(n_members):
                adwin_begin(<adwin_t*> watch_of(&self.core, m), delta, PERIOD, SIZES)

    cdef void bind(self):
        EnsembleKernel.bind(self)
        cdef bagging_t* c = &self.core
        cdef uint64_t[::1] keys = self.arrays["keys"]
        cdef double[:, ::1] watch = self.arrays["watch"]
        cdef Py_ssize_t[::1] place = self.scratch["place"]
        cdef double[:, :, ::1] p = self.scratch["p"]
        cdef double[:, ::1] again = self.scratch["again"]
        cdef double[:, ::1] rate = self.scratch["rate"]
        cdef unsigned char[:, ::1] alarm = self.scratch["alarm"]
        c.kernel = <void*> self
        c.member = self.member
        c.n_members = len(keys)
        c.n_features, c.n_classes = self.handle.n_features, self.handle.n_classes
        c.weights = &self.weights
        c.key, c.watch, c.progress = &keys[0], &watch[0, 0], self.progress
        c.place, c.p, c.again = &place[0], &p[0, 0, 0], &again[0, 0]
        c.rate, c.alarm = &rate[0, 0], <char*> &alarm[0, 0]

    def noted(self):
        """Return the members' error rates, or 1 where they are not watched."""
        cdef Py_ssize_t m
        if not self.core.watched:
            return EnsembleKernel.noted(self)
        return [adwin_mean(<adwin_t*> watch_of(&self.core, m)) for m in range(self.core.n_members)]

    def learn(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p):
        """For each row: write the probabilities it would get into `p`, then learn it."""
        self.pass_over(X, y, w, p)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        self.pass_over(X, None, None, p)

    def pass_over(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
                  double[:, ::1] p):
        """Take the rows block by block, on threads if there are enough rows for them."""
        cdef bagging_t* c = &self.core
        cdef Py_ssize_t start = 0
        pool = None
        if self.n_jobs > 1 and X.shape[0] > FEW_ROWS:
            pool = ThreadPoolExecutor(self.n_jobs)
        try:
            while start < X.shape[0]:
                c.x = &X[start, 0]
                c.y = NULL if y is None else &y[start]
                c.w = NULL if w is None else &w[start]
                c.n = X.shape[0] - start
                cut_block(c)
                if pool is None:
                    with nogil:
                        take_block(c)
                else:
                    members = iter(range(c.n_members))
                    for job in [pool.submit(self.take_some, members) for _ in range(self.n_jobs)]:
                        job.result()
                with nogil:
                    settle(c, &p[start, 0])
                start += c.n
        finally:
            if pool is not None:
                pool.shutdown()
        self.raise_error()

    def take_some(self, members):
        """Let the members that an iterator shared with other threads gives take the block."""
        cdef Py_ssize_t m
        for m in members:
            with nogil:
                take_rows(&self.core, m, 0)

    cdef void replace(self, Py_ssize_t m, Py_ssize_t row):
        if self.error is not None:
            return
        try:
            self.put(m, self.build(m))
            self.happened(row, m, 0)
        except Exception as error:
            self.error = error


cdef inline double* watch_of(bagging_t* c, Py_ssize_t m) noexcept nogil:
    return c.watch + m * c.watch_size


cdef void cut_block(bagging_t* c) noexcept nogil:
    # A block ends where the scratch does, and where a note is due.
    cdef Py_ssize_t i, row = c.progress[ROWS]
    c.n = min(c.n, c.room)
    if c.w == NULL:
        return
    for i in range(c.n):
        c.place[i] = row
        row += c.w[i] > 0
        if row == c.progress[NEXT_NOTE]:
            c.n = i + 1
            return


cdef void take_block(bagging_t* c) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(c.n_members):
        take_rows(c, m, 0)


cdef void take_rows(bagging_t* c, Py_ssize_t m, Py_ssize_t start) noexcept nogil:
    # The rows of the block from `start` on, by member m.
    cdef member_t* member = c.member + m
    cdef adwin_t* watch = <adwin_t*> watch_of(c, m)
    cdef const double* x
    cdef double* p
    cdef double k
    cdef Py_ssize_t i
    for i in range(start, c.n):
        x = c.x + i * c.n_features
        p = c.p + (m * c.room + i) * c.n_classes
        if c.w == NULL or not c.w[i] > 0:
            predict_by(member, x, p)
            c.alarm[m * c.room + i] = 0
            continue
        k = drawn(c.weights, bits(c.key[m], c.place[i]))                          # (1)
        take(member, x, c.y[i], k * c.w[i], p)
        if c.watched:
            p = c.again + m * c.n_classes
            predict_by(member, x, p)
            c.alarm[m * c.room + i] = adwin_update(watch, likeliest(p, c.n_classes) != c.y[i]) > 0
            c.rate[m * c.room + i] = adwin_mean(watch)


cdef void settle(bagging_t* c, double* p) noexcept nogil:
    # Replace members, write the means into p, and write a note if one is due.
    cdef Py_ssize_t i, k, m
    cdef double* mean
    if c.watched and c.w != NULL:
        heed_alarms(c)
    for i in range(c.n):
        mean = p + i * c.n_classes
        for k in range(c.n_classes):
            mean[k] = 0.0
        for m in range(c.n_members):
            for k in range(c.n_classes):
                mean[k] += c.p[(m * c.room + i) * c.n_classes + k]
        for k in range(c.n_classes):
            mean[k] /= c.n_members
    if c.w != NULL:
        c.progress[ROWS] = c.place[c.n - 1] + (c.w[c.n - 1] > 0)
        if c.progress[ROWS] == c.progress[NEXT_NOTE]:
            with gil:
                (<BaggingKernel> c.kernel).note()


cdef void heed_alarms(bagging_t* c) noexcept nogil:
    cdef Py_ssize_t i, m, worst
    cdef bint alarm
    for i in range(c.n):
        alarm = False
        worst = 0
        for m in range(c.n_members):
            alarm = alarm or c.alarm[m * c.room + i]
            if c.rate[m * c.room + i] > c.rate[worst * c.room + i]:
                worst = m
        if alarm:
            with gil:                                                            # (2)
                (<BaggingKernel> c.kernel).replace(worst, c.place[i])
            adwin_reset(<adwin_t*> watch_of(c, worst))
            take_rows(c, worst, i + 1)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> state
    c.x, c.y, c.w, c.n = x, &y, &w, 1
    cut_block(c)
    take_block(c)
    settle(c, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> state
    # The last row's place in the scratch is free: a block of one row uses the first.
    both(state, x, y, w, c.p + (c.n_members * c.room - 1) * c.n_classes)


cdef void predict(void* state, const double* x, double* p) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> state
    c.x, c.y, c.w, c.n = x, NULL, NULL, 1
    take_block(c)
    settle(c, p)

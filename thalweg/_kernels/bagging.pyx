"""Online bagging: each member learns each row as often as a Poisson number says; ADWIN may watch the members.

Member m gives row t, the t-th that is learned, the weight

    w k,   k ~ Poisson(rate), from word t of the member's random stream          (1)

and the ensemble's probabilities are the mean of the members'. Where the members are watched, each has an
ADWIN on its errors once it has learned the row. If the mean of any rises, the member with the highest
ADWIN mean gives way to a fresh one.                                              (2)

Given the rows, members know nothing of each other but for (2), which touches one member alone. So the members
take a block of rows one after another, and put down alarms and ADWIN means for each row. Then (2) is done for
the alarms from first to last: the fresh member takes the rest of the block again. This is the same as going
row by row. Blocks are shorter where alarms are frequent, for less to be taken again.
"""

import numpy as np

from libc.stdint cimport uint64_t

from .adwin cimport adwin_begin, adwin_doubles, adwin_mean, adwin_reset, adwin_t, adwin_update
from .member_blocks cimport BlockKernel, answer_of, block_t, is_learned, note_if_due, row_of
from .failure cimport record_failure
from .ensemble cimport likeliest, predict_by, predict_learn
from .pointers cimport doubles, flags, words
from .poisson cimport drawn, fill_poisson, poisson_t
from .rng cimport bits

cdef enum:
    PERIOD = 32                         # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows
    LEAST_PACE = 32                     # rows of the shortest block
    APART = 8                           # numbers of a cache line: threads do not write into the same one

ctypedef struct bagging_t:
    poisson_t weights
    uint64_t* key                       # [member]: its random stream
    bint watched
    Py_ssize_t watch_size
    double* watch                       # [member, watch_size]: its ADWIN
    Py_ssize_t again_size
    double* again                       # [member, again_size]: probabilities once the row is learned
    double* rate                        # [member, row of the block]: mean of the ADWIN
    char* alarm                         # [member, row of the block]


cdef class BaggingKernel(BlockKernel):
    """Bagging, with ADWIN on the members' errors unless `delta` is None."""

    cdef bagging_t core

    def __init__(self, n_features, n_classes, keys, rate, delta, n_jobs, build):
        cdef Py_ssize_t n_members = len(keys), m
        BlockKernel.__init__(self, n_features, n_classes, n_members, n_members, n_jobs, build)
        fill_poisson(&self.core.weights, rate)
        self.core.watched = delta is not None
        self.core.watch_size = adwin_doubles(SIZES) if self.core.watched else 1
        self.arrays["keys"] = np.array(keys, dtype=np.uint64)
        self.arrays["watch"] = np.zeros((n_members, self.core.watch_size))
        self.core.again_size = -(-n_classes // APART) * APART
        self.scratch |= {
            "again": np.zeros((n_members, self.core.again_size)),
            "rate": np.zeros((n_members, self.block.room)),
            "alarm": np.zeros((n_members, self.block.room), dtype=np.int8),
        }
        self.block.method, self.block.take, self.block.heed = <void*> &self.core, take_rows, heed_alarms
        self.bind()
        if self.core.watched:
            for m in range(n_members):
                adwin_begin(watch_of(&self.core, m), delta, PERIOD, SIZES)

    cdef void bind(self):
        BlockKernel.bind(self)
        cdef bagging_t* c = &self.core
        c.key, c.watch = words(self.arrays["keys"]), doubles(self.arrays["watch"])
        c.again, c.rate = doubles(self.scratch["again"]), doubles(self.scratch["rate"])
        c.alarm = flags(self.scratch["alarm"])

    def noted_of(self, m):
        """Return a member's error rate, or 1 where members are not watched."""
        return adwin_mean(watch_of(&self.core, m)) if self.core.watched else 1.0

    cdef void replace(self, Py_ssize_t m, Py_ssize_t row):
        try:
            self.put(m, self.build(m))
            self.happened(row, m, 0)
        except BaseException as error:
            record_failure(error)


cdef inline adwin_t* watch_of(const bagging_t* c, Py_ssize_t m) noexcept nogil:
    return <adwin_t*> (c.watch + m * c.watch_size)


cdef void take_rows(block_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> b.method
    cdef adwin_t* watch = watch_of(c, m)
    cdef double* again = c.again + m * c.again_size
    cdef double k
    cdef Py_ssize_t i
    for i in range(start, stop):
        if not is_learned(b, i):
            predict_by(b.member + m, row_of(b, i), answer_of(b, m, i))
            c.alarm[m * b.room + i] = 0
            continue
        k = drawn(&c.weights, bits(c.key[m], b.place[i]))                         # (1)
        predict_learn(b.member + m, row_of(b, i), b.y[i], k * b.w[i], answer_of(b, m, i))
        if c.watched:
            predict_by(b.member + m, row_of(b, i), again)
            c.alarm[m * b.room + i] = adwin_update(watch, likeliest(again, b.n_classes) != b.y[i]) > 0
            c.rate[m * b.room + i] = adwin_mean(watch)
        note_if_due(b, m, i)


cdef void heed_alarms(block_t* b) noexcept nogil:
    cdef bagging_t* c = <bagging_t*> b.method
    cdef Py_ssize_t i, m, worst
    cdef bint alarm
    cdef Py_ssize_t n_alarms = 0
    if not c.watched:
        return
    for i in range(b.n):
        alarm = False
        for m in range(b.n_members):
            alarm = alarm or c.alarm[m * b.room + i]
        if alarm:
            worst = 0
            for m in range(1, b.n_members):
                if c.rate[m * b.room + i] > c.rate[worst * b.room + i]:
                    worst = m
            with gil:                                                            # (2)
                (<BaggingKernel> b.kernel).replace(worst, b.place[i])
            adwin_reset(watch_of(c, worst))
            note_if_due(b, worst, i)
            take_rows(b, worst, i + 1, b.n)
            n_alarms += 1
    # Few rows are to be taken again: alarms come in flocks, so that blocks are short after one.
    if n_alarms > 0:
        b.pace = min(LEAST_PACE, b.room)
    elif b.n == b.pace:
        b.pace = min(b.pace + b.pace // 8, b.room)

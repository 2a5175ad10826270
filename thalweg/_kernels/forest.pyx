"""Forests that adapt: each member is a tree with two ADWINs on its errors, and at a warning a next tree.

For each learned row and each member, whose tree had `right` of the weight `seen` right since it took over:

    vote = 100 right/seen, or 1 where that is 0 or unknown                        (1)
    the tree predicts; seen += w, and right += w if it is right                   (2)
    k ~ Poisson(rate), from word t of the member's random stream; if k is 0, this is all
    the tree and the next one, if there is one, learn the row with weight k w
    both ADWINs get the tree's error once it has learned the row
    the warning one rises: a fresh next tree begins, and that ADWIN anew          (3)
    the drift one rises: the next tree takes over, or a fresh one; right = seen = 0 and the ADWINs begin
    anew, but for the warning one if there was no next tree                       (4)

A tree sees all inputs, or the subset drawn when it began. Member m has the slots 2m and 2m + 1 for its trees.
"""

import numpy as np

from libc.stdint cimport uint64_t

from .adwin cimport adwin_begin, adwin_doubles, adwin_reset, adwin_t, adwin_update
from .member_blocks cimport BlockKernel, answer_of, block_t, is_learned, note_if_due, row_of
from .failure cimport record_failure
from .ensemble cimport learn_by, likeliest, predict_by, predict_learn
from .pointers cimport doubles, flags, integers, words
from .poisson cimport drawn, fill_poisson, poisson_t
from .rng cimport bits

cdef enum:
    PERIOD = 32                         # values from one search of ADWIN to the next
    SIZES = 28                          # of ADWIN's buckets: windows of 5·2^28 rows
    APART = 8                           # numbers of a cache line: threads do not write into the same one

cdef enum:
    WARNED = 1
    REPLACED = 2

ctypedef struct forest_t:
    poisson_t weights
    uint64_t* key                       # [member]: its random stream
    Py_ssize_t* active                  # [member]: which of its slots has the tree, 0 or 1
    Py_ssize_t* has_next                # [member]
    double* right                       # [member, APART]: the first counts
    double* seen                        # [member, APART]
    Py_ssize_t watch_size
    double* warning                     # [member, watch_size]: an ADWIN
    double* drift                       # [member, watch_size]: an ADWIN
    Py_ssize_t width                    # inputs a tree sees
    Py_ssize_t* subset                  # [slot, width]: their columns
    Py_ssize_t part_size
    double* part                        # [slot, part_size]: a row's values in them
    Py_ssize_t again_size
    double* again                       # [member, again_size]: probabilities once the row is learned
    char* event                         # [member, row of the block]


cdef class ForestKernel(BlockKernel):
    """A forest; `build(slot)` begins a fresh tree. Trees see `width` inputs, those in `arrays["subset"]`."""

    cdef forest_t core

    def __init__(self, n_features, n_classes, keys, rate, deltas, width, n_jobs, build):
        cdef Py_ssize_t n_members = len(keys), m
        BlockKernel.__init__(self, n_features, n_classes, n_members, 2 * n_members, n_jobs, build)
        fill_poisson(&self.core.weights, rate)
        self.core.watch_size, self.core.width = adwin_doubles(SIZES), width
        self.arrays |= {
            "keys": np.array(keys, dtype=np.uint64),
            "active": np.zeros(n_members, dtype=np.intp),
            "has_next": np.zeros(n_members, dtype=np.intp),
            "right": np.zeros((n_members, APART)),
            "seen": np.zeros((n_members, APART)),
            "warning": np.zeros((n_members, self.core.watch_size)),
            "drift": np.zeros((n_members, self.core.watch_size)),
            "subset": np.zeros((2 * n_members, width), dtype=np.intp),
        }
        self.core.part_size, self.core.again_size = -(-width // APART) * APART, -(-n_classes // APART) * APART
        self.scratch |= {
            "part": np.zeros((2 * n_members, self.core.part_size)),
            "again": np.zeros((n_members, self.core.again_size)),
            "event": np.zeros((n_members, self.block.room), dtype=np.int8),
        }
        self.block.method, self.block.take, self.block.heed = <void*> &self.core, take_rows, write_events
        self.bind()
        for m in range(n_members):
            adwin_begin(adwin_of(&self.core, self.core.warning, m), deltas[0], PERIOD, SIZES)
            adwin_begin(adwin_of(&self.core, self.core.drift, m), deltas[1], PERIOD, SIZES)

    cdef void bind(self):
        BlockKernel.bind(self)
        cdef forest_t* c = &self.core
        c.key, c.subset = words(self.arrays["keys"]), integers(self.arrays["subset"])
        c.active, c.has_next = integers(self.arrays["active"]), integers(self.arrays["has_next"])
        c.right, c.seen = doubles(self.arrays["right"]), doubles(self.arrays["seen"])
        c.warning, c.drift = doubles(self.arrays["warning"]), doubles(self.arrays["drift"])
        c.part, c.again = doubles(self.scratch["part"]), doubles(self.scratch["again"])
        c.event = flags(self.scratch["event"])

    def noted_of(self, m):
        """Return a member's vote."""
        return vote_of(&self.core, m)

    def size_of(self, m):
        """Return the size of a member's tree."""
        return self.kernels[2 * m + self.core.active[m]].size

    cdef void begin_tree(self, Py_ssize_t slot):
        try:
            self.put(slot, self.build(slot))
        except BaseException as error:
            record_failure(error)

    cdef void write_down(self, Py_ssize_t m, Py_ssize_t row, int event):
        if event & WARNED:
            self.happened(row, m, 0)
        if event & REPLACED:
            self.happened(row, m, 1)


cdef inline adwin_t* adwin_of(const forest_t* c, double* watch, Py_ssize_t m) noexcept nogil:
    return <adwin_t*> (watch + m * c.watch_size)


cdef inline double vote_of(const forest_t* c, Py_ssize_t m) noexcept nogil:
    cdef double right = c.right[m * APART]
    return 100.0 * right / c.seen[m * APART] if right > 0 else 1.0                 # (1)


cdef inline const double* part_of(const block_t* b, const forest_t* c, Py_ssize_t slot,
                                  Py_ssize_t i) noexcept nogil:
    # What the tree in a slot sees of a row.
    cdef Py_ssize_t j
    cdef const double* x = row_of(b, i)
    cdef double* part = c.part + slot * c.part_size
    if c.width == b.n_features:
        return x
    for j in range(c.width):
        part[j] = x[c.subset[slot * c.width + j]]
    return part


cdef void take_rows(block_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef forest_t* c = <forest_t*> b.method
    cdef Py_ssize_t i, slot
    cdef double k
    cdef double* p
    cdef double* again = c.again + m * c.again_size
    cdef const double* x
    for i in range(start, stop):
        slot = 2 * m + c.active[m]
        x = part_of(b, c, slot, i)
        p = answer_of(b, m, i)
        b.vote[m * b.room + i] = vote_of(c, m)
        c.event[m * b.room + i] = 0
        if not is_learned(b, i):
            predict_by(b.member + slot, x, p)
            continue
        k = drawn(&c.weights, bits(c.key[m], b.place[i]))
        predict_learn(b.member + slot, x, b.y[i], k * b.w[i], p)
        c.seen[m * APART] += b.w[i]                                                      # (2)
        if likeliest(p, b.n_classes) == b.y[i]:
            c.right[m * APART] += b.w[i]
        if k > 0:
            if c.has_next[m]:
                learn_by(b.member + (slot ^ 1), part_of(b, c, slot ^ 1, i), b.y[i], k * b.w[i])
            predict_by(b.member + slot, x, again)
            c.event[m * b.room + i] = watch(b, m, likeliest(again, b.n_classes) != b.y[i])
        note_if_due(b, m, i)


cdef int watch(block_t* b, Py_ssize_t m, bint wrong) noexcept nogil:
    cdef forest_t* c = <forest_t*> b.method
    cdef adwin_t* warning = adwin_of(c, c.warning, m)
    cdef adwin_t* drift = adwin_of(c, c.drift, m)
    cdef Py_ssize_t slot = 2 * m + c.active[m]
    cdef int event = 0
    if adwin_update(warning, wrong) > 0:                                         # (3)
        begin_tree(b, slot ^ 1)
        c.has_next[m] = 1
        adwin_reset(warning)
        event |= WARNED
    if adwin_update(drift, wrong) > 0:                                           # (4)
        if c.has_next[m]:
            c.active[m] ^= 1
            c.has_next[m] = 0
            adwin_reset(warning)
        else:
            begin_tree(b, slot)
        adwin_reset(drift)
        c.right[m * APART] = c.seen[m * APART] = 0.0
        event |= REPLACED
    return event


cdef void begin_tree(block_t* b, Py_ssize_t slot) noexcept nogil:
    with gil:
        (<ForestKernel> b.kernel).begin_tree(slot)


cdef void write_events(block_t* b) noexcept nogil:
    # By rows and then members: the order in which threads found them does not count.
    cdef forest_t* c = <forest_t*> b.method
    cdef Py_ssize_t i, m
    for i in range(b.n):
        for m in range(b.n_members):
            if c.event[m * b.room + i]:
                with gil:
                    (<ForestKernel> b.kernel).write_down(m, b.place[i], c.event[m * b.room + i])

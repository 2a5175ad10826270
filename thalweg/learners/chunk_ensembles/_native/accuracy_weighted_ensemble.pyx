"""Accuracy-weighted ensemble: the weight of a member is by how much it beats chance on the latest chunk.

With p_m(x, y) the probability that member m gives the label y of row x, and s_k the share of class k among
the rows on which members are weighted,

    MSE_m = mean of (1 - p_m(x, y))²,                                             (1)
    MSE_r = sum_k s_k (1 - s_k)²,                                                 (2)
    weight_m = max(MSE_r - MSE_m, 0).                                             (3)

A member fitted on the chunk itself gets its MSE by cross-validation (folds.pyx).  (4)

Of all members and the new one those of the highest weight stay, or the latest ones. If all weights are 0
they have equal votes.
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT

from .base cimport CHUNKS, MEAN, ChunkEnsembleKernel, answer, chunks_t, first_weighed, n_weighed
from .folds cimport answer_by_folds
from thalweg._native.kernel cimport Kernel
from thalweg._native.pointers cimport doubles

ctypedef struct accuracy_t:
    Py_ssize_t n_folds
    double* estimate                    # [member]: weights, that of the new one last
    double* shares                      # [class]
    double* masked                      # [row]: memory for the folds


cdef class AccuracyWeightedKernel(ChunkEnsembleKernel):
    """Weights by (3), with rows held out, or folds if none are."""

    cdef accuracy_t accuracy
    cdef bint keeps_latest

    def __init__(self, who, n_features, n_classes, most, size, n_held_out, n_folds, keeps_latest, key,
                 n_templates, build):
        cdef accuracy_t* a = &self.accuracy
        ChunkEnsembleKernel.__init__(self, who, n_features, n_classes, most, size, n_held_out, MEAN, key,
                                     n_templates, build)
        a.n_folds, self.keeps_latest = n_folds, keeps_latest
        self.buffers["estimate"] = layouts.new_array(most + 1, FLOAT)
        self.buffers["shares"] = layouts.new_array(n_classes, FLOAT)
        self.buffers["masked"] = layouts.new_array(size, FLOAT)
        a.estimate, a.shares = doubles(self.buffers["estimate"]), doubles(self.buffers["shares"])
        a.masked = doubles(self.buffers["masked"])
        self.bind()

    cdef bint weigh(self, Kernel fresh) noexcept:
        cdef accuracy_t* a = &self.accuracy
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m
        cdef double chance = chance_error(b, a)
        for m in range(b.n_old):
            with nogil:
                if not answer(b, b.member[m], first_weighed(b), n_weighed(b), b.answers):
                    return False
                a.estimate[m] = max(chance - mean_error(b), 0.0)                     # (3)
        if b.n_held_out == 0:
            if not answer_by_folds(self, b.w, a.n_folds, a.masked):                      # (4)
                return False
        elif not answer(b, &fresh.handle, first_weighed(b), n_weighed(b), b.answers):
            return False
        a.estimate[b.n_old] = max(chance - mean_error(b), 0.0)
        return True

    cdef Py_ssize_t place(self) noexcept nogil:
        cdef chunks_t* b = &self.chunks
        cdef double* estimate = self.accuracy.estimate
        cdef Py_ssize_t m, slot = b.n_old, n = min(b.n_old + 1, b.most)
        cdef double total = 0.0
        if b.n_old == b.most and self.keeps_latest:
            slot = b.counts[CHUNKS] % b.most
        elif b.n_old == b.most:
            slot = 0
            for m in range(1, b.most):
                if estimate[m] < estimate[slot]:
                    slot = m
            if estimate[b.most] < estimate[slot]:
                slot = -1
        if slot >= 0:
            estimate[slot] = estimate[b.n_old]
        for m in range(n):
            total += estimate[m]
        for m in range(n):
            b.weight[m] = estimate[m] if total > 0 else 1.0
        return slot


cdef double chance_error(const chunks_t* b, accuracy_t* a) noexcept nogil:
    # (2)
    cdef Py_ssize_t i, k, first = first_weighed(b)
    cdef double total = 0.0, error = 0.0
    for k in range(b.n_classes):
        a.shares[k] = 0.0
    for i in range(first, first + n_weighed(b)):
        a.shares[b.y[i]] += b.w[i]
        total += b.w[i]
    for k in range(b.n_classes if total > 0 else 0):
        error += a.shares[k] / total * (1.0 - a.shares[k] / total) ** 2
    return error


cdef double mean_error(const chunks_t* b) noexcept nogil:
    # (1), of what is in `answers`
    cdef Py_ssize_t i, first = first_weighed(b)
    cdef double total = 0.0, error = 0.0
    for i in range(n_weighed(b)):
        error += b.w[first + i] * (1.0 - b.answers[i * b.n_classes + b.y[first + i]]) ** 2
        total += b.w[first + i]
    return error / total if total > 0 else 0.0

"""Fast and light boosting: members fitted on chunks of rows, with equal votes, all dropped after a change.

At the end of a chunk, `n_rounds` times a member is fitted on it. With e the share of the rows' weight on
which the members' mean probabilities are wrong, at least LEAST_ERROR, a row weighs

    its own weight, times (1 - e)/e, at least 1, where they are wrong.                        (1)

A new member replaces the oldest if there are as many as allowed. Before that, the accuracy t on the chunk
is compared with those of the B >= 2 chunks since the last change, of mean m and variance s²: all are
dropped if

    t < m - threshold sqrt(v (1 + 1/B)),                                                      (2)
    v = max(s², q(1 - q)/n),   q = (m B n + 1)/(B n + 2),   n the rows of a chunk.            (3)

A chunk that was flushed before it was full is not compared.
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, WORD, Array, require

from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from .base cimport (
    CHUNKS, GROWING, MEAN, VOTERS, ChunkEnsembleKernel, answer, chunks_t, was_interrupted,
)
from thalweg.learners.ensembles._native.base cimport ROWS
from thalweg._native.failure cimport record_failure
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.pointers cimport doubles, integers, words

cdef enum:
    CHANGED = 2                         # kind of event
    N_KINDS = 3
    LEFT = 0                            # places in `rounds`: members still to be fitted on the full chunk,
    OLDEST = 1                          # and the slot of the oldest member
    N_ACCURACIES = 0                    # places in `record`: chunks since the last change,
    AVERAGE = 1                         # mean of the accuracies on them,
    SQUARES = 2                         # and sum of the squared distances from it

cdef double LEAST_ERROR = 1e-3
cdef double UNITS = 1099511627776.0      # of a probability: whole numbers add up to the same in any order

ctypedef struct flb_t:
    Py_ssize_t n_rounds
    double threshold
    Py_ssize_t* rounds
    double* record
    uint64_t* sums                      # [row, class]: the members' probabilities; scratch, as what follows
    double* weight                      # [row]: for the next member


cdef class FastLightBoostKernel(ChunkEnsembleKernel):
    """The rule of fast and light boosting."""

    cdef flb_t flb

    def __init__(self, who, n_features, n_classes, most, size, n_rounds, threshold,
                 n_templates, build):
        cdef flb_t* f = &self.flb
        ChunkEnsembleKernel.__init__(self, who, n_features, n_classes, most, size, 0, MEAN, 0,
                                     n_templates, build, N_KINDS)
        self.allocate(who, {
            "rounds": Array(INDEX, 2, low=0),
            "record": Array(FLOAT, 3, low=0.0, high=1e15),
        }, {})
        self.buffers["sums"] = layouts.new_array((size, n_classes), WORD)
        self.buffers["weight"] = layouts.new_array(size, FLOAT)
        f.sums, f.weight = words(self.buffers["sums"]), doubles(self.buffers["weight"])
        f.n_rounds, f.threshold = n_rounds, threshold
        self.bind()

    cdef void bind(self):
        ChunkEnsembleKernel.bind(self)
        if "rounds" in self.arrays:
            self.flb.rounds, self.flb.record = integers(self.arrays["rounds"]), doubles(self.arrays["record"])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ChunkEnsembleKernel.check(self, arrays)
        left, oldest = arrays["rounds"].tolist()
        good = left <= self.flb.n_rounds and oldest < self.chunks.most
        good = good and (left == 0 or arrays["counts"][GROWING] > 0)
        require(good, self.who, "rounds", f"says that {left} members are to be fitted, {oldest} the oldest")
        require((arrays["weight"] == 1).all(), self.who, "weight", "holds weights other than 1")
        require(arrays["record"][AVERAGE] <= 1, self.who, "record", "holds an accuracy above 1")

    cdef const double* fit_weights(self) noexcept nogil:
        return self.flb.weight

    cdef void finish(self, bint may_stop) noexcept:
        # The end of a chunk; if a signal stops it, the members that are left are fitted later.
        cdef chunks_t* b = &self.chunks
        cdef flb_t* f = &self.flb
        try:
            b.may_stop = may_stop
            if b.counts[CHUNKS] == 0 and f.rounds[LEFT] == 0:
                self.drop_all()         # what was fitted early
            if not self.sum_answers() and was_interrupted():
                return
            if f.rounds[LEFT] == 0:
                self.compare()
                f.rounds[LEFT] = f.n_rounds
            while f.rounds[LEFT] > 0:
                if not self.fit_round() and was_interrupted():
                    return
                f.rounds[LEFT] -= 1
            b.counts[CHUNKS] += 1
        except BaseException as error:
            record_failure(error)
            f.rounds[LEFT] = 0
        b.counts[GROWING] = 0

    cdef void fit_early(self) noexcept:
        memcpy(self.flb.weight, self.chunks.w, self.chunks.counts[GROWING] * sizeof(double))
        ChunkEnsembleKernel.fit_early(self)

    cdef bint sum_answers(self) noexcept nogil:
        # The members' probabilities of the chunk's rows; False if that was stopped or failed.
        cdef Py_ssize_t m
        memset(self.flb.sums, 0, self.chunks.counts[GROWING] * self.chunks.n_classes * sizeof(uint64_t))
        for m in range(self.chunks.counts[VOTERS]):
            if not self.add_answers(self.chunks.member[m], False):
                return False
        return True

    cdef bint add_answers(self, const learner_t* h, bint subtract) noexcept nogil:
        cdef chunks_t* b = &self.chunks
        cdef uint64_t units
        cdef Py_ssize_t i
        if not answer(b, h, 0, b.counts[GROWING], b.answers):
            return False
        for i in range(b.counts[GROWING] * b.n_classes):
            units = <uint64_t> (b.answers[i] * UNITS + 0.5)
            self.flb.sums[i] += 0 - units if subtract else units
        return True

    cdef void compare(self):
        # Drop all members if the accuracy on this chunk has fallen too far.
        cdef chunks_t* b = &self.chunks
        cdef double* r = self.flb.record
        cdef double accuracy, away
        if b.counts[GROWING] == b.size and b.counts[VOTERS] > 0:
            accuracy = 1.0 - weigh_rows(b, &self.flb)
            if has_changed(&self.flb, accuracy, b.size):
                self.record_event(b.progress[ROWS], 0, CHANGED)
                self.drop_all()
                return
            r[N_ACCURACIES] += 1.0
            away = accuracy - r[AVERAGE]
            r[AVERAGE] += away / r[N_ACCURACIES]
            r[SQUARES] += away * (accuracy - r[AVERAGE])

    cdef void drop_all(self):
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m
        gone = [(self.template_of(m), self.reusable(m)) for m in range(b.counts[VOTERS])]
        self.members, self.kernels = [], []
        b.counts[VOTERS] = self.flb.rounds[OLDEST] = 0
        self.flb.record[N_ACCURACIES] = self.flb.record[AVERAGE] = self.flb.record[SQUARES] = 0.0
        memset(self.flb.sums, 0, b.size * b.n_classes * sizeof(uint64_t))
        for template, member in gone:
            self.keep(template, member)

    cdef bint fit_round(self):
        # Fit a member on the chunk; False if that was stopped or failed.
        cdef chunks_t* b = &self.chunks
        cdef Kernel kernel
        cdef tuple fresh
        cdef Py_ssize_t slot = b.counts[VOTERS], template = self.next_template(b.most)
        weigh_rows(b, &self.flb)
        fresh = self.fitted(b.may_stop)
        if fresh is None:
            return False
        kernel = fresh[1]
        if slot == b.most:
            slot = self.flb.rounds[OLDEST]
        if not self.replace_answers(slot, &kernel.handle):
            self.keep(template, fresh[0])
            return False
        b.n_old = b.counts[VOTERS]
        self.n_built[b.most] += 1
        if slot < b.n_old:
            self.flb.rounds[OLDEST] = slot + 1 if slot + 1 < b.most else 0
        self.admit(slot, fresh, template)
        return True

    cdef bint replace_answers(self, Py_ssize_t slot, const learner_t* h) noexcept nogil:
        # The sums as they are with the new member in this slot; only the last round of a chunk needs none.
        if self.flb.rounds[LEFT] == 1:
            return True
        if slot < self.chunks.counts[VOTERS] and not self.add_answers(self.chunks.member[slot], True):
            return False
        return self.add_answers(h, False)


cdef double weigh_rows(const chunks_t* b, flb_t* f) noexcept nogil:
    # The rows' weights for the next member, their mean 1; return the share of weight that is wrong.
    cdef Py_ssize_t i, n = b.counts[GROWING]
    cdef double top = 0.0, total = 0.0, error = 0.0, heavier
    cdef bint has_voters = b.counts[VOTERS] > 0
    for i in range(n):
        top = max(top, b.w[i])
    for i in range(n):
        f.weight[i] = b.w[i] / top
        total += f.weight[i]
        if has_voters and is_wrong(b, f, i):
            error += f.weight[i]
    error /= total
    heavier = max((1.0 - error) / max(error, LEAST_ERROR), 1.0)
    total = 0.0
    for i in range(n):
        if has_voters and is_wrong(b, f, i):
            f.weight[i] *= heavier                                                            # (1)
        total += f.weight[i]
    for i in range(n):
        f.weight[i] *= n / total
    return error


cdef inline bint is_wrong(const chunks_t* b, const flb_t* f, Py_ssize_t i) noexcept nogil:
    cdef const uint64_t* sums = f.sums + i * b.n_classes
    cdef Py_ssize_t k, best = 0
    for k in range(1, b.n_classes):
        if sums[k] > sums[best]:
            best = k
    return best != b.y[i]


cdef bint has_changed(const flb_t* f, double accuracy, double n_rows) noexcept nogil:
    cdef double n = f.record[N_ACCURACIES], mean = f.record[AVERAGE], q, variance
    if n < 2:
        return False
    q = (mean * n * n_rows + 1.0) / (n * n_rows + 2.0)
    variance = max(f.record[SQUARES] / (n - 1.0), q * (1.0 - q) / n_rows)                     # (3)
    return accuracy < mean - f.threshold * sqrt(variance * (1.0 + 1.0 / n))                   # (2)

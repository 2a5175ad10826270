"""Learn++.NSE: members are weighted by their errors on all chunks since they were added, recent ones most.

At chunk t, with H the vote of the members so far and E the share of the chunk it gets wrong, a row counts

    u_i = E if H is right about it, else 1, divided by the sum over the chunk.    (1)

Member k, which came with chunk k, has on it the weighted error

    e_k = sum of u_i over the rows it gets wrong, at most 1/2,                    (2)
    b_k = e_k/(1 - e_k)                                                           (3)

and the mean of b_k over the chunks since it came, the latest ones weighing most, is

    B_k = sum_s v(s - k) b_k(s)/sum_s v(s - k),   v(z) = 1/(1 + exp(-slope (z - shift)))      (4)

of which both sums are kept. Its vote weighs

    W_k = log(1/B_k).                                                             (5)

When there are as many members as there can be, the oldest goes, or the one with the largest error.
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from libc.math cimport log
from libc.string cimport memset

from .base cimport CHUNKS, GROWING, VOTERS, VOTES, ChunkEnsembleKernel, chunks_t, choose
from thalweg._native.kernel cimport Kernel
from thalweg._native.maths cimport likeliest, logistic
from thalweg._native.pointers cimport doubles, integers

cdef double LEAST_ERROR = 0.01          # so that no member decides alone
cdef double LEAST_WEIGHT = 1e-12        # so that members that are all no better than chance have equal votes

ctypedef struct nse_t:
    bint by_error
    double slope
    double shift
    double* sums                        # [member, 2]: of (4), above and below the line
    Py_ssize_t* born                    # [member]: the chunk it came with
    double* error                       # [member]: e_k, that of the new one last
    double* u                           # [row]
    double total                        # of u


cdef class LearnNSEKernel(ChunkEnsembleKernel):
    """Weights by (5)."""

    cdef nse_t nse

    def __init__(self, who, n_features, n_classes, most, size, slope, shift, by_error, n_templates,
                 build):
        cdef nse_t* s = &self.nse
        ChunkEnsembleKernel.__init__(self, who, n_features, n_classes, most, size, 0, VOTES, 0,
                                     n_templates, build)
        self.allocate(who, {
            "sums": Array(FLOAT, "member", 2, low=0.0, high=1e15),
            "born": Array(INDEX, "member", low=0, high=MOST_COUNTED),
        }, {})
        s.slope, s.shift, s.by_error = slope, shift, by_error
        self.keep_votes()
        self.buffers["error"] = layouts.new_array(most + 1, FLOAT)
        self.buffers["u"] = layouts.new_array(size, FLOAT)
        s.error, s.u = doubles(self.buffers["error"]), doubles(self.buffers["u"])
        self.bind()

    cdef void bind(self):
        ChunkEnsembleKernel.bind(self)
        if "sums" in self.arrays:
            self.nse.sums, self.nse.born = doubles(self.arrays["sums"]), integers(self.arrays["born"])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ChunkEnsembleKernel.check(self, arrays)
        n_voters, n_chunks = int(arrays["counts"][VOTERS]), int(arrays["counts"][CHUNKS])
        good = bool((arrays["born"] <= n_chunks).all())
        require(good, self.who, "born", f"holds a chunk after the last, {n_chunks}")
        sums = arrays["sums"][:n_voters if n_chunks else 0]
        good = bool((sums > 0).all() and (sums[:, 0] <= sums[:, 1] * 1.01).all())
        require(good, self.who, "sums", "does not hold sums of errors and of their weights")

    cdef bint weigh(self, Kernel fresh) noexcept:
        cdef nse_t* s = &self.nse
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m
        with nogil:
            for m in range(b.n_old + 1):
                if not choose(b, b.member[m] if m < b.n_old else &fresh.handle, m):
                    return False
            weigh_rows(b, s)
            for m in range(b.n_old + 1):
                s.error[m] = error_of(b, s, m)
        return True

    cdef Py_ssize_t place(self) noexcept nogil:
        cdef nse_t* s = &self.nse
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m, slot = b.n_old, t = b.counts[CHUNKS]
        for m in range(b.n_old):
            self.set_weight(m, s.error[m], t)
        if b.n_old == b.most:
            slot = 0
            for m in range(1, b.most):
                if s.error[m] > s.error[slot] if s.by_error else s.born[m] < s.born[slot]:
                    slot = m
        s.sums[2 * slot] = s.sums[2 * slot + 1] = 0.0
        s.born[slot] = t
        self.set_weight(slot, s.error[b.n_old], t)
        return slot

    cdef void set_weight(self, Py_ssize_t m, double error, Py_ssize_t t) noexcept nogil:
        cdef nse_t* s = &self.nse
        cdef double v = max(logistic(s.slope * (t - s.born[m] - s.shift)), 1e-300)
        s.sums[2 * m] += v * error / (1.0 - error)                                # (3), (4)
        s.sums[2 * m + 1] += v
        self.chunks.weight[m] = max(log(s.sums[2 * m + 1] / s.sums[2 * m]), LEAST_WEIGHT)      # (5)


cdef void weigh_rows(const chunks_t* b, nse_t* s) noexcept nogil:
    # (1) without its division by the sum, which is kept; equal weights at the first chunk
    cdef Py_ssize_t i, m, n = b.counts[GROWING], n_classes = b.n_classes
    cdef double total = 0.0, wrong = 0.0
    cdef const int* chosen
    memset(b.answers, 0, n * n_classes * sizeof(double))
    for m in range(b.n_old):
        chosen = b.chosen + m * b.size
        for i in range(n):
            b.answers[i * n_classes + chosen[i]] += b.weight[m]
    for i in range(n):
        s.u[i] = b.n_old == 0 or likeliest(b.answers + i * n_classes, n_classes) != b.y[i]
        wrong += b.w[i] * s.u[i]
        total += b.w[i]
    s.total = 0.0
    for i in range(n):
        s.u[i] = 1.0 if s.u[i] > 0 or wrong == 0 else wrong / total
        s.u[i] *= b.w[i]
        s.total += s.u[i]


cdef double error_of(const chunks_t* b, const nse_t* s, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    cdef double wrong = 0.0
    cdef const int* chosen = b.chosen + m * b.size
    for i in range(b.counts[GROWING]):
        if chosen[i] != b.y[i]:
            wrong += s.u[i]
    return min(max(wrong / s.total if s.total > 0 else 0.5, LEAST_ERROR), 0.5)    # (2)

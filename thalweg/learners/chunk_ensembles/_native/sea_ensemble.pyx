"""SEA: members vote with equal weight, and a new one replaces the worst if it is better.

At the end of a chunk all members, and the one fitted on the chunk before, which does not vote yet, are judged
on it. With P1 and P2 the largest shares of the members' votes for a row, P of its class and P' of the class
that a member chose, a member's quality is the sum over the rows of

    1 - |P1 - P2|   if it and the vote are right,                                 (1)
    1 - |P1 - P|    if it is right and the vote is not,                           (2)
    -(1 - |P - P'|) if it is wrong.                                               (3)

The member that waited is added if there is room. If not, it replaces the one of least quality, if its own is
higher. Then the member fitted on this chunk waits.                               (4)

Or else the member fitted on a chunk replaces the oldest at once, and nothing is judged.
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array, require

from libc.math cimport fabs
from libc.string cimport memset

from .base cimport (
    CHUNKS, CAME, VOTERS, VOTES, ChunkEnsembleKernel, chunks_t, choose, first_weighed, n_weighed,
)
from thalweg.learners.ensembles._native.base cimport ROWS
from thalweg._native.kernel cimport Kernel
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles, integers

ctypedef struct sea_t:
    bint by_quality
    Py_ssize_t* waiting                 # whether the last member in the list waits
    double* quality                     # [member]
    double* shares                      # [class]: of the votes for a row


cdef class SEAKernel(ChunkEnsembleKernel):
    """SEA's rule for members."""

    cdef sea_t sea

    def __init__(self, who, n_features, n_classes, most, size, by_quality, n_templates, build):
        cdef sea_t* s = &self.sea
        ChunkEnsembleKernel.__init__(self, who, n_features, n_classes, most, size, 0, VOTES, 0,
                                     n_templates, build)
        self.allocate(who, {"waiting": Array(INDEX, 1, low=0, high=1)}, {})
        s.by_quality = by_quality
        if by_quality:
            self.keep_votes()
        self.buffers["quality"] = layouts.new_array(most + 1, FLOAT)
        self.buffers["shares"] = layouts.new_array(n_classes, FLOAT)
        s.quality, s.shares = doubles(self.buffers["quality"]), doubles(self.buffers["shares"])
        self.bind()

    cdef void bind(self):
        ChunkEnsembleKernel.bind(self)
        if "waiting" in self.arrays:
            self.sea.waiting = integers(self.arrays["waiting"])

    def check_number(self, n):
        """Raise StateError if a state cannot have n members."""
        voters, waiting = int(self.arrays["counts"][VOTERS]), int(self.arrays["waiting"][0])
        require(n == voters + waiting, self.who, "members", f"are {n}, not {voters} that vote and {waiting}")

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ChunkEnsembleKernel.check(self, arrays)
        n_voters, n_chunks = int(arrays["counts"][VOTERS]), int(arrays["counts"][CHUNKS])
        good = not arrays["waiting"][0] or (self.sea.by_quality and n_voters >= 1 and n_chunks >= 1)
        require(good, self.who, "waiting", "says that a member waits where none can")
        require((arrays["weight"] == 1).all(), self.who, "weight", "holds weights other than 1")

    cdef bint weigh(self, Kernel fresh) noexcept:
        cdef sea_t* s = &self.sea
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m
        if not s.by_quality or not s.waiting[0]:
            return True
        with nogil:
            for m in range(b.n_old + 1):
                if not choose(b, b.member[m], m):
                    return False
            judge(b, s)
        return True

    cdef Py_ssize_t place(self) noexcept nogil:
        cdef Py_ssize_t m, worst = 0
        if not self.sea.by_quality:
            return self.chunks.counts[CHUNKS] % self.chunks.most
        if self.chunks.n_old < self.chunks.most:
            return self.chunks.n_old
        for m in range(1, self.chunks.n_old):
            if self.sea.quality[m] < self.sea.quality[worst]:
                worst = m
        return worst if self.sea.quality[self.chunks.n_old] > self.sea.quality[worst] else -1

    cdef void admit(self, Py_ssize_t slot, tuple fresh, Py_ssize_t template):                          # (4)
        cdef sea_t* s = &self.sea
        cdef Py_ssize_t n = self.chunks.n_old
        if not s.by_quality or n == 0:
            ChunkEnsembleKernel.admit(self, slot, fresh, template)
            return
        if s.waiting[0] and slot == n:
            n = self.chunks.counts[VOTERS] = n + 1
            self.record_event(self.progress[ROWS], slot, CAME)
        elif s.waiting[0]:
            ChunkEnsembleKernel.admit(self, slot, (self.members[n], self.kernels[n]), self.template_of(n))
        self.install(n, fresh, template)
        s.waiting[0] = 1


cdef void judge(const chunks_t* b, sea_t* s) noexcept nogil:
    # Quality of the members and of the one that waits, which is the last.
    cdef Py_ssize_t i, m, k, vote, n = n_weighed(b), first = first_weighed(b), y
    cdef double P1, P2, P, gain
    memset(s.quality, 0, (b.n_old + 1) * sizeof(double))
    for i in range(n):
        y = b.y[first + i]
        memset(s.shares, 0, b.n_classes * sizeof(double))
        for m in range(b.n_old):
            s.shares[b.chosen[m * b.size + i]] += 1.0 / b.n_old
        vote = likeliest(s.shares, b.n_classes)
        P1, P2, P = s.shares[vote], 0.0, s.shares[y]
        for k in range(b.n_classes):
            if k != vote:
                P2 = max(P2, s.shares[k])
        for m in range(b.n_old + 1):
            k = b.chosen[m * b.size + i]
            if k != y:
                gain = -(1.0 - fabs(P - s.shares[k]))                             # (3)
            elif vote == y:
                gain = 1.0 - fabs(P1 - P2)                                        # (1)
            else:
                gain = 1.0 - fabs(P1 - P)                                         # (2)
            s.quality[m] += b.w[first + i] * gain

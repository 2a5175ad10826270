# Ensembles whose members are fitted once, each on a chunk of rows, and weighted when a chunk ends.

from libc.stdint cimport uint64_t

from thalweg.learners.ensembles._native.base cimport EnsembleKernel
from thalweg._native.kernel cimport Kernel, learner_t

cdef enum:
    # how members are combined
    VOTES = 0                           # each for its most likely class, with its weight
    MEAN = 1                            # the weighted mean of their probabilities
    LOGISTIC = 2                        # probabilities proportional to exp(sum of weight × probability)

cdef enum:
    # places in `counts`
    GROWING = 0                         # rows of the chunk at its front, on which the member is fitted
    HELD_OUT = 1                        # rows of the chunk at its back, on which members are weighted
    VOTERS = 2                          # members that vote, the first in the list
    CHUNKS = 3                          # finished so far

cdef enum:
    # kinds of events
    CAME = 0
    WENT = 1

ctypedef struct chunks_t:
    void* kernel
    learner_t** member                  # [slot]
    int combination
    bint may_stop                       # whether the end of a chunk may be postponed because of a signal
    Py_ssize_t n_looks                  # rows predicted since the last check for one
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t most                     # members that vote
    Py_ssize_t n_old                    # of them before this chunk ended; 0 at the first one
    Py_ssize_t size                     # rows of a chunk
    Py_ssize_t n_held_out               # of them that weigh members; 0: all rows of a chunk do
    uint64_t key                        # draws which
    Py_ssize_t* progress                # of the ensemble
    Py_ssize_t* counts
    double* X                           # [row, input]: the chunk so far
    Py_ssize_t* y
    double* w
    Py_ssize_t* number                  # [row]: how many were learned before it
    double* weight                      # [member]
    Py_ssize_t* template                # [slot]: from which its member is made
    double* votes                       # [class]: memory to learn a row
    double* answers                     # [row, class]: memory to weigh members
    double* scratch                     # the same, to predict
    int* chosen                         # [slot, row]: the class each member votes for; NULL if not kept
    int* is_chosen                      # [row]: whether `chosen` has the votes of all voters


cdef class ChunkEnsembleKernel(EnsembleKernel):
    cdef chunks_t chunks
    cdef dict buffers
    cdef bint template_in_python        # whether members are written in Python

    cdef void finish(self, bint may_stop) noexcept
    cdef void fit_early(self) noexcept
    cdef const double* fit_weights(self) noexcept nogil
    cdef bint weigh(self, Kernel fresh) noexcept
    cdef Py_ssize_t place(self) noexcept nogil
    cdef void admit(self, Py_ssize_t slot, tuple fresh, Py_ssize_t template)
    cdef tuple install(self, Py_ssize_t slot, tuple fresh, Py_ssize_t template)
    cdef tuple fitted(self, bint may_stop)
    cdef void keep_votes(self)          # have `chosen`, where no rows are held out
    cdef void forget_votes(self) noexcept


# whether what was recorded is an interrupt: not an error, and no reason to go on without the chunk
cdef bint was_interrupted()

# rows on which members are weighted: from this place of the chunk on, and how many
cdef inline Py_ssize_t first_weighed(const chunks_t* b) noexcept nogil:
    return b.size - b.counts[HELD_OUT] if b.n_held_out else 0


cdef inline Py_ssize_t n_weighed(const chunks_t* b) noexcept nogil:
    return b.counts[HELD_OUT] if b.n_held_out else b.counts[GROWING]


# write h's probabilities of n rows of the chunk from `first` on into p[n, class]; False if a signal came or
# code written in Python failed
cdef bint answer(chunks_t* b, const learner_t* h, Py_ssize_t first, Py_ssize_t n, double* p) noexcept nogil

# write the most likely class of every row of the chunk into `chosen`, for h, which is or will be in slot m; a
# voter does not predict rows again on which it was tested; returns as `answer` does
cdef bint choose(chunks_t* b, const learner_t* h, Py_ssize_t m) noexcept nogil

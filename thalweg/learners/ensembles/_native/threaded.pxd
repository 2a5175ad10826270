# Ensembles whose members are independent: each processes a block of rows by itself, on any thread.

from libc.stdint cimport int64_t

from .base cimport EnsembleKernel
from thalweg._native.kernel cimport learner_t
from thalweg._native.workers cimport Workers

ctypedef struct threaded_t:
    void* kernel
    void* method                        # the ensemble's own struct
    # predict and then learn the rows from `start` to before `stop` by member m; writes p and vote
    void (*process)(threaded_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop,
                    double* scratch) noexcept nogil
    # what follows once all members have processed the block
    void (*finish)(threaded_t* b) noexcept nogil
    # the ensemble's probabilities of the block's rows into p; (1) by default
    void (*combine)(threaded_t* b, double* p) noexcept nogil
    # the ensemble's probabilities of n rows into p, changing nothing; (1) by default
    void (*predict_rows)(const threaded_t* b, const double* x, Py_ssize_t n, double* p,
                         double* scratch) noexcept nogil
    # For (1): the weight of a member's vote as it is now
    double (*vote_of)(const threaded_t* b, Py_ssize_t m) noexcept nogil
    # and member m's probabilities of a row, written into p; scratch as for `process`
    void (*predict)(const threaded_t* b, Py_ssize_t m, const double* x, double* p,
                    double* scratch) noexcept nogil
    learner_t** member                  # [slot]
    Py_ssize_t n_members
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_jobs
    Py_ssize_t* progress
    Py_ssize_t room                     # for the rows of a block
    Py_ssize_t most_rows                # of the next block, at most room
    Py_ssize_t n                        # rows of the block
    const double* x
    const Py_ssize_t* y
    const double* w
    const int64_t* number               # [row]: with which it was observed; NULL if none was
    Py_ssize_t* position                # [row]: how many were learned before it
    double* p                           # [member, row, class]
    double* vote                        # [member, row]: the weight of p, 1 unless written
    double* ignored                     # [class]: probabilities nobody asked for
    Py_ssize_t first                    # rows learned before the block
    Py_ssize_t stride                   # rows from one line of the record to the next
    double* notes                       # [line, 2, member]: numbers and sizes for the record
    double* scratch                     # [thread, scratch_step]
    Py_ssize_t scratch_step
    Py_ssize_t* n_done                  # [member]: rows of the block
    char* is_busy                       # [member]: whether a thread processes rows for it
    Py_ssize_t* thread                  # [member]: that processed rows for it last


cdef class ThreadedKernel(EnsembleKernel):
    cdef threaded_t threaded
    cdef dict buffers

    cdef void process_together(self, Workers workers) noexcept nogil
    cdef void note_member(self, Py_ssize_t m, Py_ssize_t line) noexcept
    cdef void write_notes(self) noexcept nogil


cdef inline const double* row_of(const threaded_t* b, Py_ssize_t i) noexcept nogil:
    return b.x + i * b.n_features


cdef inline int64_t number_at(const threaded_t* b, Py_ssize_t i) noexcept nogil:
    return 0 if b.number == NULL else b.number[i]


cdef inline double* answer_of(const threaded_t* b, Py_ssize_t m, Py_ssize_t i) noexcept nogil:
    return b.p + (m * b.room + i) * b.n_classes


cdef inline void note_if_due(threaded_t* b, Py_ssize_t m, Py_ssize_t i) noexcept nogil:
    # To be called once member m is done with row i, which it learned.
    cdef Py_ssize_t row = b.position[i] + 1
    if row % b.stride == 0:
        with gil:
            (<ThreadedKernel> b.kernel).note_member(m, row // b.stride - b.first // b.stride - 1)

# Ensembles whose members know nothing of each other take a block of rows member by member, also on threads.

from .ensemble cimport EnsembleKernel, member_t
from .workers cimport Workers

ctypedef struct block_t:
    void* kernel
    void* method                        # the ensemble's own struct
    # take: the rows of the block from `start` to before `stop`, by member m; writes p and vote
    void (*take)(block_t* b, Py_ssize_t m, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    # heed: what follows once all members have taken the block, if it was learned
    void (*heed)(block_t* b) noexcept nogil
    member_t* member
    Py_ssize_t n_members
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t* progress
    Py_ssize_t room                     # for the rows of a block
    Py_ssize_t pace                     # rows to take at once, at most room
    Py_ssize_t n                        # rows of the block
    const double* x
    const Py_ssize_t* y
    const double* w                     # NULL where rows are only predicted
    Py_ssize_t* place                   # [row]: its number among those learned
    double* p                           # [member, row, class]
    double* vote                        # [member, row]: the weight of p, 1 unless written
    Py_ssize_t first                    # rows learned before the block
    Py_ssize_t stride                   # rows from one note to the next
    Py_ssize_t n_jobs
    Py_ssize_t* taken                   # [member]: rows of the block
    char* at_work                       # [member]: whether a thread is


cdef class BlockKernel(EnsembleKernel):
    cdef block_t block
    cdef dict scratch

    cdef void take_together(self, Workers workers)
    cdef void note_member(self, Py_ssize_t m, Py_ssize_t row)
    cdef void write_notes(self, Py_ssize_t last)


cdef inline const double* row_of(const block_t* b, Py_ssize_t i) noexcept nogil:
    return b.x + i * b.n_features


cdef inline double* answer_of(const block_t* b, Py_ssize_t m, Py_ssize_t i) noexcept nogil:
    return b.p + (m * b.room + i) * b.n_classes


cdef inline bint is_learned(const block_t* b, Py_ssize_t i) noexcept nogil:
    return b.w != NULL and b.w[i] > 0


cdef inline void note_if_due(block_t* b, Py_ssize_t m, Py_ssize_t i) noexcept nogil:
    # To be called by `take` once member m is done with row i.
    if is_learned(b, i) and (b.place[i] + 1) % b.stride == 0:
        with gil:
            (<BlockKernel> b.kernel).note_member(m, b.place[i] + 1)

# Ensembles whose members know nothing of each other take a block of rows member by member, also on threads.

from .ensemble cimport EnsembleKernel, member_t

ctypedef struct block_t:
    void* kernel
    void* method                        # the ensemble's own struct
    # take: the rows of the block from `start` on, by member m; writes p and vote
    void (*take)(block_t* b, Py_ssize_t m, Py_ssize_t start) noexcept nogil
    # heed: what follows once all members have taken the block, if it was learned
    void (*heed)(block_t* b) noexcept nogil
    member_t* member
    Py_ssize_t n_members
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t* progress
    Py_ssize_t room
    Py_ssize_t n                        # rows of the block
    const double* x
    const Py_ssize_t* y
    const double* w                     # NULL where rows are only predicted
    Py_ssize_t* place                   # [row]: its number among those learned
    double* p                           # [member, row, class]
    double* vote                        # [member, row]: the weight of p, 1 unless written


cdef class BlockKernel(EnsembleKernel):
    cdef block_t block
    cdef dict scratch
    cdef Py_ssize_t n_jobs


cdef inline const double* row_of(const block_t* b, Py_ssize_t i) noexcept nogil:
    return b.x + i * b.n_features


cdef inline double* answer_of(const block_t* b, Py_ssize_t m, Py_ssize_t i) noexcept nogil:
    return b.p + (m * b.room + i) * b.n_classes


cdef inline bint is_learned(const block_t* b, Py_ssize_t i) noexcept nogil:
    return b.w != NULL and b.w[i] > 0

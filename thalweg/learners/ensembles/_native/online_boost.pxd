# Online boosting: what happens with a row, for the methods that do more with it.

from libc.stdint cimport int64_t, uint64_t

from .base cimport EnsembleKernel
from thalweg._native.kernel cimport learner_t
from thalweg._native.rng cimport ziggurat_t

ctypedef struct boosting_t:
    void* kernel
    learner_t** member
    Py_ssize_t n_members
    Py_ssize_t n_classes
    bint by_accuracy                    # BOLE's order (4), and voting goes on after a member without a vote
    double bound
    double shift
    ziggurat_t ziggurat
    Py_ssize_t* progress
    uint64_t* key
    double* total                       # N
    double* right                       # [member]
    double* wrong                       # [member]
    Py_ssize_t* order                   # [member]: best first, as of the last row learned
    double* accuracy                    # [member], in that order; memory to learn a row
    Py_ssize_t* said                    # [member]: what it predicts for the row to be learned, or -1
    double* scratch                     # to predict while a row is learned


cdef class BoostingKernel(EnsembleKernel):
    cdef boosting_t core
    cdef object accuracy
    cdef object said


# a member's vote, at least 0; -1 where it has none
cdef double vote_of(const boosting_t* c, Py_ssize_t m) noexcept nogil

# member m, the one in turn, learns a row Poisson(share) times; return whether it is then right on it
cdef bint learn_in_turn(boosting_t* c, Py_ssize_t m, Py_ssize_t turn, const double* x, Py_ssize_t y,
                        double share, int64_t number) noexcept nogil

# count member m's answer to a row that reached it with weight `share`; return what reaches the next one;
# `total` is N
cdef double pass_on(boosting_t* c, Py_ssize_t m, double share, double total, bint is_right) noexcept nogil

# the row has been through all members
cdef void finish_row(boosting_t* c) noexcept nogil

cdef void online_boost_learn(void* state, const double* x, Py_ssize_t y, double w,
                             int64_t number) noexcept nogil
cdef void online_boost_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil

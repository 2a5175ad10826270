# What happens with a row: it fills a chunk or moves a window on, and members vote on it.

from libc.stdint cimport int64_t

from .histograms cimport input_bins_t
from thalweg._native.kernel cimport learner_t
from thalweg.learners.batch_trees._native.packed_tree cimport packed_tree_t
from thalweg._native.ring cimport ring_t

cdef enum:
    # places in `held`
    OBSERVED = 0                        # rows without labels
    UPDATES = 1                         # by rows with labels so far; before the first there is no reference

# train members on the rows held as far as needed; False, and nothing has changed, if that was stopped
ctypedef bint (*update_f)(void* kernel, bint may_stop) noexcept nogil

ctypedef struct huwrs_t:
    void* kernel
    update_f update
    learner_t** member
    const packed_tree_t** packed        # [member]: the trees once more; NULL where members are learners
    Py_ssize_t n_members
    Py_ssize_t period                   # rows between two updates by the latest of them; 0 for whole chunks
    Py_ssize_t window                   # rows without a label between two updates
    bint weighs_observed                # whether rows without a label count
    input_bins_t bins
    const Py_ssize_t* first             # [member + 1]: where its inputs begin in `columns`
    const Py_ssize_t* columns
    Py_ssize_t* progress
    Py_ssize_t* held
    ring_t rows                         # with labels: a chunk, or the latest of them
    double* observed                    # [row, input]
    Py_ssize_t* reference               # [member]: -1 before it is trained
    double* labelled                    # [member]
    double* unlabelled                  # [member]
    double* low                         # [reference, input]
    double* scale                       # [reference, input]
    int* counts                         # [reference, class, bin]
    int* counted                        # [class, bin]: memory for the rows compared
    int* total                          # [bin]: the same
    double* likeness                    # [input]: the same
    Py_ssize_t* n_compared              # [input]: the same
    char* is_fresh                      # [member]: whether the latest update trained it
    double* lost                        # [input]: memory for the row that the latest one replaces
    bint undoes                         # whether a row is not learned if the update is stopped
    bint undone                         # and it was not

# (1) of huwrs.pyx for all members into weight[member], with the rows held as the new chunk; False if stopped.
# Where moments[reference, input, N_MOMENTS] is not NULL, those of all references are added to it
cdef bint weigh_by_chunk(huwrs_t* c, double* weight, double* moments, bint may_stop) noexcept nogil

# how many of the rows to come, n at most, get the same members' votes: by those with labels, and by those
# without
cdef Py_ssize_t rows_to_update(const huwrs_t* c, Py_ssize_t n) noexcept nogil
cdef Py_ssize_t rows_to_window(const huwrs_t* c, Py_ssize_t n) noexcept nogil

# huwrs_predict for n rows, member by member
cdef void predict_rows(const huwrs_t* c, const double* X, Py_ssize_t n, double* p,
                       double* scratch) noexcept nogil

cdef void huwrs_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil
cdef void huwrs_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil
cdef void huwrs_observe(void* state, const double* x, int64_t number) noexcept nogil
cdef void huwrs_flush(void* state) noexcept nogil

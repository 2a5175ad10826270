# The latest rows of a stream with the members' answers on them, and the exponential loss of their vote.

from thalweg._native.failure cimport should_stop
from thalweg._native.ring cimport ring_t

cdef extern from *:
    """
    #define NUMBERS_A_LOOK 2e7
    """
    const double NUMBERS_A_LOOK         # processed between two checks for signals

ctypedef struct loss_window_t:
    ring_t rows                         # w is the logarithm of the weight a row was learned with
    Py_ssize_t n_members                # there is memory for
    double right                        # answers a as numbers: see loss_window.pyx, (1)
    double wrong
    bint may_stop                       # long work checks for signals
    double work                         # numbers it processed since the last look
    double* margin                      # [row]
    double* alpha                       # [member], 0 where there is none
    Py_ssize_t* born                    # [member]: when it came, 0 where there is none
    unsigned char* by_row               # [member/8, row]: a bit for each member that is right on the row
    unsigned char* by_member            # [row/8, member]: the same bits
    double* share                       # [row] of the loss; scratch, as is all that follows
    double* slope                       # [row]
    double* direction                   # [member]
    double* gradient                    # [member]


cdef inline bint is_right(const loss_window_t* v, Py_ssize_t m, Py_ssize_t slot) noexcept nogil:
    return (v.by_row[(m >> 3) * v.rows.room + slot] >> (m & 7)) & 1


cdef inline bint is_stopped(loss_window_t* v, double work) noexcept nogil:
    # Whether a signal says that long work should stop; `work` numbers are about to be processed.
    v.work += work
    if v.work < NUMBERS_A_LOOK or not v.may_stop:
        return False
    v.work = 0.0
    return should_stop()


# say for how many classes the answers are numbers, and compute all margins again
cdef void set_classes(loss_window_t* v, Py_ssize_t n_classes) noexcept nogil
cdef void compute_margins(loss_window_t* v) noexcept nogil

# append a row, on which members answer with the classes `output`, to a window that is not full; its place
cdef Py_ssize_t append_answers(loss_window_t* v, const double* x, Py_ssize_t y, double w,
                               const Py_ssize_t* output) noexcept nogil

# note of a member without weight on which rows it is right: right[slot]
cdef void set_answers(loss_window_t* v, Py_ssize_t m, const char* right) noexcept nogil

# alpha += step, and the margins follow; for one member, or for all of `step`
cdef void change_alpha(loss_window_t* v, Py_ssize_t m, double step) noexcept nogil
cdef void change_alphas(loss_window_t* v, const double* step) noexcept nogil
cdef void scale_alphas(loss_window_t* v, double factor) noexcept nogil
cdef void remove_member(loss_window_t* v, Py_ssize_t m) noexcept nogil
cdef void remove_all_members(loss_window_t* v) noexcept nogil

# each row's share of the loss into `share`, margins taken as margin + s slope; return the loss's logarithm
cdef double compute_shares(loss_window_t* v, double s, const double* slope) noexcept nogil

# out[i] = sum of step[m] a_mi over the members, and out[m] = sum of share[i] a_mi over the rows
cdef void sum_over_members(loss_window_t* v, const double* step, double* out) noexcept nogil
cdef void sum_over_rows(loss_window_t* v, const double* share, double* out) noexcept nogil

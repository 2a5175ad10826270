# Boosting on a sliding window: what happens with a row.

from .adwin cimport adwin_t
from .learner cimport learner_t
from .loss_window cimport loss_window_t
from .window_stumps cimport sorted_t

cdef enum:
    ROWS = 0                            # places in `progress`: rows learned,
    BUILT = 1                           # and members ever added

cdef enum adding_t:
    ON_ERRORS = 0
    ALWAYS = 1
    UNTIL_FULL = 2

cdef enum removal_t:
    LIGHTEST = 0
    OLDEST = 1
    WORST = 2

ctypedef struct iboost_t:
    void* kernel
    loss_window_t window
    sorted_t sorted
    learner_t** member                  # [member]; NULL if the members are stumps
    # train a learner on the shares and add it as member m: whether that was done; let go of member m
    bint (*train)(void* kernel, Py_ssize_t m) noexcept nogil
    void (*drop)(void* kernel, Py_ssize_t m) noexcept nogil
    Py_ssize_t n_classes
    Py_ssize_t member_scratch
    Py_ssize_t period
    bint from_scratch                   # AdaBoost
    adding_t adding
    removal_t removal
    int update
    double rate
    Py_ssize_t n_updates
    double cap                          # 0 for none
    Py_ssize_t* progress
    char* seen                          # [class]
    adwin_t* adwin                      # NULL if the window has a fixed length
    Py_ssize_t* stump_feature           # [member]
    double* stump_threshold
    Py_ssize_t* stump_classes           # [member, 2]
    Py_ssize_t* output                  # [member]; scratch, as is all that follows
    char* right                         # [row]
    double* p                           # [class]
    double* votes                       # [class + member_scratch]

# functions of a handle whose state is an iboost_t
cdef void boost_learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil
cdef void boost_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil
cdef void boost_predict_learn(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil

# move the members' weights on the window as it is
cdef void boost_improve(iboost_t* c) noexcept nogil

# add member m, right[slot] on the rows of the window, unless its error is too large: whether that was done
cdef bint add_with_error(iboost_t* c, Py_ssize_t m, const char* right) noexcept nogil


cdef inline Py_ssize_t likeliest(const double* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    for k in range(1, n):
        if p[k] > p[best]:
            best = k
    return best

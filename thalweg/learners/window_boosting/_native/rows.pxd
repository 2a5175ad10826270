# Boosting on a sliding window: what happens with a row.

from libc.stdint cimport int64_t

from thalweg.drift._native.adwin cimport adwin_t
from thalweg._native.kernel cimport learner_t
from .loss_window cimport loss_window_t
from .trained_members cimport outcome_t
from .stumps cimport sorted_t

cdef enum:
    ROWS = 0                            # places in `progress`: rows learned,
    BUILT = 1                           # members ever added,
    STAGE = 2                           # what of the latest row is not yet done (a stage_t),
    LEFT = 3                            # and how many steps of the weights

cdef enum stage_t:
    DONE = 0
    IMPROVE_AND_ADD = 1                 # move the weights, then add a member
    ADD = 2
    IMPROVE = 3
    IMPROVE_AGAIN = 4                   # after members of negative weight were dropped
    FILL = 5                            # add members until there are as many as allowed, or one is refused
    START = 6                           # coordinate boosting: sum up what the members got right
    N_STAGES = 7

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
    # train a learner on the shares, its answers into `right`; put it in place m, or discard it if m is -1;
    # release member m
    outcome_t (*train)(void* kernel) noexcept nogil
    void (*put)(void* kernel, Py_ssize_t m) noexcept nogil
    void (*drop)(void* kernel, Py_ssize_t m) noexcept nogil
    # the stage START, NULL if there is none: return False if a signal stopped it
    bint (*start)(void* method) noexcept nogil
    void* method
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
    Py_ssize_t* progress                # [4]
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
cdef void boost_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil
cdef void boost_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil
cdef void boost_predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                              double* p) noexcept nogil

# move the members' weights on the window as it is
cdef void boost_improve(iboost_t* c) noexcept nogil

# do what is left of the latest row, unless a signal stops that
cdef void boost_finish(iboost_t* c, bint may_stop) noexcept nogil

# parts of what happens with a row: the members' vote, and their answers into `output` unless it is NULL; its
# class counts from now on; it comes into the window, at the place returned; all members are trained again
cdef void boost_vote(iboost_t* c, const double* x, double* p, double* memory,
                     Py_ssize_t* output) noexcept nogil
cdef void boost_see_class(iboost_t* c, Py_ssize_t y) noexcept nogil
cdef Py_ssize_t boost_slide(iboost_t* c, const double* x, Py_ssize_t y, double w, bint wrong) noexcept nogil
cdef void boost_from_scratch(iboost_t* c) noexcept nogil

# whether a new learner is right on the rows of the window, into `right`; False if a signal stopped that
cdef bint judge_member(void* core, const learner_t* h) noexcept nogil

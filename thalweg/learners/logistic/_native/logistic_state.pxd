# What the filters of adaptive_logistic.pyx keep, and their kinds of forgetting.

from .sweeps cimport sweeps_t

cdef extern from "thalweg/learners/logistic/_native/logit_lanes.h" nogil:
    ctypedef struct logit_lanes_t:
        Py_ssize_t n
        bint several
        bint tuned
        double weight
        double bandwidth
        double steepest
        double* sign
        const double* z
        const double* q
        const double* size
        const double* least
        double* decay
        double* past
        double* up
        double* e
        double* a
        double* moved
    ctypedef struct logit_t:
        void (*exponentials)(double*, Py_ssize_t) noexcept nogil
        void (*logistics)(const double*, double*, Py_ssize_t) noexcept nogil
        void (*step)(const logit_lanes_t*) noexcept nogil
    logit_t best_logit(Py_ssize_t n) noexcept

cdef enum:
    FIXED = 0
    TUNED = 1
    GRADIENT = 2
    RPROP = 3

ctypedef struct logistic_t:
    Py_ssize_t n_inputs
    Py_ssize_t d                        # inputs and the intercept
    Py_ssize_t n_classes
    Py_ssize_t n_filters                # of a member: one for two classes, else one a class
    Py_ssize_t n_members
    Py_ssize_t n                        # lanes: filters of all members
    Py_ssize_t kind
    bint standardise
    bint converged
    bint probit
    bint timed                          # rows have a time, and forgetting goes by it
    Py_ssize_t time                     # the place of the time in a row, -1 while no row has had one
    double steepest                     # bound of |z|
    double prior                        # diagonal of R at the beginning
    double guard                        # 0: none
    double rate
    double bandwidth
    double discount
    double* count                       # [input]: values seen
    double* mean                        # [input]
    double* variance                    # [input]
    double* scale                       # [input]: 1/standard deviation, 0 while that is 0
    double* bound                       # [input]: MOST_DEVIATIONS of it, HUGE_SPREAD while that is 0
    double* share                       # [member]
    Py_ssize_t* turn                    # rows since the last discount
    Py_ssize_t* place                   # the guard's next direction
    Py_ssize_t* restarts                # [lane]
    double* beta                        # [d, lane]
    double* R                           # [packed, lane]
    double* S                           # [packed, lane], adaptive only
    double* psi                         # [d, lane], adaptive only
    double* decay                       # [lane]
    double* step                        # [lane], RPROP: size of the next step
    double* slope                       # [lane], RPROP: last gradient
    double* clock                       # the latest time, NaN before the first; timed only
    # what follows is no state: settings, and scratch of learn
    double* least                       # [lane]
    Py_ssize_t n_indicators
    const Py_ssize_t* indicators        # inputs that are not scaled
    sweeps_t sweeps                     # for several lanes, and what follows
    logit_t logit
    logit_lanes_t step_of               # where the lanes of a row's step lie
    double gap                          # steps from the row before to this one
    bint brief                          # gap < 1; no double, so that the compiler may take it out of loops
    double* row                         # [input]: a row without its time
    double* x                           # [d]
    double* g                           # [d, lane]: R x
    double* h                           # [d, lane]
    double* z                           # [lane]
    double* q                           # [lane]
    double* size                        # [lane]: x'R x
    double* a                           # [lane]
    double* e                           # [lane]
    double* moved                       # [lane]: e*
    double* ratio                       # [lane]
    double* past                        # [lane]: the decay this row meets
    double* up                          # [lane]: 1/past
    double* rise                        # [lane]: d past/d decay
    double* one                         # [lane]
    double* two                         # [lane]

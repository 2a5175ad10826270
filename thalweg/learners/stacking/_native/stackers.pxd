# Logistic regressions that weight the members of an ensemble, with several forgetting factors; their mixture.

cdef extern from "thalweg/learners/stacking/_native/newton.h" nogil:
    enum:
        LANES
    ctypedef double (*add_information_t)(double* inverse, Py_ssize_t n, const double* gap, double w,
                                         double factor, double* product) noexcept
    add_information_t best_add_information() noexcept

cdef enum:
    RIDGE = 30                          # information to begin with
    N_OPEN = 100                        # labels after which a class without one is taken for absent
    N_RATES = 2                         # mixtures of the stackers: without and with switching

ctypedef struct stackers_t:
    Py_ssize_t n_members                # M
    Py_ssize_t n_stacked                # J: those the regressions weigh
    Py_ssize_t n_lanes                  # J, filled up to a multiple of LANES
    Py_ssize_t n_classes                # K
    Py_ssize_t n_stackers               # S
    const Py_ssize_t* stacked           # [stacked]: which members
    const double* decay                 # [stacker]
    const double* noise                 # [stacker]: share of the labels it takes for chance
    const double* start                 # [member and stacker]: trust at the beginning, and after a change
    double switching
    double* weights                     # [stacker, lane]
    double* inverse                     # [stacker, stacked, lane]: of the information, symmetric
    double* trust                       # [mixture, member and stacker]: shares
    double* rate_trust                  # [mixture]: its share
    Py_ssize_t* heard                   # [class]: labels so far
    Py_ssize_t n_heard                  # of all classes
    double* spread                      # [class]: its part of the labels that are chance
    double* work                        # [3 lane and class]
    add_information_t add_information


cdef inline Py_ssize_t lanes_of(Py_ssize_t n) noexcept nogil:
    return (n + LANES - 1) // LANES * LANES


# find `spread` again, after `heard` was changed from outside
cdef void stack_spread(stackers_t* s) noexcept nogil

# keep the members' probabilities in said[member, class] from 0
cdef void stack_bound(const stackers_t* s, double* said) noexcept nogil

# logs of these into z[stacked, class], and the stackers' probabilities behind them in said
cdef void stack_answers(const stackers_t* s, double* said, double* z) noexcept nogil

# the mixtures of all, behind these in said, and the mixture of the mixtures
cdef void stack_mix(const stackers_t* s, double* said, double* p) noexcept nogil

# the mixture of the mixtures again, from what was predicted
cdef void stack_mixed(const stackers_t* s, const double* said, double* p) noexcept nogil

# learn a label with the weights alone, where `said` has the stackers' probabilities for z
cdef void stack_learn_weights(stackers_t* s, const double* z, const double* said, Py_ssize_t y,
                              double w) noexcept nogil

# learn a label: trust follows what all had `said` when the row was predicted; the weights follow `now`, which
# has the stackers' probabilities for z with their weights of now
cdef void stack_learn(stackers_t* s, const double* z, const double* now, const double* said, Py_ssize_t y,
                      double w) noexcept nogil

# Logistic regressions that weigh the members of an ensemble, with several forgettings, and their mixture.

cdef enum:
    RIDGE = 30                          # information to begin with
    N_RATES = 2                         # mixtures of the stackers: without and with switching

ctypedef struct stackers_t:
    Py_ssize_t n_members                # M
    Py_ssize_t n_classes                # K
    Py_ssize_t n_stackers               # S
    const double* decay                 # [stacker]
    const double* noise                 # [stacker]: share of the labels it takes for chance
    const double* start                 # [member and stacker]: trust at the beginning, and after a change
    double switching
    double* weights                     # [stacker, member]
    double* inverse                     # [stacker, member, member]: of the information, symmetric
    double* trust                       # [mixture, member and stacker]: shares
    double* rate_trust                  # [mixture]: its share
    double* work                        # [3 member and class]


# keep the members' probabilities in said[member, class] from 0
cdef void stack_bound(const stackers_t* s, double* said) noexcept nogil

# logs of these into z[member, class], and the stackers' probabilities behind them in said
cdef void stack_answers(const stackers_t* s, double* said, double* z) noexcept nogil

# the mixtures of all, behind these in said, and the mixture of the mixtures
cdef void stack_mix(const stackers_t* s, double* said, double* p) noexcept nogil

# learn a label: trust follows what all had `said` when the row was predicted; the weights follow `now`, which
# has the stackers' probabilities for z with their weights of now
cdef void stack_learn(stackers_t* s, const double* z, const double* now, const double* said, Py_ssize_t y,
                      double w) noexcept nogil

# Logistic regressions that weigh the members of an ensemble, with several forgettings, and their mixture.

cdef enum:
    RIDGE = 30                          # information to begin with
    N_RATES = 2                         # mixtures of the stackers: without and with switching

ctypedef struct stackers_t:
    Py_ssize_t n_members                # M
    Py_ssize_t n_classes                # K
    Py_ssize_t n_stackers               # S
    const double* decay                 # [stacker]
    double switching
    double* weights                     # [stacker, member]
    double* inverse                     # [stacker, member, member]: of the information, symmetric
    double* trust                       # [mixture, stacker]: shares
    double* rate_trust                  # [mixture]: its share
    double* work                        # [2 member]


# logs of the answers p[member, class], kept from 0, into z, which may be p
cdef void stack_logs(const stackers_t* s, const double* p, double* z) noexcept nogil

# each stacker's probabilities for the logs z[member, class] into q[stacker, class]
cdef void stack_answers(const stackers_t* s, const double* z, double* q) noexcept nogil

# the mixtures of the stackers' probabilities, behind these in q, and the mixture of those
cdef void stack_mix(const stackers_t* s, double* q, double* p) noexcept nogil

# learn a label: trust follows what stackers and mixtures `said`, as q was, when the row was predicted; the
# weights follow q, the stackers' probabilities for z now
cdef void stack_learn(stackers_t* s, const double* z, const double* q, const double* said, Py_ssize_t y,
                      double w) noexcept nogil

# Weights of members by logistic regression on what they say, with outliers found on the way.

cdef enum:
    MOST_ROUNDS = 20                    # of a search for outliers

ctypedef struct weighing_t:
    Py_ssize_t n                        # rows
    Py_ssize_t n_members
    Py_ssize_t n_others                 # classes but one
    double ridge
    double penalty                      # of an outlier; below 0: none are looked for
    double* lead                        # p of the label minus p of another class; see place_of
    double* v                           # [row]: its weight
    double* active                      # [row]: the same, 0 for an outlier
    double cost                         # of the outliers
    double decrement                    # Newton's, after the latest step
    char* out                           # [row]: whether it is an outlier; of the best fit
    char* trial_out                     # [row]: of a fit that is tried
    double* likelihood                  # [row]: log q
    double* old_likelihood              # [row]: of the best fit, while others are tried
    double* weights                     # [member]: of the best fit
    double* trial                       # [2, member]: of the fits that are tried
    double* system                      # [member, member + 4]: Hessian, gradient, direction, old weights, b
    double* shares                      # [other]
    double* sums                        # memory for a pass over tiles; see logistic_pass.h
    double score                        # of the best fit
    Py_ssize_t n_rounds                 # that improved it
    double[MOST_ROUNDS] scores          # after each of them
    Py_ssize_t n_passes                 # over the rows, since the last look for signals
    bint may_stop
    bint stopped

cdef inline Py_ssize_t place_of(const weighing_t* f, Py_ssize_t i, Py_ssize_t other,
                                Py_ssize_t m) noexcept nogil:
    # Where the lead of row i over another class is: [row, other, member], or, if there is only one,
    # [row/8, member, row%8].
    if f.n_others == 1:
        return (i // 8 * f.n_members + m) * 8 + i % 8
    return (i * f.n_others + other) * f.n_members + m


# find weights, outliers and score; False if a signal stopped it
cdef bint weigh_members(weighing_t* f) noexcept nogil

# memory for so many members, rows and classes; writes its addresses into f
cdef dict make_memory(weighing_t* f, n_members, n, n_classes)

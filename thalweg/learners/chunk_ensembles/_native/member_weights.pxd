# Weights of members by logistic regression on their predictions, with a search for outliers.

cdef enum:
    MOST_ROUNDS = 20                    # of a search for outliers
    N_FITS = 3                          # the best one, and two that are compared

ctypedef struct fit_t:
    Py_ssize_t place                    # of its memory
    char* out                           # [row]: whether it is an outlier
    double* active                      # [row]: its weight, 0 for an outlier
    double cost                         # of the outliers
    double* weights                     # [member]
    double* likelihood                  # [row]: log q
    double* shares                      # probabilities of the other classes; see logistic_pass.h
    double score
    double missing                      # that the score may still gain at most
    double* direction                   # [member]: Newton's step,
    double decrement                    # and twice what it should gain
    bint has_direction                  # whether these are those of the weights

ctypedef struct weighing_t:
    Py_ssize_t n                        # rows
    Py_ssize_t n_members
    Py_ssize_t n_others                 # classes but one
    double ridge
    double penalty                      # of an outlier; below 0: none are looked for
    double* lead                        # p of the label minus p of another class; see place_of
    double* v                           # [row]: its weight
    fit_t[N_FITS] fits                  # the best first
    double* old                         # [member]: weights before a step
    double* gradient                    # [member]
    double* hessian                     # [member, member]
    double* sums                        # memory for a pass over the rows; see logistic_pass.h
    Py_ssize_t n_rounds                 # that improved the score
    double[MOST_ROUNDS] scores          # after each of them
    Py_ssize_t n_passes                 # over the rows, since the last check for signals
    bint may_stop
    bint stopped

cdef inline Py_ssize_t place_of(const weighing_t* f, Py_ssize_t i, Py_ssize_t other,
                                Py_ssize_t m) noexcept nogil:
    # Where the lead of row i over another class is: [row/8, other, member, row%8].
    return ((i // 8 * f.n_others + other) * f.n_members + m) * 8 + i % 8


# find the best weights, outliers and score, from the weights of the first fit; False if a signal stopped it
cdef bint weigh_members(weighing_t* f) noexcept nogil

# memory for this many members, rows and classes; writes its addresses into f
cdef dict make_memory(weighing_t* f, n_members, n, n_classes)

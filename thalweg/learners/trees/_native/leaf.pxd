# What happens at a leaf: voting by majority or naive Bayes, and learning a row.

from .codes cimport ADAPTIVE, MAJORITY
from .nodes cimport hoeffding_t

# the log scores of naive Bayes into score[n_classes]; returns the winner
cdef Py_ssize_t bayes_scores(hoeffding_t* t, Py_ssize_t node, const double* x, double* score) noexcept nogil

# the probabilities of a leaf, given bayes_scores in p (not needed where votes is MAJORITY)
cdef void vote(hoeffding_t* t, Py_ssize_t node, double* p) noexcept nogil

# probabilities of a row that has come to this leaf
cdef void predict_at(hoeffding_t* t, Py_ssize_t node, const double* x, double* p) noexcept nogil

# The class that predict_at makes most likely of a row of class y that this leaf has just learned, in a slot
# that was there before; `score` has the scores of bayes_scores before that, and is memory then.
cdef Py_ssize_t likeliest_learned(hoeffding_t* t, Py_ssize_t node, const double* x, Py_ssize_t y,
                                  double* score) noexcept nogil

# learn a row at a leaf where naive Bayes would have said `bayes`
cdef void learn_at(hoeffding_t* t, Py_ssize_t node, const double* x, Py_ssize_t y, double w,
                   Py_ssize_t bayes) noexcept nogil


cdef inline Py_ssize_t heaviest(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    # The class of most weight, the first of equals; -1 at a leaf that has seen none.
    cdef Py_ssize_t k, best = 0
    cdef const double* weight = t.weight + node * t.n_classes
    for k in range(1, t.n_classes):
        if weight[k] > weight[best]:
            best = k
    return best if t.n_seen[node] else -1


cdef inline bint trusts_majority(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    return t.votes == MAJORITY or (t.votes == ADAPTIVE and t.right[2 * node] > t.right[2 * node + 1])

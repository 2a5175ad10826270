"""The Hoeffding tree: a row is passed down to its leaf, which learns it and regularly tries to split."""

from libc.stdint cimport int64_t

from thalweg._native.maths cimport likeliest
from .codes cimport LEAF, MAJORITY, ROOT
from .leaf cimport bayes_scores, learn_at, likeliest_learned, predict_at, vote
from .merits cimport hoeffding_split_t
from .nodes cimport TreeKernel, find_leaf, hoeffding_t
from .split cimport find_split, is_due, split_leaf


cdef class HoeffdingTreeKernel(TreeKernel):
    """A Hoeffding tree, which goes down once for both predicting and learning."""

    cdef hoeffding_t core

    def __init__(self, n_features, n_classes, n_categories, options):
        self.tree = &self.core
        super().__init__(n_features, n_classes, n_categories, options)
        self.handle.learn = learn
        self.handle.predict = predict
        self.handle.predict_learn = predict_learn
        self.handle.predict_learn_again = predict_learn_again

    cdef void take_core(self, TreeKernel old):
        self.core, self.tree = (<HoeffdingTreeKernel> old).core, &self.core
        self.handle.state = <void*> &self.core

    def predict_learn_again(self, const double[::1] x, Py_ssize_t y, double w, double[::1] p):
        """Predict a row into `p`, learn it, and return the class that is most likely then."""
        return predict_learn_again(<void*> self.tree, &x[0], y, w, 0, &p[0])


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef hoeffding_t* t = <hoeffding_t*> state
    predict_at(t, find_leaf(t, t.size[ROOT], x), x, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef hoeffding_t* t = <hoeffding_t*> state
    cdef Py_ssize_t leaf = find_leaf(t, t.size[ROOT], x), bayes = -1
    if t.votes != MAJORITY:
        bayes = bayes_scores(t, leaf, x, t.score)
    learn_and_split(t, leaf, x, y, w, bayes)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    # The same as predict and then learn, with one walk down the tree and one look at naive Bayes.
    cdef hoeffding_t* t = <hoeffding_t*> state
    cdef Py_ssize_t leaf = find_leaf(t, t.size[ROOT], x), bayes = -1
    if t.votes != MAJORITY:
        bayes = bayes_scores(t, leaf, x, p)
    vote(t, leaf, p)
    learn_and_split(t, leaf, x, y, w, bayes)


cdef Py_ssize_t predict_learn_again(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                    double* p) noexcept nogil:
    # The same, and what predict makes most likely then: usually only one class's score has changed.
    cdef hoeffding_t* t = <hoeffding_t*> state
    cdef Py_ssize_t k, leaf = find_leaf(t, t.size[ROOT], x), bayes = -1
    cdef bint knows = t.slot[leaf * t.n_classes + y] >= 0
    if t.votes != MAJORITY:
        bayes = bayes_scores(t, leaf, x, t.again)
        for k in range(t.n_classes):
            p[k] = t.again[k]
    vote(t, leaf, p)
    learn_and_split(t, leaf, x, y, w, bayes)
    if knows and t.feature[leaf] == LEAF:
        return likeliest_learned(t, leaf, x, y, t.again)
    predict_at(t, find_leaf(t, leaf, x), x, t.again)
    return likeliest(t.again, t.n_classes)


cdef inline void learn_and_split(hoeffding_t* t, Py_ssize_t leaf, const double* x, Py_ssize_t y, double w,
                                 Py_ssize_t bayes) noexcept nogil:
    cdef hoeffding_split_t split
    learn_at(t, leaf, x, y, w, bayes)
    if is_due(t, leaf) and find_split(t, leaf, &split):
        split_leaf(t, leaf, &split)

"""Estimates of merits, which rule out most attempts to split a leaf: nearly all fail by far.

For information gain, what the best test of an input leaves of the impurity,

    sum_branches S I / sum_branches S     (see merits.pyx)                        (1)

is first computed to three digits, for all thresholds at once (rough_impurity.h). Exact merits are then needed
only where that leaves the answer open, and only of the inputs that can be the best or the second. With a and
b for the least two of these terms, and e for Hoeffding's bound, no split is possible if e >= tie and

    b - a <= e,  which follows from b <= e.                                       (2)
"""

import numpy as np

from libc.math cimport INFINITY, isinf

from .merits cimport base_of, best_category, best_threshold, hoeffding_split_t
from .nodes cimport TreeKernel, picked_inputs

cdef extern from "thalweg/learners/trees/_native/rough_impurity.h" nogil:
    const double ROUGH_ERROR            # of an impurity, at most
    ctypedef struct rough_leaf_t:
        const double* numbers
        const int* slots
        Py_ssize_t n_classes
        Py_ssize_t step
        Py_ssize_t n_points
        double least_share
    bint has_rough_impurity() noexcept
    # of the best threshold of an input: inf if there is none, -inf if that is not clear
    double rough_impurity(const rough_leaf_t* leaf, Py_ssize_t i) noexcept

cdef bint is_rough = has_rough_impurity()
globals().update(ROUGH_ERROR=ROUGH_ERROR)

ctypedef struct estimate_t:             # of the terms a and b of (2)
    double best
    double second
    bint is_sure                        # no input is left out


def use_vectors(bint wanted):
    """Use estimates, if this machine has the vectors for them, or not; return whether they are used."""
    global is_rough
    is_rough = wanted and has_rough_impurity()
    return is_rough


def of_leaf(TreeKernel kernel, Py_ssize_t node):
    """Return estimates of what the best thresholds of a leaf's numeric inputs leave of (1), and the values.

    They are infinite where there is no threshold; an estimate is -inf where that is not clear.
    """
    cdef hoeffding_t* t = kernel.tree
    cdef hoeffding_split_t found
    cdef Py_ssize_t i, n = picked_inputs(t, node)[0]
    cdef double base = base_of(t, node)
    estimate(t, node, -INFINITY)
    rough = np.array([t.rough[i] for i in range(n)])
    exact = np.full(n, INFINITY)
    for i in range(n):
        if best_threshold(t, node, i, base, &found):
            exact[i] = base - found.merit
    return rough, exact


cdef double estimated(hoeffding_t* t, Py_ssize_t node, const rough_leaf_t* leaf, Py_ssize_t i) noexcept nogil:
    # The impurity that the best test of an input leaves: inf if there is none, -inf if that is not clear.
    cdef const int* inputs = picked_inputs(t, node)
    cdef hoeffding_split_t found
    cdef double base
    if i < inputs[0]:
        return rough_impurity(leaf, i)
    base = base_of(t, node)
    return base - found.merit if best_category(t, node, inputs[1 + i], base, &found) else INFINITY


cdef estimate_t estimate(hoeffding_t* t, Py_ssize_t node, double enough) noexcept nogil:
    # Estimates of all inputs into t.rough; ends early once the second of them is not above `enough`.
    cdef estimate_t found = estimate_t(INFINITY, INFINITY, True)
    cdef rough_leaf_t leaf
    cdef double value
    cdef Py_ssize_t i
    leaf.numbers, leaf.slots, leaf.n_classes = t.numbers, t.slot + node * t.n_classes, t.n_classes
    leaf.step, leaf.n_points, leaf.least_share = t.n_numeric, t.n_points, t.least_share
    for i in range(t.n_picked):
        t.rough[i] = value = estimated(t, node, &leaf, i)
        if value == -INFINITY:
            found.is_sure = False
        elif value < found.best:
            found.second, found.best = found.best, value
        else:
            found.second = min(found.second, value)
        if found.second <= enough:
            break
    return found


cdef double most_of_best(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    if t.gini or not is_rough:
        return INFINITY
    return estimate(t, node, -INFINITY).best + 2 * ROUGH_ERROR


cdef bint is_hopeless(hoeffding_t* t, Py_ssize_t leaf, double e, double* most) noexcept nogil:
    cdef bint ties = e < t.tie          # then the second does not count
    cdef estimate_t found
    most[0] = INFINITY
    if t.gini or not is_rough:
        return False
    found = estimate(t, leaf, -INFINITY if ties else e - ROUGH_ERROR)
    if not ties and found.second <= e - ROUGH_ERROR:
        return True                                                              # (2)
    if found.is_sure and (isinf(found.best)
                          or not ties and found.second - found.best <= e - 2 * ROUGH_ERROR):
        return True                                                              # (2)
    most[0] = (found.best if ties else found.second) + 2 * ROUGH_ERROR
    return False

"""Splitting a leaf: is the best of all tests significantly better than the second?

The leaf splits if the best input is ahead of the second by more than e, or if e has fallen below `tie`:

    e = sqrt(R^2 log(1/delta)/(2 n)),   R = log2(classes) or, for Gini, 1         (1)
"""

from libc.math cimport INFINITY, log, log2, sqrt

from .codes cimport BELOW, EACH, INACTIVE_LEAVES, IS, LEAF, MOST_DEPTH, NODES
from .estimates cimport is_hopeless, most_of_best
from .merits cimport base_of, best_category, best_threshold, impurity, part_at, part_by_category, range_of
from .nodes cimport depth_of, free_slots, new_leaves, picked_inputs, rebalance, total_weight


cdef hoeffding_split_t best_split(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    return best_among(t, node, most_of_best(t, node))


cdef hoeffding_split_t best_among(hoeffding_t* t, Py_ssize_t node, double most) noexcept nogil:
    # The best split, and the second, of the inputs with an estimate up to `most`.
    cdef const int* inputs = picked_inputs(t, node)
    cdef hoeffding_split_t best, found
    cdef double total, base = base_of(t, node)
    cdef Py_ssize_t i
    cdef bint any
    # Staying a leaf is a candidate too; information gain never prefers it (see the class's docstring).
    best.feature = -1
    best.merit = best.second = -INFINITY
    if t.gini:
        best.merit = 1.0 - impurity(t, t.weight + node * t.n_classes, &total) / total_weight(t, node)
    for i in range(t.n_picked):
        if most < INFINITY and t.rough[i] > most:
            continue
        found.place = i
        found.threshold = 0.0
        if i < inputs[0]:
            found.feature = inputs[1 + i]
            any = best_threshold(t, node, i, base, &found)
        else:
            found.feature = t.column[inputs[1 + i]]
            any = best_category(t, node, inputs[1 + i], base, &found)
        if not any:
            continue
        if found.merit >= best.merit:
            found.second = best.merit
            best = found
        else:
            best.second = max(best.second, found.merit)
    return best


cdef double bound(hoeffding_t* t, Py_ssize_t node, double delta) noexcept nogil:
    cdef double r = 1.0 if t.gini else log2(max(t.n_seen[node], 2))
    return sqrt(r * r * log(1.0 / delta) / (2.0 * total_weight(t, node)))        # (1)


cdef bint is_pure(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k, n = 0
    for k in range(t.n_classes):
        n += t.weight[node * t.n_classes + k] != 0
    return n < 2


cdef bint make_children(hoeffding_t* t, Py_ssize_t node, const hoeffding_split_t* split) noexcept nogil:
    cdef Py_ssize_t first = -1, child, c
    cdef double a, b
    if depth_of(t, node) < MOST_DEPTH:
        first = new_leaves(t, split.n_children, node)
    if first < 0:
        return False
    if split.test == BELOW:
        range_of(t, node, split.place, &a, &b)
        part_at(t, node, split.place, split.threshold)
    else:
        c = picked_inputs(t, node)[1 + split.place]
    for child in range(split.n_children):
        if split.test != BELOW and (child == 0 or split.test == EACH):
            part_by_category(t, node, c, <Py_ssize_t> split.threshold if split.test == IS else child)
        fill(t, first + child, t.other if child == 1 and split.test != EACH else t.left)
    t.feature[node] = split.feature
    t.test[node] = split.test
    t.threshold[node] = split.threshold
    t.child[node] = first
    t.n_children[node] = split.n_children
    t.usual[node] = first
    for child in range(first, first + split.n_children):
        if t.tried[child] > t.tried[t.usual[node]]:
            t.usual[node] = child
    return True


cdef void fill(hoeffding_t* t, Py_ssize_t leaf, const double* weights) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(t.n_classes):
        t.weight[leaf * t.n_classes + k] = weights[k]
        if weights[k] > 0:
            t.n_seen[leaf] = k + 1
    t.tried[leaf] = total_weight(t, leaf)


cdef bint is_due(hoeffding_t* t, Py_ssize_t leaf) noexcept nogil:
    cdef double total = total_weight(t, leaf)
    if t.feature[leaf] != LEAF or total - t.tried[leaf] < t.grace:
        return False
    t.tried[leaf] = total
    return t.size[NODES] + 2 <= t.most_nodes and not is_pure(t, leaf)


cdef bint find_split(hoeffding_t* t, Py_ssize_t leaf, hoeffding_split_t* split) noexcept nogil:
    cdef double e = bound(t, leaf, t.delta), most
    if is_hopeless(t, leaf, e, &most):
        return False
    split[0] = best_among(t, leaf, most)
    return not is_useless(split) and (e < t.tie or split.merit - split.second > e)


cdef bint split_leaf(hoeffding_t* t, Py_ssize_t leaf, const hoeffding_split_t* split) noexcept nogil:
    if not make_children(t, leaf, split):
        return False
    free_slots(t, leaf)
    if t.size[INACTIVE_LEAVES]:
        rebalance(t)
    return True

"""The Hoeffding option tree: a leaf that splits may go on learning beside its split, and split once more.

A test, its options beside it, and a last leaf still learning form a chain; the first is its head. A row goes
down every option, all leaves reached learn it, and those that are no option in waiting vote together. A leaf
in waiting splits if its best merit exceeds that of every test in its chain, by the chain's children as they
are now, by more than Hoeffding's bound for `option_delta`.

`options` of a head counts the options on the way through it that has most; when this reaches the most
allowed, leaves in waiting there are given up. In the adaptive tree a leaf votes with the weight

    1/(1 - c)^2,   c += 0.2 (right - c),                                          (1)

where right is 1 if the leaf's vote was right, else 0.
"""

import numpy as np

from libc.math cimport INFINITY, isinf, isnan

from .tree_leaf cimport bayes_scores, heaviest, learn_at, predict_at
from .tree_nodes cimport (DEAD, DEAD_NODES, LEAF, MAJORITY, NODES, ROOT, SLEEPERS, TreeKernel, branch,
                          copy_node, free_slots, new_leaves, rebalance, sweep, tree_t)
from .tree_split cimport best_split, bound, is_due, make_children, merit_of, split_t

cdef enum:
    FEW = 64                            # classes whose votes fit on the stack


cdef class OptionTreeKernel(TreeKernel):
    """A Hoeffding option tree: `beside` is the next option, or a leaf in waiting."""

    def __init__(self, n_features, n_classes, n_categories, options):
        more = {name: np.zeros((), dtype=np.int32) for name in ("beside", "options")}
        self.tree.option_delta = options["option_delta"]
        self.tree.most_options = options["max_options"]
        self.tree.fading = options["fading"]
        super().__init__(n_features, n_classes, n_categories, options, more | {"recent": np.zeros(())})
        self.start(learn, predict, born)


cdef void born(tree_t* t, Py_ssize_t node) noexcept nogil:
    t.options[node] = 0
    t.recent[node] = 0.0


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef tree_t* t = <tree_t*> state
    cdef double[FEW] stack
    cdef double* votes = &stack[0] if t.n_classes <= FEW else t.left
    cdef double total
    cdef Py_ssize_t k
    for k in range(t.n_classes):
        p[k] = 0.0
    total = add_votes(t, t.size[ROOT], x, p, votes)
    for k in range(t.n_classes):
        p[k] /= total


cdef double add_votes(tree_t* t, Py_ssize_t node, const double* x, double* p, double* votes) noexcept nogil:
    # Add the votes of the leaves below and beside a node; return their weight.
    cdef double weight = 0.0, fault
    cdef Py_ssize_t k
    if t.feature[node] < 0:
        predict_at(t, node, x, votes)
        fault = 1.0 - t.recent[node]
        weight = 1.0 / (fault * fault) if t.fading else 1.0                      # (1)
        for k in range(t.n_classes):
            p[k] += weight * votes[k]
        return weight
    while node >= 0 and t.feature[node] >= 0:
        weight += add_votes(t, branch(t, node, x), x, p, votes)
        node = t.beside[node]
    return weight


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef tree_t* t = <tree_t*> state
    if t.size[DEAD_NODES] > 8 + t.size[NODES] // 3:
        sweep(t)
    learn_below(t, t.size[ROOT], x, y, w, False)


cdef void learn_below(tree_t* t, Py_ssize_t node, const double* x, Py_ssize_t y, double w,
                      bint waiting) noexcept nogil:
    cdef Py_ssize_t bayes = -1
    if t.feature[node] >= 0:
        t.weight[node * t.n_classes + y] += w
        t.n_seen[node] = max(t.n_seen[node], y + 1)
        learn_below(t, branch(t, node, x), x, y, w, False)
        if t.beside[node] >= 0:
            learn_below(t, t.beside[node], x, y, w, True)
        return
    # A leaf in waiting never votes, so it need not know how well it would.
    if t.votes != MAJORITY and not waiting:
        bayes = bayes_scores(t, node, x, t.score)
    if t.fading and not waiting:
        t.recent[node] += 0.2 * (was_right(t, node, y, w, bayes) - t.recent[node])           # (1)
    learn_at(t, node, x, y, w, bayes)
    if is_due(t, node):
        consider(t, node, waiting)


cdef bint was_right(tree_t* t, Py_ssize_t node, Py_ssize_t y, double w, Py_ssize_t bayes) noexcept nogil:
    # Whether the vote that the leaf trusts, this row included, was right.
    cdef double majority = t.right[2 * node], naive = t.right[2 * node + 1]
    cdef bint right = False
    if heaviest(t, node) == y:
        majority += w
        right = t.votes == MAJORITY or majority > naive
    if bayes == y:
        naive += w
        right = right or majority <= naive
    return right


cdef void consider(tree_t* t, Py_ssize_t leaf, bint waiting) noexcept nogil:
    cdef split_t split = best_split(t, leaf)
    cdef double e = bound(t, leaf, t.option_delta if waiting else t.delta)
    if split.feature < 0 or isinf(split.merit) or isnan(split.merit):
        return
    if waiting:
        if not split.merit - best_in_chain(t, leaf) > e:
            return
    elif not (split.merit - split.second > e or e < t.tie):
        return
    grow(t, leaf, &split, waiting)
    if t.size[SLEEPERS]:
        rebalance(t)


cdef double best_in_chain(tree_t* t, Py_ssize_t leaf) noexcept nogil:
    cdef Py_ssize_t node = leaf
    cdef double best = -INFINITY
    while t.options[node] == 0:
        node = t.parent[node]
        best = max(best, merit_of(t, leaf, t.weight + t.child[node] * t.n_classes, t.n_children[node]))
    return best


cdef Py_ssize_t head_of(tree_t* t, Py_ssize_t node) noexcept nogil:
    # The head of the chain of a test, -1 above the root.
    while node >= 0 and t.options[node] == 0:
        node = t.parent[node]
    return node


cdef void grow(tree_t* t, Py_ssize_t leaf, const split_t* split, bint waiting) noexcept nogil:
    # Make a test of a leaf; while more options are allowed the leaf goes on in waiting beside it.
    cdef Py_ssize_t above = head_of(t, t.parent[leaf]), rest = -1, k
    cdef Py_ssize_t n_options = 1 if above < 0 else t.options[above]
    if n_options < t.most_options:
        rest = new_leaves(t, 1, leaf)
    if not make_children(t, leaf, split):
        if rest >= 0:
            bury(t, rest)
        return
    if rest >= 0:
        copy_node(t, leaf, rest)
        t.recent[rest] = t.recent[leaf]
        t.feature[rest] = LEAF
        t.child[rest] = t.usual[rest] = -1
        t.n_children[rest] = 0
        for k in range(t.n_classes):
            t.slot[leaf * t.n_classes + k] = -1
    free_slots(t, leaf)
    t.beside[leaf] = rest
    if waiting:
        raise_below(t, above, 1)
        raise_above(t, t.parent[above], above)
    else:
        t.options[leaf] = n_options


cdef void bury(tree_t* t, Py_ssize_t leaf) noexcept nogil:
    free_slots(t, leaf)
    t.feature[leaf] = DEAD
    t.size[DEAD_NODES] += 1


cdef void end_waiting(tree_t* t, Py_ssize_t head) noexcept nogil:
    # Give up the leaf in waiting at the end of a chain.
    cdef Py_ssize_t node = head
    while t.beside[node] >= 0 and t.feature[t.beside[node]] >= 0:
        node = t.beside[node]
    if t.beside[node] >= 0:
        bury(t, t.beside[node])
        t.beside[node] = -1


cdef void raise_options(tree_t* t, Py_ssize_t head, Py_ssize_t n) noexcept nogil:
    t.options[head] += n
    if t.options[head] >= t.most_options:
        end_waiting(t, head)


cdef void raise_below(tree_t* t, Py_ssize_t node, Py_ssize_t n) noexcept nogil:
    # n more options for a chain, from this node on, and all chains below it.
    cdef Py_ssize_t child
    if t.options[node]:
        raise_options(t, node, n)
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0:
                raise_below(t, child, n)
        node = t.beside[node]


cdef void raise_above(tree_t* t, Py_ssize_t node, Py_ssize_t source) noexcept nogil:
    # A chain has more options now: so have the chains above it, and those beside it on the way.
    cdef Py_ssize_t head = head_of(t, node), most = 0, child, n
    if head < 0:
        return
    node = head
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0:
                most = max(most, t.options[child])
        node = t.beside[node]
    n = most - t.options[head]
    if n <= 0:
        return
    raise_options(t, head, n)
    node = head
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0 and child != source:
                raise_below(t, child, n)
        node = t.beside[node]
    raise_above(t, t.parent[head], head)

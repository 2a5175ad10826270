"""The Hoeffding option tree: a leaf that splits may continue to learn, and split again.

A test, its options and a last leaf that is still learning form a chain, linked by `alternate`; the first is
its head. A row goes down every option, all leaves reached learn it, and those that are not waiting at the end
of a chain vote together. A waiting leaf splits if its best merit exceeds that of every test in its chain, by
the chain's children as they are now, by more than Hoeffding's bound for `option_delta`.

`options` of a head counts the options on the way through it that has most; when this reaches the most
allowed, waiting leaves there are removed. In the adaptive tree a leaf votes with the weight

    1/(1 - c)^2,   c += 0.2 (right - c),                                          (1)

where right is 1 if the leaf's vote was right, else 0.
"""

import math

from . import check as tree_check
from thalweg._native.layout import FLOAT, INT, Array

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from thalweg._native.pointers cimport doubles, ints
from .codes cimport INACTIVE_LEAVES, LEAF, MAJORITY, ROOT
from .leaf cimport bayes_scores, heaviest, learn_at, predict_at, vote
from .merits cimport hoeffding_split_t, merit_of
from .nodes cimport (
    TreeKernel, branch, free_slots, hoeffding_t, move_node, new_leaves, rebalance, remove_node, sweep,
)
from .split cimport best_split, bound, find_split, is_due, is_useless, make_children

cdef enum:
    MOST_NOTES = 32

ctypedef struct notes_t:                # what naive Bayes predicted at the leaves that voted, in their order
    Py_ssize_t n
    Py_ssize_t n_read
    Py_ssize_t[MOST_NOTES] leaf
    Py_ssize_t[MOST_NOTES] winner

ctypedef struct option_t:
    hoeffding_t tree
    double option_delta                 # of the splits of waiting leaves
    Py_ssize_t most_options             # on any way down
    bint fading                         # leaves vote by how often they were right lately
    # of each node
    int* alternate                      # the next option, or a waiting leaf, or -1
    int* options                        # of the chain of tests of which it is the head, else 0
    double* recent                      # how often a leaf was right lately


cdef class OptionTreeKernel(TreeKernel):
    """A Hoeffding option tree."""

    cdef option_t core

    def __init__(self, n_features, n_classes, n_categories, options):
        cdef option_t* o = &self.core
        self.tree = &o.tree
        o.option_delta = options["option_delta"]
        o.most_options = options["max_options"]
        o.fading = options["fading"]
        more = {
            "alternate": Array(INT, "node", low=-1, high="node", fill=-1),
            "options": Array(INT, "node", low=0),
            "recent": Array(FLOAT, "node", low=0.0, high=math.nextafter(1.0, 0.0)),
        }
        super().__init__(n_features, n_classes, n_categories, options, more)
        self.handle.state = <void*> o
        self.handle.learn = learn
        self.handle.predict = predict
        self.handle.predict_learn = predict_learn

    cdef void take_core(self, TreeKernel old):
        self.core, self.tree = (<OptionTreeKernel> old).core, &self.core.tree
        self.handle.state = <void*> &self.core

    cdef void bind(self):
        cdef option_t* o = &self.core
        TreeKernel.bind(self)
        self.handle.scratch_size = o.tree.n_classes
        o.alternate = ints(self.arrays["alternate"])
        o.options = ints(self.arrays["options"])
        o.recent = doubles(self.arrays["recent"])

    def check(self, arrays):
        """Raise StateError if arrays that fit their declarations contradict each other."""
        TreeKernel.check(self, arrays)
        tree_check.check_options(arrays, self.core.most_options, self.who)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef option_t* o = <option_t*> state
    share_votes(o, x, p, scratch, NULL)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef option_t* o = <option_t*> state
    cdef notes_t notes
    notes.n = notes.n_read = 0
    sweep(&o.tree)
    learn_below(o, o.tree.size[ROOT], x, y, w, False, &notes)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    # The same as predict and then learn, with one look at naive Bayes.
    cdef option_t* o = <option_t*> state
    cdef notes_t notes
    notes.n = notes.n_read = 0
    sweep(&o.tree)
    share_votes(o, x, p, o.tree.score, &notes)
    learn_below(o, o.tree.size[ROOT], x, y, w, False, &notes)


cdef void share_votes(option_t* o, const double* x, double* p, double* votes, notes_t* notes) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total
    for k in range(o.tree.n_classes):
        p[k] = 0.0
    total = add_votes(o, o.tree.size[ROOT], x, p, votes, notes)
    for k in range(o.tree.n_classes):
        p[k] /= total


cdef double add_votes(option_t* o, Py_ssize_t node, const double* x, double* p, double* votes,
                      notes_t* notes) noexcept nogil:
    # Add the votes of the leaves below a node and its options; return their weight.
    cdef hoeffding_t* t = &o.tree
    cdef double weight = 0.0, fault
    cdef Py_ssize_t k
    if t.feature[node] < 0:
        if notes == NULL or t.votes == MAJORITY or notes.n == MOST_NOTES:
            predict_at(t, node, x, votes)
        else:
            notes.leaf[notes.n], notes.winner[notes.n] = node, bayes_scores(t, node, x, votes)
            notes.n += 1
            vote(t, node, votes)
        fault = 1.0 - o.recent[node]
        weight = 1.0 / (fault * fault) if o.fading else 1.0                      # (1)
        for k in range(t.n_classes):
            p[k] += weight * votes[k]
        return weight
    while node >= 0 and t.feature[node] >= 0:
        weight += add_votes(o, branch(t, node, x), x, p, votes, notes)
        node = o.alternate[node]
    return weight


cdef void learn_below(option_t* o, Py_ssize_t node, const double* x, Py_ssize_t y, double w, bint waiting,
                      notes_t* notes) noexcept nogil:
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t bayes = -1, room = t.total_room
    cdef bint known
    if t.feature[node] >= 0:
        t.weight[node * t.n_classes + y] += w
        t.n_seen[node] = max(t.n_seen[node], y + 1)
        learn_below(o, branch(t, node, x), x, y, w, False, notes)
        if o.alternate[node] >= 0:
            learn_below(o, o.alternate[node], x, y, w, True, notes)
        return
    # A waiting leaf never votes, so it need not know how well it would.
    if t.votes != MAJORITY and not waiting:
        bayes = winner_at(t, node, x, notes)
    if o.fading and not waiting:
        o.recent[node] += 0.2 * (was_right(t, node, y, w, bayes) - o.recent[node])           # (1)
    known = t.feature[node] != LEAF or t.slot[node * t.n_classes + y] >= 0
    learn_at(t, node, x, y, w, bayes)
    # Memory for a new slot or category may have been taken from another leaf, whose note is then wrong.
    if not known or t.total_room != room:
        notes.n = 0
    if is_due(t, node) and consider(o, node, waiting):
        notes.n = 0


cdef inline Py_ssize_t winner_at(hoeffding_t* t, Py_ssize_t leaf, const double* x,
                                 notes_t* notes) noexcept nogil:
    # What naive Bayes predicts at a leaf, by its note if there is one.
    if notes.n_read < notes.n and notes.leaf[notes.n_read] == leaf:
        notes.n_read += 1
        return notes.winner[notes.n_read - 1]
    return bayes_scores(t, leaf, x, t.score)


cdef bint was_right(hoeffding_t* t, Py_ssize_t node, Py_ssize_t y, double w, Py_ssize_t bayes) noexcept nogil:
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


cdef bint consider(option_t* o, Py_ssize_t leaf, bint waiting) noexcept nogil:
    # Split a leaf if it is time; return whether that was done.
    cdef hoeffding_t* t = &o.tree
    cdef hoeffding_split_t split
    if waiting:
        split = best_split(t, leaf)
        if is_useless(&split) or not split.merit - best_in_chain(o, leaf) > bound(t, leaf, o.option_delta):
            return False
    elif not find_split(t, leaf, &split):
        return False
    grow(o, leaf, &split, waiting)
    if t.size[INACTIVE_LEAVES]:
        rebalance(t)
    return True


cdef double best_in_chain(option_t* o, Py_ssize_t leaf) noexcept nogil:
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t node = leaf
    cdef double best = -INFINITY
    while o.options[node] == 0:
        node = t.parent[node]
        best = max(best, merit_of(t, leaf, t.weight + t.child[node] * t.n_classes, t.n_children[node]))
    return best


cdef Py_ssize_t head_of(option_t* o, Py_ssize_t node) noexcept nogil:
    # The head of the chain of a test, -1 above the root.
    cdef hoeffding_t* t = &o.tree
    while node >= 0 and o.options[node] == 0:
        node = t.parent[node]
    return node


cdef void grow(option_t* o, Py_ssize_t leaf, const hoeffding_split_t* split, bint waiting) noexcept nogil:
    # Make a test of a leaf; while more options are allowed the leaf goes on as its option, waiting.
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t above = head_of(o, t.parent[leaf]), rest = -1
    cdef Py_ssize_t n_options = 1 if above < 0 else o.options[above]
    if n_options < o.most_options:
        rest = new_leaves(t, 1, leaf)
    if not make_children(t, leaf, split):
        if rest >= 0:
            remove_node(t, rest)
        return
    if rest >= 0:
        move_node(t, leaf, rest)
        o.recent[rest] = o.recent[leaf]
        t.feature[rest] = LEAF
        t.child[rest] = t.usual[rest] = -1
        t.n_children[rest] = 0
    free_slots(t, leaf)
    o.alternate[leaf] = rest
    if waiting:
        raise_below(o, above, 1)
        raise_above(o, t.parent[above], above)
    else:
        o.options[leaf] = n_options


cdef void end_waiting(option_t* o, Py_ssize_t head) noexcept nogil:
    # Remove the waiting leaf at the end of a chain.
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t node = head
    while o.alternate[node] >= 0 and t.feature[o.alternate[node]] >= 0:
        node = o.alternate[node]
    if o.alternate[node] >= 0:
        remove_node(t, o.alternate[node])
        o.alternate[node] = -1


cdef void raise_options(option_t* o, Py_ssize_t head, Py_ssize_t n) noexcept nogil:
    o.options[head] += n
    if o.options[head] >= o.most_options:
        end_waiting(o, head)


cdef void raise_below(option_t* o, Py_ssize_t node, Py_ssize_t n) noexcept nogil:
    # n more options for a chain, from this node on, and all chains below it.
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t child
    if o.options[node]:
        raise_options(o, node, n)
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0:
                raise_below(o, child, n)
        node = o.alternate[node]


cdef void raise_above(option_t* o, Py_ssize_t node, Py_ssize_t source) noexcept nogil:
    # A chain has more options now: so have the chains above it, and the others below these.
    cdef hoeffding_t* t = &o.tree
    cdef Py_ssize_t head = head_of(o, node), most = 0, child, n
    if head < 0:
        return
    node = head
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0:
                most = max(most, o.options[child])
        node = o.alternate[node]
    n = most - o.options[head]
    if n <= 0:
        return
    raise_options(o, head, n)
    node = head
    while node >= 0 and t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            if t.feature[child] >= 0 and child != source:
                raise_below(o, child, n)
        node = o.alternate[node]
    raise_above(o, t.parent[head], head)

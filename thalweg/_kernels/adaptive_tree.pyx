"""The Hoeffding adaptive tree: tests watch their errors, and grow a subtree beside them when these rise.

Each test has an ADWIN over the errors (0 or 1) of the tree below it. When its window is cut and the error has
risen, a new leaf begins to grow beside the test, with an ADWIN of its own. Once both windows hold more than
WIDTH errors, the subtree of error b over n_b rows replaces that of error a over n_a rows if

    a - b > e,   e = sqrt(2 a (1 - a) log(2/0.05) (1/n_a + 1/n_b))                (1)

and is dropped if b - a > e. A leaf may learn each row k times, k drawn from Poisson(1), at least once.
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport uint64_t

import numpy as np

from .adwin cimport adwin_begin, adwin_doubles, adwin_mean, adwin_t, adwin_update
from .tree_leaf cimport bayes_scores, learn_at, predict_at, vote
from .tree_nodes cimport (DEAD, DEAD_NODES, FREE_WINDOWS, MAJORITY, NODES, ROOT, TreeKernel, branch,
                          copy_node, find_leaf, free_slots, new_leaves, new_window, sweep, tree_t)
from .tree_split cimport is_due, try_to_split

cdef enum:
    ROOM = 12                           # sizes of buckets in an ADWIN: up to 20,000 errors
    PERIOD = 32                         # errors between searches of its window
    WIDTH = 300

cdef uint64_t MASK = (1 << 48) - 1


cdef class AdaptiveTreeKernel(TreeKernel):
    """A Hoeffding adaptive tree: `beside` is the root of a new subtree, `windows` are ADWINs."""

    def __init__(self, n_features, n_classes, n_categories, options):
        more = {
            "beside": np.zeros((), dtype=np.int32),
            "watch": np.zeros((), dtype=np.int32),
            "draw": np.zeros((), dtype=np.uint64),
        }
        self.tree.watch_delta = options["watch_delta"]
        self.tree.bootstrap = options["bootstrap"]
        self.tree.seed = options["draw_seed"]
        self.tree.early = options["early"]
        self.tree.watch_root = options["watch_root"]
        super().__init__(n_features, n_classes, n_categories, options, more, adwin_doubles(ROOM))
        self.start(learn, predict, born)
        self.handle.predict_learn = both
        if self.tree.watch_root:
            begin_window(&self.tree, 0)


cdef inline adwin_t* window(tree_t* t, Py_ssize_t node) noexcept nogil:
    return <adwin_t*> (t.windows + t.watch[node] * t.window_size)


cdef void born(tree_t* t, Py_ssize_t node) noexcept nogil:
    # Every leaf draws the same sequence, as in MOA: drand48's generator, whose seed 1 MOA takes.
    t.watch[node] = -1
    t.draw[node] = (t.seed ^ <uint64_t> 0x5DEECE66D) & MASK


cdef void begin_window(tree_t* t, Py_ssize_t node) noexcept nogil:
    if t.watch[node] < 0:
        t.watch[node] = new_window(t)
    adwin_begin(window(t, node), t.watch_delta, PERIOD, ROOM)


cdef void end_window(tree_t* t, Py_ssize_t node) noexcept nogil:
    if t.watch[node] >= 0:
        t.free_windows[t.size[FREE_WINDOWS]] = t.watch[node]
        t.size[FREE_WINDOWS] += 1
        t.watch[node] = -1


cdef inline uint64_t bits(uint64_t* state, int n) noexcept nogil:
    state[0] = (state[0] * <uint64_t> 0x5DEECE66D + 0xB) & MASK
    return state[0] >> (48 - n)


cdef double poisson(uint64_t* state) noexcept nogil:
    # A draw from Poisson(1), by inversion.
    cdef uint64_t high = bits(state, 26)
    cdef double target = ((high << 27) + bits(state, 27)) * (1.0 / 9007199254740992.0) * exp(1.0)
    cdef double term = 1.0, sum = 1.0
    cdef int k = 0
    while sum <= target and k < 99:
        k += 1
        term /= k
        sum += term
    return k


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef tree_t* t = <tree_t*> state
    predict_at(t, find_leaf(t, t.size[ROOT], x), x, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    both(state, x, y, w, (<tree_t*> state).score)


cdef void both(void* state, const double* x, Py_ssize_t y, double w, double* p) noexcept nogil:
    cdef tree_t* t = <tree_t*> state
    if t.size[DEAD_NODES] > 8 + t.size[NODES] // 3:
        sweep(t)
    learn_below(t, t.size[ROOT], x, y, w, p)


cdef void learn_below(tree_t* t, Py_ssize_t top, const double* x, Py_ssize_t y, double w,
                      double* p) noexcept nogil:
    # Learn a row in the tree below a node; its probabilities before that go into p.
    cdef Py_ssize_t leaf, node = top, bayes = -1
    cdef bint wrong
    leaf = find_leaf(t, top, x)
    if t.votes != MAJORITY:
        bayes = bayes_scores(t, leaf, x, p)
    vote(t, leaf, p)
    wrong = best_of(p, t.n_classes) != y
    if top == leaf and top != t.size[ROOT]:
        adwin_update(window(t, top), wrong)
    while t.feature[node] >= 0 or (t.watch_root and node == t.size[ROOT]):
        if review(t, node, wrong):
            learn_below(t, node, x, y, w, t.score)
            return
        if t.beside[node] >= 0:
            learn_below(t, t.beside[node], x, y, w, t.score)
            if t.early and t.feature[t.beside[node]] >= 0:
                replace(t, node)
                return
        if node == leaf:
            break
        node = branch(t, node, x)
    learn_at_leaf(t, leaf, x, y, w, bayes)


cdef inline Py_ssize_t best_of(const double* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    for k in range(1, n):
        if p[k] > p[best]:
            best = k
    return best


cdef void learn_at_leaf(tree_t* t, Py_ssize_t leaf, const double* x, Py_ssize_t y, double w,
                        Py_ssize_t bayes) noexcept nogil:
    if t.bootstrap:
        w *= max(poisson(t.draw + leaf), 1.0)
    learn_at(t, leaf, x, y, w, bayes)
    if is_due(t, leaf) and try_to_split(t, leaf):
        begin_window(t, leaf)


cdef bint review(tree_t* t, Py_ssize_t node, bint wrong) noexcept nogil:
    # Note a test's error, begin or drop the subtree beside it; True if that one has replaced it.
    cdef Py_ssize_t other
    cdef double a, b, e
    if adwin_update(window(t, node), wrong) > 0:
        drop_beside(t, node)
        other = new_leaves(t, 1, node)
        t.beside[node] = other
        if other >= 0:
            begin_window(t, other)
        return False
    other = t.beside[node]
    if other < 0 or window(t, node).width <= WIDTH or window(t, other).width <= WIDTH:
        return False
    a = adwin_mean(window(t, node))
    b = adwin_mean(window(t, other))
    e = sqrt(2.0 * a * (1.0 - a) * log(2.0 / 0.05)
             * (1.0 / window(t, other).width + 1.0 / window(t, node).width))     # (1)
    if e < a - b:
        replace(t, node)
        return True
    if e < b - a:
        drop_beside(t, node)
    return False


cdef void drop_beside(tree_t* t, Py_ssize_t node) noexcept nogil:
    if t.beside[node] >= 0:
        cut(t, t.beside[node])
        t.beside[node] = -1


cdef void cut(tree_t* t, Py_ssize_t node) noexcept nogil:
    # Declare a node and all below and beside it dead.
    cut_below(t, node)
    free_slots(t, node)
    end_window(t, node)
    t.feature[node] = DEAD
    t.size[DEAD_NODES] += 1


cdef void cut_below(tree_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t child
    drop_beside(t, node)
    if t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            cut(t, child)


cdef void replace(tree_t* t, Py_ssize_t node) noexcept nogil:
    # Put the subtree beside a node in its place.
    cdef Py_ssize_t other = t.beside[node], child, k
    t.beside[node] = -1
    cut_below(t, node)
    free_slots(t, node)
    end_window(t, node)
    copy_node(t, other, node)
    if t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            t.parent[child] = node
    if t.beside[node] >= 0:
        t.parent[t.beside[node]] = node
    for k in range(t.n_classes):
        t.slot[other * t.n_classes + k] = -1
    t.watch[other] = t.beside[other] = -1
    t.feature[other] = DEAD
    t.size[DEAD_NODES] += 1

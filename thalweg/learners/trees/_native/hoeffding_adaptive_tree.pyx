"""The Hoeffding adaptive tree: tests watch their errors, and grow an alternate subtree when these rise.

Each test has an ADWIN over the errors (0 or 1) of the tree below it. When its window is cut and the error has
risen, an alternate subtree for the test begins as a leaf, with its own ADWIN. Once both windows hold
more than WIDTH errors, the alternate of error b over n_b rows replaces the test of error a over n_a rows if

    a - b > e,   e = sqrt(2 a (1 - a) log(2/0.05) (1/n_a + 1/n_b))                (1)

and is dropped if b - a > e. A leaf may learn each row k times, k drawn from Poisson(1), at least once.
"""

from . import check as tree_check
from thalweg._native.layout import FLOAT, INT, WORD, Array

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int64_t, uint64_t

from thalweg.drift._native.adwin cimport adwin_begin, adwin_doubles, adwin_mean, adwin_t, adwin_update
from thalweg._native.pointers cimport doubles, ints, words
from .codes cimport FREE_WINDOWS, MAJORITY, MORE_WINDOWS, ROOT, WINDOWS
from .leaf cimport bayes_scores, learn_at, predict_at, vote
from .merits cimport hoeffding_split_t
from .nodes cimport (
    TreeKernel, branch, find_leaf, free_slots, has_room, hoeffding_t, move_node, new_leaves, remove_node,
    sweep,
)
from .split cimport find_split, is_due, split_leaf

cdef enum:
    ADWIN_SIZES = 12                    # of buckets: up to 20,000 errors
    ADWIN_PERIOD = 32                   # errors between searches of a window
    WIDTH = 300

cdef uint64_t MASK = (1 << 48) - 1
cdef double MOST_ERRORS = 1e16

ctypedef struct adaptive_t:
    hoeffding_t tree
    double watch_delta                  # of the ADWINs
    bint bootstrap                      # leaves learn each row a random number of times
    bint early                          # alternates replace their test with their first split
    bint watch_root                     # also while it is a leaf
    # of each node
    int* alternate                      # root of its alternate subtree, or -1
    int* window                         # the ADWIN over its errors, or -1; tests and alternates have one
    uint64_t* draw                      # state of its random numbers
    # of each window
    double* windows                     # [window, window_size]
    int* free_windows                   # windows freed
    Py_ssize_t window_room
    Py_ssize_t window_size


cdef class AdaptiveTreeKernel(TreeKernel):
    """A Hoeffding adaptive tree."""

    cdef adaptive_t core

    def __init__(self, n_features, n_classes, n_categories, options):
        cdef adaptive_t* a = &self.core
        self.tree = &a.tree
        a.watch_delta = options["watch_delta"]
        a.bootstrap = options["bootstrap"]
        a.early = options["early"]
        a.watch_root = options["watch_root"]
        a.window_size = adwin_doubles(ADWIN_SIZES)
        more = {
            "alternate": Array(INT, "node", low=-1, high="node", fill=-1),
            "window": Array(INT, "node", low=-1, high="window", fill=-1),
            # Every leaf draws the same sequence, as in MOA: drand48's generator, whose seed 1 MOA takes.
            "draw": Array(WORD, "node", high=MASK, fill=(options["draw_seed"] ^ 0x5DEECE66D) & MASK),
            "windows": Array(FLOAT, "window", a.window_size, low=-MOST_ERRORS, high=MOST_ERRORS),
            "free_windows": Array(INT, "window", low=0, high="window"),
        }
        super().__init__(n_features, n_classes, n_categories, options, more)
        self.handle.state = <void*> a
        self.handle.learn = learn
        self.handle.predict = predict
        self.handle.predict_learn = predict_learn
        if a.watch_root:
            begin_window(a, 0)

    cdef void take_core(self, TreeKernel old):
        self.core, self.tree = (<AdaptiveTreeKernel> old).core, &self.core.tree
        self.handle.state = <void*> &self.core

    cdef void bind(self):
        cdef adaptive_t* a = &self.core
        TreeKernel.bind(self)
        a.alternate = ints(self.arrays["alternate"])
        a.window = ints(self.arrays["window"])
        a.draw = words(self.arrays["draw"])
        a.windows = doubles(self.arrays["windows"])
        a.free_windows = ints(self.arrays["free_windows"])
        a.window_room = len(self.arrays["free_windows"])

    def check(self, arrays):
        """Raise StateError if arrays that fit their declarations contradict each other."""
        TreeKernel.check(self, arrays)
        tree_check.check_windows(arrays, self.core.watch_root, self.who)


cdef inline adwin_t* window_of(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    return <adwin_t*> (a.windows + a.window[node] * a.window_size)


cdef bint can_begin_window(adaptive_t* a) noexcept nogil:
    # Whether there is a free window; more of them are made if there is none.
    cdef hoeffding_t* t = &a.tree
    if t.size[FREE_WINDOWS] or t.size[WINDOWS] < a.window_room:
        return True
    with gil:
        return (<TreeKernel> t.kernel).change(MORE_WINDOWS, min(a.window_room * 9 // 8 + 1, t.most_nodes), 0)


cdef void begin_window(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    # There must be a free one.
    cdef Py_ssize_t* size = a.tree.size
    if a.window[node] < 0 and size[FREE_WINDOWS]:
        size[FREE_WINDOWS] -= 1
        a.window[node] = a.free_windows[size[FREE_WINDOWS]]
    elif a.window[node] < 0:
        a.window[node] = size[WINDOWS]
        size[WINDOWS] += 1
    adwin_begin(window_of(a, node), a.watch_delta, ADWIN_PERIOD, ADWIN_SIZES)


cdef void end_window(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t* size = a.tree.size
    if a.window[node] >= 0:
        a.free_windows[size[FREE_WINDOWS]] = a.window[node]
        size[FREE_WINDOWS] += 1
        a.window[node] = -1


cdef inline uint64_t next_bits(uint64_t* state, int n) noexcept nogil:
    state[0] = (state[0] * <uint64_t> 0x5DEECE66D + 0xB) & MASK
    return state[0] >> (48 - n)


cdef double draw_poisson(uint64_t* state) noexcept nogil:
    # A draw from Poisson(1), by inversion.
    cdef uint64_t high = next_bits(state, 26)
    cdef double target = ((high << 27) + next_bits(state, 27)) * (1.0 / 9007199254740992.0) * exp(1.0)
    cdef double term = 1.0, sum = 1.0
    cdef int k = 0
    while sum <= target and k < 99:
        k += 1
        term /= k
        sum += term
    return k


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef hoeffding_t* t = &(<adaptive_t*> state).tree
    predict_at(t, find_leaf(t, t.size[ROOT], x), x, p)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    predict_learn(state, x, y, w, number, (<adaptive_t*> state).tree.score)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef adaptive_t* a = <adaptive_t*> state
    sweep(&a.tree)
    learn_below(a, a.tree.size[ROOT], x, y, w, p)


cdef void learn_below(adaptive_t* a, Py_ssize_t top, const double* x, Py_ssize_t y, double w,
                      double* p) noexcept nogil:
    # Learn a row in the tree below a node; its probabilities before that go into p.
    cdef hoeffding_t* t = &a.tree
    cdef Py_ssize_t leaf, node = top, bayes = -1
    cdef bint wrong
    leaf = find_leaf(t, top, x)
    if t.votes != MAJORITY:
        bayes = bayes_scores(t, leaf, x, p)
    vote(t, leaf, p)
    wrong = best_of(p, t.n_classes) != y
    if top == leaf and top != t.size[ROOT]:
        adwin_update(window_of(a, top), wrong)
    while t.feature[node] >= 0 or (a.watch_root and node == t.size[ROOT]):
        if review(a, node, wrong):
            learn_below(a, node, x, y, w, t.score)
            return
        if a.alternate[node] >= 0:
            learn_below(a, a.alternate[node], x, y, w, t.score)
            if a.early and t.feature[a.alternate[node]] >= 0:
                replace(a, node)
                return
        if node == leaf:
            break
        node = branch(t, node, x)
    learn_at_leaf(a, leaf, x, y, w, bayes)


cdef inline Py_ssize_t best_of(const double* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, best = 0
    for k in range(1, n):
        if p[k] > p[best]:
            best = k
    return best


cdef void learn_at_leaf(adaptive_t* a, Py_ssize_t leaf, const double* x, Py_ssize_t y, double w,
                        Py_ssize_t bayes) noexcept nogil:
    cdef hoeffding_t* t = &a.tree
    cdef hoeffding_split_t split
    if a.bootstrap:
        w *= max(draw_poisson(a.draw + leaf), 1.0)
    learn_at(t, leaf, x, y, w, bayes)
    if not is_due(t, leaf) or not find_split(t, leaf, &split):
        return
    # A test needs a window: make sure of all memory before anything changes.
    if not has_room(t, split.n_children) or (a.window[leaf] < 0 and not can_begin_window(a)):
        return
    if split_leaf(t, leaf, &split):
        begin_window(a, leaf)


cdef bint review(adaptive_t* a, Py_ssize_t node, bint wrong) noexcept nogil:
    # Update a test's window, begin or drop its alternate; True if that one has replaced it.
    cdef Py_ssize_t other
    cdef double mean, rival, e
    if adwin_update(window_of(a, node), wrong) > 0:
        drop_alternate(a, node)
        if has_room(&a.tree, 1) and can_begin_window(a):
            other = new_leaves(&a.tree, 1, node)
            a.alternate[node] = other
            begin_window(a, other)
        return False
    other = a.alternate[node]
    if other < 0 or window_of(a, node).width <= WIDTH or window_of(a, other).width <= WIDTH:
        return False
    mean = adwin_mean(window_of(a, node))
    rival = adwin_mean(window_of(a, other))
    e = sqrt(2.0 * mean * (1.0 - mean) * log(2.0 / 0.05)
             * (1.0 / window_of(a, other).width + 1.0 / window_of(a, node).width))     # (1)
    if e < mean - rival:
        replace(a, node)
        return True
    if e < rival - mean:
        drop_alternate(a, node)
    return False


cdef void drop_alternate(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    if a.alternate[node] >= 0:
        cut(a, a.alternate[node])
        a.alternate[node] = -1


cdef void cut(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    # Remove a node and all below it, alternates included.
    cut_below(a, node)
    end_window(a, node)
    remove_node(&a.tree, node)


cdef void cut_below(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    cdef hoeffding_t* t = &a.tree
    cdef Py_ssize_t child
    drop_alternate(a, node)
    if t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            cut(a, child)


cdef void replace(adaptive_t* a, Py_ssize_t node) noexcept nogil:
    # Put a node's alternate subtree in its place.
    cdef hoeffding_t* t = &a.tree
    cdef Py_ssize_t other = a.alternate[node], child
    a.alternate[node] = -1
    cut_below(a, node)
    free_slots(t, node)
    end_window(a, node)
    move_node(t, other, node)
    a.alternate[node], a.window[node], a.draw[node] = a.alternate[other], a.window[other], a.draw[other]
    a.alternate[other] = a.window[other] = -1
    if t.feature[node] >= 0:
        for child in range(t.child[node], t.child[node] + t.n_children[node]):
            t.parent[child] = node
    if a.alternate[node] >= 0:
        t.parent[a.alternate[node]] = node
    remove_node(t, other)

"""The store of a Hoeffding tree: nodes, and slots with the statistics of one class at one leaf.

Both are rows of arrays that grow by half their length, up to a bound on their bytes. A slot is taken when a
leaf sees the first row of a class and given back when the leaf splits, so that most of the memory is where
classes meet. When slots run out, leaves are ranked by their promise

    weight - weight of the heaviest class,                                        (1)

the errors a split could remove; the least promising fall asleep: they count classes and learn no more, until
splits elsewhere or a growing promise wake them.
"""

import numpy as np

from . import tree_upkeep

from .learner cimport learner_t
from .pointers cimport doubles, integers, ints, words

MOST_CATEGORIES = 1024
VOTES = {"majority": MAJORITY, "bayes": BAYES, "adaptive": ADAPTIVE}


cdef class TreeKernel(Kernel):
    """The arrays of a tree; a subclass may add arrays with a row a node, and calls `start`."""

    def __init__(self, n_features, n_classes, n_categories, options, more_nodes=None, window=0):
        n_categories = np.minimum(n_categories, MOST_CATEGORIES).astype(np.intp)
        column = np.flatnonzero(n_categories)
        numeric = np.flatnonzero(n_categories == 0)
        picked = n_features if options["max_features"] is None else min(options["max_features"], n_features)
        room = n_categories[column]
        self.arrays = {
            "size": np.zeros(8, dtype=np.intp),
            "column": column.astype(np.intp),
            "offset": np.concatenate([[0], np.cumsum(room)]).astype(np.intp),
            "known": room,
            "inputs": np.concatenate([[len(numeric)], numeric, np.arange(len(column))]).astype(np.int32),
            "random": np.array([options["seed"]], dtype=np.uint64),
        }
        self.groups = {}
        self.add_rows(2, n_classes, picked if picked < n_features else 0, more_nodes or {})
        self.add_slots(n_classes, min(len(numeric), picked), len(column), int(room.sum()))
        self.add_windows(window)
        self.scratch = {name: np.zeros(n_classes) for name in ("score", "left", "other")}
        self.settle(n_features, picked, options)
        self.handle = learner_t(<void*> &self.tree, n_features, n_classes, 0, NULL, NULL, NULL)
        limits = tree_upkeep.limits(self.arrays, self.groups, options["max_bytes"], options["who"])
        self.most_nodes, self.most_slots = limits
        self.bind()

    def add_rows(self, n, n_classes, n_picked, more):
        """Make the arrays with a row for each of n nodes."""
        whole = {name: np.zeros(n, dtype=np.int32)
                 for name in ("feature", "test", "child", "n_children", "usual", "parent", "n_seen")}
        nodes = whole | {
            "slot": np.zeros((n, n_classes), dtype=np.int32),
            "picked": np.zeros((n, 1 + n_picked if n_picked else 0), dtype=np.int32),
            "threshold": np.zeros(n),
            "weight": np.zeros((n, n_classes)),
            "tried": np.zeros(n),
            "right": np.zeros((n, 2)),
        } | {name: np.zeros((n, *array.shape), dtype=array.dtype) for name, array in more.items()}
        self.groups["nodes"] = list(nodes)
        self.arrays |= nodes

    def add_slots(self, n, n_numeric, n_categorical, room):
        """Make the arrays with a row for each of n slots."""
        slots = {
            "numbers": np.zeros((n, NUMBERS, n_numeric)),
            "bias": np.zeros(n),
            "counts": np.zeros((n, room)),
            "seen": np.zeros((n, n_categorical)),
            "n_values": np.zeros((n, n_categorical), dtype=np.int32),
            "free": np.zeros(n, dtype=np.int32),
        }
        self.groups["slots"] = list(slots)
        self.arrays |= slots

    def add_windows(self, window):
        """Make the arrays with a row for each window of this many numbers; none are needed for 0."""
        windows = {"windows": np.zeros((1, window)), "free_windows": np.zeros(1, dtype=np.int32)}
        windows = windows if window else {}
        self.groups["windows"] = list(windows)
        self.arrays |= windows

    def settle(self, n_features, picked, options):
        """Copy the settings into the C struct."""
        cdef tree_t* t = &self.tree
        t.kernel = <void*> self
        t.n_features = n_features
        t.n_picked = picked
        t.all_numeric = picked == n_features and not len(self.arrays["column"])
        t.gini = options["criterion"] == "gini"
        t.votes = VOTES[options["leaf"]]
        t.n_points = options["n_points"]
        t.grace = options["grace_period"]
        t.delta = options["delta"]
        t.tie = options["tie"]
        t.least_share = options["min_share"]

    cdef void start(self, learn_t learn, predict_t predict, born_t born):
        self.handle.learn = learn
        self.handle.predict = predict
        self.tree.born = born
        new_leaves(&self.tree, 1, -1)

    cdef void bind(self):
        cdef tree_t* t = &self.tree
        t.n_classes = self.handle.n_classes
        t.n_categorical = len(self.arrays["column"])
        t.size = integers(self.arrays["size"])
        t.column = integers(self.arrays["column"])
        t.offset = integers(self.arrays["offset"])
        t.known = integers(self.arrays["known"])
        t.inputs = ints(self.arrays["inputs"])
        t.random = words(self.arrays["random"])
        t.score = doubles(self.scratch["score"])
        t.left = doubles(self.scratch["left"])
        t.other = doubles(self.scratch["other"])
        self.bind_nodes()
        self.bind_slots()

    cdef void bind_nodes(self):
        cdef tree_t* t = &self.tree
        t.node_room = len(self.arrays["feature"])
        t.feature = ints(self.arrays["feature"])
        t.test = ints(self.arrays["test"])
        t.child = ints(self.arrays["child"])
        t.n_children = ints(self.arrays["n_children"])
        t.usual = ints(self.arrays["usual"])
        t.parent = ints(self.arrays["parent"])
        t.n_seen = ints(self.arrays["n_seen"])
        t.slot = ints(self.arrays["slot"])
        t.picked = ints(self.arrays["picked"])
        t.threshold = doubles(self.arrays["threshold"])
        t.weight = doubles(self.arrays["weight"])
        t.tried = doubles(self.arrays["tried"])
        t.right = doubles(self.arrays["right"])
        if "beside" in self.arrays:
            t.beside = ints(self.arrays["beside"])
        if "options" in self.arrays:
            t.options = ints(self.arrays["options"])
            t.recent = doubles(self.arrays["recent"])
        if self.groups["windows"]:
            t.watch = ints(self.arrays["watch"])
            t.draw = words(self.arrays["draw"])

    cdef void bind_slots(self):
        cdef tree_t* t = &self.tree
        t.slot_room = len(self.arrays["bias"])
        t.n_numeric = self.arrays["numbers"].shape[2]
        t.total_room = self.arrays["counts"].shape[1]
        t.numbers = doubles(self.arrays["numbers"])
        t.bias = doubles(self.arrays["bias"])
        t.counts = doubles(self.arrays["counts"])
        t.seen = doubles(self.arrays["seen"])
        t.n_values = ints(self.arrays["n_values"])
        t.free = ints(self.arrays["free"])
        if self.groups["windows"]:
            t.windows = doubles(self.arrays["windows"])
            t.free_windows = ints(self.arrays["free_windows"])
            t.window_room, t.window_size = self.arrays["windows"].shape

    def state(self):
        """Return copies of the arrays, without the rows held in reserve."""
        sizes = (self.tree.size[NODES], max(self.tree.size[SLOTS], 1), max(self.tree.size[WINDOWS], 1))
        used = {name: n for names, n in zip(self.groups.values(), sizes, strict=True) for name in names}
        return {name: array[:used.get(name)].copy() for name, array in self.arrays.items()}

    @property
    def size(self):
        """Nodes of the tree."""
        return self.tree.size[NODES] - self.tree.size[DEAD_NODES]

    @property
    def bytes(self):
        """Bytes of all arrays, rows held in reserve included."""
        return sum(array.nbytes for array in self.arrays.values())

    cdef void grow_nodes(self, Py_ssize_t n):
        room = min(self.tree.node_room + max(self.tree.node_room // 4, n), self.most_nodes)
        if room >= self.tree.size[NODES] + n:
            tree_upkeep.lengthen(self.arrays, self.groups["nodes"], room)
            self.bind()

    cdef void grow_slots(self):
        room = min(self.tree.slot_room + max(self.tree.slot_room // 4, 1), self.most_slots)
        if room > self.tree.slot_room:
            tree_upkeep.lengthen(self.arrays, self.groups["slots"], room)
            self.bind()

    cdef void grow_windows(self):
        tree_upkeep.lengthen(self.arrays, self.groups["windows"], self.tree.window_room * 9 // 8 + 1)
        self.bind()

    cdef void grow_categories(self, Py_ssize_t c, Py_ssize_t code):
        offset = self.arrays["offset"]
        old = offset[c + 1] - offset[c]
        extra = max(2 * old, code + 1) - old
        self.arrays["counts"] = np.insert(self.arrays["counts"], [offset[c + 1]] * extra, 0.0, axis=1)
        offset[c + 1:] += extra
        self.bind()

    def rank(self):
        """Let the most promising leaves learn and the others sleep."""
        tree_upkeep.rank(self.arrays, self.most_slots)

    def sweep(self):
        """Forget nodes that are cut off."""
        tree_upkeep.sweep(self.arrays, self.groups)
        self.bind()


cdef Py_ssize_t new_leaves(tree_t* t, Py_ssize_t n, Py_ssize_t parent) noexcept nogil:
    cdef Py_ssize_t first, node, k
    if t.size[NODES] + n > t.node_room:
        with gil:
            (<TreeKernel> t.kernel).grow_nodes(n)
        if t.size[NODES] + n > t.node_room:
            return -1
    first = t.size[NODES]
    t.size[NODES] += n
    for node in range(first, first + n):
        t.feature[node] = LEAF
        t.test[node] = BELOW
        t.child[node] = t.usual[node] = -1
        t.n_children[node] = t.n_seen[node] = 0
        t.parent[node] = parent
        t.threshold[node] = t.tried[node] = t.right[2 * node] = t.right[2 * node + 1] = 0.0
        for k in range(t.n_classes):
            t.slot[node * t.n_classes + k] = -1
            t.weight[node * t.n_classes + k] = 0.0
        if t.n_picked < t.n_features:
            pick_inputs(t, t.picked + node * (1 + t.n_picked))
        if t.beside != NULL:
            t.beside[node] = -1
        if t.born != NULL:
            t.born(t, node)
    return first


cdef void pick_inputs(tree_t* t, int* picked) noexcept nogil:
    # Selection sampling: each subset is equally likely and comes out in the tree's order of inputs.
    cdef Py_ssize_t i, wanted = t.n_picked, n_numeric = 0
    for i in range(t.n_features):
        if uniform(t.random) * (t.n_features - i) < wanted:
            picked[1 + t.n_picked - wanted] = t.inputs[1 + i]
            wanted -= 1
            n_numeric += i < t.inputs[0]
    picked[0] = n_numeric


cdef double uniform(uint64_t* state) noexcept nogil:
    # splitmix64, in [0, 1)
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return ((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0)


cdef Py_ssize_t new_slot(tree_t* t, Py_ssize_t node, Py_ssize_t y) noexcept nogil:
    cdef Py_ssize_t slot, i
    if t.size[FREE] == 0 and t.size[SLOTS] == t.slot_room:
        with gil:
            (<TreeKernel> t.kernel).grow_slots()
        if t.size[SLOTS] == t.slot_room:
            rebalance(t)
        if t.feature[node] != LEAF or (t.size[FREE] == 0 and t.size[SLOTS] == t.slot_room):
            return -1
    if t.size[FREE]:
        t.size[FREE] -= 1
        slot = t.free[t.size[FREE]]
    else:
        slot = t.size[SLOTS]
        t.size[SLOTS] += 1
    for i in range(NUMBERS * t.n_numeric):
        t.numbers[slot * NUMBERS * t.n_numeric + i] = 0.0
    for i in range(t.n_categorical):
        t.seen[slot * t.n_categorical + i] = 0.0
        t.n_values[slot * t.n_categorical + i] = 0
    for i in range(t.total_room):
        t.counts[slot * t.total_room + i] = 0.0
    t.bias[slot] = 0.0
    t.slot[node * t.n_classes + y] = slot
    return slot


cdef Py_ssize_t new_window(tree_t* t) noexcept nogil:
    if t.size[FREE_WINDOWS]:
        t.size[FREE_WINDOWS] -= 1
        return t.free_windows[t.size[FREE_WINDOWS]]
    if t.size[WINDOWS] == t.window_room:
        with gil:
            (<TreeKernel> t.kernel).grow_windows()
    t.size[WINDOWS] += 1
    return t.size[WINDOWS] - 1


cdef void free_slots(tree_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(node * t.n_classes, (node + 1) * t.n_classes):
        if t.slot[k] >= 0:
            t.free[t.size[FREE]] = t.slot[k]
            t.size[FREE] += 1
            t.slot[k] = -1


cdef void rebalance(tree_t* t) noexcept nogil:
    with gil:
        (<TreeKernel> t.kernel).rank()


cdef void more_categories(tree_t* t, Py_ssize_t c, Py_ssize_t code) noexcept nogil:
    with gil:
        (<TreeKernel> t.kernel).grow_categories(c, code)


cdef void copy_node(tree_t* t, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
    cdef Py_ssize_t k
    t.feature[target] = t.feature[source]
    t.test[target] = t.test[source]
    t.child[target] = t.child[source]
    t.n_children[target] = t.n_children[source]
    t.usual[target] = t.usual[source]
    t.n_seen[target] = t.n_seen[source]
    t.threshold[target] = t.threshold[source]
    t.tried[target] = t.tried[source]
    for k in range(2):
        t.right[2 * target + k] = t.right[2 * source + k]
    for k in range(t.n_classes):
        t.slot[target * t.n_classes + k] = t.slot[source * t.n_classes + k]
        t.weight[target * t.n_classes + k] = t.weight[source * t.n_classes + k]
    for k in range(1 + t.n_picked if t.n_picked < t.n_features else 0):
        t.picked[target * (1 + t.n_picked) + k] = t.picked[source * (1 + t.n_picked) + k]
    if t.beside != NULL:
        t.beside[target] = t.beside[source]
    if t.watch != NULL:
        t.watch[target] = t.watch[source]
        t.draw[target] = t.draw[source]


cdef void sweep(tree_t* t) noexcept nogil:
    with gil:
        (<TreeKernel> t.kernel).sweep()

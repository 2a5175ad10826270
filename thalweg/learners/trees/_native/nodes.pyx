"""The store of a Hoeffding tree: nodes, and slots with the statistics of one class at one leaf.

Both are rows of arrays that double while they are short and then grow by a quarter, up to a bound on their
bytes. A slot is taken
when a leaf sees the first row of a class and freed when the leaf splits, so that most of the memory is
where classes meet. When slots run out, leaves are ranked by their promise

    weight - weight of the heaviest class,                                        (1)

the errors a split could remove. The least promising become inactive: they count classes and learn no more,
until splits elsewhere or a growing promise activate them again.

Rows of arrays that no node or slot has used yet hold what is declared as their first value. A child and an
alternate always have higher numbers than the node they belong to.
"""

import numpy as np

from thalweg.errors import ParameterError

from . import check as tree_check, growth as tree_growth, upkeep as tree_upkeep
from .layout import tree_layout

from thalweg._native.failure cimport attempt, record_failure
from thalweg._native.kernel cimport extended
from thalweg._native.pointers cimport doubles, integers, ints, words
from thalweg._native.rng cimport next_unit
from .codes cimport (
    ADAPTIVE, BAYES, DEAD, DEAD_NODES, FREE_SLOTS, LEAF, MAJORITY, MORE_CATEGORIES, MORE_NODES, MORE_SLOTS,
    N_NUMBERS, NODES, RANK, SLOTS, SWEEP, TREE_CATEGORIES, WINDOWS,
)

cdef enum:
    SHORT = 4                           # rows of arrays that grow to twice their length,
    SHORT_BYTES = 4096                  # or so many bytes of them, if those are more rows
    RESERVE = 16                        # nodes and slots of a tree that starts again: many never need more
    RESERVE_BYTES = 16384               # of such slots

VOTES = {"majority": MAJORITY, "bayes": BAYES, "adaptive": ADAPTIVE}


cdef class TreeKernel(Kernel):
    """The arrays of a tree; a subclass may declare more, with a row for each node or window."""

    def __init__(self, n_features, n_classes, n_categories, options, more=None):
        n_categories = np.minimum(n_categories, TREE_CATEGORIES).astype(np.intp)
        column = np.flatnonzero(n_categories)
        numeric = np.flatnonzero(n_categories == 0)
        picked = n_features if options["max_features"] is None else min(options["max_features"], n_features)
        room = n_categories[column]
        layout = tree_layout(n_features, len(column), picked if picked < n_features else 0) | (more or {})
        lengths = {
            "node": None, "slot": None, "window": None, "category": None, "class": n_classes,
            "input": n_features, "numeric": min(len(numeric), picked), "categorical": len(column),
        }
        initial = {"node": 2, "slot": n_classes, "window": 1, "category": int(room.sum())}
        self.allocate(options["who"], layout, lengths, initial)
        self.arrays["column"][:] = column
        self.arrays["offset"][1:] = np.cumsum(room)
        self.arrays["known"][:] = room
        self.arrays["inputs"][:] = np.concatenate([[len(numeric)], numeric, np.arange(len(column))])
        self.arrays["random"][:] = options["seed"]
        self.scratch = np.zeros(4 * n_classes + n_features)
        self.configure(n_features, n_classes, picked, options)
        self.set_handle(<void*> self.tree, n_features, n_classes, NULL, NULL)
        self.bind()
        new_leaves(self.tree, 1, -1)

    def configure(self, n_features, n_classes, picked, options):
        """Copy the settings into the C struct."""
        cdef hoeffding_t* t = self.tree
        t.kernel = <void*> self
        t.n_features, t.n_classes = n_features, n_classes
        t.n_numeric, t.n_categorical = self.lengths["numeric"], self.lengths["categorical"]
        t.n_picked = picked
        t.all_numeric = picked == n_features and t.n_categorical == 0
        t.gini = options["criterion"] == "gini"
        t.votes = VOTES[options["leaf"]]
        t.n_points = options["n_points"]
        t.grace = options["grace_period"]
        t.delta = options["delta"]
        t.tie = options["tie"]
        t.least_share = options["min_share"]
        self.first_slot = tree_upkeep.bytes_of_row(self.layout, self.arrays, "slot")
        t.node_bytes = tree_upkeep.bytes_of_row(self.layout, self.arrays, "node")
        t.slot_rest = self.first_slot - self.arrays["counts"][:1].nbytes
        self.window_bytes = tree_upkeep.bytes_of_row(self.layout, self.arrays, "window")
        self.fixed_bytes = tree_upkeep.fixed_bytes(self.layout, self.arrays)
        self.most_bytes = options["max_bytes"]
        self.count_bytes()

    cdef void count_bytes(self) except *:
        # The least that a tree of this shape needs: three nodes, slots for one leaf and another class.
        cdef hoeffding_t* t = self.tree
        self.least_bytes = (self.fixed_bytes + 3 * (t.node_bytes + self.window_bytes)
                            + (t.n_classes + 1) * self.first_slot)
        if self.most_bytes < self.least_bytes:
            raise ParameterError(
                f"{self.who}: max_bytes must be at least {self.least_bytes}, got {self.most_bytes}"
            )
        self.set_limits(self.most_bytes)

    def set_limits(self, most_bytes):
        """Compute how many nodes there may be, and the bytes for slots."""
        cdef hoeffding_t* t = self.tree
        node = t.node_bytes + self.window_bytes
        limits = tree_upkeep.limits(most_bytes, self.fixed_bytes, node, self.first_slot, t.n_classes)
        t.most_nodes, t.slot_space = limits

    def limit(self, most_bytes):
        """Keep within these bytes from now on, or within `least_bytes` if those are more.

        Returns False, with the arrays as they were, if the nodes there are do not fit.
        """
        cdef hoeffding_t* t = self.tree
        self.set_limits(max(most_bytes, self.least_bytes))
        self.bind_slots()
        n_windows = len(self.arrays["free_windows"]) if "free_windows" in self.arrays else 0
        if (max(t.node_room, n_windows) <= t.most_nodes and t.slot_room <= t.most_slots
                and t.n_classes < t.most_slots):
            return True
        arrays = tree_upkeep.fitted(self.layout, self.arrays, t.most_nodes, t.most_slots)
        if arrays is None:
            return False
        self.adopt(arrays)
        return True

    cdef void bind(self):
        cdef hoeffding_t* t = self.tree
        t.size = integers(self.arrays["size"])
        t.column = integers(self.arrays["column"])
        t.offset = integers(self.arrays["offset"])
        t.known = integers(self.arrays["known"])
        t.inputs = ints(self.arrays["inputs"])
        t.random = words(self.arrays["random"])
        t.score = doubles(self.scratch)
        t.left = t.score + t.n_classes
        t.other = t.left + t.n_classes
        t.again = t.other + t.n_classes
        t.rough = t.again + t.n_classes
        self.bind_nodes()
        self.bind_slots()

    cdef void bind_nodes(self):
        cdef hoeffding_t* t = self.tree
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

    cdef void bind_slots(self):
        cdef hoeffding_t* t = self.tree
        t.slot_room = len(self.arrays["bias"])
        t.total_room = t.offset[t.n_categorical]
        t.most_slots = t.slot_space // (t.slot_rest + <Py_ssize_t> sizeof(double) * t.total_room)
        t.numbers = doubles(self.arrays["numbers"])
        t.bias = doubles(self.arrays["bias"])
        t.counts = doubles(self.arrays["counts"])
        t.seen = doubles(self.arrays["seen"])
        t.n_values = ints(self.arrays["n_values"])
        t.free = ints(self.arrays["free"])

    def used(self):
        """Return how many nodes, slots and windows there are."""
        cdef const Py_ssize_t* size = self.tree.size
        return {"node": size[NODES], "slot": max(size[SLOTS], 1), "window": max(size[WINDOWS], 1)}

    @property
    def size(self):
        """Nodes of the tree."""
        return self.tree.size[NODES] - self.tree.size[DEAD_NODES]

    def check(self, arrays):
        """Raise StateError if arrays that fit their declarations contradict each other."""
        tree_check.check_tree(arrays, self.arrays, self.who)

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs."""
        self.adopt(tree_growth.grown(self.layout, self.lengths, self.arrays, old.arrays, self.who))

    cdef void take_core(self, TreeKernel old):
        raise NotImplementedError

    def extended(self, n_features, n_classes, picked):
        """Return a kernel that continues from this one, with a further class or further numeric inputs, last.

        The leaves of trees with new inputs look at `picked` of all; None if that is all of them, or if there
        were too few: then a fresh kernel inherits from this one.
        """
        cdef TreeKernel new
        cdef hoeffding_t* t = self.tree
        if n_features != t.n_features and (
                picked is None or not t.n_picked <= picked < n_features or t.n_picked == t.n_features
                or t.n_categorical):
            return None
        new = type(self).__new__(type(self))
        new.handle = self.handle
        new.take_core(self)
        t = new.tree
        t.kernel = <void*> new
        new.who, new.layout = self.who, self.layout
        new.lengths = self.lengths | {"class": n_classes, "input": n_features}
        new.first_slot, new.window_bytes = self.first_slot, self.window_bytes
        new.fixed_bytes, new.most_bytes = self.fixed_bytes, self.most_bytes
        arrays = extended(self.layout, self.arrays, "class", n_classes)
        t.node_bytes += (n_classes - t.n_classes) * <Py_ssize_t> (sizeof(int) + sizeof(double))
        if n_features != t.n_features:
            new.layout = self.layout | tree_layout(n_features, 0, picked)
            new.lengths["numeric"] = picked
            new.fixed_bytes += (n_features - t.n_features) * <Py_ssize_t> sizeof(int)
            t.node_bytes += (picked - t.n_picked) * <Py_ssize_t> sizeof(int)
            more = (picked - t.n_picked) * N_NUMBERS * <Py_ssize_t> sizeof(double)
            new.first_slot += more
            t.slot_rest += more
            t.n_picked = t.n_numeric = picked
            arrays = tree_growth.with_numeric(arrays, n_features, picked)
        new.handle.n_features = t.n_features = n_features
        new.handle.n_classes = t.n_classes = n_classes
        new.scratch = np.zeros(4 * n_classes + n_features)
        new.count_bytes()
        new.arrays = arrays
        new.bind()
        return new

    def beginning(self):
        """Return copies of the arrays, with reserved memory: trees of ensembles start again often."""
        state = Kernel.beginning(self)
        n_slots = min(RESERVE, RESERVE_BYTES // max(tree_upkeep.bytes_of_row(self.layout, state, "slot"), 1))
        for what, axis, n, most in (
            (MORE_NODES, "feature", RESERVE, self.tree.most_nodes),
            (MORE_SLOTS, "bias", n_slots, self.tree.most_slots),
        ):
            if len(state[axis]) < min(n, most):
                state |= tree_upkeep.changed(self.layout, state, what, min(n, most), 0, 0)
        return state

    def extended_beginning(self, state):
        """Return what `beginning` would of a fresh kernel like this one; `state` is that with a class less.

        None where memory is so short that such a kernel would have less room.
        """
        node = self.tree.node_bytes + self.window_bytes
        n_classes = self.tree.n_classes
        most_nodes, space = tree_upkeep.limits(
            self.most_bytes, self.fixed_bytes, node, self.first_slot, n_classes
        )
        room = max(n_classes, min(RESERVE, RESERVE_BYTES // max(self.first_slot, 1)))
        if most_nodes < RESERVE or space // self.first_slot < room:
            return None
        arrays = extended(self.layout, state, "class", n_classes)
        return arrays | tree_upkeep.changed(self.layout, arrays, MORE_SLOTS, room, 0, 0)

    cdef bint change(self, int what, Py_ssize_t a, Py_ssize_t b, Py_ssize_t most=0) noexcept:
        try:
            arrays = attempt(tree_upkeep.changed, (self.layout, self.arrays, what, a, b, most))
            if arrays is None:
                return False
            self.adopt(arrays)
        except BaseException as error:
            record_failure(error)
            return False
        return True


cdef inline Py_ssize_t longer(Py_ssize_t room, Py_ssize_t row_bytes) noexcept nogil:
    # By how much an array grows.
    return max(room // 4, min(room, max(SHORT, SHORT_BYTES // row_bytes)))


cdef bint has_room(hoeffding_t* t, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t room
    if t.size[NODES] + n <= t.node_room:
        return True
    room = min(t.node_room + max(longer(t.node_room, t.node_bytes), n), t.most_nodes)
    if room < t.size[NODES] + n:
        return False
    with gil:
        return (<TreeKernel> t.kernel).change(MORE_NODES, room, 0)


cdef Py_ssize_t new_leaves(hoeffding_t* t, Py_ssize_t n, Py_ssize_t parent) noexcept nogil:
    cdef Py_ssize_t first = t.size[NODES], node
    if not has_room(t, n):
        return -1
    t.size[NODES] += n
    for node in range(first, first + n):
        t.parent[node] = parent
        if t.n_picked < t.n_features:
            pick_inputs(t, t.picked + node * (1 + t.n_picked))
    return first


cdef void pick_inputs(hoeffding_t* t, int* picked) noexcept nogil:
    # Selection sampling: each subset is equally likely and comes out in the tree's order of inputs.
    cdef Py_ssize_t i, wanted = t.n_picked, n_numeric = 0
    for i in range(t.n_features):
        if next_unit(t.random) * (t.n_features - i) < wanted:
            picked[1 + t.n_picked - wanted] = t.inputs[1 + i]
            wanted -= 1
            n_numeric += i < t.inputs[0]
    picked[0] = n_numeric


cdef Py_ssize_t new_slot(hoeffding_t* t, Py_ssize_t node, Py_ssize_t y) noexcept nogil:
    cdef Py_ssize_t slot, i
    if not has_free_slot(t, node):
        return -1
    if t.size[FREE_SLOTS]:
        t.size[FREE_SLOTS] -= 1
        slot = t.free[t.size[FREE_SLOTS]]
    else:
        slot = t.size[SLOTS]
        t.size[SLOTS] += 1
    for i in range(N_NUMBERS * t.n_numeric):
        t.numbers[slot * N_NUMBERS * t.n_numeric + i] = 0.0
    for i in range(t.n_categorical):
        t.seen[slot * t.n_categorical + i] = 0.0
        t.n_values[slot * t.n_categorical + i] = 0
    for i in range(t.total_room):
        t.counts[slot * t.total_room + i] = 0.0
    t.bias[slot] = 0.0
    t.slot[node * t.n_classes + y] = slot
    return slot


cdef bint has_free_slot(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    # Whether there is a slot for a leaf, after making more of them or sharing them out again.
    cdef Py_ssize_t room, slot_bytes
    if t.size[FREE_SLOTS] or t.size[SLOTS] < t.slot_room:
        return True
    slot_bytes = t.slot_rest + <Py_ssize_t> sizeof(double) * t.total_room
    room = min(t.slot_room + longer(t.slot_room, slot_bytes), t.most_slots)
    if room > t.slot_room:
        with gil:
            return (<TreeKernel> t.kernel).change(MORE_SLOTS, room, 0)
    rebalance(t)
    return t.feature[node] == LEAF and t.size[FREE_SLOTS]


cdef void free_slots(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(node * t.n_classes, (node + 1) * t.n_classes):
        if t.slot[k] >= 0:
            t.free[t.size[FREE_SLOTS]] = t.slot[k]
            t.size[FREE_SLOTS] += 1
            t.slot[k] = -1


cdef void rebalance(hoeffding_t* t) noexcept nogil:
    with gil:
        (<TreeKernel> t.kernel).change(RANK, t.most_slots, 0)


cdef bint add_category(hoeffding_t* t, Py_ssize_t c, Py_ssize_t code) noexcept nogil:
    cdef Py_ssize_t room = t.offset[c + 1] - t.offset[c]
    cdef Py_ssize_t extra = max(min(2 * room, TREE_CATEGORIES), code + 1) - room
    cdef Py_ssize_t size = t.slot_rest + <Py_ssize_t> sizeof(double) * (t.total_room + extra)
    if t.slot_space // size <= t.n_classes:
        return False
    with gil:
        return (<TreeKernel> t.kernel).change(MORE_CATEGORIES, c, extra, t.slot_space // size)


cdef void move_node(hoeffding_t* t, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
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
        t.slot[source * t.n_classes + k] = -1
    for k in range(1 + t.n_picked if t.n_picked < t.n_features else 0):
        t.picked[target * (1 + t.n_picked) + k] = t.picked[source * (1 + t.n_picked) + k]


cdef void remove_node(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    free_slots(t, node)
    t.feature[node] = DEAD
    t.size[DEAD_NODES] += 1


cdef void sweep(hoeffding_t* t) noexcept nogil:
    if t.size[DEAD_NODES] > 8 + t.size[NODES] // 3:
        with gil:
            (<TreeKernel> t.kernel).change(SWEEP, t.most_nodes, t.most_slots)


cdef Py_ssize_t depth_of(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t depth = 0
    while t.parent[node] >= 0:
        node = t.parent[node]
        depth += 1
    return depth

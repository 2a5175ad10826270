"""The store of a Hoeffding tree: nodes, and slots with the statistics of one class at one leaf.

Both are rows of arrays that grow by half their length, up to a bound on their bytes. A slot is taken when a
leaf sees the first row of a class and given back when the leaf splits, so that most of the memory is where
classes meet. When slots run out, leaves are ranked by their promise

    weight - weight of the heaviest class,                                        (1)

the errors a split could remove; the least promising fall asleep: they count classes and learn no more, until
splits elsewhere or a growing promise wake them.
"""

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer

from .learner cimport learner_t

MOST_CATEGORIES = 1024
VOTES = {"majority": MAJORITY, "bayes": BAYES, "adaptive": ADAPTIVE}


cdef class TreeKernel(Kernel):
    """The arrays of a tree; a subclass sets the handle's functions and may add arrays with a row a node."""

    def __init__(self, n_features, n_classes, n_categories, options, more_nodes=None):
        n_categories = np.minimum(n_categories, MOST_CATEGORIES).astype(np.intp)
        column = np.flatnonzero(n_categories)
        numeric = np.flatnonzero(n_categories == 0)
        picked = n_features if options["max_features"] is None else min(options["max_features"], n_features)
        room = n_categories[column]
        self.arrays = {
            "size": np.zeros(6, dtype=np.intp),
            "column": column.astype(np.intp),
            "offset": np.concatenate([[0], np.cumsum(room)]).astype(np.intp),
            "known": room,
            "inputs": np.concatenate([[len(numeric)], numeric, np.arange(len(column))]).astype(np.int32),
            "random": np.array([options["seed"]], dtype=np.uint64),
        }
        self.add_rows(2, n_classes, picked if picked < n_features else 0, more_nodes or {})
        self.add_slots(n_classes, min(len(numeric), picked), len(column), int(room.sum()))
        self.scratch = {name: np.zeros(n_classes) for name in ("score", "left", "other")}
        self.settle(n_features, picked, options)
        self.handle = learner_t(<void*> &self.tree, n_features, n_classes, NULL, NULL)
        self.limit(options["max_bytes"], options["who"])
        self.bind()
        new_leaves(&self.tree, 1, -1)

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
        self.node_names = list(nodes)
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
        self.slot_names = list(slots)
        self.arrays |= slots

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

    def limit(self, most_bytes, who):
        """Share the bytes out: a third for nodes, the others for slots."""
        row = sum(self.arrays[name][:1].nbytes for name in self.node_names)
        slot = sum(self.arrays[name][:1].nbytes for name in self.slot_names)
        n_classes = self.arrays["weight"].shape[1]
        fixed = sum(array.nbytes for name, array in self.arrays.items()
                    if name not in self.node_names + self.slot_names)
        least = fixed + 3 * row + (n_classes + 1) * slot
        if most_bytes < least:
            raise ValueError(f"{who}: max_bytes={most_bytes} is too little, a leaf needs {least}")
        self.most_slots = max((most_bytes - fixed) * 2 // 3 // slot, n_classes + 1)
        self.most_nodes = (most_bytes - fixed - self.most_slots * slot) // row

    cdef void bind(self):
        cdef tree_t* t = &self.tree
        t.n_classes = self.handle.n_classes
        t.node_room = len(self.arrays["feature"])
        t.slot_room = len(self.arrays["bias"])
        t.n_numeric = self.arrays["numbers"].shape[2]
        t.n_categorical = len(self.arrays["column"])
        t.total_room = self.arrays["counts"].shape[1]
        t.size = <Py_ssize_t*> memory(self.arrays["size"])
        t.feature = <int*> memory(self.arrays["feature"])
        t.test = <int*> memory(self.arrays["test"])
        t.child = <int*> memory(self.arrays["child"])
        t.n_children = <int*> memory(self.arrays["n_children"])
        t.usual = <int*> memory(self.arrays["usual"])
        t.parent = <int*> memory(self.arrays["parent"])
        t.n_seen = <int*> memory(self.arrays["n_seen"])
        t.slot = <int*> memory(self.arrays["slot"])
        t.picked = <int*> memory(self.arrays["picked"])
        t.threshold = <double*> memory(self.arrays["threshold"])
        t.weight = <double*> memory(self.arrays["weight"])
        t.tried = <double*> memory(self.arrays["tried"])
        t.right = <double*> memory(self.arrays["right"])
        t.numbers = <double*> memory(self.arrays["numbers"])
        t.bias = <double*> memory(self.arrays["bias"])
        t.counts = <double*> memory(self.arrays["counts"])
        t.seen = <double*> memory(self.arrays["seen"])
        t.n_values = <int*> memory(self.arrays["n_values"])
        t.free = <int*> memory(self.arrays["free"])
        t.column = <Py_ssize_t*> memory(self.arrays["column"])
        t.offset = <Py_ssize_t*> memory(self.arrays["offset"])
        t.known = <Py_ssize_t*> memory(self.arrays["known"])
        t.inputs = <int*> memory(self.arrays["inputs"])
        t.random = <uint64_t*> memory(self.arrays["random"])
        t.score = <double*> memory(self.scratch["score"])
        t.left = <double*> memory(self.scratch["left"])
        t.other = <double*> memory(self.scratch["other"])

    def state(self):
        """Return copies of the arrays, without the rows held in reserve."""
        used = dict.fromkeys(self.node_names, self.tree.size[NODES])
        used |= dict.fromkeys(self.slot_names, max(self.tree.size[SLOTS], 1))
        return {name: array[:used.get(name)].copy() for name, array in self.arrays.items()}

    @property
    def size(self):
        """Nodes of the tree."""
        return self.tree.size[NODES] - self.tree.size[DEAD_NODES]

    @property
    def bytes(self):
        """Bytes of all arrays, rows held in reserve included."""
        return sum(array.nbytes for array in self.arrays.values())

    def grow(self, names, n):
        """Lengthen the named arrays to n rows."""
        for name in names:
            old = self.arrays[name]
            gap = np.zeros((n - len(old), *old.shape[1:]), dtype=old.dtype)
            self.arrays[name] = np.concatenate([old, gap])
        self.bind()

    cdef void grow_nodes(self, Py_ssize_t n):
        room = min(self.tree.node_room + max(self.tree.node_room // 2, n), self.most_nodes)
        if room >= self.tree.size[NODES] + n:
            self.grow(self.node_names, room)

    cdef void grow_slots(self):
        room = min(self.tree.slot_room + max(self.tree.slot_room // 2, 1), self.most_slots)
        if room > self.tree.slot_room:
            self.grow(self.slot_names, room)

    cdef void grow_categories(self, Py_ssize_t c, Py_ssize_t code):
        offset = self.arrays["offset"]
        old = offset[c + 1] - offset[c]
        extra = max(2 * old, code + 1) - old
        self.arrays["counts"] = np.insert(self.arrays["counts"], [offset[c + 1]] * extra, 0.0, axis=1)
        offset[c + 1:] += extra
        self.bind()

    def rank(self):
        """Wake the most promising leaves that nine tenths of the slots can serve; put the others to sleep."""
        cdef Py_ssize_t node
        feature, weight = self.arrays["feature"], self.arrays["weight"]
        used = self.tree.size[NODES]
        leaves = np.flatnonzero((feature[:used] == LEAF) | (feature[:used] == ASLEEP))
        promise = weight[leaves].sum(axis=1) - weight[leaves].max(axis=1)                       # (1)
        order = leaves[np.argsort(-promise, kind="stable")]
        need = np.cumsum(np.maximum((weight[order] > 0).sum(axis=1), 1))
        awake = need <= max(int(0.9 * self.most_slots), need[0])
        for node in order[~awake]:
            free_slots(&self.tree, node)
        feature[order] = np.where(awake, LEAF, ASLEEP)
        self.arrays["size"][SLEEPERS] = np.count_nonzero(~awake)

    def sweep(self):
        """Move the living nodes together."""
        feature, used = self.arrays["feature"], self.tree.size[NODES]
        living = np.flatnonzero(feature[:used] != DEAD)
        place = np.full(used + 1, -1, dtype=np.int32)
        place[living] = np.arange(len(living))
        for name in self.node_names:
            array = self.arrays[name]
            array[:len(living)] = array[living]
        for name in self.links():
            array = self.arrays[name][:len(living)]
            array[:] = place[array]
        size = self.arrays["size"]
        size[NODES], size[DEAD_NODES], size[ROOT] = len(living), 0, place[size[ROOT]]

    def links(self):
        """Return the names of the arrays that hold numbers of nodes, -1 for none."""
        return ["child", "usual", "parent"]


cdef void* memory(array):
    # Where the array's numbers lie.
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    PyBuffer_Release(&buffer)
    return buffer.buf


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


cdef void sweep(tree_t* t) noexcept nogil:
    with gil:
        (<TreeKernel> t.kernel).sweep()

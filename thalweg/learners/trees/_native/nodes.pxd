# The nodes of a Hoeffding tree in arrays, and what every kind of such tree does with them.

from libc.math cimport floor
from libc.stdint cimport uint64_t

from thalweg._native.kernel cimport Kernel
from .codes cimport BELOW, EACH

ctypedef struct hoeffding_t:
    void* kernel
    Py_ssize_t n_classes
    Py_ssize_t n_numeric                # numeric inputs a leaf looks at, at most
    Py_ssize_t n_categorical
    Py_ssize_t n_picked                 # inputs a leaf looks at
    Py_ssize_t n_features
    bint all_numeric                    # every leaf looks at every input and all are numbers
    # settings
    bint gini
    int votes                           # MAJORITY, BAYES or ADAPTIVE
    Py_ssize_t n_points                 # thresholds tried for a numeric input
    double grace
    double delta
    double tie
    double least_share                  # of the weight, in at least two branches
    Py_ssize_t most_nodes
    Py_ssize_t most_slots
    Py_ssize_t slot_space               # bytes for slots
    Py_ssize_t slot_rest                # bytes of a slot besides its counts
    Py_ssize_t node_bytes
    # how many there are, and how many the arrays have room for
    Py_ssize_t* size
    Py_ssize_t node_room
    Py_ssize_t slot_room
    Py_ssize_t total_room               # categories of all inputs
    # of each node
    int* feature
    int* test
    int* child                          # the first; the others follow it
    int* n_children
    int* usual                          # the child with most weight: missing values go there
    int* parent
    int* n_seen                         # highest class code seen, plus 1
    int* slot                           # [node, class]: statistics of that class, or -1
    int* picked                         # [node, 1 + n_picked]: how many numeric, columns, then categoricals
    double* threshold
    double* weight                      # [node, class]
    double* tried                       # weight at the last attempt to split
    double* right                       # [node, 2]: weight the majority, naive Bayes had right
    # of each slot: one class at one leaf
    double* numbers                     # [slot, N_NUMBERS, numeric]
    double* bias                        # log prior plus the logs of the densities' factors
    double* counts                      # [slot, total_room]
    double* seen                        # [slot, categorical]: sum of the counts
    int* n_values                       # [slot, categorical]: highest category seen, plus 1
    int* free                           # slots freed
    # of each categorical input
    Py_ssize_t* column
    Py_ssize_t* offset                  # where its counts begin; one more entry marks the end
    Py_ssize_t* known                   # categories it has as far as known
    int* inputs                         # how many numeric, their columns, then places of the categorical ones
    uint64_t* random
    # memory for learning
    double* score                       # [class]
    double* left                        # [class]
    double* other                       # [class]
    double* again                       # [class]: scores of the row to be learned
    double* rough                       # [input]: estimates while a leaf tries to split


cdef class TreeKernel(Kernel):
    cdef hoeffding_t* tree              # in a struct of the subclass, which sets this before anything else
    cdef object scratch
    cdef readonly Py_ssize_t least_bytes    # that a tree of this shape needs
    cdef Py_ssize_t first_slot          # bytes of a slot when the tree began
    cdef Py_ssize_t window_bytes        # of a window, which a node may have
    cdef Py_ssize_t fixed_bytes         # of the arrays that do not grow
    cdef object most_bytes              # the parameter

    # copy the struct of a kernel of the same class, and set its address
    cdef void take_core(self, TreeKernel old)
    cdef void count_bytes(self) except *
    cdef void bind_nodes(self)
    cdef void bind_slots(self)

    # make new arrays for MORE_NODES, RANK, … and adopt them; False if that failed: the failure is recorded
    cdef bint change(self, int what, Py_ssize_t a, Py_ssize_t b, Py_ssize_t most=*) noexcept


# whether there is memory for n more nodes; the arrays grow if they must
cdef bint has_room(hoeffding_t* t, Py_ssize_t n) noexcept nogil

# n new leaves side by side, or -1 if there is no memory
cdef Py_ssize_t new_leaves(hoeffding_t* t, Py_ssize_t n, Py_ssize_t parent) noexcept nogil

# an empty slot for class y at a leaf, or -1 if there is no memory; the leaf may have become inactive
cdef Py_ssize_t new_slot(hoeffding_t* t, Py_ssize_t node, Py_ssize_t y) noexcept nogil

cdef void free_slots(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# activate the most promising leaves, deactivate the others
cdef void rebalance(hoeffding_t* t) noexcept nogil

# make room for a category; False if there is no memory. Leaves may become inactive, and slots change places.
cdef bint add_category(hoeffding_t* t, Py_ssize_t c, Py_ssize_t code) noexcept nogil

# copy all of a node but its parent, and leave the source without slots
cdef void move_node(hoeffding_t* t, Py_ssize_t source, Py_ssize_t target) noexcept nogil

# mark a node as dead; its slots are free
cdef void remove_node(hoeffding_t* t, Py_ssize_t node) noexcept nogil

# drop the nodes that are dead once they are many; others change their numbers
cdef void sweep(hoeffding_t* t) noexcept nogil

# nodes above this one, those of which it is an alternate included
cdef Py_ssize_t depth_of(hoeffding_t* t, Py_ssize_t node) noexcept nogil


cdef inline Py_ssize_t branch(hoeffding_t* t, Py_ssize_t node, const double* x) noexcept nogil:
    cdef double value = x[t.feature[node]], threshold = t.threshold[node]
    if t.test[node] == BELOW:
        if value <= threshold:
            return t.child[node]
        return t.child[node] + 1 if value > threshold else t.usual[node]
    if t.test[node] == EACH:
        return t.child[node] + <Py_ssize_t> value if 0 <= value < t.n_children[node] else t.usual[node]
    if value != value:
        return t.usual[node]
    return t.child[node] if floor(value) == threshold else t.child[node] + 1


cdef inline Py_ssize_t find_leaf(hoeffding_t* t, Py_ssize_t node, const double* x) noexcept nogil:
    while t.feature[node] >= 0:
        node = branch(t, node, x)
    return node


cdef inline double total_weight(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(t.n_classes):
        total += t.weight[node * t.n_classes + k]
    return total


cdef inline int* picked_inputs(hoeffding_t* t, Py_ssize_t node) noexcept nogil:
    # Without random subsets all leaves share the tree's inputs.
    return t.picked + node * (1 + t.n_picked) if t.n_picked < t.n_features else t.inputs

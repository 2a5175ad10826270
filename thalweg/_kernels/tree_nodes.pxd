# The nodes of a Hoeffding tree in arrays, and what every kind of such tree does with them.

from libc.math cimport floor
from libc.stdint cimport uint64_t

from .learner cimport Kernel

cdef enum:
    # `feature` of a node that splits nothing
    LEAF = -1                           # learns
    ASLEEP = -2                         # for want of memory only counts classes
    DEAD = -3                           # cut off, to be swept away

cdef enum:
    # `test` of a node that splits: which child comes first
    BELOW = 0                           # value <= threshold, then the others
    EACH = 1                            # one child for each category
    IS = 2                              # category == threshold, then the others

cdef enum:
    MAJORITY = 0
    BAYES = 1
    ADAPTIVE = 2

cdef enum:
    # places in `size`
    NODES = 0
    SLOTS = 1                           # ever used; those given back are in `free`
    FREE = 2
    DEAD_NODES = 3
    SLEEPERS = 4
    ROOT = 5
    WINDOWS = 6
    FREE_WINDOWS = 7

cdef enum:
    NUMBERS = 6                         # kept for each numeric input of a slot

ctypedef struct tree_t

ctypedef struct tree_t:
    void* kernel
    Py_ssize_t n_classes
    Py_ssize_t n_numeric                # numeric inputs a leaf looks at, at most
    Py_ssize_t n_categorical
    Py_ssize_t n_picked                 # inputs a leaf looks at
    Py_ssize_t n_features
    bint all_numeric                    # every leaf looks at every input and all are numbers
    bint gini
    int votes                           # MAJORITY, BAYES or ADAPTIVE
    Py_ssize_t n_points                 # thresholds tried for a numeric input
    double grace
    double delta
    double tie
    double least_share                  # of the weight, in at least two branches
    double watch_delta                  # of the ADWINs of an adaptive tree
    bint bootstrap                      # its leaves learn each row a random number of times
    uint64_t seed                       # of these numbers
    bint early                          # its new subtrees take over with their first split
    double option_delta                 # of the splits of leaves in waiting
    Py_ssize_t most_options             # of an option tree, on any way down
    bint fading                         # its leaves vote by how often they were right lately
    bint watch_root                     # also while it is a leaf
    Py_ssize_t node_room
    Py_ssize_t slot_room
    Py_ssize_t total_room               # categories of all inputs
    Py_ssize_t* size
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
    # of each node, where a kind of tree asks for it
    int* beside                         # another node in the same place, or -1
    int* options                        # of the chain of tests of which it is the head, else 0
    double* recent                      # how often a leaf was right lately
    int* watch                          # the window over its errors, or -1
    uint64_t* draw                      # state of its random numbers
    double* windows                     # [window, window_size]
    int* free_windows
    Py_ssize_t window_room
    Py_ssize_t window_size
    void (*born)(tree_t* t, Py_ssize_t node) noexcept nogil
    # of each slot: one class at one leaf
    double* numbers                     # [slot, NUMBERS, numeric]: n, mean, squares, inverse, low, high
    double* bias                        # log prior plus the logs of the densities' factors
    double* counts                      # [slot, total_room]
    double* seen                        # [slot, categorical]: sum of the counts
    int* n_values                       # [slot, categorical]: highest category seen, plus 1
    int* free                           # slots given back
    # of each categorical input
    Py_ssize_t* column
    Py_ssize_t* offset                  # where its counts begin; one more entry marks the end
    Py_ssize_t* known                   # categories it has as far as known
    int* inputs                         # columns of the numeric inputs, then places of the categorical ones
    uint64_t* random
    # scratch
    double* score                       # [class]
    double* left                        # [class]
    double* other                       # [class]


ctypedef void (*learn_t)(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil
ctypedef void (*predict_t)(void* state, const double* x, double* p, double* scratch) noexcept nogil
ctypedef void (*born_t)(tree_t* t, Py_ssize_t node) noexcept nogil


cdef class TreeKernel(Kernel):
    cdef tree_t tree
    cdef dict scratch
    cdef dict groups
    cdef Py_ssize_t most_nodes
    cdef Py_ssize_t most_slots

    # set the functions, and what happens to each new node, then make the root
    cdef void start(self, learn_t learn, predict_t predict, born_t born)
    cdef void bind(self)
    cdef void bind_nodes(self)
    cdef void bind_slots(self)
    cdef void grow_nodes(self, Py_ssize_t n)
    cdef void grow_slots(self)
    cdef void grow_windows(self)
    cdef void grow_categories(self, Py_ssize_t c, Py_ssize_t code)


# n new leaves side by side, or -1 where memory ends
cdef Py_ssize_t new_leaves(tree_t* t, Py_ssize_t n, Py_ssize_t parent) noexcept nogil

# an empty slot for class y at a leaf, or -1 where the leaf fell asleep for want of memory
cdef Py_ssize_t new_slot(tree_t* t, Py_ssize_t node, Py_ssize_t y) noexcept nogil

cdef Py_ssize_t new_window(tree_t* t) noexcept nogil

cdef void free_slots(tree_t* t, Py_ssize_t node) noexcept nogil

# let the most promising leaves learn and the others sleep
cdef void rebalance(tree_t* t) noexcept nogil

cdef void more_categories(tree_t* t, Py_ssize_t c, Py_ssize_t code) noexcept nogil

# copy all of a node but its parent
cdef void copy_node(tree_t* t, Py_ssize_t source, Py_ssize_t target) noexcept nogil

# forget nodes that are cut off; others change their numbers
cdef void sweep(tree_t* t) noexcept nogil


cdef inline Py_ssize_t branch(tree_t* t, Py_ssize_t node, const double* x) noexcept nogil:
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


cdef inline Py_ssize_t find_leaf(tree_t* t, Py_ssize_t node, const double* x) noexcept nogil:
    while t.feature[node] >= 0:
        node = branch(t, node, x)
    return node


cdef inline double total_weight(tree_t* t, Py_ssize_t node) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(t.n_classes):
        total += t.weight[node * t.n_classes + k]
    return total


cdef inline int* picked_inputs(tree_t* t, Py_ssize_t node) noexcept nogil:
    # Without random subsets all leaves share the tree's inputs.
    return t.picked + node * (1 + t.n_picked) if t.n_picked < t.n_features else t.inputs

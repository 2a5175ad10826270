# The settings and nodes of a batch tree, and the search for the best split of a node.

from .sorted_rows cimport batch_nodes_t, sorted_rows_t

ctypedef struct batch_tree_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t max_leaves
    int criterion                       # of gain ratios ENTROPY
    bint by_ratio
    bint multiway                       # whether a category input is split into a branch for each category
    double min_weight                   # two children of a split at least weigh as much
    double laplace
    const Py_ssize_t* n_categories      # 0 for a numeric input
    Py_ssize_t room                     # nodes there is memory for
    batch_nodes_t nodes                 # of the finished tree
    void* kernel

cdef double TIE, ROUNDING

# find the best split of a node over all inputs; b.best[node].gain stays below 0 if there is none
cdef void search(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                 const double* w) noexcept nogil

# where the missing values of an input begin in a node; where the node begins if it cannot be split by it
cdef Py_ssize_t known_until(const sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j) noexcept nogil

# try all splits by one input, and let the best replace b.best[node] if its gain, here the score of all
# children, is larger; they weigh b.least at least
cdef void search_input(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, Py_ssize_t j,
                       Py_ssize_t known, bint bounded, const Py_ssize_t* y, const double* w) noexcept nogil


cdef inline double weight_of(const batch_tree_t* t, const sorted_rows_t* b, Py_ssize_t node) noexcept nogil:
    # The weight of a node, or 0 if it has one class only.
    cdef Py_ssize_t k, n_present = 0
    cdef double n = 0.0
    for k in range(t.n_classes):
        n_present += b.nodes.weights[node * t.n_classes + k] > 0
        n += b.nodes.weights[node * t.n_classes + k]
    return n if n_present > 1 else 0.0


cdef inline bint is_bounded(double n) noexcept nogil:
    # Whether cubes of the weight are finite.
    return 1e-90 < n < 1e90

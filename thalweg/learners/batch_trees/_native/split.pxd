# The settings and nodes of a batch tree, and the search for the best split of a node.

from .sorted_rows cimport batch_nodes_t, sorted_rows_t

ctypedef struct batch_tree_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t max_leaves
    int criterion
    double laplace
    const Py_ssize_t* n_categories      # 0 for a numeric input
    Py_ssize_t room                     # nodes there is memory for
    batch_nodes_t nodes                 # of the finished tree
    void* kernel

# find the best split of a node over all inputs; b.best[node].gain stays below 0 if there is none
cdef void search(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                 const double* w) noexcept nogil

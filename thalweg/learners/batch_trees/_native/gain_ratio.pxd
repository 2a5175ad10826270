# The split of a node that has the best gain ratio.

from .sorted_rows cimport sorted_rows_t
from .split cimport batch_tree_t

# find that split; b.best[node].gain stays below 0 if there is none
cdef void search_ratio(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node, const Py_ssize_t* y,
                       const double* w) noexcept nogil

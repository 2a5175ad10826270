# The rows of a node parted among its children, and the way of a row from a node to its child.

from libc.math cimport isnan
from libc.stdint cimport uint64_t

from .sorted_rows cimport FLAG_WORDS, batch_nodes_t, sorted_rows_t
from .split cimport batch_tree_t

# say in b.left which rows of a node go left in its best split, and in packed_left as bits; return where the
# right ones begin
cdef Py_ssize_t mark_left(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node,
                          uint64_t* packed_left) noexcept nogil

# part the rows of a node in the order of one input: those that go left first
cdef void part(sorted_rows_t* b, int* order, const uint64_t* packed_left, Py_ssize_t start,
               Py_ssize_t stop) noexcept nogil

# say which rows of a node go to which branch of its best split, in b.places, and where the rows of each
# child begin and stop; the categories of the children are set
cdef void mark_branches(sorted_rows_t* b, Py_ssize_t node, Py_ssize_t first) noexcept nogil

# part the rows of a node in the order of one input: branch by branch
cdef void part_branches(sorted_rows_t* b, int* order, Py_ssize_t node, Py_ssize_t first) noexcept nogil


cdef inline bint goes_left(double value, double threshold, bint is_category,
                           bint missing_left) noexcept nogil:
    if isnan(value):
        return missing_left
    return value == threshold if is_category else value <= threshold


cdef inline Py_ssize_t branch_of(const batch_nodes_t* nodes, Py_ssize_t node, double value) noexcept nogil:
    # The child of a category, or -1 if the node has none for it: categories of the children grow.
    cdef Py_ssize_t low = nodes.child[node], stop = low + <Py_ssize_t> nodes.threshold[node], middle
    cdef Py_ssize_t end = stop
    while low < stop:
        middle = (low + stop) // 2
        if nodes.category[middle] < value:
            low = middle + 1
        else:
            stop = middle
    return low if low < end and nodes.category[low] == value else -1

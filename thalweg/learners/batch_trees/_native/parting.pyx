"""The rows of a node parted among its children, in the order of every input, so that they stay sorted.

A split has a left and a right child, or a branch for each category of an input: `threshold` of the node is
then their number, and their categories grow. Missing values have their own branch, the last one, if the
node has any. A category that the node has not seen has no branch.
"""

from libc.math cimport isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from .sorted_rows cimport sorted_rows_t
from .split cimport batch_tree_t

cdef extern from "thalweg/learners/batch_trees/_native/row_flags.h" nogil:
    void pack_flags(const char* flags, ptrdiff_t n, uint64_t* words)
    void part_by_flags(int* order, const uint64_t* words, ptrdiff_t n, int* spare)


cdef Py_ssize_t mark_left(const batch_tree_t* t, sorted_rows_t* b, Py_ssize_t node,
                          uint64_t* packed_left) noexcept nogil:
    cdef Py_ssize_t i, feature = b.best[node].feature, start = b.start[node], stop = b.stop[node]
    cdef Py_ssize_t border = start
    cdef const int* order = b.order + feature * b.room
    cdef const double* column = b.columns + feature * b.room
    if t.n_categories[feature] == 0 and not isnan(column[order[stop - 1]]):
        border = first_above(column, order, start, stop, b.best[node].threshold)
        for i in range(start, stop):
            b.left[order[i]] = i < border
    else:
        for i in range(start, stop):
            b.left[order[i]] = goes_left(column[order[i]], b.best[node].threshold,
                                         t.n_categories[feature] > 0, b.best[node].missing_left)
            border += b.left[order[i]]
    if b.by_flags:
        pack_flags(b.left, b.n, packed_left)
    return border


cdef inline Py_ssize_t first_above(const double* column, const int* order, Py_ssize_t start, Py_ssize_t stop,
                                   double threshold) noexcept nogil:
    # Where the rows of a node, in the order of their values, are above the threshold for the first time.
    cdef Py_ssize_t middle
    while start < stop:
        middle = (start + stop) // 2
        if column[order[middle]] <= threshold:
            start = middle + 1
        else:
            stop = middle
    return start


cdef void part(sorted_rows_t* b, int* order, const uint64_t* packed_left, Py_ssize_t start,
               Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t i, n_left = start, n_right = 0
    cdef int row
    if b.by_flags:
        part_by_flags(order + start, packed_left, stop - start, b.spare)
        return
    for i in range(start, stop):
        row = order[i]
        order[n_left] = row
        b.spare[n_right] = row
        n_left += b.left[row]
        n_right += not b.left[row]
    memcpy(order + n_left, b.spare, n_right * sizeof(int))


cdef void mark_branches(sorted_rows_t* b, Py_ssize_t node, Py_ssize_t first) noexcept nogil:
    cdef Py_ssize_t i, feature = b.best[node].feature, child = first
    cdef const int* order = b.order + feature * b.room
    cdef const double* column = b.columns + feature * b.room
    b.start[child], b.nodes.category[child] = b.start[node], column[order[b.start[node]]]
    for i in range(b.start[node], b.stop[node]):
        # Missing values come last, and are not equal to each other.
        if column[order[i]] > b.nodes.category[child] or (
                isnan(column[order[i]]) and child < first + <Py_ssize_t> b.best[node].threshold):
            b.stop[child] = i
            child += 1
            b.start[child], b.nodes.category[child] = i, column[order[i]]
        b.places[order[i]] = <int> (child - first)
    b.stop[child] = b.stop[node]
    if b.best[node].missing_left:
        b.nodes.category[child] = 0.0


cdef void part_branches(sorted_rows_t* b, int* order, Py_ssize_t node, Py_ssize_t first) noexcept nogil:
    cdef Py_ssize_t i, start = b.start[node], branch
    for branch in range(b.best[node].n_children):
        b.counts[branch] = <int> (b.start[first + branch] - start)
    for i in range(start, b.stop[node]):
        branch = b.places[order[i]]
        b.spare[b.counts[branch]] = order[i]
        b.counts[branch] += 1
    memcpy(order + start, b.spare, (b.stop[node] - start) * sizeof(int))

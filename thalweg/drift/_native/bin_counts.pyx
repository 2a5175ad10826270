"""Histograms of every input of a stream, one for each window of rows and each label.

A number x of an input with the ascending edges e falls into the bin

    1 + #{i: e_i < x}                                                                           (1)

found by bisection without branches: edges are padded with infinity to 2^k - 1. A category falls into the bin
its input's table names, one that the table does not have into bin 1. A missing value (NaN) is bin 0.
"""

from libc.math cimport isnan


def count_bins(const double[:, ::1] X, const Py_ssize_t[::1] groups, const double[:, ::1] edges,
               const Py_ssize_t[::1] starts, const Py_ssize_t[::1] table, Py_ssize_t filled,
               Py_ssize_t window, Py_ssize_t[:, :, :, ::1] counts):
    """Add the rows to `counts` (window, group, input, bin), whose first window has `filled` rows already.

    The caller has checked that every row has a window and a group, and every table a bin. Input j is numeric
    if `starts[j + 1] == starts[j]`; else the bins of its categories are `table[starts[j]:starts[j + 1]]`. A
    call is one step as far as signals go: keep it short.
    """
    cdef Py_ssize_t i, j, n_codes, bin, step, first = (edges.shape[1] + 1) // 2
    cdef Py_ssize_t d = X.shape[1], at = 0
    cdef double x
    with nogil:
        for i in range(X.shape[0]):
            for j in range(d):
                x = X[i, j]
                n_codes = starts[j + 1] - starts[j]
                if isnan(x):
                    bin = 0
                elif n_codes:
                    bin = table[starts[j] + <Py_ssize_t> x] if 0 <= x < n_codes else 1
                else:
                    bin = 0
                    step = first
                    while step:
                        bin += step * (edges[j, bin + step - 1] < x)
                        step >>= 1
                    bin += 1                                                                    # (1)
                counts[at, groups[i], j, bin] += 1
            filled += 1
            if filled == window:
                at += 1
                filled = 0

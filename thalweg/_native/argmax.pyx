"""The most probable class of each row: np.argmax(p, axis=1), which takes ten times as long for short rows."""

import numpy as np


def likeliest(const double[:, :] p):
    """Return the column of the largest number in each row; of equal numbers the first."""
    cdef Py_ssize_t i, k, best
    cdef Py_ssize_t n = p.shape[0], n_classes = p.shape[1]
    if n_classes == 0:
        raise ValueError("likeliest: there are no classes")
    found = np.empty(n, dtype=np.intp)
    cdef Py_ssize_t[::1] code = found
    with nogil:
        for i in range(n):
            best = 0
            for k in range(1, n_classes):
                # Which class is ahead is hard to predict: a conditional move costs less than a branch.
                best = k if p[i, k] > p[i, best] else best
            code[i] = best
    return found

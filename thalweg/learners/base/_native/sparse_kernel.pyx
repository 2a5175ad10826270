"""The loop over sparse rows, for kernels whose cost depends on the number of nonzero values.

A subclass sets `learn_sparse_row` and `predict_sparse_row`, which answer as its handle's functions do for the
same row in full.
"""

import numpy as np

from thalweg._native.failure cimport begin_call, call_t, end_call, poll_after
from thalweg._native.pointers cimport doubles


cdef class SparseKernel(Kernel):
    """A kernel that takes sparse rows: row i has values in the columns from starts[i] to starts[i + 1]."""

    def learn_sparse(self, const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns,
                     const double[::1] values, const Py_ssize_t[::1] y, const double[::1] w, double[:, ::1] p,
                     const unsigned char[::1] tested=None):
        """Do what `learn` does for rows that are 0 except in some columns, in increasing order."""
        self.process_sparse(starts, columns, values, y, w, p, tested)

    def predict_sparse(self, const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns,
                       const double[::1] values, double[:, ::1] p):
        """Write the probabilities of rows that are 0 except in some columns into `p`."""
        self.process_sparse(starts, columns, values, None, None, p, None)

    cdef int process_sparse(self, const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns,
                            const double[::1] values, const Py_ssize_t[::1] y, const double[::1] w,
                            double[:, ::1] p, const unsigned char[::1] tested) except -1:
        # Rows are only predicted if `w` is None.
        cdef Py_ssize_t i = 0, first, stop, n_rows = p.shape[0]
        cdef void* state = self.handle.state
        cdef bint learns = w is not None
        memory = np.empty(self.handle.scratch_size)
        cdef double* scratch = doubles(memory)
        cdef sparse_row_t row = sparse_row_t(NULL, NULL, 0)
        cdef call_t call
        begin_call(&call, self.n_rows)
        while i < n_rows and not call.failure.failed:
            first = i
            stop = min(i + call.n_rows, n_rows) if call.polls else n_rows
            with nogil:
                for i in range(first, stop):
                    row.n = starts[i + 1] - starts[i]
                    if row.n > 0:
                        row.columns, row.values = &columns[starts[i]], &values[starts[i]]
                    if tested is None or tested[i]:
                        self.predict_sparse_row(state, &row, &p[i, 0], scratch)
                    if learns and w[i] > 0:
                        self.learn_sparse_row(state, &row, y[i], w[i])
                i = stop
            poll_after(&call, i - first)
        if learns:
            self.n_rows = call.n_rows
        end_call(&call, i if learns else -1)
        return 0

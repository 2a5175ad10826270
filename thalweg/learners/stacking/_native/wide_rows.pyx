"""Rows of very many inputs in two forms: few hashed inputs for most members, all values for some.

A wide row is `n_dense` doubles, followed by a `sparse_row_t` that says where its values are. Learners that
need dense rows see the first part, in which many inputs share a place; kernels that take sparse rows are
called through a `SparseMemberKernel`, which hands them the second. So every function that takes a row of
doubles can take both forms, on any thread, and no row is as long as there are inputs. The arrays that it
points into must outlive the call.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT

from thalweg._native.kernel cimport Kernel
from thalweg._native.maths cimport clipped
from thalweg._native.rng cimport bits, mix
from thalweg.learners.base._native.sparse_kernel cimport SparseKernel, sparse_row_t

cdef enum:
    N_MORE = 3                          # doubles in which a sparse_row_t finds room

cdef extern from *:
    """
    static const double MOST_INPUT = 1e150;
    """
    double MOST_INPUT                   # bound of the sum of values in one place

ctypedef struct sparse_member_t:
    void* kernel
    void* state
    Py_ssize_t n_dense


def width_with_values(n_dense):
    """Return the length of wide rows with this many dense places."""
    return n_dense + N_MORE


def wide_rows(rows, whole, const Py_ssize_t[::1] place, Py_ssize_t n_kept, Py_ssize_t n_dense):
    """Return wide rows; they point into the arrays of `whole`, which must be kept as long.

    `rows` and `whole` are starts, columns and values: of the inputs as they are given, and as kernels that
    take sparse rows see them. `place` is where each input goes in the dense part, -1 if it has no part in it.
    The first `n_kept` places are for one input each; in the others values are added up, without missing ones.
    """
    cdef const Py_ssize_t[::1] starts = rows[0], columns = rows[1], ends = whole[0], inputs = whole[1]
    cdef const double[::1] values = rows[2], numbers = whole[2]
    cdef Py_ssize_t i, at, to, n_rows = starts.shape[0] - 1
    cdef double* row
    cdef sparse_row_t* form
    found = layouts.new_array((n_rows, n_dense + N_MORE), FLOAT)
    cdef double[:, ::1] wide = found
    with nogil:
        for i in range(n_rows):
            row = &wide[i, 0]
            for at in range(starts[i], starts[i + 1]):
                to = place[columns[at]]
                if 0 <= to < n_kept:
                    row[to] = values[at]
                elif to >= 0 and values[at] == values[at]:
                    row[to] = clipped(row[to] + values[at], MOST_INPUT)
            form = <sparse_row_t*> (row + n_dense)
            form.n = ends[i + 1] - ends[i]
            form.columns, form.values = NULL, NULL
            if form.n > 0:
                form.columns, form.values = &inputs[ends[i]], &numbers[ends[i]]
    return found


def row_keys(const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns, const double[::1] values):
    """Return two numbers for each row, by which it is found again; zeros and gaps have no part in them."""
    cdef Py_ssize_t i, at, n_rows = starts.shape[0] - 1
    cdef uint64_t key, word
    found = layouts.new_array((n_rows, 2), FLOAT)
    cdef double[:, ::1] keys = found
    with nogil:
        for i in range(n_rows):
            key = 0
            for at in range(starts[i], starts[i + 1]):
                if values[at] == values[at] and values[at] != 0.0:
                    memcpy(&word, &values[at], sizeof(double))
                    key = mix(key ^ bits(word, columns[at] + 1))
            keys[i, 0], keys[i, 1] = <double> (key >> 32), <double> <unsigned int> key
    return found


cdef class SparseMemberKernel(Kernel):
    """Calls `member`, a kernel that takes sparse rows, with wide rows of `n_dense` places."""

    cdef sparse_member_t core
    cdef readonly SparseKernel member

    def __init__(self, SparseKernel member, n_dense):
        self.member, self.lock, self.calls_python = member, member.lock, member.calls_python
        self.arrays, self.layout, self.lengths = {}, {}, {}     # the whole state is the member's
        self.core.kernel, self.core.state = <void*> member, member.handle.state
        self.core.n_dense = n_dense
        self.set_handle(<void*> &self.core, n_dense + N_MORE, member.handle.n_classes, learn, predict)
        self.handle.scratch_size = member.handle.scratch_size

    @property
    def size(self):
        """Size of the member."""
        return self.member.size

    @property
    def bytes(self):
        """Bytes of the member's arrays."""
        return self.member.bytes


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef const sparse_member_t* c = <const sparse_member_t*> state
    (<SparseKernel> c.kernel).learn_sparse_row(c.state, <const sparse_row_t*> (x + c.n_dense), y, w)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const sparse_member_t* c = <const sparse_member_t*> state
    (<SparseKernel> c.kernel).predict_sparse_row(c.state, <const sparse_row_t*> (x + c.n_dense), p, scratch)

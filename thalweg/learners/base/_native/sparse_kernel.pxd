# Kernels that also take rows of which only some values are stored.

from thalweg._native.kernel cimport Kernel

ctypedef struct sparse_row_t:
    const Py_ssize_t* columns           # [n]: of the values that are stored, in increasing order
    const double* values                # [n]: all others are 0
    Py_ssize_t n

ctypedef void (*learn_sparse_f)(void* state, const sparse_row_t* x, Py_ssize_t y, double w) noexcept nogil
ctypedef void (*predict_sparse_f)(void* state, const sparse_row_t* x, double* p,
                                  double* scratch) noexcept nogil


cdef class SparseKernel(Kernel):
    # What the handle's functions do, for such rows; `scratch` is as long as the handle says.
    cdef learn_sparse_f learn_sparse_row
    cdef predict_sparse_f predict_sparse_row

    cdef int process_sparse(self, const Py_ssize_t[::1] starts, const Py_ssize_t[::1] columns,
                            const double[::1] values, const Py_ssize_t[::1] y, const double[::1] w,
                            double[:, ::1] p, const unsigned char[::1] tested) except -1

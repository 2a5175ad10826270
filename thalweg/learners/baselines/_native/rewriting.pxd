# Kernels that transform each row, and call one member with the result.

from libc.stdint cimport int64_t

from thalweg._native.kept_rows cimport kept_rows_t
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg.learners.base._native.one_member cimport OneMemberKernel

# write the member's row, as it is to be predicted
ctypedef void (*write_row_f)(const void* state, const double* x, double* row) noexcept nogil
# write the row to learn into `row` of the state, with what was kept when it was observed or NULL; learn from
# its label what later rows are written with
ctypedef void (*write_to_learn_f)(void* state, const double* x, Py_ssize_t y, double w,
                                  const double* kept) noexcept nogil
# write what a row that is observed has to keep, once its row is in `row` of the state
ctypedef void (*keep_f)(const void* state, double* kept) noexcept nogil

ctypedef struct rewriting_t:            # a kernel's struct begins with it
    learner_t* member
    double* row                         # [width]: memory to learn a row
    double* scratch                     # memory to predict while a row is learned
    Py_ssize_t width                    # of a member's row
    Py_ssize_t n_features
    kept_rows_t* kept
    write_row_f write_row
    write_to_learn_f write_to_learn
    keep_f keep


cdef class RewritingKernel(OneMemberKernel):
    cdef rewriting_t* rewriting         # in the struct of the subclass
    cdef str further                    # the array of places behind those of `input_place`

    # the handle, with a struct whose functions to write and keep rows are set
    cdef void set_rewriting(self, rewriting_t* c, Py_ssize_t n_features, Py_ssize_t n_classes,
                            Py_ssize_t width, str further)

    # the places of a kernel of fewer inputs or classes, then those of what is new, behind all others
    cdef dict later_places(self, RewritingKernel before)

# What stands between an ensemble and a member that sees part of the inputs or takes no missing values.

from thalweg._native.kernel cimport Kernel, learner_t

ctypedef struct adapter_t:
    const learner_t* member
    Py_ssize_t n_features               # of the ensemble's rows
    Py_ssize_t width                    # inputs the member sees
    const Py_ssize_t* columns           # [width]: their places in a row, in increasing order
    double* mean                        # [width]: of the rows learned; NULL if nothing is filled
    double* count                       # [width]: values in it
    double* row                         # [width]: memory to learn or observe a row
    double* scratch                     # the same, for the member to predict it
    double* again                       # [class]: the same, for what it then predicts


cdef class AdapterKernel(Kernel):
    cdef adapter_t core
    cdef readonly Kernel member
    cdef object memory                  # of `row` and `scratch`

# What kernels around one member share.

from thalweg._native.kernel cimport Kernel, learner_t

ctypedef struct around_t:               # the struct behind the handle of a subclass begins with these fields
    learner_t* member
    double* own                         # [own_size]: memory to learn a row
    double* scratch                     # memory of the member to predict while a row is learned
    Py_ssize_t own_size                 # set by the subclass; a prediction needs as much, then the member's


cdef class OneMemberKernel(Kernel):
    cdef readonly object member         # the learner; nobody else keeps it
    cdef Kernel member_kernel
    cdef object memory

    # how many inputs the member has
    cdef Py_ssize_t n_member_inputs(self)

    # called when the member is set
    cdef void follow_member(self)

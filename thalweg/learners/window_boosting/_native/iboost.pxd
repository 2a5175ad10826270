# The kernel of boosting on a sliding window, for methods that do more with its members.

from .rows cimport iboost_t
from .trained_members cimport TrainedMembers, outcome_t


cdef class IBoostKernel(TrainedMembers):
    cdef iboost_t core
    cdef dict scratch

    cdef outcome_t train_fresh(self) noexcept

# Cross-validation of the member that was fitted on a whole chunk.

from .base cimport ChunkEnsembleKernel

# Write into `answers` what members say of the rows of the chunk that were fitted on the rows of other folds,
# which weigh w[row]; `masked` is memory for as many. False if that was stopped or failed.
cdef bint answer_by_folds(ChunkEnsembleKernel ensemble, const double* w, Py_ssize_t n_folds,
                          double* masked) noexcept

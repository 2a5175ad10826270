"""Cross-validation at the end of a chunk, to judge a member on the rows on which it was fitted.

For each fold a member is fitted on the rows of the others and answers those of the fold. The fold of a row is

    floor(folds × u),   u in [0, 1) drawn from the ensemble's key and the number of the row.      (1)
"""

from .base cimport GROWING, ChunkEnsembleKernel, answer, chunks_t
from thalweg._native.failure cimport current_failure
from thalweg._native.kernel cimport Kernel, fit_block, learner_t
from thalweg._native.rng cimport below, bits


cdef bint answer_by_folds(ChunkEnsembleKernel ensemble, const double* w, Py_ssize_t n_folds,
                          double* masked) noexcept:
    cdef Py_ssize_t fold
    cdef bint done
    cdef Kernel kernel
    cdef chunks_t* b = &ensemble.chunks
    for fold in range(n_folds):
        fresh = ensemble.built(b.most)
        if fresh is None:
            return False
        kernel = fresh[1]
        with nogil:
            done = answer_fold(b, &kernel.handle, w, fold, n_folds, masked)
        ensemble.keep(ensemble.next_template(b.most), fresh[0])
        if not done:
            return False
    return True


cdef bint answer_fold(chunks_t* b, const learner_t* h, const double* w, Py_ssize_t fold, Py_ssize_t n_folds,
                      double* masked) noexcept nogil:
    # Fit on all rows but those of the fold, and answer these.
    cdef Py_ssize_t i, n = b.counts[GROWING], n_inside = 0, n_left = 0
    cdef bint is_inside
    for i in range(n):
        is_inside = fold_of(b, i, n_folds) == fold
        masked[i] = 0.0 if is_inside else w[i]
        n_inside += is_inside
        n_left += masked[i] > 0
    if n_inside == 0:
        return True
    if n_left and not fit_block(h, b.X, b.y, masked, n, b.may_stop):
        return False
    for i in range(n):
        if fold_of(b, i, n_folds) == fold and not answer(b, h, i, 1, b.answers + i * b.n_classes):
            return False
    return not current_failure().failed


cdef inline Py_ssize_t fold_of(const chunks_t* b, Py_ssize_t i, Py_ssize_t n_folds) noexcept nogil:
    return below(bits(b.key, b.number[i]), n_folds)                                               # (1)

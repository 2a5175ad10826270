"""The k nearest neighbours in a window of the latest rows (window.pyx, search.pyx).

All rows no farther than the k-th nearest vote for their class with their weight.  (1)
"""

from libc.stdint cimport int64_t

from .search cimport add_votes, begin_search, extend_search, limit_of, search_size, search_t
from .window cimport WindowKernel, keep_latest, window_t


cdef class NearestNeighboursKernel(WindowKernel):
    """One window and one number of neighbours."""

    def __init__(self, who, n_features, n_classes, n_neighbours, window, is_category):
        self.begin_window(who, n_features, n_classes, n_neighbours, window, is_category)
        self.set_handle(<void*> &self.window, n_features, n_classes, learn, predict)
        self.bind()
        self.handle.scratch_size = search_size(&self.window)
        self.core_size = sizeof(window_t)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    keep_latest(<window_t*> state, x, y, w)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef const window_t* c = <const window_t*> state
    cdef search_t s = begin_search(c, x, scratch)
    cdef Py_ssize_t k
    cdef double total
    for k in range(c.n_classes):
        p[k] = 0.0
    extend_search(c, &s, 0, c.rows.span.count)
    total = add_votes(c, &s, limit_of(&s, c.n_neighbours), p, 0.0)               # (1)
    for k in range(c.n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / c.n_classes

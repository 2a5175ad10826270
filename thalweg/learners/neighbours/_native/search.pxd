# The search for the nearest rows of a window (search.pyx).

from libc.stdint cimport int32_t

from .window cimport ROUNDED_TILE, rounded_view_t, window_t

cdef enum:
    TOGETHER = 4                        # rows that are measured at once

ctypedef struct search_t:               # one prediction's memory
    const double* x
    double limit                        # the k-th nearest, infinite while there are fewer
    int32_t bound                       # no row beyond it is within the limit
    Py_ssize_t n_found                  # of `nearest`: k, or all rows searched
    Py_ssize_t n_near
    Py_ssize_t n_waiting
    Py_ssize_t n_categories
    Py_ssize_t n_gaps                   # numeric inputs with missing values, in the window or in x
    Py_ssize_t n_used                   # others that count
    double slack                        # sqrt(n) of (4)
    rounded_view_t view
    Py_ssize_t[ROUNDED_TILE + 2 * TOGETHER] waiting    # places of rows to measure
    double* nearest                     # [n_neighbours], rising
    double* distance                    # [room]: of the rows in `near`
    Py_ssize_t* near                    # [room]: places of rows that may be neighbours, the latest first
    double* inverse                     # [input]: 1/r
    Py_ssize_t* inputs                  # [input]: those used; the categories at the end
    Py_ssize_t* gaps                    # [input]
    Py_ssize_t* used_pairs              # [pair]
    int32_t* value                      # [pair]: x, rounded, in these
    int32_t* row                        # [pair]: in all
    int32_t* differs                    # [pair]: whether rows of the window differ in it


# doubles of memory for a search
cdef Py_ssize_t search_size(const window_t* c) noexcept nogil

# begin the search for the neighbours of x, in the memory `scratch`
cdef search_t begin_search(const window_t* c, const double* x, double* scratch) noexcept nogil

# find the nearest of the latest `stop` rows, those of the latest `start` being found; there are as many rows
cdef void extend_search(const window_t* c, search_t* s, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


cdef inline double limit_of(const search_t* s, Py_ssize_t k) noexcept nogil:
    # How far the k-th nearest row is, or the last if there are fewer.
    return s.nearest[min(k, s.n_found) - 1] if s.n_found else 0.0


cdef inline double add_votes(const window_t* c, const search_t* s, double limit, double* votes,
                             double total) noexcept nogil:
    # Add the weight of each row within the limit, the oldest first, to its class and to the total returned.
    cdef Py_ssize_t i
    for i in range(s.n_near - 1, -1, -1):
        if s.distance[i] <= limit:
            votes[c.rows.y[s.near[i]]] += c.rows.w[s.near[i]]
            total += c.rows.w[s.near[i]]
    return total

# A window of the latest rows and the search for neighbours in it (window.pyx).

from libc.stdint cimport int16_t, int32_t, uint32_t

from thalweg._native.kernel cimport Kernel
from thalweg._native.ring cimport ring_t

cdef extern from "thalweg/learners/neighbours/_native/rounded_tiles.h" nogil:
    enum:
        ROUNDED_TILE
        TOGETHER
    ctypedef struct rounded_view_t:
        Py_ssize_t n_pairs
        Py_ssize_t n_categories
        Py_ssize_t n_used
        int32_t unit
        const int32_t* tiles
        const Py_ssize_t* used
        const int32_t* value
    ctypedef Py_ssize_t (*near_tile_t)(const rounded_view_t* v, Py_ssize_t last, Py_ssize_t first,
                                       int32_t limit, uint32_t* rows) noexcept nogil
    near_tile_t best_near_tile() noexcept nogil
    int last_bit(uint32_t bits) noexcept nogil
    void fetch_row(const double* row, Py_ssize_t n) noexcept nogil

ctypedef struct window_t:
    near_tile_t near_tile
    ring_t rows                         # X is [place, input], with places for whole tiles
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_neighbours
    Py_ssize_t* is_category             # [input]
    double* low                         # [input]
    double* high                        # [input]
    Py_ssize_t* n_low                   # [input]: values at the least
    Py_ssize_t* n_high                  # [input]
    Py_ssize_t* n_missing               # [input]
    # the rounded copy
    double unit                         # of a rounded input's range
    Py_ssize_t n_pairs
    Py_ssize_t n_category_pairs         # the first of them
    int16_t* rounded                    # [tile, pair, ROUNDED_TILE, 2]
    Py_ssize_t* place                   # [input]: 2 pair + half
    Py_ssize_t* order                   # [pair]: those of numbers by their spread, the greatest first
    double* spread                      # [pair]
    double* centre                      # [input]: value of the number 0
    double* scale                       # [input]: numbers per value
    double* reach                       # [input]: range that is `unit` numbers
    double* stand_in                    # [input]: for a missing value


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


cdef class WindowKernel(Kernel):
    cdef window_t window

    cdef void begin_window(self, str who, Py_ssize_t n_features, Py_ssize_t n_classes,
                           Py_ssize_t n_neighbours, Py_ssize_t room, is_category)


# doubles of memory for a search
cdef Py_ssize_t search_size(const window_t* c) noexcept nogil

# keep a row, in place of the oldest if the window is full
cdef void keep_latest(window_t* c, const double* x, Py_ssize_t y, double w) noexcept nogil

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

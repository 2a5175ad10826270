# A window of the latest rows and its rounded copy (window.pyx).

from libc.math cimport floor, isnan
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t

from thalweg._native.kernel cimport Kernel
from thalweg._native.ring cimport ring_t

cdef extern from "thalweg/learners/neighbours/_native/rounded_tiles.h" nogil:
    enum:
        ROUNDED_TILE
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

cdef extern from *:
    """
    #define STEEP 1e300
    #define MOST_NUMBER 16000
    #define MISSING_CATEGORY 32767
    """
    const double STEEP                  # bound on 1/r
    const int MOST_NUMBER               # the difference of two has 16 bits
    const int MISSING_CATEGORY

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


cdef class WindowKernel(Kernel):
    cdef window_t window

    cdef void begin_window(self, str who, Py_ssize_t n_features, Py_ssize_t n_classes,
                           Py_ssize_t n_neighbours, Py_ssize_t room, is_category)


# keep a row, instead of the oldest if the window is full
cdef void keep_latest(window_t* c, const double* x, Py_ssize_t y, double w) noexcept nogil


cdef inline double* value_at(const window_t* c, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Input j of the row in place i.
    return c.rows.X + i * c.n_features + j


cdef inline double width_of(const window_t* c, Py_ssize_t j) noexcept nogil:
    return c.high[j] - c.low[j] if c.n_low[j] else 0.0


cdef inline int16_t code_of(double value) noexcept nogil:
    # The last 16 bits of a category's code: the same for the same category.
    return MISSING_CATEGORY if isnan(value) else <int16_t> <int64_t> max(-1e18, min(1e18, value))


cdef inline double number_of(const window_t* c, Py_ssize_t j, double value) noexcept nogil:
    cdef double known = c.stand_in[j] if isnan(value) else value
    cdef double number = floor((known - c.centre[j]) * c.scale[j] + 0.5)                   # (1)
    return max(-<double> MOST_NUMBER, min(<double> MOST_NUMBER, number))

# The search for neighbours in a window of the latest rows (nearest_neighbours.pyx), for all kernels with one.

from libc.stdint cimport int64_t

from thalweg._native.kernel cimport Kernel
from thalweg._native.ring cimport ring_t

cdef extern from "thalweg/learners/neighbours/_native/window_distance.h" nogil:
    enum:
        WINDOW_TILE
    ctypedef struct window_view_t:
        Py_ssize_t n_features
        Py_ssize_t n_rows
        Py_ssize_t n_used
        const double* tiles
        const Py_ssize_t* used
        const double* value
        const double* inverse
    ctypedef void (*measure_t)(const window_view_t* w, int begun, double* distance,
                               double* least) noexcept nogil
    measure_t best_measure() noexcept nogil

ctypedef struct neighbours_t:
    measure_t measure
    ring_t rows                         # X is [tile, input, WINDOW_TILE]
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_neighbours
    Py_ssize_t* is_category             # [input]
    double* low                         # [input]
    double* high                        # [input]
    Py_ssize_t* n_low                   # [input]: values at the least
    Py_ssize_t* n_high                  # [input]
    Py_ssize_t* n_missing               # [input]


ctypedef struct search_t:               # one prediction's memory
    double* distance                    # [place, rounded up to whole tiles]
    double* least                       # [tile]: its least distance
    double* nearest                     # [n_neighbours], rising
    double* value                       # [input]
    double* inverse                     # [input]
    Py_ssize_t* used                    # [input]
    Py_ssize_t* near                    # [place]: rows that may be neighbours


cdef class NearestNeighboursKernel(Kernel):
    cdef neighbours_t core


# the parts of the caller's memory, `scratch_size` doubles of the handle
cdef search_t search_in(const neighbours_t* c, double* scratch) noexcept nogil

# the distance of x to every row of the window, and each tile's least
cdef void measure_window(const neighbours_t* c, search_t* s, const double* x) noexcept nogil

# keep a row, in place of the oldest if the window is full
cdef void learn_neighbour(void* state, const double* x, Py_ssize_t y, double w,
                          int64_t number) noexcept nogil


cdef inline void insert_nearest(double d, double* nearest, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    # Put the n-th value, n < k or d below the last, in its place among the k least so far.
    cdef Py_ssize_t place = min(n, k - 1)
    while place > 0 and nearest[place - 1] > d:
        nearest[place] = nearest[place - 1]
        place -= 1
    nearest[place] = d

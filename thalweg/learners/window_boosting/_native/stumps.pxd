# Decision stumps on a window whose inputs are kept sorted.

from .loss_window cimport loss_window_t

ctypedef struct stump_t:
    Py_ssize_t feature
    double threshold                    # values up to it, or this category, get the first class
    Py_ssize_t left
    Py_ssize_t right

ctypedef struct sorted_t:
    Py_ssize_t n_classes
    const Py_ssize_t* n_categories      # [feature], 0 for a numeric one
    int* order                          # [feature, room]: slots by value, of equal ones the oldest first
    double* sums                        # [3, class]; scratch: weights in all, left, right of a border

# the row at `slot` has been put into the window as its newest, or is about to leave it as its oldest
cdef void insert_row(sorted_t* s, const loss_window_t* v, Py_ssize_t slot) noexcept nogil
cdef void take_out_row(sorted_t* s, const loss_window_t* v, Py_ssize_t slot) noexcept nogil

# find the stump of smallest error, each row weighing its share; return False if a signal stopped that
cdef bint find_stump(sorted_t* s, loss_window_t* v, stump_t* found) noexcept nogil


cdef inline Py_ssize_t stump_class(const Py_ssize_t* n_categories, Py_ssize_t feature, double threshold,
                                   const Py_ssize_t* classes, const double* x) noexcept nogil:
    cdef double value = x[feature]
    return classes[not (value == threshold if n_categories[feature] else value <= threshold)]

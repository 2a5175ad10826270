# Histograms of every input of a block of rows, and how alike two of them are.

ctypedef struct input_bins_t:
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_bins                   # of all inputs together
    const Py_ssize_t* start             # [input + 1]: where its bins begin; the first is for missing values
    const Py_ssize_t* n_categories      # [input]: 0 for a number
    bint corrected                      # whether the distance expected by chance is subtracted
    double* by_chance                   # [rows of both histograms + 1]: memory for the distances
    double* spread                      # the same, for how far chance makes them vary

cdef enum:
    # places in the moments of an input
    FOUND = 0                           # the statistic of (3)
    EXPECTED = 1                        # its mean if nothing has changed
    VARIANCE = 2                        # and its variance
    N_MOMENTS = 3

# low[input] and scale[input] of equal bins between the least and the largest value of the rows X
cdef void cut_bins(const input_bins_t* h, const double* X, Py_ssize_t n, double* low,
                   double* scale) noexcept nogil

# add the rows X, with their class codes (0 for all if y is NULL), to counts[class, bin]
cdef void count_rows(const input_bins_t* h, const double* low, const double* scale, const double* X,
                     const Py_ssize_t* y, Py_ssize_t n, int* counts) noexcept nogil

# counts[bin] of all classes together, of counts[class, bin]
cdef void sum_classes(const input_bins_t* h, const int* counts, int* total) noexcept nogil

# add to weight[input] how alike the histograms a[bin] and b[bin] of each input are, from 0 to 1, and 1 to
# n_added[input], unless one of them is empty; where moments[input, N_MOMENTS] is not NULL, add the terms of
# (3) to (5) of the two histograms to it
cdef void add_likeness(const input_bins_t* h, const int* a, const int* b, double* weight,
                       Py_ssize_t* n_added, double* moments) noexcept nogil

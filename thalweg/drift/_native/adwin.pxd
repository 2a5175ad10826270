# ADWIN for compiled callers: a struct of doubles laid over memory that the caller owns (a NumPy array, or
# its slice), without pointers, so that it is copied and saved as it lies. The buckets follow the struct.

cdef enum:
    ADWIN_MOST = 6                      # buckets of one size, one more than ever stay

ctypedef struct adwin_t:
    double delta
    double period
    double room                         # sizes there is memory for
    double as_moa                       # 1 to multiply lengths in 32 bits, as MOA does; 0 to be right
    double time                         # values since the last reset
    double n_sizes                      # sizes in use: 1, 2, 4, …
    double width
    double total
    double variance                     # sum of squared distances from the mean

# doubles of memory an ADWIN with this room needs: 9 + 13 room; its window holds up to 5·2^room values
cdef Py_ssize_t adwin_doubles(Py_ssize_t room) noexcept nogil

cdef void adwin_begin(adwin_t* a, double delta, Py_ssize_t period, Py_ssize_t room) noexcept nogil

cdef void adwin_reset(adwin_t* a) noexcept nogil

# add a value; return 1 if the window was cut and its mean is now higher, -1 if cut and not higher, else 0
cdef int adwin_update(adwin_t* a, double value) noexcept nogil

cdef inline double adwin_mean(const adwin_t* a) noexcept nogil:
    return a.total / a.width if a.width > 0 else 0.0

cdef inline double adwin_variance(const adwin_t* a) noexcept nogil:
    return a.variance / a.width if a.width > 0 else 0.0

# Running means and standard deviations of the inputs, and values in their terms.

from libc.math cimport sqrt

from .maths cimport clipped

cdef extern from *:
    """
    #if defined(_MSC_VER)
    typedef double *__restrict lane_t;
    #else
    typedef double *__restrict__ lane_t;
    #endif
    """
    ctypedef double* lane_t             # points to memory that no other argument points to

cdef extern from *:
    """
    static const double MOST_DEVIATIONS = 10.0, HUGE_SPREAD = 1e150, LEAST_SPREAD = 1e-150;
    """
    double MOST_DEVIATIONS              # standard deviations: no value counts as farther from the mean
    double HUGE_SPREAD                  # its square is still finite
    double LEAST_SPREAD                 # the least standard deviation that counts as one


cdef inline double standardised(double value, double mean, double scale) noexcept nogil:
    # A missing value is 0, the mean.
    return clipped((value - mean) * scale, MOST_DEVIATIONS)


cdef inline void set_scale(double variance, double* scale, double* bound) noexcept nogil:
    # scale is 1/standard deviation, 0 while that is 0; bound is MOST_DEVIATIONS of them, or HUGE_SPREAD.
    cdef double spread = sqrt(variance)
    bound[0] = MOST_DEVIATIONS * spread if spread > LEAST_SPREAD else HUGE_SPREAD
    scale[0] = 1.0 / spread if spread > LEAST_SPREAD else 0.0


cdef inline void update(const double* row, lane_t count, lane_t mean, lane_t variance, lane_t scale,
                        lane_t bound, Py_ssize_t n_inputs) noexcept nogil:
    # Update the running means and variances. Extreme values are clipped here too, so that one of them does
    # not hide its input permanently. There are no branches, so the compiler can vectorise the loop.
    cdef Py_ssize_t j
    cdef double here, error, share, spread
    for j in range(n_inputs):
        here = 1.0 if row[j] == row[j] else 0.0
        count[j] += here
        share = here / max(count[j], 1.0)
        error = row[j] - mean[j] if row[j] == row[j] else 0.0
        error = min(max(error, -bound[j]), bound[j])
        mean[j] += error * share
        variance[j] += (error * error * (1.0 - share) - variance[j]) * share
        spread = sqrt(variance[j])
        bound[j] = MOST_DEVIATIONS * spread if spread > LEAST_SPREAD else HUGE_SPREAD
        scale[j] = 1.0 / spread if spread > LEAST_SPREAD else 0.0

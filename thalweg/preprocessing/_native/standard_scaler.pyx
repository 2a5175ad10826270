"""Running means and standard deviations, and values in their terms.

    n <- decay n + 1,  a = 1/n                      (1)
    mean <- mean + a e,  e = value - mean           (2)
    variance <- (1 - a) (variance + a e²)           (3)

With decay 1 these are the mean and the variance of all values. Where e is beyond MOST_DEVIATIONS standard
deviations it counts as so many, and so does a value that is scaled.
"""

from libc.math cimport NAN, isnan

from thalweg._native.layout import FLOAT, MOST_COUNTED, MOST_VALUE, Array

from thalweg._native.maths cimport clipped
from thalweg._native.pointers cimport doubles
from thalweg._native.standardiser cimport set_scale, standardised
from .base cimport StepKernel

cdef double MOST_VARIANCE = 1e301

ctypedef struct scaler_t:
    double decay
    double* mean                        # [column]
    double* variance                    # [column]
    double* count                       # [column]


cdef class ScalerKernel(StepKernel):
    """Scales the values at `columns`."""

    cdef scaler_t core

    def __init__(self, who, n_inputs, columns, sizes, decay):
        self.allocate(who, {
            "mean": Array(FLOAT, "column", low=-MOST_VALUE, high=MOST_VALUE),
            "variance": Array(FLOAT, "column", low=0, high=MOST_VARIANCE),
            "count": Array(FLOAT, "column", low=0, high=MOST_COUNTED),
        }, {"column": len(columns)})
        self.core.decay = decay
        self.set_step(<void*> &self.core, n_inputs, columns, sizes, scale, learn)
        self.bind()

    cdef void bind(self):
        self.core.mean, self.core.count = doubles(self.arrays["mean"]), doubles(self.arrays["count"])
        self.core.variance = doubles(self.arrays["variance"])


cdef void scale(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const scaler_t* s = <const scaler_t*> state
    cdef double factor, bound
    set_scale(s.variance[c], &factor, &bound)
    out[0] = NAN if isnan(value) else standardised(value, s.mean[c], factor)


cdef void learn(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef scaler_t* s = <scaler_t*> state
    cdef double factor, bound, error, share
    if isnan(value):
        return
    set_scale(s.variance[c], &factor, &bound)
    s.count[c] = s.decay * s.count[c] + 1.0                                         # (1)
    share = 1.0 / s.count[c]
    error = clipped(value - s.mean[c], bound)
    s.mean[c] += share * error                                                      # (2)
    s.variance[c] = (1.0 - share) * (s.variance[c] + share * error * error)         # (3)

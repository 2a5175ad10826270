"""Page–Hinkley: by how much have losses exceeded their mean, summed?

    mean += (x - mean)/n,  sum = decay sum + (x - mean - delta)                   (1)

and an alarm where the sum passes the threshold, or its lowest value so far by the threshold.
"""

import numpy as np

from .detector cimport ALARM, QUIET, DetectorKernel

ctypedef struct hinkley_t:
    double delta
    double threshold
    double decay
    double min_values
    double from_lowest                  # 1 or 0
    double n
    double mean
    double sum
    double low


cdef class PageHinkleyKernel(DetectorKernel):
    """The sums of a Page–Hinkley test."""

    def __init__(self, delta, threshold, decay, min_values, from_lowest):
        self.keep(np.zeros(sizeof(hinkley_t) // sizeof(double)))
        self.memory[:5] = delta, threshold, decay, min_values, from_lowest
        self.handle.update = update
        self.handle.reset = reset


cdef void reset(void* state) noexcept nogil:
    cdef hinkley_t* t = <hinkley_t*> state
    t.n = t.mean = t.sum = t.low = 0.0


cdef int update(void* state, double loss) noexcept nogil:
    cdef hinkley_t* t = <hinkley_t*> state
    t.n += 1
    t.mean += (loss - t.mean) / t.n                                              # (1)
    t.sum = t.decay * t.sum + (loss - t.mean - t.delta)
    if t.from_lowest and t.sum < t.low:
        t.low = t.sum
    if t.n + 1 >= t.min_values and t.sum - t.low > t.threshold:
        reset(state)
        return ALARM
    return QUIET

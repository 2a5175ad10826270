"""Page–Hinkley: by how much have losses exceeded their mean, summed?

    mean += (x - mean)/n,  sum = decay sum + (x - mean - tolerance)               (1)

and an alarm where the sum passes the threshold, or its lowest value so far by the threshold.
"""

from thalweg._native.layout import FLOAT, SETTING, Array, counter, require

from .base cimport ALARM, LARGEST_LOSS, QUIET, DetectorKernel, usual_loss

cdef double LOWEST = -1e300              # sums stop falling here

ctypedef struct hinkley_t:
    double tolerance
    double threshold
    double decay
    double min_values
    double from_lowest                  # 1 or 0
    double n
    double mean
    double sum
    double low

FIELDS = {
    "tolerance": SETTING,
    "threshold": SETTING,
    "decay": SETTING,
    "min_values": SETTING,
    "from_lowest": SETTING,
    "n": counter(),
    "mean": Array(FLOAT, low=-LARGEST_LOSS, high=LARGEST_LOSS),
    "sum": Array(FLOAT, low=LOWEST),
    "low": Array(FLOAT, high=0.0),
}


cdef class PageHinkleyKernel(DetectorKernel):
    """The sums of a Page–Hinkley test."""

    def __init__(self, tolerance, threshold, decay, min_values, from_lowest):
        self.allocate(FIELDS, 0, (tolerance, threshold, decay, min_values, from_lowest))
        self.handle.update = update
        self.handle.reset = reset

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other."""
        n, low, total = found["n"], found["low"], found["sum"]
        require(n > 0 or found["mean"] == total == low == 0, self.who, "sum", "is of no losses")
        require(low <= total if found["from_lowest"] else low == 0, self.who, "low", "is not the lowest sum")
        require(total <= 2 * n * LARGEST_LOSS, self.who, "sum", "is more than 'n' losses sum to")


cdef void reset(void* state) noexcept nogil:
    cdef hinkley_t* t = <hinkley_t*> state
    t.n = t.mean = t.sum = t.low = 0.0


cdef int update(void* state, double loss) noexcept nogil:
    cdef hinkley_t* t = <hinkley_t*> state
    loss = usual_loss(loss)
    t.n += 1
    t.mean += (loss - t.mean) / t.n                                              # (1)
    t.sum = max(t.decay * t.sum + (loss - t.mean - t.tolerance), LOWEST)
    if t.from_lowest and t.sum < t.low:
        t.low = t.sum
    if t.n + 1 >= t.min_values and t.sum - t.low > t.threshold:
        reset(state)
        return ALARM
    return QUIET

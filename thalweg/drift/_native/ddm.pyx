"""DDM and EDDM: has the error rate risen, have errors come closer together?

DDM, for losses of mean p after n of them, with p_low and s_low where p + s was lowest:

    s = sqrt(p (1 - p)/n);   alarm if p + s > p_low + level s_low                 (1)

EDDM, for the distances between errors, of mean m and standard deviation d:

    ratio = (m + 2 d)/(its highest value so far);   alarm if ratio < level        (2)

Both ignore the first `min_values` losses, or errors. Counting is MOA's, where n is one ahead.
"""

from math import sqrt as root

from thalweg._native.layout import FLOAT, SETTING, Array, counter, require

from libc.math cimport sqrt

from .base cimport ALARM, QUIET, WARNING, DetectorKernel

cdef double HIGHEST = 1.7976931348623157e308

ctypedef struct ddm_t:
    double warning_level
    double alarm_level
    double min_values
    double n
    double p
    double low                          # lowest p + s, where p was low_p and s was low_s; HIGHEST before
    double low_p
    double low_s

DDM_FIELDS = {
    "warning_level": SETTING,
    "alarm_level": SETTING,
    "min_values": SETTING,
    "n": counter(),
    "p": Array(FLOAT, low=0.0, high=1.0),
    "low": Array(FLOAT, low=0.0, high=1.5, others=(HIGHEST,)),
    "low_p": Array(FLOAT, low=0.0, high=1.0, others=(HIGHEST,)),
    "low_s": Array(FLOAT, low=0.0, high=0.5, others=(HIGHEST,)),
}

ctypedef struct eddm_t:
    double warning_level
    double alarm_level
    double min_errors
    double n
    double n_errors
    double last                         # number of the latest error
    double mean
    double squares
    double high                         # highest m + 2 d
    double level                        # stands until the next error

EDDM_FIELDS = {
    "warning_level": SETTING,
    "alarm_level": SETTING,
    "min_errors": SETTING,
    "n": counter(),
    "n_errors": counter(),
    "last": counter(),
    "mean": Array(FLOAT, low=0.0),
    "squares": Array(FLOAT, low=0.0),
    "high": Array(FLOAT, low=0.0),
    "level": counter(WARNING),
}


cdef class DDMKernel(DetectorKernel):
    """The sums of a DDM."""

    def __init__(self, warning_level, alarm_level, min_values):
        self.allocate(DDM_FIELDS, 0, (warning_level, alarm_level, min_values))
        self.handle.update = ddm_update
        self.handle.reset = ddm_reset
        self.reset()

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other."""
        n, low_p, low_s = found["n"], found["low_p"], found["low_s"]
        require(n or not found["p"], self.who, "p", "is a mean of no losses")
        if HIGHEST in (found["low"], low_p, low_s):
            require(found["low"] == low_p == low_s, self.who, "low", "is unset, or 'low_p' or 'low_s' alone")
            require(n == 0 or n + 1 < found["min_values"], self.who, "low", "is unset after enough losses")
        else:
            require(found["low"] == low_p + low_s, self.who, "low", "is not the sum of 'low_p' and 'low_s'")
            require(n > 0 and n + 1 >= found["min_values"], self.who, "low", "is set after too few losses")


cdef class EDDMKernel(DetectorKernel):
    """The sums of an EDDM."""

    def __init__(self, warning_level, alarm_level, min_errors):
        self.allocate(EDDM_FIELDS, 0, (warning_level, alarm_level, min_errors))
        self.handle.update = eddm_update
        self.handle.reset = eddm_reset

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other."""
        n_errors, last, mean, high = found["n_errors"], found["last"], found["mean"], found["high"]
        require(n_errors <= last <= found["n"], self.who, "last", "is not between 'n_errors' and 'n'")
        if n_errors == 0:
            require(not any((last, mean, found["squares"], high, found["level"])), self.who, "n_errors",
                    "is 0, but there is something known of errors")
            return
        require(abs(mean * n_errors - last) <= 1e-6 * last, self.who, "mean", "is not 'last' / 'n_errors'")
        require(found["squares"] <= last * last, self.who, "squares", "is larger than errors allow")
        spread = mean + 2 * root(found["squares"] / n_errors)
        wanted = spread <= high <= 2 * last if last + 1 > found["min_errors"] else high == 0
        require(wanted, self.who, "high", "does not fit the errors")
        warned = high > 0 and n_errors > found["min_errors"] and spread / high < found["warning_level"]
        require(found["level"] == warned, self.who, "level", "does not fit the errors")


cdef void ddm_reset(void* state) noexcept nogil:
    cdef ddm_t* t = <ddm_t*> state
    t.n = t.p = 0.0
    t.low = t.low_p = t.low_s = HIGHEST


cdef int ddm_update(void* state, double loss) noexcept nogil:
    cdef ddm_t* t = <ddm_t*> state
    cdef double s
    t.n += 1
    t.p += (loss - t.p) / t.n
    s = sqrt(t.p * (1 - t.p) / t.n)                                              # (1)
    if t.n + 1 < t.min_values:
        return QUIET
    if t.p + s <= t.low:
        t.low, t.low_p, t.low_s = t.p + s, t.p, s
    if t.n + 1 > t.min_values and t.p + s > t.low_p + t.alarm_level * t.low_s:
        ddm_reset(state)
        return ALARM
    return WARNING if t.p + s > t.low_p + t.warning_level * t.low_s else QUIET


cdef void eddm_reset(void* state) noexcept nogil:
    cdef eddm_t* t = <eddm_t*> state
    t.n = t.n_errors = t.last = t.mean = t.squares = t.high = t.level = 0.0


cdef int eddm_update(void* state, double loss) noexcept nogil:
    cdef eddm_t* t = <eddm_t*> state
    cdef double distance, before, spread
    t.n += 1
    if loss < 0.5:
        return <int> t.level
    t.n_errors += 1
    distance = t.n - t.last
    before = t.mean
    t.last = t.n
    t.mean += (distance - t.mean) / t.n_errors
    t.squares += (distance - t.mean) * (distance - before)
    spread = t.mean + 2 * sqrt(t.squares / t.n_errors)                           # (2)
    t.level = QUIET
    if spread > t.high:
        if t.n + 1 > t.min_errors:
            t.high = spread
    elif t.n_errors > t.min_errors and spread / t.high < t.alarm_level:
        eddm_reset(state)
        return ALARM
    elif t.n_errors > t.min_errors and spread / t.high < t.warning_level:
        t.level = WARNING
    return <int> t.level

"""HDDM: Hoeffding's and McDiarmid's bounds on how far the mean of bounded losses strays by chance.

HDDM_A compares the mean of all n losses with that of the first m, chosen so that its bound was lowest:

    c_m/m + e(m) <= c_n/n + e(n),   e(n) = sqrt(log(1/delta)/(2 n))               (1)
    alarm if  c_n/n - c_m/m >= sqrt((n - m)/(2 m n) log(2/delta))                 (2)

HDDM_W weights losses by their age. An average a of rate r has the sum of squared weights b:

    a = r x + (1 - r) a,   b = r^2 + (1 - r)^2 b,   e = sqrt(b log(1/delta)/2)    (3)

One average runs over all losses; where a + e is lowest it is kept as a_1, b_1, and a second average a_2, b_2
runs over what comes later:

    alarm if  a_2 - a_1 > sqrt((b_1 + b_2) log(1/delta)/2)                        (4)

Two-sided, both also look for a fall, by the same tests with signs changed, and then reset without an alarm.
"""

from thalweg._native.layout import FLOAT, SETTING, Array, counter, require

from libc.math cimport log, sqrt

from .base cimport ALARM, QUIET, WARNING, DetectorKernel

cdef double HIGHEST = 1.7976931348623157e308
cdef double SMALLEST = 1e-300
cdef double UNSEEN = -1.0               # an average of no losses

ctypedef struct hddm_a_t:
    double delta
    double warning_delta
    double two_sided                    # 1 or 0
    double n
    double c
    double n_low
    double c_low
    double n_high
    double c_high

A_FIELDS = {
    "delta": SETTING,
    "warning_delta": SETTING,
    "two_sided": SETTING,
    "n": counter(),
    "c": Array(FLOAT, low=0.0),
    "n_low": counter(),
    "c_low": Array(FLOAT, low=0.0),
    "n_high": counter(),
    "c_high": Array(FLOAT, low=0.0),
}

ctypedef struct average_t:
    double mean
    double squares

ctypedef struct hddm_w_t:
    double delta
    double warning_delta
    double rate
    double two_sided
    double low                          # lowest a + e
    double high                         # highest a - e
    average_t all
    average_t before_rise
    average_t after_rise
    average_t before_fall
    average_t after_fall

AVERAGES = ("all", "before_rise", "after_rise", "before_fall", "after_fall")
W_FIELDS = {
    "delta": SETTING,
    "warning_delta": SETTING,
    "rate": SETTING,
    "two_sided": SETTING,
    "low": Array(FLOAT, low=0.0, others=(HIGHEST,)),
    "high": Array(FLOAT, low=0.0, high=1.0),
}
for _name in AVERAGES:
    W_FIELDS |= {
        _name: Array(FLOAT, low=0.0, high=1.0, others=(UNSEEN,)),
        f"squares of {_name}": Array(FLOAT, low=0.0, high=1.0),
    }


cdef class HDDMAKernel(DetectorKernel):
    """The sums of an HDDM_A."""

    def __init__(self, delta, warning_delta, two_sided):
        self.allocate(A_FIELDS, 0, (delta, warning_delta, two_sided))
        self.handle.update = a_update
        self.handle.reset = a_reset

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other."""
        n, c = found["n"], found["c"]
        require(c <= n, self.who, "c", "is more than 'n' losses can sum to")
        for part in ("low", "high"):
            m, c_m = found[f"n_{part}"], found[f"c_{part}"]
            require(m <= n and (m > 0) == (n > 0), self.who, f"n_{part}", "does not fit 'n'")
            require(c_m <= min(c, m) and c - c_m <= n - m + 1e-9 * n, self.who, f"c_{part}",
                    f"is not the sum of the first {m:g} of {n:g} losses that sum to {c:g}")


cdef class HDDMWKernel(DetectorKernel):
    """The averages of an HDDM_W."""

    def __init__(self, delta, warning_delta, rate, two_sided):
        # 1/delta is finite, and so are the bounds.
        self.allocate(W_FIELDS, 0, (max(delta, SMALLEST), max(warning_delta, SMALLEST), rate, two_sided))
        self.handle.update = w_update
        self.handle.reset = w_reset
        self.reset()

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other."""
        least = found["rate"] / (2 - found["rate"]) * (1 - 1e-9)
        for name in AVERAGES:
            squares = found[f"squares of {name}"]
            require(squares == 0 if found[name] == UNSEEN else squares >= least, self.who,
                    f"squares of {name}", "do not fit the average")
        require((found["all"] == UNSEEN) == (found["before_rise"] == UNSEEN) == (found["low"] == HIGHEST),
                self.who, "all", "is an average of losses and others are of none, or the reverse")
        if found["all"] == UNSEEN:
            require(all(found[name] == UNSEEN for name in AVERAGES), self.who, "all",
                    "is an average of no losses, but another is of some")
        else:
            self.check_bound(found, "low", "before_rise", 1)
        if found["before_fall"] == UNSEEN:
            require(found["high"] == 0, self.who, "high", "is the bound of no average")
        else:
            self.check_bound(found, "high", "before_fall", -1)
        require(found["two_sided"] or found["after_fall"] == found["before_fall"] == UNSEEN, self.who,
                "two_sided", "is 0, but a fall is looked for")

    def check_bound(self, found, name, average, sign):
        """Raise StateError unless a bound is that of its average."""
        bound = found[average] + sign * sqrt(found[f"squares of {average}"] * log(1.0 / found["delta"]) / 2.0)
        require(abs(found[name] - bound) <= 1e-9, self.who, name, f"is not the bound of {average!r}")


cdef void a_reset(void* state) noexcept nogil:
    cdef hddm_a_t* t = <hddm_a_t*> state
    t.n = t.c = t.n_low = t.c_low = t.n_high = t.c_high = 0.0


cdef inline bint strays(double gap, double m, double n, double delta) noexcept nogil:
    return n > m and gap >= sqrt((n - m) / m * (1.0 / n) / 2.0 * log(2.0 / delta))       # (2)


cdef int a_update(void* state, double loss) noexcept nogil:
    cdef hddm_a_t* t = <hddm_a_t*> state
    cdef double mean, bound, gap, logs = log(1.0 / t.delta)
    t.n += 1
    t.c += loss
    mean = t.c / t.n
    bound = sqrt(1.0 / (2 * t.n) * logs)
    if t.n_low == 0 or t.c_low / t.n_low + sqrt(1.0 / (2 * t.n_low) * logs) >= mean + bound:     # (1)
        t.n_low, t.c_low = t.n, t.c
    if t.n_high == 0 or t.c_high / t.n_high - sqrt(1.0 / (2 * t.n_high) * logs) <= mean - bound:
        t.n_high, t.c_high = t.n, t.c
    gap = mean - t.c_low / t.n_low
    if strays(gap, t.n_low, t.n, t.delta):
        a_reset(state)
        return ALARM
    cdef int level = WARNING if strays(gap, t.n_low, t.n, t.warning_delta) else QUIET
    if t.two_sided and strays(t.c_high / t.n_high - mean, t.n_high, t.n, t.delta):
        a_reset(state)
    return level


cdef void w_reset(void* state) noexcept nogil:
    cdef hddm_w_t* t = <hddm_w_t*> state
    t.low, t.high = HIGHEST, 0.0
    t.all = t.before_rise = t.after_rise = t.before_fall = t.after_fall = average_t(UNSEEN, 0.0)


cdef inline void add_loss(average_t* a, double loss, double rate) noexcept nogil:
    if a.mean < 0:
        a.mean, a.squares = loss, 1.0
    else:
        a.mean = rate * loss + (1 - rate) * a.mean                               # (3)
        a.squares = rate * rate + (1 - rate) * (1 - rate) * a.squares


cdef inline bint rises(const average_t* a, const average_t* b, double delta) noexcept nogil:
    if a.mean < 0 or b.mean < 0:
        return False
    return b.mean - a.mean > sqrt((a.squares + b.squares) * log(1.0 / delta) / 2.0)      # (4)


cdef int w_update(void* state, double loss) noexcept nogil:
    cdef hddm_w_t* t = <hddm_w_t*> state
    cdef double bound
    cdef int level
    add_loss(&t.all, loss, t.rate)
    bound = sqrt(t.all.squares * log(1.0 / t.delta) / 2.0)
    if t.all.mean + bound < t.low:
        t.low = t.all.mean + bound
        t.before_rise, t.after_rise = t.all, average_t(UNSEEN, 0.0)
    else:
        add_loss(&t.after_rise, loss, t.rate)
    if rises(&t.before_rise, &t.after_rise, t.delta):
        w_reset(state)
        return ALARM
    level = WARNING if rises(&t.before_rise, &t.after_rise, t.warning_delta) else QUIET
    if t.two_sided:
        watch_for_fall(t, loss, bound)
    return level


cdef void watch_for_fall(hddm_w_t* t, double loss, double bound) noexcept nogil:
    if t.all.mean - bound > t.high:
        t.high = t.all.mean - bound
        t.before_fall, t.after_fall = t.all, average_t(UNSEEN, 0.0)
    else:
        add_loss(&t.after_fall, loss, t.rate)
    if rises(&t.after_fall, &t.before_fall, t.delta):
        w_reset(t)

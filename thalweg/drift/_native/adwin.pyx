"""ADWIN: a window that grows while its mean is constant, and drops its older part once two parts differ.

The window is an exponential histogram. Buckets of size 2^r are kept from old to new, at most five of a
size; a sixth merges the two oldest into one of the next size. A bucket knows its sum and its sum of squares
s about its mean, which for two parts of n and m values with means a and b join as

    s = s_a + s_b + n m (a - b)^2/(n + m)                                         (1)

Every `period` values the window of n values and variance v is cut at each border of two buckets, into n0
old and n1 new values. The oldest bucket is dropped, and the search repeated, if at any border

    |mean_0 - mean_1| > sqrt(2 h v q) + (2/3) q h,                                (2)
    h = 1/(n0 - 4) + 1/(n1 - 4),   q = log(2 log(n)/delta)

where both parts have more than six values. Sums, order of operations and borders are those of MOA, so that
the cuts are the same. MOA takes n m of (1) in 32 bits, which overflow in windows beyond some 130,000; that
can be asked for. If the memory's largest size is full, the oldest values are forgotten.

Total and variance are running sums. When values of very different size have left the window, what rounding
left of them may exceed the sums of the buckets; the running sums are then computed again from the buckets.
"""

import numpy as np

from thalweg.errors import StateError

from thalweg._native.layout import FLOAT, MOST_COUNTED, SETTING, Array, counter

from libc.math cimport fabs, floor, isfinite, log, sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from .base cimport ALARM, LARGEST_LOSS, QUIET, DetectorKernel, usual_loss

cdef enum:
    SMALLEST = 10                       # narrower windows are not searched
    SHORTEST = 5                        # MOA's least length of a part, off by one in (2) as there
    NO_OVERFLOW = 92681                 # values: the product of two parts' lengths stays below 2^31
    MOST_SIZES = 48                     # of buckets: the lengths of larger windows are not exact

cdef double MOST_VALUES = MOST_COUNTED
cdef double ROUNDED = 1e-3              # part of the running sums that rounding may make up

FIELDS = {
    "delta": SETTING,
    "period": SETTING,
    "room": SETTING,
    "as_moa": SETTING,
    "time": counter(),
    "n_sizes": counter(),
    "width": counter(),
    "total": Array(FLOAT),
    "variance": Array(FLOAT),
}


cdef Py_ssize_t adwin_doubles(Py_ssize_t room) noexcept nogil:
    return sizeof(adwin_t) // sizeof(double) + room * (1 + 2 * ADWIN_MOST)


cdef void adwin_begin(adwin_t* a, double delta, Py_ssize_t period, Py_ssize_t room) noexcept nogil:
    a.delta = delta
    a.period = period
    a.room = room
    a.as_moa = 0.0
    adwin_reset(a)


cdef void adwin_reset(adwin_t* a) noexcept nogil:
    a.time = a.width = a.total = a.variance = 0.0
    a.n_sizes = 1
    memset(counts(a), 0, <Py_ssize_t> a.room * (1 + 2 * ADWIN_MOST) * sizeof(double))


cdef inline double* counts(adwin_t* a) noexcept nogil:
    return <double*> (a + 1)


cdef inline double* sums(adwin_t* a, Py_ssize_t size) noexcept nogil:
    return counts(a) + <Py_ssize_t> a.room + size * ADWIN_MOST


cdef inline double* squares(adwin_t* a, Py_ssize_t size) noexcept nogil:
    return sums(a, size) + <Py_ssize_t> a.room * ADWIN_MOST


cdef inline double product(const adwin_t* a, double n, double m) noexcept nogil:
    return <double> <int32_t> <uint32_t> (<uint64_t> n * <uint64_t> m) if a.as_moa else n * m


cdef inline void add(adwin_t* a, Py_ssize_t size, double total, double square) noexcept nogil:
    cdef Py_ssize_t place = <Py_ssize_t> counts(a)[size]
    sums(a, size)[place] = total
    squares(a, size)[place] = square
    counts(a)[size] += 1


cdef inline void shift(double* buckets, Py_ssize_t n) noexcept nogil:
    # The usual case, two buckets, needs no call.
    if n == 2:
        buckets[0], buckets[1], buckets[2], buckets[3] = buckets[2], buckets[3], buckets[4], buckets[5]
    else:
        memmove(buckets, buckets + n, (ADWIN_MOST - n) * sizeof(double))


cdef inline void drop(adwin_t* a, Py_ssize_t size, Py_ssize_t n) noexcept nogil:
    # Forget the n oldest buckets of a size.
    shift(sums(a, size), n)
    shift(squares(a, size), n)
    counts(a)[size] -= n


cdef void insert(adwin_t* a, double value) noexcept nogil:
    cdef double off
    a.width += 1
    if a.width > 1:
        off = value - a.total / (a.width - 1)
        a.variance += (a.width - 1) * off * off / a.width                        # (1)
    a.total += value
    add(a, 0, value, 0.0)
    if counts(a)[0] == ADWIN_MOST:
        merge(a)


cdef void merge(adwin_t* a) noexcept nogil:
    cdef Py_ssize_t size = 0
    cdef double n = 1.0, off
    cdef double* total
    while counts(a)[size] == ADWIN_MOST:
        if size + 1 == <Py_ssize_t> a.n_sizes:
            if size + 1 == <Py_ssize_t> a.room:
                forget(a)
                correct(a)
                return
            a.n_sizes += 1
        total = sums(a, size)
        off = total[0] / n - total[1] / n
        add(a, size + 1, total[0] + total[1],
            squares(a, size)[0] + squares(a, size)[1] + product(a, n, n) * off * off / (n + n))     # (1)
        drop(a, size, 2)
        size += 1
        n *= 2


cdef void forget(adwin_t* a) noexcept nogil:
    # Take the oldest bucket out of the window.
    cdef Py_ssize_t size = <Py_ssize_t> a.n_sizes - 1
    cdef double n = <double> (<Py_ssize_t> 1 << size), off
    a.width -= n
    a.total -= sums(a, size)[0]
    off = sums(a, size)[0] / n - a.total / a.width
    a.variance -= squares(a, size)[0] + product(a, n, a.width) * off * off / (n + a.width)     # (1)
    drop(a, size, 1)
    if counts(a)[size] == 0:
        a.n_sizes -= 1


cdef void sum_up(adwin_t* a, double* total, double* variance) noexcept nogil:
    # The sums of the window from its buckets.
    cdef Py_ssize_t size, place
    cdef double n0 = 0.0, n, off
    total[0] = variance[0] = 0.0
    for size in range(<Py_ssize_t> a.n_sizes - 1, -1, -1):
        n = <double> (<Py_ssize_t> 1 << size)
        for place in range(<Py_ssize_t> counts(a)[size]):
            off = total[0] / n0 - sums(a, size)[place] / n if n0 > 0 else 0.0
            variance[0] += squares(a, size)[place] + n0 * n * off * off / (n0 + n)              # (1)
            total[0] += sums(a, size)[place]
            n0 += n


cdef bint is_rounded(const adwin_t* a, double total, double variance) noexcept nogil:
    # Whether the running sums are these except for rounding.
    cdef double mean = total / max(a.width, 1.0), spread = sqrt(variance * a.width)
    if not fabs(a.total - total) <= ROUNDED * (fabs(total) + spread + a.width):
        return False
    return fabs(a.variance - variance) <= ROUNDED * (variance + a.width) + 1e-9 * a.width * mean * mean


cdef inline bint overflows(const adwin_t* a) noexcept nogil:
    # Whether lengths may have been multiplied as MOA does, with a product beyond 32 bits.
    return a.as_moa and a.time > NO_OVERFLOW


cdef void correct(adwin_t* a) noexcept nogil:
    cdef double total, variance
    if overflows(a):
        return
    sum_up(a, &total, &variance)
    if not is_rounded(a, total, variance):
        a.total, a.variance = total, variance


cdef bint differs(adwin_t* a) noexcept nogil:
    # Whether (2) holds at any border, the oldest tried first. The root alone, with both sides squared and
    # multiplied out, rules out nearly all borders without a division.
    cdef Py_ssize_t size, place
    cdef double n0 = 0.0, n1 = a.width, total0 = 0.0, total1 = a.total, n, m, gap
    cdef double q = log(2.0 * log(a.width) / a.delta), v = a.variance / a.width
    cdef double root = 2.0 * v * q * (a.width - 2 * SHORTEST + 2) * (1 - 1e-9)
    cdef const double* totals
    for size in range(<Py_ssize_t> a.n_sizes - 1, -1, -1):
        n = <double> (<Py_ssize_t> 1 << size)
        totals = sums(a, size)
        for place in range(<Py_ssize_t> counts(a)[size]):
            n0 += n
            n1 -= n
            total0 += totals[place]
            total1 -= totals[place]
            if n1 <= SHORTEST + 1:
                return False
            gap = total0 * n1 - total1 * n0
            m = n0 * n1
            if gap * gap * (n0 - SHORTEST + 1) * (n1 - SHORTEST + 1) >= root * m * m and n0 > SHORTEST + 1:
                if passes(total0 / n0 - total1 / n1, n0, n1, v, q):
                    return True
    return False


cdef bint passes(double gap, double n0, double n1, double v, double q) noexcept nogil:
    cdef double h = 1.0 / (n0 - SHORTEST + 1) + 1.0 / (n1 - SHORTEST + 1)
    return fabs(gap) > sqrt(2.0 * h * v * q) + 2.0 / 3.0 * q * h                 # (2)


cdef int adwin_update(adwin_t* a, double value) noexcept nogil:
    cdef double before = adwin_mean(a)
    cdef bint cut = False
    a.time += 1
    insert(a, value)
    if <Py_ssize_t> a.time % <Py_ssize_t> a.period or a.width <= SMALLEST:
        return 0
    while differs(a):
        forget(a)
        cut = True
    if not cut:
        return 0
    correct(a)
    return 1 if adwin_mean(a) > before else -1


def check_adwin(const double[::1] memory, who, name):
    """Raise StateError unless `memory`, from the state's array `name`, holds a valid ADWIN."""
    cdef Py_ssize_t n_header = sizeof(adwin_t) // sizeof(double)
    wrong = None
    if memory.shape[0] < adwin_doubles(1):
        wrong = f"has {memory.shape[0]} numbers, too few for an ADWIN"
    elif not all_finite(&memory[0], memory.shape[0]):
        wrong = "holds a number that is not finite"
    elif not 1 <= memory[2] <= MOST_SIZES or memory.shape[0] != n_header + memory[2] * (1 + 2 * ADWIN_MOST):
        wrong = f"holds an ADWIN for {memory[2]} sizes of buckets in {memory.shape[0]} numbers"
    elif not are_settings(<const adwin_t*> &memory[0]):
        wrong = "holds settings or a time that no ADWIN can have"
    elif not are_buckets(<adwin_t*> &memory[0]):
        wrong = "holds an ADWIN whose buckets do not make up its window"
    elif not are_sums(<adwin_t*> &memory[0]):
        wrong = "holds an ADWIN whose sums do not fit each other"
    if wrong is not None:
        raise StateError(f"{who}: the state's {name!r} {wrong}")


def holds_losses(memory):
    """Return whether the values of an ADWIN, or of each in the rows of an array, are between 0 and 1.

    Only its variance may be negative: it is a running sum, and rounding may leave less than 0 of it.
    """
    width, total, variance = memory[..., 6], memory[..., 7], 8
    return bool((np.delete(memory, variance, axis=-1) >= 0).all() and (total <= width).all())


cdef bint all_finite(const double* values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if not isfinite(values[i]):
            return False
    return True


cdef inline bint is_whole(double value, double low, double high) noexcept nogil:
    return low <= value <= high and value == floor(value)


cdef bint are_settings(const adwin_t* a) noexcept nogil:
    if a.delta < 0 or not is_whole(a.period, 1, MOST_VALUES) or not is_whole(a.as_moa, 0, 1):
        return False
    return is_whole(a.time, 0, MOST_VALUES) and is_whole(a.room, 1, MOST_SIZES)


cdef bint are_buckets(adwin_t* a) noexcept nogil:
    # Of each size in use there are between 1 and 5, of the others none, and they add up to the window.
    cdef Py_ssize_t size
    cdef double n = 1.0, width = 0.0
    if not is_whole(a.n_sizes, 1, a.room):
        return False
    for size in range(<Py_ssize_t> a.room):
        if not is_whole(counts(a)[size], size < a.n_sizes and a.n_sizes > 1,
                        ADWIN_MOST - 1 if size < a.n_sizes else 0):
            return False
        width += n * counts(a)[size]
        n *= 2
    return a.width == width <= a.time


cdef bint are_sums(adwin_t* a) noexcept nogil:
    # A bucket's sums are of values up to LARGEST_LOSS, the window's are those of its buckets; MOA's overflow.
    cdef Py_ssize_t size, place
    cdef double most = LARGEST_LOSS * (1 + ROUNDED), most_squared = 0.0, total, variance
    for size in range(<Py_ssize_t> a.n_sizes):
        for place in range(<Py_ssize_t> counts(a)[size]):
            if fabs(sums(a, size)[place]) > most:
                return False
            if not overflows(a) and not 0 <= squares(a, size)[place] <= most_squared:
                return False
        most *= 2
        most_squared = most * LARGEST_LOSS
    sum_up(a, &total, &variance)
    return overflows(a) or is_rounded(a, total, variance)


cdef class ADWINKernel(DetectorKernel):
    """ADWIN as a detector: an alarm where the window was cut and its mean rose."""

    def __init__(self, delta, period, room, as_moa):
        self.allocate(FIELDS, adwin_doubles(room) - len(FIELDS), (delta, period, room, as_moa))
        self.handle.update = update
        self.handle.reset = reset
        self.reset()

    def check(self, memory, found):
        """Raise StateError if no sequence of updates leads to this window."""
        check_adwin(memory, self.who, "memory")

    @property
    def width(self):
        """Values in the window."""
        return self.measured()[0]

    @property
    def mean(self):
        """Mean of the window."""
        return self.measured()[1]

    @property
    def variance(self):
        """Variance of the window."""
        return self.measured()[2]

    cdef tuple measured(self):
        cdef adwin_t* a = <adwin_t*> self.handle.state
        cdef double width, mean, variance
        self.lock.begin_read()
        width, mean, variance = a.width, adwin_mean(a), adwin_variance(a)
        self.lock.end_read()
        return int(width), mean, max(variance, 0.0)


cdef int update(void* state, double loss) noexcept nogil:
    return ALARM if adwin_update(<adwin_t*> state, usual_loss(loss)) > 0 else QUIET


cdef void reset(void* state) noexcept nogil:
    adwin_reset(<adwin_t*> state)

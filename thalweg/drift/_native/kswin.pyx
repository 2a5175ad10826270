"""KSWIN: do the latest losses come from another distribution than those before them?

Of the last `window` losses, the latest n are compared with n drawn at random from the older ones by the
two-sample Kolmogorov–Smirnov statistic D, the largest distance between their distribution functions. With two
samples of n, D = k/n for a whole k, and for an unchanged distribution (B. V. Gnedenko, V. S. Korolyuk, 1951)

    P(D >= k/n) = 2 sum_{i >= 1} (-1)^(i+1) C(2n, n - ik)/C(2n, n)                (1)

so that the test is one comparison of k with a critical value found beforehand; D must exceed 0.1, too. Draw
number i is a hash of the seed and i (splitmix64), so that the state of the generator is one number.
"""

import math

import numpy as np

from thalweg._native.layout import SETTING, counter, require

from libc.stdint cimport uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy

from .base cimport ALARM, LARGEST_LOSS, QUIET, DetectorKernel, usual_loss
from thalweg._native.rng cimport bits, unit

cdef enum:
    EXACT = 500                         # size of the samples up to which (1) is computed in whole numbers
    MANY_LOSSES = 400000                # looked at, by some updates, before the first check of the clock

ctypedef struct kswin_t:
    double window
    double recent                       # n
    double critical                     # k at which the change is significant
    double seed
    double n_draws
    double n                            # losses held
    double start                        # place of the oldest in the ring that follows, then 2n of scratch

FIELDS = {
    "window": SETTING,
    "recent": SETTING,
    "critical": SETTING,
    "seed": counter(2.0**31 - 1),
    "n_draws": counter(),
    "n": counter(),
    "start": counter(),
}


def critical_count(n, alpha):
    """Return the smallest k whose probability (1) is at most `alpha`; n + 1 if there is none."""
    is_rare = _is_rare if n <= EXACT else _is_nearly_rare
    low, high = 1, n + 1
    while low < high:
        k = (low + high) // 2
        low, high = (low, k) if is_rare(n, k, alpha) else (k + 1, high)
    return low


def _is_rare(n, k, alpha):
    terms = ((-1) ** (i + 1) * math.comb(2 * n, n - i * k) for i in range(1, n // k + 1))
    return 2 * sum(terms) <= alpha * math.comb(2 * n, n)


def _is_nearly_rare(n, k, alpha):
    # The same in floating point; terms below 1e-30 are left out.
    total, i = 0.0, 1
    while i * k <= n:
        term = math.exp(2 * math.lgamma(n + 1) - math.lgamma(n - i * k + 1) - math.lgamma(n + i * k + 1))
        if term < 1e-30:
            break
        total += term if i % 2 else -term
        i += 1
    return 2 * total <= alpha


cdef class KSWINKernel(DetectorKernel):
    """The window of a KSWIN; `is_given` says whether the seed is that of the parameters, not a drawn one."""

    def __init__(self, window, recent, alpha, seed, is_given):
        critical = max(critical_count(recent, alpha), recent // 10 + 1)
        fields = FIELDS | {"seed": SETTING} if is_given else FIELDS
        self.allocate(fields, window + 2 * recent, (window, recent, critical, seed))
        self.handle.update = update
        self.handle.reset = reset
        self.n_losses = max(MANY_LOSSES // window, 1)

    def check(self, memory, found):
        """Raise StateError if the fields contradict each other, or a loss is none."""
        n, start, window = found["n"], found["start"], found["window"]
        require(n <= window, self.who, "n", "is more losses than the window has")
        is_place = start < window if n == window else start == 0
        require(is_place, self.who, "start", "is no place in the window")
        losses = memory[len(FIELDS):]
        require((np.abs(losses) <= LARGEST_LOSS).all(), self.who, "memory", "holds a loss that is too large")


cdef void reset(void* state) noexcept nogil:
    cdef kswin_t* t = <kswin_t*> state
    t.n = t.start = t.n_draws = 0.0


cdef inline double uniform(kswin_t* t) noexcept nogil:
    cdef uint64_t z = (<uint64_t> t.seed << 32) + <uint64_t> t.n_draws
    t.n_draws += 1
    return unit(bits(0, z + 1))


cdef int ascending(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const double*> a)[0], y = (<const double*> b)[0]
    return (x > y) - (x < y)


cdef Py_ssize_t distance(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    # n D of two sorted samples of n: the largest difference of ranks, looked at after each distinct value.
    cdef Py_ssize_t i = 0, j = 0, most = 0
    cdef double value
    while i < n and j < n:
        value = min(a[i], b[j])
        while i < n and a[i] == value:
            i += 1
        while j < n and b[j] == value:
            j += 1
        most = max(most, i - j if i > j else j - i)
    return most


cdef inline double at(kswin_t* t, Py_ssize_t i) noexcept nogil:
    # Loss i of the window, the oldest first.
    cdef Py_ssize_t place = <Py_ssize_t> t.start + i, window = <Py_ssize_t> t.window
    return (<double*> (t + 1))[place - window if place >= window else place]


cdef double split(kswin_t* t, double* older, double* latest) noexcept nogil:
    # Copy n older losses drawn at random and the latest n; return by how much the latest sum to more.
    cdef Py_ssize_t n = <Py_ssize_t> t.recent, n_older = <Py_ssize_t> t.window - n, i, wanted = n
    cdef double gap = 0.0
    for i in range(n_older):
        if wanted > 0 and uniform(t) * (n_older - i) < wanted:
            wanted -= 1
            older[wanted] = at(t, i)
            gap -= older[wanted]
    for i in range(n):
        latest[i] = at(t, n_older + i)
        gap += latest[i]
    return gap


cdef void keep_latest(kswin_t* t, double* scratch) noexcept nogil:
    cdef Py_ssize_t n = <Py_ssize_t> t.recent, i
    for i in range(n):
        scratch[i] = at(t, <Py_ssize_t> t.window - n + i)
    memcpy(<double*> (t + 1), scratch, n * sizeof(double))
    t.n, t.start = n, 0.0


cdef int update(void* state, double loss) noexcept nogil:
    cdef kswin_t* t = <kswin_t*> state
    cdef Py_ssize_t n = <Py_ssize_t> t.recent
    cdef double* ring = <double*> (t + 1)
    cdef double* older = ring + <Py_ssize_t> t.window
    cdef double gap
    loss = usual_loss(loss)
    if t.n < t.window:
        ring[<Py_ssize_t> t.n] = loss
        t.n += 1
    else:
        ring[<Py_ssize_t> t.start] = loss
        t.start = t.start + 1 if t.start + 1 < t.window else 0.0
    if t.n < t.window:
        return QUIET
    gap = split(t, older, older + n)
    qsort(older, n, sizeof(double), ascending)
    qsort(older + n, n, sizeof(double), ascending)
    if distance(older, older + n, n) < t.critical:
        return QUIET
    keep_latest(t, older)
    return ALARM if gap > 0 else QUIET

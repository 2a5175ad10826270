"""Which rows to ask a label for, within a budget.

A row's uncertainty is u = 1 - (p_(1) - p_(2)), from its two largest probabilities, and r is its rank among
the last `window` rows, in (0, 1). With the share B, the random part e and k = min(9, 1/B - 1)

    f = e + (1 - e)(k + 1) r^k                        mean 1 if nothing changes                  (1)
    m += (f - m)/(2 window)                           its recent mean, at least 0.1              (2)
    due = B (t + advance) - asked                     labels that may still be asked for         (3)
    chance = B f/m clip(1 + (due - reserve)/D, 0.3, 20), at most 1; 0 if due < 1                 (4)

with m before the row. f is 1 in the first rows, before there are ranks. While a model becomes more and more
confident, all ranks are low; m makes up for it. D = max(2, 200 B) labels: what is due is spent within a few
hundred rows. While due fluctuates about the reserve, its standard deviation is sqrt(D (1 - B)/2), and the
reserve is 1.5 of them and a label more, but not above 1.5 % of what may be spent: so the budget is rarely
used up, which would leave rows no chance. Ties are broken at random. Draw number i is a hash of the seed
and i, so that the state of the generator is the number of rows.
"""

import numpy as np

from thalweg._native import layout
from thalweg._native.layout import FLOAT, SETTING, Array, checked_arrays, checked_fields, counter, require

from libc.math cimport pow, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

from thalweg._native.failure cimport begin_call, call_t, end_call, poll_after, record_failure
from thalweg._native.kernel cimport Kernel, learner_t, observe
from thalweg._native.pointers cimport doubles
from thalweg._native.rng cimport bits, unit
from thalweg._native.waiting_index cimport WaitingIndex

cdef enum:
    FIRST_ROWS = 30                     # before there are ranks
    ROWS_A_LOOK = 64                    # processed before the first check of the clock
    OBSERVED = 1                        # place in a WaitingIndex's counts: rows observed so far

cdef extern from *:
    """
    #define MOST_POWER 9.0
    #define LEAST_PACE 0.3
    #define MOST_PACE 20.0
    #define TIE 1e-9
    #define LEAST_MEAN 0.1
    """
    const double MOST_POWER
    const double LEAST_PACE
    const double MOST_PACE
    const double TIE                    # largest number added to an uncertainty
    const double LEAST_MEAN             # of preferences

ctypedef struct budget_t:
    double share                        # B
    double random_share                 # e
    double window
    double advance
    double seed
    double n_rows                       # t
    double n_asked
    double mean                         # m
    # follow: the uncertainties of the last rows, row t in place t % window

FIELDS = {
    "share": SETTING,
    "random_share": SETTING,
    "window": SETTING,
    "advance": SETTING,
    "seed": counter(2.0**32 - 1),
    "n_rows": counter(),
    "n_asked": counter(),
    "mean": Array(FLOAT, low=LEAST_MEAN, high=MOST_POWER + 1),
}


cdef class LabelBudgetKernel:
    """The decisions of a LabelBudget; `is_given` says that the seed is that of the parameters, not drawn."""

    cdef budget_t* core
    cdef double* ordered                # the same uncertainties, ascending
    cdef readonly object memory
    cdef object ranks
    cdef dict fields
    cdef str who
    cdef Py_ssize_t n_at_a_time         # rows to process between two checks for signals

    def __init__(self, who, share, random_share, window, advance, seed, is_given):
        self.who, self.n_at_a_time = who, ROWS_A_LOOK
        self.fields = FIELDS | {"seed": SETTING} if is_given else FIELDS
        memory = layout.new_array(len(FIELDS) + window, FLOAT)
        memory[:len(FIELDS)] = share, random_share, window, advance, seed, 0.0, 0.0, 1.0
        self.adopt(memory)

    cdef void adopt(self, memory):
        cdef budget_t* b = <budget_t*> doubles(memory)
        n, first = int(min(b.n_rows, b.window)), len(FIELDS)
        ranks = layout.new_array(int(b.window), FLOAT)
        ranks[:n] = np.sort(memory[first:first + n])
        self.memory, self.ranks = memory, ranks
        self.core, self.ordered = b, doubles(ranks)

    def ask(self, const double[:, ::1] p, unsigned char[::1] asked, double[::1] chances, bint stops=False):
        """Decide for each row by its probabilities; return for how many: if `stops`, up to one asked for."""
        cdef Py_ssize_t i = 0, n = p.shape[0], n_classes = p.shape[1]
        cdef const double* row
        with nogil:
            while i < n:
                row = &p[i, 0] if n_classes else NULL
                chances[i] = decide(self.core, self.ordered, uncertainty(row, n_classes), &asked[i])
                i += 1
                if stops and asked[i - 1]:
                    break
        return i

    def predict_and_ask(self, Kernel kernel, const double[:, ::1] X, double[:, ::1] p, Py_ssize_t n_classes,
                        const unsigned char[::1] at_once, bint observes, WaitingIndex waiting,
                        const int64_t[::1] ids, unsigned char[::1] asked, double[::1] chances):
        """Predict rows by a learner's kernel and decide for each, up to one asked for; return their number.

        If the learner `observes`, it observes each row without a label, except for one that is asked
        for and whose label arrives at once; such rows are `waiting`, if not None, by their ids. The first
        `n_classes` probabilities are of classes.
        """
        cdef Py_ssize_t start = 0, first, stop, n_seen = 0
        cdef learner_t* h = &kernel.handle
        cdef int64_t number = 0 if waiting is None else waiting.counts[OBSERVED] + 1
        cdef bint is_over = False
        cdef call_t call
        cdef double* scratch = <double*> malloc(max(h.scratch_size, 1) * sizeof(double))
        if scratch == NULL:
            raise MemoryError(f"{self.who}: no memory for a prediction")
        begin_call(&call, self.n_at_a_time)
        while start < X.shape[0] and not is_over and not call.failure.failed:
            first = start
            stop = min(start + call.n_rows, X.shape[0]) if call.polls else X.shape[0]
            with nogil:
                while start < stop and not is_over:
                    h.predict(h.state, &X[start, 0], &p[start, 0], scratch)
                    if call.failure.failed:
                        break
                    chances[start] = decide(self.core, self.ordered, uncertainty(&p[start, 0], n_classes),
                                            &asked[start])
                    if observes and not (asked[start] and at_once[start]):
                        observe(h, &X[start, 0], 0 if waiting is None else number + n_seen)
                        n_seen += 1
                    is_over = asked[start] or call.failure.failed
                    start += 1
            poll_after(&call, start - first)
        self.n_at_a_time = max(call.n_rows, ROWS_A_LOOK)
        free(scratch)
        # Before a signal is handled: the learner and its index have the same numbers.
        if waiting is not None and n_seen:
            try:
                waiting.observe(None, np.array(ids[:n_seen]), np.zeros(n_seen, dtype=np.int64))
            except BaseException as error:
                record_failure(error)
        end_call(&call, start)
        return start

    @property
    def n_rows(self):
        """Rows so far."""
        return self.core.n_rows

    @property
    def n_asked(self):
        """Labels asked for so far."""
        return self.core.n_asked

    @property
    def due(self):
        """How many labels may still be asked for."""
        return due_labels(self.core)

    def state(self):
        """Return a copy of its state."""
        return {"memory": self.memory.copy()}

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        n = len(self.memory)
        memory = checked_arrays({"memory": Array(FLOAT, n)}, {}, state, self.who)["memory"]
        found = checked_fields(self.fields, memory[:len(FIELDS)], self.who, self.memory)
        require(found["n_asked"] <= found["n_rows"], self.who, "n_asked", "is more than there were rows")
        latest = memory[len(FIELDS):]
        good = bool((latest >= 0).all() and (latest <= 1 + TIE).all())
        require(good, self.who, "memory", "holds an uncertainty that is not between 0 and 1")
        self.adopt(memory)


cdef inline double uncertainty(const double* p, Py_ssize_t n_classes) noexcept nogil:
    # 1 where nothing is known of the classes.
    cdef double first = 0.0, second = 0.0, u
    cdef Py_ssize_t k
    for k in range(n_classes):
        second = max(second, min(first, p[k]))
        first = max(first, p[k])
    u = 1.0 - (first - second)
    return min(max(u, 0.0), 1.0)


cdef inline double due_labels(const budget_t* b) noexcept nogil:
    return b.share * (b.n_rows + b.advance) - b.n_asked                                   # (3)


cdef inline Py_ssize_t n_below(const double* ordered, Py_ssize_t n, double u) noexcept nogil:
    # How many of n ascending numbers are below u; without branches that would be guessed wrong.
    cdef Py_ssize_t low = 0, half
    while n > 1:
        half = n // 2
        low += half * (ordered[low + half - 1] < u)
        n -= half
    return low + (n == 1 and ordered[low] < u)


cdef inline void replace(double* ordered, Py_ssize_t n, double old, double new,
                         Py_ssize_t below) noexcept nogil:
    # Put `new`, above `below` of the n numbers, at the place of `old`, which is one of them.
    cdef Py_ssize_t place = n_below(ordered, n, old)
    if place < below:
        memmove(ordered + place, ordered + place + 1, (below - 1 - place) * sizeof(double))
        ordered[below - 1] = new
    else:
        memmove(ordered + below + 1, ordered + below, (place - below) * sizeof(double))
        ordered[below] = new


cdef inline double preference(const budget_t* b, Py_ssize_t below, Py_ssize_t n) noexcept nogil:
    cdef double power = min(MOST_POWER, 1.0 / b.share - 1.0)
    if n < FIRST_ROWS:
        return 1.0
    return (b.random_share
            + (1.0 - b.random_share) * (power + 1.0) * pow((below + 0.5) / (n + 1), power))   # (1)


cdef inline double pace(const budget_t* b, double due) noexcept nogil:
    cdef double slack = max(2.0, 200.0 * b.share)
    cdef double reserve = min(1.0 + 1.5 * sqrt(0.5 * slack * (1.0 - b.share)), 0.015 * (due + b.n_asked))
    return min(max(1.0 + (due - reserve) / slack, LEAST_PACE), MOST_PACE)


cdef inline double decide(budget_t* b, double* ordered, double u, unsigned char* asked) noexcept nogil:
    # Return the chance with which a label is asked for, and write whether it is.
    cdef Py_ssize_t row = <Py_ssize_t> b.n_rows, window = <Py_ssize_t> b.window
    cdef Py_ssize_t n = min(row, window), below
    cdef uint64_t key = bits(<uint64_t> b.seed, 1)
    cdef double* latest = <double*> (b + 1)
    cdef double due, chance = 0.0, wish
    u += TIE * unit(bits(key, 2 * <uint64_t> row))
    below = n_below(ordered, n, u)
    wish = preference(b, below, n)
    if n < window:
        memmove(ordered + below + 1, ordered + below, (n - below) * sizeof(double))
        ordered[below] = u
    else:
        replace(ordered, n, latest[row % window], u, below)
    latest[row % window] = u
    b.n_rows += 1.0
    due = due_labels(b)
    if due >= 1.0:
        chance = min(b.share * wish / b.mean * pace(b, due), 1.0)                         # (4)
    b.mean = max(b.mean + (wish - b.mean) / (2.0 * b.window), LEAST_MEAN)                 # (2)
    asked[0] = unit(bits(key, 2 * <uint64_t> row + 1)) < chance
    b.n_asked += asked[0]
    return chance

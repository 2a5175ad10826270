# Rows that wait for labels, the experts that judge them, and windows of rows.

cdef enum:
    N_EXPERTS = 7
    FIRST_LINE = 3                      # experts before it are levels, the last one is the confidence
    RAW = 6

cdef enum:
    # places in `counts`
    ROWS = 0                            # answered so far
    LABELS = 1                          # that came for them
    KNOWN = 2                           # L: labels that the model knows
    BLOCK = 3                           # the next block to judge
    OLDEST = 4                          # all rows before it have labels or are forgotten
    WAITING = 5                         # rows that wait
    FIRST = 6                           # the oldest row that is kept
    PAST = 7                            # rows before it have their last estimate
    N_COUNTS = 8

cdef enum:
    # places in `sums`
    UNSURE = 0                          # U
    SETTLED = 1                         # n of (9)
    MIXED = 2                           # U of (10)
    JUDGED = 3                          # n of (5)
    PARTIAL = 4                         # part of it whose blocks lack labels
    DELAYS = 5                          # discounted number, sum and sum of squares of delays
    N_SUMS = 8

cdef enum:
    # places of an expert
    A = 0
    B = 1
    D = 2
    HAA = 3
    HAB = 4
    HAD = 5
    HBB = 6
    HBD = 7
    HDD = 8
    ERROR = 9                           # V
    LOSS = 10                           # E
    N_STATE = 11

cdef enum:
    # what is kept with a row, before its probabilities
    LOGIT = 0
    SURE = 1                            # clipped confidence
    KNEW = 2                            # L_j
    MIX = 3                             # the weighted answer of the experts
    SAID = 4                            # their answers
    FINAL = 11                          # the last estimate, once its label is overdue; -1 before
    ALIKE = 12                          # s: share of recent answers like it, less a half
    N_KEPT = 13

cdef enum:
    # what is kept of a window
    W_KNOWN = 0                         # labels, and how many answers were right
    W_RIGHT = 1
    W_GONE = 2                          # rows forgotten without a label, the sum of g, of g(1 - g)
    W_GONE_RIGHT = 3
    W_GONE_VARIANCE = 4
    W_COST = 5                          # of the rows with labels, and of those forgotten
    W_GONE_COST = 6
    W_STAGE = 7                         # 0: open, 1: ended, 2: ended, and all labels have arrived
    W_END = 8                           # what was predicted at its end: see `judgement_t`
    W_END_KNEW = 14
    N_WINDOW = 16

cdef enum:
    NO_LABEL = -1
    LEVEL_START = 2                     # h
    SLOPE_START = 20
    ALIKE_START = 2

ctypedef struct judgement_t:
    # of rows: numbers that a window keeps from W_END on
    double estimate
    double variance                     # by chance, of rows without labels
    double spread                       # of the experts
    double unknown                      # f
    double tau                          # τ²
    double n                            # of (9): degrees of freedom less 1

ctypedef struct estimate_t:
    Py_ssize_t n_classes
    Py_ssize_t window
    Py_ssize_t room                     # rows there is memory for
    Py_ssize_t most_room
    Py_ssize_t window_room
    Py_ssize_t most_windows
    Py_ssize_t width                    # numbers kept with a row
    bint learns
    bint stale                          # the weights are to be computed again
    Py_ssize_t* counts
    double* sums
    double* expert                      # [expert, state]
    double* recent                      # [class]: share of recent answers
    double* row                         # [row, width]
    Py_ssize_t* answer                  # [row]
    Py_ssize_t* label                   # [row]; NO_LABEL as long as it waits
    double* window_of                   # [window, N_WINDOW]
    double* by_class                    # [window, 3, class]: right, answered, true, of rows with labels
    double* gone_by_class               # [window, 3, class]: expected, of rows forgotten
    const double* costs                 # [true, answer]; NULL: none
    double[7] weight


# of each expert
cdef void find_weights(estimate_t* c) noexcept nogil

# what the experts predict now for a row, written to `each`, and its weighted mean
cdef double mixed(estimate_t* c, const double* row, double* each) noexcept nogil

# the same, except for rows whose labels are long overdue: what they said then
cdef double judged(estimate_t* c, const double* row, double* each) noexcept nogil

# a row that was answered; there must be room
cdef void take_row(estimate_t* c, const double* p, Py_ssize_t answer) noexcept nogil

# a label; 0 if its row does not wait, else 1
cdef int take_label(estimate_t* c, Py_ssize_t number, Py_ssize_t code) noexcept nogil

# the share of right answers of rows; those that are forgotten must be of one whole window
cdef void judge(estimate_t* c, Py_ssize_t start, Py_ssize_t stop, judgement_t* found) noexcept nogil


cdef inline Py_ssize_t step_of(const estimate_t* c) noexcept nogil:
    return max(1, c.window // 10)


cdef inline Py_ssize_t n_windows(const estimate_t* c) noexcept nogil:
    # that have begun
    return (c.counts[ROWS] + c.window - 1) // c.window


cdef inline bint is_waiting(const estimate_t* c, Py_ssize_t number) noexcept nogil:
    return c.counts[FIRST] <= number < c.counts[ROWS] and c.label[number % c.room] == NO_LABEL


cdef inline bint has_row(const estimate_t* c) noexcept nogil:
    # Whether the next row can be kept without forgetting one that waits, or that a block needs.
    cdef Py_ssize_t old = c.counts[FIRST]
    if c.counts[ROWS] - old < c.room or c.room == c.most_room:
        return True
    return c.label[old % c.room] != NO_LABEL and old < c.counts[BLOCK] * step_of(c)


cdef inline bint has_window(const estimate_t* c) noexcept nogil:
    if c.window_room == c.most_windows or c.counts[ROWS] % c.window:
        return True
    return n_windows(c) < c.window_room


cdef inline bint has_room(const estimate_t* c) noexcept nogil:
    return has_row(c) and has_window(c)


cdef inline double* window_at(const estimate_t* c, Py_ssize_t number) noexcept nogil:
    # Of a window, NULL if it is kept no longer.
    if number < n_windows(c) - c.window_room:
        return NULL
    return c.window_of + (number % c.window_room) * N_WINDOW

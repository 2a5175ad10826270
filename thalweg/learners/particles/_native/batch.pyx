"""A batch of a particle filter: steps on it, and what predicts afterwards (formulas: particle_filter.pyx).

A batch is opened (inputs standardised, candidates tested on it), learned by one step or, the first one,
by more, and closed (a refit if it is due, candidates renewed). Each of these is done as a whole or not at
all. A signal can end the call between them: the rows stay in the buffer, and the next call that learns
continues from there, so that the result is the same as without the signal.
"""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from .draws cimport scale_to_one, to_raw_units, write_terms
from .resizing cimport resize, try_half
from .ridge_logistic cimport fit_logistic
from .state cimport LANES, filter_t
from .steps cimport hits_of, moving_spread, pack, take_step
from .votes cimport vote_hits
from thalweg._native.ring cimport clear_rows

cdef double FADE = 0.9                  # of hits and errors, a batch
cdef double MOST_SQUARES = 1e300        # sums of squares stop growing here
cdef double MOST_FITTED = 1e100         # coefficients of a fit that are beyond are not used


cdef void learn_batch(filter_t* f) noexcept nogil:
    cdef Py_ssize_t n_steps = 1 if f.counts.started else 1 + f.n_warmup
    cdef bint on_trial = f.resizing and f.counts.started
    cdef double gain = 0.0
    if f.counts.opened:
        pack(f, 0, f.rows.span.count)
    elif not open_batch(f):
        empty_buffer(f)
        return
    while f.counts.n_steps < n_steps:
        # A trial changes nothing: after a signal it is made again, unless the step has been taken.
        if on_trial and not try_half(f, &gain):
            return
        if not take_step(f):
            return
        f.counts.n_steps += 1
        if on_trial:
            resize(f, gain)
    close_batch(f)


cdef void empty_buffer(filter_t* f) noexcept nogil:
    clear_rows(&f.rows)
    f.counts.n_steps = f.counts.opened = 0
    f.measures.buffered = 0.0


cdef bint open_batch(filter_t* f) noexcept nogil:
    # False if there is nothing to learn yet: rows of one class alone.
    cdef Py_ssize_t i
    cdef bint mixed = False
    for i in range(1, f.rows.span.count):
        mixed = mixed or f.rows.y[i] != f.rows.y[0]
    if not (mixed or f.counts.started):
        return False
    if f.scaled:
        standardise(f)
    pack(f, 0, f.rows.span.count)
    if f.counts.started:
        test_candidates(f)
    f.counts.opened = 1
    return True


cdef void close_batch(filter_t* f) noexcept nogil:
    cdef int fitted = 0
    if f.refit_below > 0 and hits_of(f, f.centre) < f.refit_below * f.measures.buffered:
        fitted = refit(f)
        if fitted < 0:
            return
    if not f.counts.started:
        f.measures.error = 1.0 - (hits_of(f, f.centre) + 1.0) / (f.measures.buffered + 2.0)
        start_averages(f)
    f.counts.started = 1
    if fitted:
        use_refit(f)
    update_candidates(f)
    empty_buffer(f)


cdef void standardise(filter_t* f) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double error, faded, memory = f.memory * f.size[0] / f.batch_size
    for i in range(f.rows.span.count):
        faded = min(f.measures.n_seen, max(memory - f.rows.w[i], 0.0))
        if faded < f.measures.n_seen:
            for j in range(f.n_features):
                f.squares[j] *= faded / f.measures.n_seen
        f.measures.n_seen = faded + f.rows.w[i]
        for j in range(f.n_features):
            error = f.rows.X[i * f.n_features + j] - f.mean[j]
            f.mean[j] += error * (f.rows.w[i] / f.measures.n_seen)
            error *= f.rows.X[i * f.n_features + j] - f.mean[j]
            f.squares[j] = min(max(f.squares[j] + f.rows.w[i] * error, 0.0), MOST_SQUARES)


cdef void test_candidates(filter_t* f) noexcept nogil:
    # How those who might have predicted this batch would have done, before it is learned.
    cdef Py_ssize_t c
    cdef double accuracy, answered, expected = f.measures.accuracy, n = f.measures.buffered
    for c in range(1 + f.n_averages):
        accuracy = hits_of(f, candidate(f, c)) / n
        answered = vote_hits(f) / n if f.vote and c == 0 else accuracy
        f.tallies[c] = FADE * f.tallies[c] + answered                                           # (7)
        if c == f.counts.chosen:
            f.measures.error += (1 - FADE) * (1 - answered - f.measures.error)
        if c > 0:
            continue
        f.measures.spread = f.spread
        if expected < 0:
            f.measures.accuracy = accuracy
            continue
        if f.movement:
            f.measures.spread = moving_spread(f)
        if f.wide_spread > 0 and accuracy < expected - 2 * sqrt(expected * (1 - expected) / n):  # (8)
            f.measures.spread = f.wide_spread * (f.measures.spread / f.spread)
        f.measures.accuracy += (1 - FADE) * (accuracy - expected)


cdef inline double* candidate(filter_t* f, Py_ssize_t c) noexcept nogil:
    return f.centre if c == 0 else f.averages + (c - 1) * f.n_coefficients


cdef void update_candidates(filter_t* f) noexcept nogil:
    cdef Py_ssize_t c, i, v, n = f.n_coefficients, n_voters = min(f.counts.n_kept, f.most_voters)
    cdef double rate = 1.0
    cdef double* panel
    f.counts.chosen = 0
    for c in range(1, 1 + f.n_averages):
        rate *= 0.25
        for i in range(n):
            candidate(f, c)[i] += rate * (f.centre[i] - candidate(f, c)[i])                     # (7)
        if f.tallies[c] > f.tallies[f.counts.chosen]:
            f.counts.chosen = c
    write_raw_terms(f, candidate(f, f.counts.chosen), f.predictor)
    for v in range(n_voters):
        panel = f.voters + (v // LANES) * f.n_outputs * f.n_terms * LANES + v % LANES
        write_raw_terms(f, f.kept + (v * f.counts.n_kept // n_voters) * n, panel)
    f.counts.n_voters = n_voters


cdef void write_raw_terms(filter_t* f, const double* beta, double* panel) noexcept nogil:
    memcpy(f.work, beta, f.n_coefficients * sizeof(double))
    to_raw_units(f, f.work)
    write_terms(f, f.work, panel)


cdef void start_averages(filter_t* f) noexcept nogil:
    cdef Py_ssize_t c
    for c in range(f.n_averages):
        memcpy(f.averages + c * f.n_coefficients, f.centre, f.n_coefficients * sizeof(double))
        f.tallies[c + 1] = f.tallies[0]


cdef int refit(filter_t* f) noexcept nogil:
    # A ridge fit to this batch: 1 if some coefficient is sure and all are usable, 0 if not, -1 if a signal
    # ended it.
    cdef Py_ssize_t i, k, n_active = 0, n = f.n_coefficients // f.n_outputs
    cdef double* beta = f.refitted
    cdef double* active = f.refitted + f.n_coefficients
    for k in range(f.n_outputs):
        if not fit_logistic(f, k, beta + k * n, active + k * n, &n_active):
            return -1
    for i in range(f.n_coefficients):
        if not fabs(beta[i]) <= MOST_FITTED:
            return 0
    return n_active > 0


cdef void use_refit(filter_t* f) noexcept nogil:
    # The fit replaces the best set, without the coefficients it is not sure of.
    cdef Py_ssize_t size = f.n_coefficients * sizeof(double)
    if f.scaled:
        scale_to_one(f.refitted, f.n_coefficients)
    memcpy(f.centre, f.refitted, size)
    memcpy(f.active, f.refitted + f.n_coefficients, size)
    memcpy(f.kept, f.centre, size)
    if f.regularised:
        memcpy(f.kept_log_spread, f.centre_log_spread, size)
    f.counts.n_kept = 1
    f.counts.n_refits += 1
    start_averages(f)

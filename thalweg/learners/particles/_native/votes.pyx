"""What a particle filter answers for a row: the class of the predictor, or of the best set's vote.

Probabilities come from the votes, mixed with the faded error rate of what answers.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

from .state cimport LANES, filter_t


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef filter_t* f = <filter_t*> state
    cdef Py_ssize_t k
    cdef double total = 0.0
    if f.counts.started:
        announce(f, answer(f, x, p), p)
        return
    for k in range(f.n_classes):
        total += f.seen[k] + 1.0
    for k in range(f.n_classes):
        p[k] = (f.seen[k] + 1.0) / total


cdef double vote_hits(filter_t* f) noexcept nogil:
    cdef Py_ssize_t i
    cdef double hits = 0.0
    for i in range(f.rows.span.count):
        if majority(f, f.rows.X + i * f.n_features, f.ballot) == f.rows.y[i]:
            hits += f.rows.w[i]
    return hits


cdef Py_ssize_t answer(const filter_t* f, const double* x, double* p) noexcept nogil:
    # The class to predict; `p` gets the number of votes for each.
    cdef Py_ssize_t[LANES] votes
    if f.vote and f.counts.chosen == 0:
        return majority(f, x, p)
    count_votes(f, x, p)
    vote(f, f.predictor, x, votes)
    return votes[0]


cdef Py_ssize_t majority(const filter_t* f, const double* x, double* p) noexcept nogil:
    # The class with the most votes; among equals that of the predictor, or else the first.
    cdef Py_ssize_t k, most = 0
    cdef Py_ssize_t[LANES] votes
    count_votes(f, x, p)
    vote(f, f.predictor, x, votes)
    for k in range(f.n_classes):
        if p[k] > p[most]:
            most = k
    return votes[0] if p[votes[0]] == p[most] else most


cdef void count_votes(const filter_t* f, const double* x, double* p) noexcept nogil:
    cdef Py_ssize_t panel, lane, size = f.n_outputs * f.n_terms * LANES
    cdef Py_ssize_t[LANES] votes
    memset(p, 0, f.n_classes * sizeof(double))
    for panel in range((f.counts.n_voters + LANES - 1) // LANES):
        vote(f, f.voters + panel * size, x, votes)
        for lane in range(min(LANES, f.counts.n_voters - panel * LANES)):
            p[votes[lane]] += 1.0


cdef void vote(const filter_t* f, const double* panel, const double* x, Py_ssize_t* votes) noexcept nogil:
    cdef Py_ssize_t k, lane
    cdef double[LANES] energies
    cdef double[LANES] least
    for lane in range(LANES):
        votes[lane] = 0
        least[lane] = 0.0 if f.n_outputs == 1 else INFINITY
    for k in range(f.n_outputs):
        f.scoring.row_energies(panel + k * f.n_terms * LANES, x, f.n_features, f.circle, energies)
        for lane in range(LANES):
            if energies[lane] < least[lane]:
                least[lane] = energies[lane]
                votes[lane] = k if f.n_outputs > 1 else 1


cdef void announce(const filter_t* f, Py_ssize_t answer, double* p) noexcept nogil:
    # Votes made probabilities: the answer gets the largest share, and the faded error rate e is what even an
    # unanimous vote leaves to the other classes: (1 − e) q + e (1 − q)/(K − 1).
    cdef Py_ssize_t k, most = answer, others = f.n_classes - 1
    cdef double n = f.counts.n_voters + 1.0, swap, error
    p[answer] += 1.0
    for k in range(f.n_classes):
        if p[k] > p[most]:
            most = k
    swap = p[most]
    p[most] = p[answer]
    p[answer] = swap
    error = min(max(f.measures.error, 0.001), 0.9 * others / (others + 1.0))
    for k in range(f.n_classes):
        if k != answer and p[k] == p[answer]:
            p[k] -= 0.25
            p[answer] += 0.25
    for k in range(f.n_classes):
        p[k] = (1 - error) * (p[k] / n) + error * (1 - p[k] / n) / others

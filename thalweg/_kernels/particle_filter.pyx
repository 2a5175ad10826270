"""Particle-filter logistic regression: random steps from the best coefficients so far, the best of them kept.

A particle β has an energy η(x) = −β₀ + β·x, or ‖x − c‖² − r² for a circle β = (r, c), for class 1 as against
0, or one for each of more classes; P(class k) is in proportion to exp(−η_k). For each batch of rows:

    β_m = β_parent + σ N(0, I), σ a standard deviation, m = 1 … M                       (1)
    θ = a θ_parent + (1 − a) mean θ + h N(0, 1), σ = e^θ, if the spread has a prior     (2)
    A_m = weight of the rows β_m gets right, strictly; A_0 that of the last centre      (3)
    best set K = all j in 0 … M with the largest A; parents are drawn from it           (4)
    centre β* = mean of the best set                                                    (5)

or, by likelihood, parents are drawn and β* is averaged with weights w_m = exp(Σ log P(label)) (6).
Particles are not stored: each is a function of its parent, the seed, the step and its number, and is drawn
again if it turns out to be one of the best. The tracking form standardises inputs by their mean and deviation
over the last twenty batches or so, keeps ‖β‖ at 1, and

    averages β̄_c += 4^−c (β* − β̄_c) stand beside β*; the one with most faded hits predicts   (7)
    σ is wide for a batch whose A_0 is two binomial deviations below its faded mean        (8)
"""

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy, memset

from .learner cimport Kernel, learner_t
from .particle_draws cimport scale_to_one, to_raw_units, write_terms
from .particle_steps cimport CHUNK, hits_of, pack, take_step
from .pointers cimport doubles, integers
from .ridge_logistic cimport fit_logistic

cdef enum:
    MOST_VOTERS = 32

cdef double FADE = 0.9      # of hits and errors, a batch
cdef double MOST = 1e300    # sums of squares stop growing here


cdef class ParticleKernel(Kernel):
    """The buffer, the best set and what predicts; `settings` are the numbers of `filter_t` by name."""

    cdef filter_t core
    cdef dict scratch

    def __init__(self, n_features, n_classes, settings):
        cdef filter_t* f = &self.core
        f.scoring = best_scoring()
        f.n_features, f.n_classes = n_features, n_classes
        f.n_outputs = n_classes if n_classes > 2 else 1
        f.n_particles, f.batch_size = settings["n_particles"], settings["batch_size"]
        f.n_warmup, f.n_jobs, f.start = settings["n_warmup"], settings["n_jobs"], settings["start"]
        f.circle, f.likelihood = settings["circle"], settings["likelihood"]
        f.regularised, f.scaled = settings["regularised"], settings["scaled"]
        f.start_width, f.modulo = settings["start_width"], settings["modulo"]
        f.spread, f.wide_spread = settings["spread"], settings["wide_spread"]
        f.pull, f.jitter, f.memory = settings["pull"], settings["jitter"], settings["memory"]
        f.refit_below = settings["refit_below"]
        f.n_coefficients = f.n_outputs * (1 + n_features)
        f.n_terms = 1 + n_features + f.circle
        f.n_panels = (f.n_particles + LANES - 1) // LANES
        f.n_averages = settings["n_averages"]
        f.kernel, f.grow = <void*> self, grow
        self.arrays = self.new_arrays()
        self.arrays["seed"][0] = settings["seed"]
        self.scratch = self.new_scratch()
        self.handle = learner_t(<void*> f, n_features, n_classes, 0, learn, predict, NULL)
        self.bind()

    cdef dict new_arrays(self):
        cdef filter_t* f = &self.core
        n, d = f.n_coefficients, f.n_features
        room = min(f.n_particles + 1, 1024)
        measures = np.zeros(sizeof(measures_t) // 8)
        measures[2:5] = 0.5, -1.0, f.spread
        return {
            "counts": np.zeros(sizeof(counts_t) // 8, dtype=np.int64),
            "measures": measures,
            "seed": np.zeros(1, dtype=np.uint64),
            "rows": np.zeros((f.batch_size, d)),
            "codes": np.zeros(f.batch_size, dtype=np.intp),
            "weights": np.zeros(f.batch_size),
            "seen": np.zeros(f.n_classes),
            "mean": np.zeros(d),
            "squares": np.zeros(d),
            "active": np.ones(n),
            "centre": np.zeros(n),
            "centre_log_spread": np.full(n, np.log(f.spread)),
            "mean_log_spread": np.full(n, np.log(f.spread)),
            "kept": np.zeros((room, n)),
            "kept_log_spread": np.zeros((room if f.regularised else 0, n)),
            "averages": np.zeros((f.n_averages, n)),
            "tallies": np.zeros(1 + f.n_averages),
            "predictor": np.zeros(f.n_outputs * f.n_terms * LANES),
            "voters": np.zeros(f.n_outputs * f.n_terms * MOST_VOTERS),
            "parents": np.zeros(f.n_particles if f.likelihood else 0, dtype=np.intp),
        }

    cdef dict new_scratch(self):
        cdef filter_t* f = &self.core
        n, room = f.n_coefficients, len(self.arrays["kept"])
        n_tiles = (f.batch_size + TILE - 1) // TILE
        f.work_size = 2 * n + f.n_outputs * (f.n_terms + TILE) * LANES
        return {
            "tiles": np.zeros(n_tiles * TILE * f.n_terms),
            "tile_codes": np.zeros(n_tiles * TILE, dtype=np.intp),
            "tile_weights": np.zeros(n_tiles * TILE),
            "scores": np.zeros(f.n_panels * LANES),
            "spread_sums": np.zeros(((f.n_panels // CHUNK + 1) if f.regularised else 0, n)),
            "work": np.zeros((f.n_jobs, f.work_size)),
            "drawn": np.zeros((2, f.n_particles if f.likelihood else 0), dtype=np.intp),
            "system": np.zeros((1 + f.n_features) * (3 + f.n_features) if f.refit_below > 0 else 0),
            "refitted": np.zeros(2 * n if f.refit_below > 0 else 0),
            "following": np.zeros((room, n)),
            "following_log_spread": np.zeros((room if f.regularised else 0, n)),
        }

    cdef void bind(self):
        cdef filter_t* f = &self.core
        arrays, scratch = self.arrays, self.scratch
        f.seed = arrays["seed"][0]
        f.counts = <counts_t*> integers(arrays["counts"])
        f.measures = <measures_t*> doubles(arrays["measures"])
        f.rows = doubles(arrays["rows"])
        f.codes = integers(arrays["codes"])
        f.weights = doubles(arrays["weights"])
        f.seen = doubles(arrays["seen"])
        f.mean = doubles(arrays["mean"])
        f.squares = doubles(arrays["squares"])
        f.active = doubles(arrays["active"])
        f.centre = doubles(arrays["centre"])
        f.centre_log_spread = doubles(arrays["centre_log_spread"])
        f.mean_log_spread = doubles(arrays["mean_log_spread"])
        f.kept = doubles(arrays["kept"])
        f.kept_log_spread = doubles(arrays["kept_log_spread"])
        f.averages = doubles(arrays["averages"])
        f.tallies = doubles(arrays["tallies"])
        f.predictor = doubles(arrays["predictor"])
        f.voters = doubles(arrays["voters"])
        f.parents = integers(arrays["parents"])
        f.room = len(arrays["kept"])
        if len(scratch["following"]) < f.room:
            self.scratch = scratch = self.new_scratch()
        f.tiles = doubles(scratch["tiles"])
        f.tile_codes = integers(scratch["tile_codes"])
        f.tile_weights = doubles(scratch["tile_weights"])
        f.scores = doubles(scratch["scores"])
        f.spread_sums = doubles(scratch["spread_sums"])
        f.work = doubles(scratch["work"])
        f.drawn = integers(scratch["drawn"])
        f.system = doubles(scratch["system"])
        f.refitted = doubles(scratch["refitted"])
        f.following = doubles(scratch["following"])
        f.following_log_spread = doubles(scratch["following_log_spread"])

    cdef void grow(self, Py_ssize_t room):
        room = min(max(2 * self.core.room, room), self.core.n_particles + 1)
        for name in ("kept", "kept_log_spread") if self.core.regularised else ("kept",):
            old = self.arrays[name]
            self.arrays[name] = np.zeros((room, old.shape[1]))
            self.arrays[name][:len(old)] = old
        self.scratch |= {name: value for name, value in self.new_scratch().items() if "following" in name}
        self.bind()

    def finish(self):
        """Learn the rows that wait for their batch to fill."""
        if self.core.counts.n_buffered:
            learn_batch(&self.core)

    @property
    def n_kept(self):
        """Size of the best set."""
        return self.core.counts.n_kept

    def predicting(self):
        """Return the coefficients that predict."""
        c = self.core.counts.chosen
        return self.arrays["averages"][c - 1] if c else self.arrays["centre"]

    def in_raw_units(self, betas):
        """Return particles (each a row of coefficients) as coefficients of the inputs as they come."""
        cdef double[:, ::1] copy = np.array(betas, dtype=np.float64, order="C", ndmin=2)
        cdef Py_ssize_t i
        for i in range(copy.shape[0]):
            to_raw_units(&self.core, &copy[i, 0])
        return np.asarray(copy)


cdef void grow(filter_t* f, Py_ssize_t room) noexcept nogil:
    with gil:
        (<ParticleKernel> f.kernel).grow(room)


cdef void learn(void* state, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef filter_t* f = <filter_t*> state
    cdef Py_ssize_t i = f.counts.n_buffered
    if f.n_classes < 2:
        return
    memcpy(f.rows + i * f.n_features, x, f.n_features * sizeof(double))
    f.codes[i] = y
    f.weights[i] = w
    f.counts.n_buffered += 1
    f.measures.buffered += w
    if not f.counts.started:
        f.seen[y] += w
    if f.counts.n_buffered == f.batch_size or f.measures.buffered >= f.batch_size:
        learn_batch(f)


cdef void learn_batch(filter_t* f) noexcept nogil:
    cdef Py_ssize_t i, _repeat, n = f.counts.n_buffered
    cdef bint mixed = False
    for i in range(1, n):
        mixed = mixed or f.codes[i] != f.codes[0]
    if mixed or f.counts.started:
        if f.scaled:
            standardise(f)
        pack(f)
        if f.counts.started:
            test_candidates(f)
        else:
            for _repeat in range(f.n_warmup):
                take_step(f)
        take_step(f)
        if not f.counts.started:
            f.measures.error = 1.0 - (hits_of(f, f.centre) + 1.0) / (f.measures.buffered + 2.0)
            start_averages(f)
        f.counts.started = 1
        if f.refit_below > 0 and hits_of(f, f.centre) < f.refit_below * f.measures.buffered:
            refit(f)
        update_candidates(f)
    f.counts.n_buffered = 0
    f.measures.buffered = 0.0


cdef void standardise(filter_t* f) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double error, faded
    for i in range(f.counts.n_buffered):
        faded = min(f.measures.n_seen, max(f.memory - f.weights[i], 0.0))
        if faded < f.measures.n_seen:
            for j in range(f.n_features):
                f.squares[j] *= faded / f.measures.n_seen
        f.measures.n_seen = faded + f.weights[i]
        for j in range(f.n_features):
            error = f.rows[i * f.n_features + j] - f.mean[j]
            f.mean[j] += error * (f.weights[i] / f.measures.n_seen)
            error *= f.rows[i * f.n_features + j] - f.mean[j]
            f.squares[j] = min(f.squares[j] + f.weights[i] * error, MOST)


cdef void test_candidates(filter_t* f) noexcept nogil:
    # How those who might have predicted this batch would have done, before it is learned.
    cdef Py_ssize_t c
    cdef double accuracy, expected = f.measures.accuracy, n = f.measures.buffered
    for c in range(1 + f.n_averages):
        accuracy = hits_of(f, candidate(f, c)) / n
        f.tallies[c] = FADE * f.tallies[c] + accuracy                                           # (7)
        if c == f.counts.chosen:
            f.measures.error += (1 - FADE) * (1 - accuracy - f.measures.error)
        if c > 0:
            continue
        f.measures.spread = f.spread
        if expected < 0:
            f.measures.accuracy = accuracy
            continue
        if f.wide_spread > 0 and accuracy < expected - 2 * sqrt(expected * (1 - expected) / n):  # (8)
            f.measures.spread = f.wide_spread
        f.measures.accuracy += (1 - FADE) * (accuracy - expected)


cdef inline double* candidate(filter_t* f, Py_ssize_t c) noexcept nogil:
    return f.centre if c == 0 else f.averages + (c - 1) * f.n_coefficients


cdef void update_candidates(filter_t* f) noexcept nogil:
    cdef Py_ssize_t c, i, v, n = f.n_coefficients, n_voters = min(f.counts.n_kept, MOST_VOTERS)
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


cdef void refit(filter_t* f) noexcept nogil:
    # A ridge fit to this batch takes the place of the best set, without the coefficients it is not sure of;
    # if that is all of them, nothing changes.
    cdef Py_ssize_t k, n = f.n_coefficients // f.n_outputs
    cdef bint sure = False
    cdef double* beta = f.refitted
    cdef double* active = f.refitted + f.n_coefficients
    for k in range(f.n_outputs):
        sure = fit_logistic(f, k, beta + k * n, active + k * n) or sure
    if not sure:
        return
    if f.scaled:
        scale_to_one(beta, f.n_coefficients)
    memcpy(f.centre, beta, f.n_coefficients * sizeof(double))
    memcpy(f.active, active, f.n_coefficients * sizeof(double))
    memcpy(f.kept, f.centre, f.n_coefficients * sizeof(double))
    if f.regularised:
        memcpy(f.kept_log_spread, f.centre_log_spread, f.n_coefficients * sizeof(double))
    f.counts.n_kept = 1
    f.counts.n_refits += 1
    start_averages(f)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef filter_t* f = <filter_t*> state
    cdef Py_ssize_t k, panel, lane, size = f.n_outputs * f.n_terms * LANES
    cdef Py_ssize_t[LANES] votes
    cdef double total = 0.0
    if not f.counts.started:
        for k in range(f.n_classes):
            total += f.seen[k] + 1.0
        for k in range(f.n_classes):
            p[k] = (f.seen[k] + 1.0) / total
        return
    memset(p, 0, f.n_classes * sizeof(double))
    for panel in range((f.counts.n_voters + LANES - 1) // LANES):
        vote(f, f.voters + panel * size, x, votes)
        for lane in range(min(LANES, f.counts.n_voters - panel * LANES)):
            p[votes[lane]] += 1.0
    vote(f, f.predictor, x, votes)
    announce(f, votes[0], p)


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
    # Votes made probabilities: the predictor's answer gets the largest share, and the faded error rate e
    # is what even an unanimous vote leaves to the other classes: (1 − e) q + e (1 − q)/(K − 1).
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

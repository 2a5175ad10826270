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
again if it turns out to be one of the best, so that threads change no result. The tracking form standardises
inputs by their mean and deviation over the last twenty batches or so, keeps ‖β‖ at 1, and

    averages β̄_c += 4^−c (β* − β̄_c) are candidates, too; that with most faded hits predicts   (7)
    σ is wide for a batch whose A_0 is two binomial deviations below its faded mean        (8)

Three parts are options besides: the best set's vote may answer instead of the centre; batches may adapt their
size (resizing.pyx); and σ may follow the net movement of the centre, between 0.3 and 3 times its usual value:

    path π += 0.3 (Δβ* − π), after each batch                                              (9)
    σ = 3 ‖π‖ / √(number of coefficients)                                                 (10)
"""

import numpy as np

from thalweg._native import layout as layouts
from . import layout as particle_layout
from .growth import scaled_to_one, with_classes, with_drawn_inputs, with_inputs

from libc.stdint cimport int64_t

from thalweg._native.failure cimport begin_call, call_t, end_call, record_failure
from thalweg._native.kernel cimport Kernel
from .batch cimport learn_batch
from .draws cimport NORMAL, UNIFORM, ZEROS, to_raw_units
from .state cimport LANES, TILE_ROWS, best_scoring, filter_counts_t, filter_measures_t, filter_t, trials_t
from .steps cimport CHUNK, SMALL_WORK
from .votes cimport predict
from thalweg._native.pointers cimport doubles, integers, words
from thalweg._native.ring cimport append_row, bind_ring
from thalweg._native.workers cimport Workers

cdef enum:
    FIRST_ROOM = 1024                   # for the best set
    FIRST_WORK = 2000000                # multiplications before the first check of the clock
    START_WORK = 4000000                # multiplications of a call that are worth the start of threads
    NEWTON_WORK = 26                    # of a refit, for each row and pair of coefficients

STARTS = {"zeros": ZEROS, "uniform": UNIFORM, "normal": NORMAL}


cdef class ParticleKernel(Kernel):
    """The buffer, the best set and what predicts; `settings` are the numbers of `filter_t` by name."""

    cdef filter_t core
    cdef dict settings
    cdef dict scratch

    def __init__(self, who, n_features, n_classes, settings):
        cdef filter_t* f = &self.core
        f.scoring = best_scoring()
        f.n_features, f.n_classes = n_features, n_classes
        f.n_outputs = n_classes if n_classes > 2 else 1
        f.n_particles, f.batch_size = settings["n_particles"], settings["batch_size"]
        f.n_warmup, f.start = settings["n_warmup"], settings["start"]
        f.circle, f.likelihood = settings["circle"], settings["likelihood"]
        f.regularised, f.scaled = settings["regularised"], settings["scaled"]
        f.vote, f.movement, f.resizing = settings["vote"], settings["movement"], settings["resizing"]
        f.most_voters = (settings["most_voters"] + LANES - 1) // LANES * LANES
        f.start_width, f.modulo = settings["start_width"], settings["modulo"]
        f.spread, f.wide_spread = settings["spread"], settings["wide_spread"]
        f.pull, f.jitter, f.memory = settings["pull"], settings["jitter"], settings["memory"]
        f.refit_below = settings["refit_below"]
        f.n_coefficients = f.n_outputs * (1 + n_features)
        f.n_terms = 1 + n_features + f.circle
        f.n_panels = (f.n_particles + LANES - 1) // LANES
        f.n_jobs = min(settings["n_jobs"], f.n_panels // CHUNK + 1)
        f.n_averages = settings["n_averages"]
        f.kernel, f.grow = <void*> self, grow
        f.work_size = 2 * f.n_coefficients + f.n_outputs * (f.n_terms + TILE_ROWS) * LANES
        self.settings = settings
        self.make_arrays(who)
        self.set_handle(<void*> f, n_features, n_classes, learn, predict)
        self.handle.flush = flush
        self.bind()

    cdef void make_arrays(self, str who):
        cdef filter_t* f = &self.core
        room = self.first_room()
        panel = f.n_outputs * f.n_terms
        lengths = {
            "input": f.n_features, "class": f.n_classes, "coefficient": f.n_coefficients,
            "row": f.batch_size, "particle": f.n_particles, "kept": None,
            "average": f.n_averages, "candidate": 1 + f.n_averages,
            "predictor": panel * LANES, "voters": panel * f.most_voters,
        }
        self.allocate(who, particle_layout.filter_layout(self.settings), lengths, {"kept": room})
        self.arrays["seed"][0] = self.settings["seed"]
        self.arrays["measures"][2:5] = 0.5, -1.0, f.spread
        self.scratch = self.new_scratch() | self.new_following(room)

    cdef dict new_scratch(self):
        cdef filter_t* f = &self.core
        n, n_rows = f.n_coefficients, (f.batch_size + TILE_ROWS - 1) // TILE_ROWS * TILE_ROWS
        lengths = {
            "tiles": n_rows * f.n_terms,
            "tile_weights": n_rows,
            "scores": f.n_panels * LANES,
            "spread_sums": (f.n_panels // CHUNK + 1) * n if f.regularised else 0,
            "work": f.n_jobs * f.work_size,
            "next_centre": n,
            "ballot": f.n_classes,
            "system": (1 + f.n_features) * (3 + f.n_features) if f.refit_below > 0 else 0,
            "refitted": 2 * n if f.refit_below > 0 else 0,
        }
        indices = {"tile_codes": n_rows, "drawn": 2 * f.n_particles if f.likelihood else 0}
        return {name: layouts.new_array(length, layouts.FLOAT) for name, length in lengths.items()} | {
            name: layouts.new_array(length, layouts.INDEX) for name, length in indices.items()
        }

    cdef dict new_following(self, Py_ssize_t room):
        # Scratch for the next best set.
        shape = room, self.core.n_coefficients
        return {
            "following": layouts.new_array(shape, layouts.FLOAT),
            "following_log_spread": layouts.new_array(shape if self.core.regularised else 0, layouts.FLOAT),
        }

    cdef void bind(self):
        cdef filter_t* f = &self.core
        arrays, scratch = self.arrays, self.scratch
        f.seed = words(arrays["seed"])[0]
        f.counts = <filter_counts_t*> integers(arrays["counts"])
        f.measures = <filter_measures_t*> doubles(arrays["measures"])
        bind_ring(&f.rows, arrays)
        f.seen, f.active = doubles(arrays["seen"]), doubles(arrays["active"])
        f.mean, f.squares = doubles(arrays["mean"]), doubles(arrays["squares"])
        f.centre = doubles(arrays["centre"])
        f.kept, f.room = doubles(arrays["kept"]), len(arrays["kept"])
        f.averages, f.tallies = doubles(arrays["averages"]), doubles(arrays["tallies"])
        f.predictor, f.voters = doubles(arrays["predictor"]), doubles(arrays["voters"])
        if f.regularised:
            f.kept_log_spread = doubles(arrays["kept_log_spread"])
            f.centre_log_spread = doubles(arrays["centre_log_spread"])
            f.mean_log_spread = doubles(arrays["mean_log_spread"])
        if f.likelihood:
            f.parents = integers(arrays["parents"])
        if f.movement:
            f.path = doubles(arrays["path"])
        f.size = integers(arrays["size"]) if f.resizing else &f.batch_size
        if f.resizing:
            f.trials = <trials_t*> doubles(arrays["trials"])
        f.tiles, f.tile_codes = doubles(scratch["tiles"]), integers(scratch["tile_codes"])
        f.tile_weights, f.scores = doubles(scratch["tile_weights"]), doubles(scratch["scores"])
        f.spread_sums, f.work = doubles(scratch["spread_sums"]), doubles(scratch["work"])
        f.next_centre, f.drawn = doubles(scratch["next_centre"]), integers(scratch["drawn"])
        f.ballot = doubles(scratch["ballot"])
        f.system, f.refitted = doubles(scratch["system"]), doubles(scratch["refitted"])
        f.following = doubles(scratch["following"])
        f.following_log_spread = doubles(scratch["following_log_spread"])

    cdef void grow(self, Py_ssize_t room) noexcept:
        while True:
            try:
                grown = self.with_room(self.arrays, room)
                break
            except Exception as error:
                record_failure(error)
                return
            except BaseException as error:
                record_failure(error)   # and once more: a signal is no reason to keep less
        self.arrays, self.scratch = grown
        self.bind()

    cdef Py_ssize_t most_kept(self):
        return max(particle_layout.MOST_NUMBERS // self.core.n_coefficients, 1)

    cdef Py_ssize_t first_room(self):
        return min(self.core.n_particles + 1, FIRST_ROOM, self.most_kept())

    cdef tuple with_room(self, dict arrays, Py_ssize_t room):
        # Arrays and scratch with room for this many of the best set, or more.
        cdef Py_ssize_t most = self.most_kept()
        if room > most:
            raise MemoryError(
                f"{self.who}: {room} particles with {self.core.n_coefficients} coefficients do equally well, "
                f"more than the {most} that can be kept; use fewer particles"
            )
        room = min(max(2 * len(arrays["kept"]), room), self.core.n_particles + 1, most)
        grown = layouts.resized(self.layout, arrays, "kept", room)
        return arrays | grown, self.scratch | self.new_following(room)

    def used(self):
        """Return how much of each axis that grows is in use."""
        return {"kept": max(self.core.counts.n_kept, self.first_room())}

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        arrays = layouts.checked_arrays(self.layout, self.lengths, state, self.who)
        particle_layout.check_filter(arrays, self.settings, self.lengths, self.who)
        restored = self.with_room(arrays, max(len(arrays["kept"]), self.first_room()))
        self.arrays, self.scratch = restored
        self.bind()

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs."""
        cdef ParticleKernel before = <ParticleKernel?> old
        if before.core.counts.opened:
            before.flush()
        if before.core.n_features < self.core.n_features:
            arrays = self.for_inputs(before)
        else:
            arrays = self.for_classes(before)
        layouts.check_shapes(self.layout, self.lengths, arrays, self.who)
        inherited = self.with_room(arrays, max(before.core.counts.n_kept, self.first_room()))
        self.arrays, self.scratch = inherited
        self.bind()

    cdef dict for_inputs(self, ParticleKernel before):
        cdef Py_ssize_t n_outputs = self.core.n_outputs
        arrays = with_inputs(before.arrays, self.arrays, self.layout, n_outputs, LANES)
        n_kept, n_features = before.core.counts.n_kept, before.core.n_features
        return arrays | {
            "kept": with_drawn_inputs(arrays["kept"], n_kept, n_features, n_outputs, self.settings),
        }

    cdef dict for_classes(self, ParticleKernel before):
        arrays = with_classes(before.arrays, self.arrays, before.core.n_outputs, self.core.n_outputs, LANES)
        if self.core.scaled and self.core.n_outputs > before.core.n_outputs:
            arrays |= {name: scaled_to_one(arrays[name]) for name in ("centre", "averages", "kept")}
        return arrays

    def reset(self, state):
        """Return to what `state` returned before, of this kernel or of one made alike."""
        self.restore(state)

    def learn(self, X, y, w, p, tested=None, ids=None):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0."""
        cdef Workers workers
        if self.batch_work() <= SMALL_WORK and not self.core.counts.opened:
            Kernel.learn(self, X, y, w, p, tested, ids)
            return
        workers = self.begin_work(len(X), w)
        try:
            if self.core.counts.opened:
                self.learn_buffer(0)
            Kernel.learn(self, X, y, w, p, tested, ids)
        finally:
            self.end_work(workers)

    def learn_row(self, x, y, means=None, waiting=None, given=None):
        """Learn one row if it is an array as usual and a batch takes little work; return whether it was."""
        if self.batch_work() > SMALL_WORK or self.core.counts.opened:
            return False
        return Kernel.learn_row(self, x, y, means, waiting, given)

    def flush(self):
        """Learn the rows that wait for their batch to fill."""
        cdef Workers workers = self.begin_work(self.core.batch_size, None)
        try:
            if self.core.rows.span.count:
                self.learn_buffer(-1)
        finally:
            self.end_work(workers)

    cdef int learn_buffer(self, Py_ssize_t n_rows) except -1:
        cdef call_t call
        begin_call(&call, 0)
        with nogil:
            learn_batch(&self.core)
        end_call(&call, n_rows)
        return 0

    cdef double batch_work(self) noexcept:
        # Multiplications that the next batch takes, about.
        cdef filter_t* f = &self.core
        cdef double n_steps = 1 if f.counts.started else 1 + f.n_warmup
        cdef double pair = <double> f.n_coefficients * f.batch_size
        return pair * (n_steps * f.n_particles + (NEWTON_WORK * f.n_features if f.refit_below > 0 else 0))

    cdef Workers begin_work(self, Py_ssize_t n_rows, w):
        # Begin a call that a signal may end inside a batch; start threads if there is work for them. Only the
        # caller keeps them: a forked process must not end threads that it does not have.
        cdef filter_t* f = &self.core
        cdef double n_batches = (f.rows.span.count + n_rows) // f.size[0]
        cdef Workers workers = None
        if f.n_jobs > 1:
            if w is not None:
                n_batches = max(n_batches, (f.measures.buffered + np.sum(w)) // f.size[0])
            if (n_batches + f.counts.opened) * self.batch_work() > START_WORK:
                workers = Workers(f.n_jobs - 1)
        f.workers = <void*> workers if workers is not None else NULL
        begin_call(&f.call, max(FIRST_WORK // (LANES * f.n_coefficients * f.batch_size), 1))
        f.interruptible, f.n_units = f.call.polls, f.call.n_rows
        return workers

    cdef int end_work(self, Workers workers) except -1:
        self.core.interruptible, self.core.workers = False, NULL
        end_call(&self.core.call, -1)
        if workers is not None:
            workers.close()
        return 0

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


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef filter_t* f = <filter_t*> state
    if f.counts.opened:
        learn_batch(f)
    append_row(&f.rows, x, y, w)
    f.measures.buffered += w
    if not f.counts.started:
        f.seen[y] += w
    if f.rows.span.count == f.size[0] or f.measures.buffered >= f.size[0]:
        learn_batch(f)


cdef void flush(void* state) noexcept nogil:
    cdef filter_t* f = <filter_t*> state
    if f.rows.span.count:
        learn_batch(f)

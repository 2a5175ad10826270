"""One step of a particle filter on one batch: draw, score, keep the best (formulas: particle_filter.pyx).

Threads score chunks of particles, each the next one that is left. A step changes the model only at its end:
if a signal ends it before, it can be done again with the same result.
"""

from libc.math cimport INFINITY, exp, fabs, isfinite, log, log1p, rint, sqrt
from libc.string cimport memcpy, memset

from thalweg._native.failure cimport current_failure
from .draws cimport begin_step, deviation, draw_particle, scale_to_one, write_terms
from .state cimport LANES, TILE_ROWS, filter_t, is_over
from thalweg._native.rng cimport bits, fill_ziggurat, unit, ziggurat_t
from thalweg._native.workers cimport Workers

cdef extern from *:
    """
    static ptrdiff_t next_number(ptrdiff_t *n) { return __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); }
    static int is_set(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
    static void set_flag(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELAXED); }
    """
    Py_ssize_t next_number(Py_ssize_t* number) noexcept nogil
    bint is_set(const bint* flag) noexcept nogil
    void set_flag(bint* flag) noexcept nogil

cdef double PATH_RATE = 0.3             # of the movement of the centre
cdef double PATHS = 3.0                 # in a spread
cdef double LEAST_MOVING = 0.3          # times the usual spread, as layout.py has it
cdef double MOST_MOVING = 3.0

cdef ziggurat_t ZIGGURAT
fill_ziggurat(&ZIGGURAT)


cdef void pack(filter_t* f, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    # Rows into tiles; for two classes those of class 0 with their signs turned, so that η < 0 is a hit.
    cdef Py_ssize_t i, j, n = stop - first, d = f.n_features
    cdef double value, sign, length, s
    cdef const double* x
    cdef double* tile
    f.n_tiles = (n + TILE_ROWS - 1) // TILE_ROWS
    memset(f.tiles, 0, f.n_tiles * TILE_ROWS * f.n_terms * sizeof(double))
    memset(f.tile_weights, 0, f.n_tiles * TILE_ROWS * sizeof(double))
    for i in range(n):
        x = f.rows.X + (first + i) * d
        tile = f.tiles + (i // TILE_ROWS) * f.n_terms * TILE_ROWS + i % TILE_ROWS
        sign = -1.0 if f.n_outputs == 1 and f.rows.y[first + i] == 0 else 1.0
        f.tile_codes[i] = f.rows.y[first + i]
        f.tile_weights[i] = f.rows.w[first + i]
        tile[0] = sign
        length = 0.0
        for j in range(d):
            value = x[j]
            if f.scaled:
                s = deviation(f, j)
                value = (value - f.mean[j]) / s if s > 0 else 0.0
            tile[(j + 1) * TILE_ROWS] = sign * value
            length += value * value
        if f.circle:
            tile[(d + 1) * TILE_ROWS] = sign * length


cdef void score_panel(const filter_t* f, const double* panel, double* scratch, double* scores) noexcept nogil:
    # (3), or the exponent of (6)
    if f.likelihood:
        score_likelihoods(f, panel, scratch, scores)
    elif f.n_outputs == 1:
        f.scoring.count_hits(panel, f.tiles, f.tile_weights, f.n_tiles, f.n_terms, scores)
    else:
        f.scoring.count_class_hits(panel, f.tiles, f.tile_codes, f.tile_weights, f.n_tiles, f.n_terms,
                                   f.n_outputs, scores)


cdef void score_likelihoods(const filter_t* f, const double* panel, double* energies,
                            double* scores) noexcept nogil:
    cdef Py_ssize_t t, r, m, k
    cdef double least, total, weight
    cdef double* e
    memset(scores, 0, LANES * sizeof(double))
    for t in range(f.n_tiles):
        f.scoring.all_energies(panel, f.tiles + t * f.n_terms * TILE_ROWS, f.n_terms, f.n_outputs, energies)
        for r in range(TILE_ROWS):
            weight = f.tile_weights[t * TILE_ROWS + r]
            if weight == 0:
                continue
            for m in range(LANES):
                e = energies + r * LANES + m
                if f.n_outputs == 1:
                    scores[m] -= weight * (max(e[0], 0.0) + log1p(exp(-fabs(e[0]))))
                    continue
                least, total = INFINITY, 0.0
                for k in range(f.n_outputs):
                    least = min(least, e[k * TILE_ROWS * LANES])
                for k in range(f.n_outputs):
                    total += exp(least - e[k * TILE_ROWS * LANES])
                least = e[f.tile_codes[t * TILE_ROWS + r] * TILE_ROWS * LANES] - least
                scores[m] -= weight * (least + log(total))


cdef double score_one(const filter_t* f, const double* beta) noexcept nogil:
    cdef double* panel = f.work + 2 * f.n_coefficients
    cdef double[LANES] scores
    write_terms(f, beta, panel)
    score_panel(f, panel, panel + f.n_outputs * f.n_terms * LANES, scores)
    return scores[0]


cdef void score_chunks(void* state, Py_ssize_t thread) noexcept nogil:
    # What each thread does; the caller's checks for signals.
    cdef filter_t* f = <filter_t*> state
    cdef double* work = f.work + thread * f.work_size
    cdef bint is_caller = f.interruptible and current_failure() == f.call.failure
    cdef Py_ssize_t chunk = next_number(&f.next_chunk)
    while chunk < n_chunks(f) and not is_set(&f.stopped):
        score_chunk(f, chunk, work, is_caller)
        chunk = next_number(&f.next_chunk)


cdef inline Py_ssize_t n_chunks(const filter_t* f) noexcept nogil:
    return (f.n_panels + CHUNK - 1) // CHUNK


cdef void score_chunk(filter_t* f, Py_ssize_t chunk, double* work, bint is_caller) noexcept nogil:
    cdef Py_ssize_t i, p, m, n = f.n_coefficients
    cdef double* log_spread = work + n
    cdef double* panel = work + 2 * n
    for p in range(chunk * CHUNK, min((chunk + 1) * CHUNK, f.n_panels)):
        for m in range(p * LANES, min((p + 1) * LANES, f.n_particles)):
            draw_particle(f, &ZIGGURAT, m, work, log_spread)
            write_terms(f, work, panel + m - p * LANES)
            if f.regularised:
                for i in range(n):
                    f.spread_sums[chunk * n + i] += log_spread[i]
        score_panel(f, panel, panel + f.n_outputs * f.n_terms * LANES, f.scores + p * LANES)
        if is_caller and is_over(f):
            set_flag(&f.stopped)
            return


cdef bint take_step(filter_t* f) noexcept nogil:
    cdef Py_ssize_t chunk, i, n = f.n_coefficients
    cdef double first = -INFINITY
    if f.counts.step > 0 and not f.likelihood:
        first = score_one(f, f.centre)
    if not score_all(f) or not (keep_likely(f) if f.likelihood else keep_best(f, first)):
        return False
    if f.regularised:
        for i in range(n):
            f.mean_log_spread[i] = 0.0
            for chunk in range(n_chunks(f)):
                f.mean_log_spread[i] += f.spread_sums[chunk * n + i]
            f.mean_log_spread[i] /= f.n_particles
    f.counts.step += 1
    return True


cdef bint score_all(filter_t* f) noexcept nogil:
    cdef Py_ssize_t n = f.n_coefficients
    begin_step(f)
    if f.regularised:
        memset(f.spread_sums, 0, n_chunks(f) * n * sizeof(double))
    f.next_chunk = 0
    f.stopped = False
    if f.workers != NULL and f.n_particles * n * f.n_tiles * TILE_ROWS > SMALL_WORK:
        (<Workers> f.workers).run(score_chunks, f)
    else:
        score_chunks(f, 0)
    return not f.stopped


cdef bint try_step(filter_t* f, double* centre) noexcept nogil:
    cdef Py_ssize_t m, i, n_best = 0, n = f.n_coefficients
    cdef double first = score_one(f, f.centre), best
    if not score_all(f):
        return False
    best = best_score(f, first)
    memset(centre, 0, n * sizeof(double))
    if first == best:
        memcpy(centre, f.centre, n * sizeof(double))
        n_best = 1
    for m in range(f.n_particles):
        if f.scores[m] == best:
            draw_particle(f, &ZIGGURAT, m, f.work, f.work + n)
            for i in range(n):
                centre[i] += f.work[i]
            n_best += 1
            if is_over(f):
                return False
    for i in range(n):
        centre[i] /= n_best
    if f.scaled:
        scale_to_one(centre, n)
    return True


cdef double best_score(const filter_t* f, double first) noexcept nogil:
    cdef Py_ssize_t m
    cdef double best = first
    for m in range(f.n_particles):
        best = max(best, f.scores[m])
    return best


cdef inline double* spreads_of(filter_t* f, Py_ssize_t k) noexcept nogil:
    # Where the log spreads of the next best set's member k go; scratch where there are none.
    return f.following_log_spread + k * f.n_coefficients if f.regularised else f.work + f.n_coefficients


cdef bint keep_best(filter_t* f, double first) noexcept nogil:
    # (4) and (5); `first` is the score of the last centre.
    cdef Py_ssize_t m, k = 0, n_kept = 0, n = f.n_coefficients
    cdef double best = best_score(f, first)
    for m in range(f.n_particles):
        n_kept += f.scores[m] == best
    n_kept = room_for(f, n_kept + (first == best))
    if first == best:
        memcpy(f.following, f.centre, n * sizeof(double))
        if f.regularised:
            memcpy(f.following_log_spread, f.centre_log_spread, n * sizeof(double))
        k = 1
    for m in range(f.n_particles):
        if f.scores[m] == best and k < n_kept:
            draw_particle(f, &ZIGGURAT, m, f.following + k * n, spreads_of(f, k))
            k += 1
            if is_over(f):
                return False
    replace_kept(f, n_kept)
    memcpy(f.next_centre, f.centre, n * sizeof(double))
    average(f.kept, n_kept, n, f.centre)
    if f.regularised:
        average(f.kept_log_spread, n_kept, n, f.centre_log_spread)
    if f.scaled:
        scale_to_one(f.centre, n)
    if f.movement and f.counts.started:
        follow(f, f.next_centre)
    return True


cdef void follow(filter_t* f, const double* last) noexcept nogil:
    # (9): the movement of the centre in this batch
    cdef Py_ssize_t i
    cdef double moved
    for i in range(f.n_coefficients):
        moved = f.centre[i] - last[i]
        if f.modulo > 0:
            moved -= f.modulo * rint(moved / f.modulo)
        f.path[i] += PATH_RATE * (moved - f.path[i])


cdef double moving_spread(const filter_t* f) noexcept nogil:
    # (10)
    cdef Py_ssize_t i
    cdef double squares = 0.0, n_active = 0.0
    for i in range(f.n_coefficients):
        squares += f.path[i] * f.path[i]
        n_active += f.active[i]
    return min(max(PATHS * sqrt(squares / n_active), LEAST_MOVING * f.spread), MOST_MOVING * f.spread)


cdef bint keep_likely(filter_t* f) noexcept nogil:
    # (6): scores become cumulative weights; the drawn particles are kept, once each.
    cdef Py_ssize_t m, j, n_kept = 0, n = f.n_coefficients
    cdef Py_ssize_t* place = f.drawn + f.n_particles
    cdef double total
    if not weigh(f, &total):
        return False
    for m in range(f.n_particles):
        place[m] = -1
    for m in range(f.n_particles):
        j = first_above(f.scores, f.n_particles, total * unit(bits(f.parent_key, m)))
        f.drawn[m] = j
        if place[j] < 0:
            place[j] = n_kept
            n_kept += 1
        if is_over(f):
            return False
    n_kept = room_for(f, n_kept)
    for j in range(f.n_particles):
        if 0 <= place[j] < n_kept:
            draw_particle(f, &ZIGGURAT, j, f.following + place[j] * n, spreads_of(f, place[j]))
            if is_over(f):
                return False
    for m in range(f.n_particles):
        f.parents[m] = place[f.drawn[m]] % n_kept
    memcpy(f.centre, f.next_centre, n * sizeof(double))
    replace_kept(f, n_kept)
    return True


cdef bint weigh(filter_t* f, double* total) noexcept nogil:
    # Scores into cumulative weights, and the weighted mean of the particles.
    cdef Py_ssize_t m, k, n = f.n_coefficients
    cdef double best = -INFINITY, weight
    cdef double* beta = f.work
    for m in range(f.n_particles):
        if isfinite(f.scores[m]):
            best = max(best, f.scores[m])
    memset(f.next_centre, 0, n * sizeof(double))
    total[0] = 0.0
    for m in range(f.n_particles):
        weight = exp(f.scores[m] - best) if isfinite(f.scores[m]) else float(best == -INFINITY)
        total[0] += weight
        f.scores[m] = total[0]
        if weight > 0:
            draw_particle(f, &ZIGGURAT, m, beta, spreads_of(f, 0))
            for k in range(n):
                f.next_centre[k] += weight * beta[k]
        if is_over(f):
            return False
    for k in range(n):
        f.next_centre[k] /= total[0]
    return True


cdef Py_ssize_t first_above(const double* sums, Py_ssize_t n, double value) noexcept nogil:
    cdef Py_ssize_t low = 0, high = n - 1, middle
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low


cdef Py_ssize_t room_for(filter_t* f, Py_ssize_t n_kept) noexcept nogil:
    # How many of the best set can be kept: all of it, unless there is no memory.
    if n_kept > f.room:
        f.grow(f, n_kept)
    return min(n_kept, f.room)


cdef void replace_kept(filter_t* f, Py_ssize_t n_kept) noexcept nogil:
    cdef Py_ssize_t size = n_kept * f.n_coefficients * sizeof(double)
    memcpy(f.kept, f.following, size)
    if f.regularised:
        memcpy(f.kept_log_spread, f.following_log_spread, size)
    f.counts.n_kept = n_kept


cdef void average(const double* rows, Py_ssize_t n_rows, Py_ssize_t n, double* mean) noexcept nogil:
    cdef Py_ssize_t i, k
    memset(mean, 0, n * sizeof(double))
    for i in range(n_rows):
        for k in range(n):
            mean[k] += rows[i * n + k]
    for k in range(n):
        mean[k] /= n_rows


cdef double hits_of(filter_t* f, const double* beta) noexcept nogil:
    cdef bint likelihood = f.likelihood
    cdef double hits
    f.likelihood = False
    hits = score_one(f, beta)
    f.likelihood = likelihood
    return hits

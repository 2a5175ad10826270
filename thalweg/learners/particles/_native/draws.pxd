# How a particle is drawn, and how its coefficients become the terms that rows are scored by.

from libc.math cimport exp, floor, log, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from .state cimport LANES, filter_t
from thalweg._native.rng cimport below, bits, normal, unit, ziggurat_t

cdef enum:
    # where particles begin
    ZEROS = 0
    UNIFORM = 1                         # between 0 and start_width
    NORMAL = 2                          # of that standard deviation

cdef extern from *:
    """
    static const double LOWEST_LOG_SPREAD = -6.907755278982137;   /* log 0.001 */
    static const double STEEPEST = 1e150;
    """
    const double LOWEST_LOG_SPREAD
    const double STEEPEST               # coefficient of an input as it comes: energies stay finite


cdef inline void begin_step(filter_t* f) noexcept nogil:
    # Four streams of random numbers a step, each counted from 0.
    cdef uint64_t first = 4 * <uint64_t> f.counts.step
    f.parent_key = bits(f.seed, first)
    f.move_key = bits(f.seed, first + 1)
    f.spread_key = bits(f.seed, first + 2)
    f.start_key = bits(f.seed, first + 3)


cdef inline double started_at(const filter_t* f, const ziggurat_t* z, uint64_t counter) noexcept nogil:
    if f.start == UNIFORM:
        return f.start_width * unit(bits(f.start_key, counter))
    if f.start == NORMAL:
        return f.start_width * normal(z, bits(f.start_key, counter))
    return 0.0


cdef inline void scale_to_one(double* beta, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double length = 0.0
    for i in range(n):
        length += beta[i] * beta[i]
    length = sqrt(length)
    if length > 0:
        for i in range(n):
            beta[i] /= length


cdef inline void draw_particle(const filter_t* f, const ziggurat_t* z, Py_ssize_t m, double* beta,
                               double* log_spread) noexcept nogil:
    # Particle m of this step: its parent moved by a normal step, (1) and (2) of particle_filter.pyx.
    cdef Py_ssize_t i, k, n = f.n_coefficients
    cdef uint64_t first = <uint64_t> (m * n)
    cdef double value
    if f.counts.step == 0:
        for i in range(n):
            beta[i] = started_at(f, z, first + i)
            log_spread[i] = log(f.spread)
    else:
        k = f.parents[m] if f.likelihood else below(bits(f.parent_key, m), f.counts.n_kept)
        memcpy(beta, f.kept + k * n, n * sizeof(double))
        if f.regularised:
            memcpy(log_spread, f.kept_log_spread + k * n, n * sizeof(double))
    if f.regularised:
        for i in range(n):
            value = f.pull * log_spread[i] + (1 - f.pull) * f.mean_log_spread[i]               # (2)
            value += f.jitter * normal(z, bits(f.spread_key, first + i))
            log_spread[i] = min(max(value, LOWEST_LOG_SPREAD), 0.0)
            beta[i] += exp(log_spread[i]) * normal(z, bits(f.move_key, first + i))             # (1)
    else:
        for i in range(n):
            beta[i] += f.measures.spread * normal(z, bits(f.move_key, first + i))
    if f.refit_below > 0:
        for i in range(n):
            beta[i] *= f.active[i]
    if f.modulo > 0:
        for i in range(n):
            beta[i] -= f.modulo * floor(beta[i] / f.modulo)
    if f.scaled:
        scale_to_one(beta, n)


cdef inline void write_terms(const filter_t* f, const double* beta, double* panel) noexcept nogil:
    # Lane by lane: (−β₀, β) for (1, x), or (‖c‖² − r², −2c, 1) for (1, x, ‖x‖²).
    cdef Py_ssize_t k, j, d = f.n_features
    cdef const double* b
    cdef double* out
    cdef double constant
    for k in range(f.n_outputs):
        b = beta + k * (d + 1)
        out = panel + k * f.n_terms * LANES
        if not f.circle:
            out[0] = -b[0]
            for j in range(1, d + 1):
                out[j * LANES] = b[j]
            continue
        constant = -b[0] * b[0]
        for j in range(1, d + 1):
            constant += b[j] * b[j]
            out[j * LANES] = -2 * b[j]
        out[0] = constant
        out[(d + 1) * LANES] = 1.0


cdef inline double deviation(const filter_t* f, Py_ssize_t j) noexcept nogil:
    # Standard deviation of input j so far; 0 while it is constant.
    return sqrt(f.squares[j] / f.measures.n_seen) if f.measures.n_seen > 0 else 0.0


cdef inline void to_raw_units(const filter_t* f, double* beta) noexcept nogil:
    # Coefficients of standardised inputs made coefficients of the inputs as they come.
    cdef Py_ssize_t k, j, d = f.n_features
    cdef double s
    cdef double* b
    if not f.scaled:
        return
    for k in range(f.n_outputs):
        b = beta + k * (d + 1)
        for j in range(d):
            s = deviation(f, j)
            b[j + 1] = min(max(b[j + 1] / s, -STEEPEST), STEEPEST) if s > 0 else 0.0
            b[0] += b[j + 1] * f.mean[j]

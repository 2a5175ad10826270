# The steps of the models of linear_logistic.pyx: formulas (3) to (6) there.

from libc.math cimport log, sqrt

from .linear_state cimport N_ADAPTIVE, N_MODELS, find_steps_wide, linear_t
from thalweg._native.maths cimport clipped, logistic
from .peak cimport is_near, nearer, refined

cdef extern from *:
    """
    static const double STEEPEST_ODDS = 500.0;
    """
    double STEEPEST_ODDS                # bound of |log q/(1 - q)|


cdef inline void find_steps(linear_t* s, Py_ssize_t n) noexcept nogil:
    # (3), and the sums `size` of steps.
    cdef Py_ssize_t i, lane, n_adaptive = N_ADAPTIVE * s.n_filters
    cdef double u, total = s.rate[0]
    cdef double* size = s.size + s.n_filters
    cdef const double* steps
    if n == s.n_inputs:
        find_roots(s, s.square, s.steps, n * n_adaptive)
    else:
        for i in range(n):
            find_roots(s, s.square + s.columns[i] * n_adaptive, s.steps + i * n_adaptive, n_adaptive)
    for lane in range(n_adaptive):
        size[lane] = 1.0 / sqrt(1.0 + s.constant_square[lane])
    for i in range(n):
        steps, u = s.steps + i * n_adaptive, s.u[i] * s.u[i]
        total += s.quick[i] * u
        for lane in range(n_adaptive):
            size[lane] += steps[lane] * u
    for lane in range(s.n_filters):
        s.size[lane] = total
        s.size[s.n_filters + lane] *= s.rate[1]
        s.size[2 * s.n_filters + lane] *= s.rate[2]


cdef inline void find_roots(const linear_t* s, const double* square, double* steps,
                            Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(find_steps_wide(square, steps, n) if s.is_wide and n > 4 else 0, n):
        steps[i] = 1.0 / sqrt(1.0 + square[i])


cdef inline void find_moves(linear_t* s, Py_ssize_t y, double v) noexcept nogil:
    # moved <- v e, or v e* of (4). Signs are turned for rows not of a lane's class, so that z rises.
    cdef Py_ssize_t lane, k
    cdef double sign, z, q, e
    for lane in range(s.n_lanes):
        k = lane % s.n_filters if s.n_filters > 1 else 1
        sign, q, z = 1.0 if y == k else -1.0, s.q[lane], s.z[lane]
        e = 1.0 - q if y == k else q
        if lane < s.n_filters and v <= 1.0:
            s.moved[lane] = sign * v * e                                                 # (3)
            continue
        if s.n_filters > 1:
            z = log(q) - log(1.0 - q)
        z = sign * clipped(z, STEEPEST_ODDS)
        s.moved[lane] = v * error_at_peak(z, v * s.size[lane], e)
        if lane < s.n_filters:
            s.moved[lane] = max(s.moved[lane], e)                                        # (5)
        s.moved[lane] *= sign


cdef inline double error_at_peak(double z, double size, double e) noexcept nogil:
    cdef double t = min(max(nearer(z, z, size, e), z), z + size), last = t
    t = nearer(t, z, size, logistic(-t))
    if not (is_near(t - last, size) and z <= t <= z + size):
        t = refined(0.0 if z < 0.0 < z + size and size > 4.0 else last, z, size)
    return (t - z) / size if size > 1e-3 else logistic(-t)


cdef inline void move(linear_t* s, Py_ssize_t n, Py_ssize_t y, double v, Py_ssize_t n_filters) noexcept nogil:
    cdef Py_ssize_t i, lane, n_adaptive = N_ADAPTIVE * n_filters
    cdef double e
    cdef double* moved = s.moved + n_filters
    for lane in range(n_filters):
        s.moved[n_filters + lane] *= s.rate[1]
        s.moved[2 * n_filters + lane] *= s.rate[2]
        s.constant[lane] += s.rate[0] * s.moved[lane]
    for lane in range(n_adaptive):
        # size is no longer needed: from here on it is the squared error
        e = s.q[n_filters + lane] - (1.0 if y == (lane % n_filters if n_filters > 1 else 1) else 0.0)
        s.size[lane] = v * e * e
        s.constant[n_filters + lane] += moved[lane] / sqrt(1.0 + s.constant_square[lane])
        s.constant_square[lane] = s.decay * s.constant_square[lane] + s.size[lane]
    for i in range(n):
        move_input(s, i, moved, n_filters)
        if s.l2 > 0.0:
            shrink(s, i, n_filters)


cdef inline void move_input(linear_t* s, Py_ssize_t i, const double* moved,
                            Py_ssize_t n_filters) noexcept nogil:
    cdef Py_ssize_t lane, n_adaptive = N_ADAPTIVE * n_filters
    cdef double u = s.u[i], square = u * u, quick = s.quick[i] * u
    cdef double* beta = s.beta + s.columns[i] * N_MODELS * n_filters
    cdef double* total = s.square + s.columns[i] * n_adaptive
    cdef const double* steps = s.steps + i * n_adaptive
    for lane in range(n_filters):
        beta[lane] += quick * s.moved[lane]                                              # (3)
    beta += n_filters
    for lane in range(n_adaptive):
        beta[lane] += steps[lane] * u * moved[lane]                                      # (4)
        total[lane] = s.decay * total[lane] + square * s.size[lane]                      # (3)


cdef inline void shrink(linear_t* s, Py_ssize_t i, Py_ssize_t n_filters) noexcept nogil:
    cdef Py_ssize_t m, k
    cdef double step
    cdef double* beta = s.beta + s.columns[i] * s.n_lanes
    if s.u[i] == 0.0:
        return
    for m in range(N_MODELS):
        for k in range(n_filters):
            step = s.quick[i] if m == 0 else (
                s.rate[m] * s.steps[i * N_ADAPTIVE * n_filters + (m - 1) * n_filters + k]
            )
            beta[0] /= 1.0 + step * s.l2                                                 # (6)
            beta += 1

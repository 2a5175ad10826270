# A ridge logistic fit of one output to the rows of a batch by Newton's method, each coefficient tested.
#
#     H = Φᵀ W Φ + λ I (not on the constant),  H δ = Φᵀ (y − p) − λ w,  w += δ                (1)
#     w_j is kept where w_j² > 1.96² (H⁻¹)_jj, that is two-sided p < 0.05                          (2)

from libc.math cimport exp, fabs
from libc.string cimport memset

from thalweg._native.cholesky cimport factorise_column, solve
from .state cimport TILE_ROWS, filter_t, is_over

cdef extern from *:
    """
    enum { NEWTON_STEPS = 25 };
    static const double RIDGE = 0.1;
    static const double SURE = 1.959963984540054;
    """
    enum:
        NEWTON_STEPS
    const double RIDGE
    const double SURE


cdef inline double term(const filter_t* f, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Term j of row i, its sign turned back.
    cdef const double* tile = f.tiles + (i // TILE_ROWS) * f.n_terms * TILE_ROWS + i % TILE_ROWS
    return tile[j * TILE_ROWS] * tile[0]


cdef inline bint fit_logistic(filter_t* f, Py_ssize_t k, double* beta, double* active,
                              Py_ssize_t* n_active) noexcept nogil:
    # Writes the fit into beta (signs as in β: −β₀ + β·x is the energy), 0 or 1 into active, and adds to
    # n_active the coefficients but the constant that were kept. False if a signal ended it.
    cdef Py_ssize_t _step, j, n = 1 + f.n_features
    cdef double* hessian = f.system
    cdef double* w = f.system + n * n
    cdef double* change = w + n
    cdef double largest
    memset(w, 0, n * sizeof(double))
    for _step in range(NEWTON_STEPS):
        if not (build_system(f, k, hessian, w, change) and factorise(f, hessian, n)):
            return False
        solve(hessian, n, change)
        largest = 0.0
        for j in range(n):
            w[j] += change[j]                                                                  # (1)
            largest = max(largest, fabs(change[j]))
        if largest < 1e-8:
            break
    if not (build_system(f, k, hessian, w, change) and factorise(f, hessian, n)):
        return False
    for j in range(n):
        memset(change, 0, n * sizeof(double))
        change[j] = 1.0
        solve(hessian, n, change)
        active[j] = j == 0 or w[j] * w[j] > SURE * SURE * change[j]                            # (2)
        n_active[0] += j > 0 and active[j] > 0
        beta[j] = (w[j] if j == 0 else -w[j]) * active[j]
        if is_over(f):
            return False
    return True


cdef inline bint build_system(filter_t* f, Py_ssize_t k, double* hessian, const double* w,
                              double* gradient) noexcept nogil:
    cdef Py_ssize_t i, j, other, n = 1 + f.n_features, target = 1 if f.n_outputs == 1 else k
    cdef double score, p, error, weight
    memset(hessian, 0, n * n * sizeof(double))
    for j in range(n):
        gradient[j] = -RIDGE * w[j] if j else 0.0
        hessian[j * n + j] = RIDGE if j else 1e-9
    for i in range(f.rows.span.count):
        score = 0.0
        for j in range(n):
            score += w[j] * term(f, i, j)
        p = 1.0 / (1.0 + exp(-score))
        error = f.rows.w[i] * ((1.0 if f.rows.y[i] == target else 0.0) - p)
        weight = f.rows.w[i] * p * (1.0 - p)
        for j in range(n):
            gradient[j] += error * term(f, i, j)
            for other in range(j + 1):
                hessian[j * n + other] += weight * term(f, i, j) * term(f, i, other)
        if is_over(f):
            return False
    return True


cdef inline bint factorise(filter_t* f, double* a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        factorise_column(a, n, j)
        if is_over(f):
            return False
    return True

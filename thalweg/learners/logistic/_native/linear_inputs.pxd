# The inputs of linear_logistic.pyx: which of them a row is about, and their values in terms of what is usual.
# Formulas (1) to (3) there.

from libc.math cimport isnan, sqrt
from libc.string cimport memmove

from .linear_state cimport linear_t, learn_inputs_wide, wide_inputs_t

cdef extern from *:
    """
    static const double FARTHEST_VALUE = 3.0, WILDEST_VALUE = 10.0, SMALLEST_VARIANCE = 1e-300;
    """
    double FARTHEST_VALUE               # bound of |u|
    double WILDEST_VALUE                # standard deviations: no value counts as farther from the mean
    double SMALLEST_VARIANCE            # that counts as one


cdef inline Py_ssize_t gather(const linear_t* s, const double* row, Py_ssize_t* columns,
                              double* values) noexcept nogil:
    # Find the inputs that are not 0 or common; missing values are not 0.
    cdef Py_ssize_t j, n = 0
    for j in range(s.n_inputs):
        columns[n], values[n] = j, row[j]
        n += 1 if row[j] != 0.0 or s.is_common[j] else 0
    return n


cdef inline Py_ssize_t gather_sparse(const linear_t* s, const Py_ssize_t* given, const double* x,
                                     Py_ssize_t m, Py_ssize_t* columns, double* values) noexcept nogil:
    # The same for a row that has values in the m columns `given`, in increasing order, and is 0 elsewhere.
    cdef Py_ssize_t i = 0, c = 0, n = 0
    while i < m or c < s.n_common[0]:
        if c == s.n_common[0] or (i < m and given[i] <= s.common[c]):
            columns[n], values[n] = given[i], x[i]
            if c < s.n_common[0] and given[i] == s.common[c]:
                c += 1
                n += 1
            elif x[i] != 0.0:
                n += 1
            i += 1
        else:
            columns[n], values[n] = s.common[c], 0.0
            c += 1
            n += 1
    return n


cdef inline double standardise(const linear_t* s, Py_ssize_t j, double value) noexcept nogil:
    cdef double u = (value - s.centre[j]) * s.scale[j]                                   # (2)
    return min(max(u, -FARTHEST_VALUE), FARTHEST_VALUE) if u == u else 0.0


cdef inline void update_statistics(linear_t* s, Py_ssize_t j, double value) noexcept nogil:
    cdef double error, share, farthest
    if isnan(value):
        s.missing[j] += 1.0
    elif value != 0.0:
        # Extreme values are clipped, so that one of them does not hide its input permanently.
        s.count[j] += 1.0
        error, share = value - s.mean[j], 1.0 / s.count[j]
        farthest = WILDEST_VALUE * WILDEST_VALUE * s.variance[j]
        if error * error > farthest > SMALLEST_VARIANCE:
            error = sqrt(farthest) if error > 0.0 else -sqrt(farthest)
        s.mean[j] += error * share
        s.variance[j] += (error * error * (1.0 - share) - s.variance[j]) * share


cdef inline double set_scale(linear_t* s, Py_ssize_t j) noexcept nogil:
    # (1) to (3): compute how values of an input are measured; return the factor of its quick step.
    cdef double share = s.count[j] / max(s.seen[0], 1.0)
    cdef double known = s.count[j] / max(s.seen[0] - s.missing[j], 1.0) if s.missing[j] > 0.0 else share
    cdef double c = min(max(4.0 * share - 1.0, 0.0), 1.0), square = s.mean[j] * s.mean[j]
    cdef double spread = s.variance[j] * ((1.0 - c) + c * known)
    cdef double total = share * (s.variance[j] + square * (1.0 - share))
    spread += square * ((1.0 - c) + c * known * (1.0 - known))
    s.centre[j] = c * known * s.mean[j]
    if spread > SMALLEST_VARIANCE and total > 0.0:
        s.scale[j] = 1.0 / sqrt(spread)
        return min(spread / total, s.seen[0])
    s.scale[j] = 0.0
    return 0.0


cdef inline void set_common(linear_t* s, Py_ssize_t j) noexcept nogil:
    # An input is common from a quarter of the rows on, and is then in the list.
    cdef bint is_common = 4.0 * s.count[j] > s.seen[0]
    cdef Py_ssize_t low = 0, high = s.n_common[0], middle
    if is_common == s.is_common[j]:
        return
    while low < high:
        middle = (low + high) // 2
        if s.common[middle] < j:
            low = middle + 1
        else:
            high = middle
    if is_common:
        memmove(s.common + low + 1, s.common + low, (s.n_common[0] - low) * sizeof(Py_ssize_t))
        s.common[low] = j
        s.n_common[0] += 1
    else:
        s.n_common[0] -= 1
        memmove(s.common + low, s.common + low + 1, (s.n_common[0] - low) * sizeof(Py_ssize_t))
    s.is_common[j] = is_common


cdef inline Py_ssize_t learn_wide(linear_t* s) noexcept nogil:
    # For a row in which every input is looked at: do what learn_input does; return for how many inputs.
    cdef wide_inputs_t wide
    wide.seen, wide.rate, wide.wildest = s.seen[0], s.rate[0], WILDEST_VALUE * WILDEST_VALUE
    wide.smallest, wide.farthest = SMALLEST_VARIANCE, FARTHEST_VALUE
    wide.missing, wide.is_common, wide.count = s.missing, s.is_common, s.count
    wide.mean, wide.variance, wide.centre, wide.scale = s.mean, s.variance, s.centre, s.scale
    wide.u, wide.quick = s.u, s.quick
    return learn_inputs_wide(&wide, s.n_inputs)


cdef inline void learn_input(linear_t* s, Py_ssize_t i) noexcept nogil:
    # Learn the i-th value of the row; it becomes what it is to the models.
    cdef Py_ssize_t j = s.columns[i]
    update_statistics(s, j, s.u[i])
    s.quick[i] = s.rate[0] * set_scale(s, j)
    set_common(s, j)
    s.u[i] = standardise(s, j, s.u[i])

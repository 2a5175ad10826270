"""Histograms of every input, and the Hellinger distance of two, corrected for what is expected by chance.

A number x falls into bin 1 + floor(B (x - low)/(high - low)) of an input, cut to 1 and B; a category into
that of its code; a missing value into bin 0. With the counts a_i and b_i, n_a and n_b rows in all,

    d^2 = sum_i (sqrt(a_i/n_a) - sqrt(b_i/n_b))^2,       weight = 1 - sqrt(d^2/2)                       (1)

Two samples of one distribution differ too: E[d^2] is about (bins - 1)/4 (1/n_a + 1/n_b), more where bins
are nearly empty. Which rows are in which sample is then a matter of chance, so that the expectation given the
rows of both is that over all ways to deal them out. With m_i = a_i + b_i and n = n_a + n_b,

    E[d^2] = sum_i 2 m_i/n - 2 E[sqrt(c (m_i - c))]/sqrt(n_a n_b),   c ~ hypergeometric(n, n_a, m_i),      (2)

which is taken off d^2, to 0 at least.

Whether an input has changed is a test of Freeman and Tukey's statistic, summed over the classes,

    T = sum of f d^2,   f = 4 n_a n_b/n,                                                                   (3)

which is about chi-squared if nothing has changed and bins are full. In general it is taken for a gamma
variable with

    mean     = sum of f E[d^2],                                                                            (4)
    variance = sum of f^2 4/(n_a n_b) sum_i Var[sqrt(c (m_i - c)) - s c] + 2 (1 - sum_i (m_i/n)^2),        (5)

s = (n_b - n_a)/(2 sqrt(n_a n_b)). The c of all bins add up to n_a, so that s c, the slope at the mean of c,
adds nothing to d^2; the last term is what the covariances of bins add where these are full.
"""

from libc.math cimport NAN, isfinite, isnan, sqrt
from libc.string cimport memset

cdef double NEGLIGIBLE = 1e-17


cdef void cut_bins(const input_bins_t* h, const double* X, Py_ssize_t n, double* low,
                   double* scale) noexcept nogil:
    cdef Py_ssize_t i, j, d = h.n_features
    cdef double x
    cdef double* high = scale
    for j in range(d):
        low[j] = high[j] = NAN
    for i in range(n):
        for j in range(d):
            x = X[i * d + j]
            low[j] = x if isnan(low[j]) or x < low[j] else low[j]
            high[j] = x if isnan(high[j]) or x > high[j] else high[j]
    for j in range(d):
        scale[j] = (h.start[j + 1] - h.start[j] - 1) / (high[j] - low[j])
        if isnan(low[j]):
            low[j] = 0.0
        if h.n_categories[j] or not isfinite(scale[j]):         # all values are equal, or almost
            scale[j] = 0.0


cdef inline Py_ssize_t cell_of(double x, double low, double scale, Py_ssize_t n_known,
                               bint is_category) noexcept nogil:
    # Where no two values differed, others than this one have their own bin.
    cdef double place
    if isnan(x):
        return 0
    if is_category:
        return 1 + <Py_ssize_t> x if 0 <= x < n_known else n_known
    if scale == 0:
        return 1 if x == low else 2
    place = (x - low) * scale
    if place < 0:
        return 1
    return 1 + <Py_ssize_t> place if place < n_known else n_known


cdef void count_rows(const input_bins_t* h, const double* low, const double* scale, const double* X,
                     const Py_ssize_t* y, Py_ssize_t n, int* counts) noexcept nogil:
    cdef Py_ssize_t i, j, d = h.n_features
    cdef int* row
    for i in range(n):
        row = counts + (y[i] * h.n_bins if y != NULL else 0)
        for j in range(d):
            row[h.start[j] + cell_of(X[i * d + j], low[j], scale[j], h.start[j + 1] - h.start[j] - 1,
                                     h.n_categories[j] > 0)] += 1


cdef void sum_classes(const input_bins_t* h, const int* counts, int* total) noexcept nogil:
    cdef Py_ssize_t k, i
    memset(total, 0, h.n_bins * sizeof(int))
    for k in range(h.n_classes):
        for i in range(h.n_bins):
            total[i] += counts[k * h.n_bins + i]


cdef Py_ssize_t n_counted(const input_bins_t* h, const int* counts) noexcept nogil:
    # Rows in a histogram: they are in a bin of every input.
    cdef Py_ssize_t i, n = 0
    for i in range(h.start[1]):
        n += counts[i]
    return n


cdef double mean_root(Py_ssize_t n_a, Py_ssize_t n_b, Py_ssize_t m, double* variance) noexcept nogil:
    # E[sqrt(c (m - c))] in (2): the terms from the most likely c on, downwards and upwards, relative to that;
    # and the variance in (5), by differences from the most likely, so that no digits are lost.
    cdef Py_ssize_t c, mode = (m + 1) * (n_a + 1) // (n_a + n_b + 2)
    cdef double first = sqrt(<double> mode * (m - mode)), slope = (n_b - n_a) / (2 * sqrt(<double> n_a * n_b))
    cdef double share = 1.0, total = 1.0, found = first, gap, gaps = 0.0, squares = 0.0
    c = mode
    while c < m and c < n_a and share > NEGLIGIBLE:
        share *= <double> (m - c) * (n_a - c) / (<double> (c + 1) * (n_b - m + c + 1))
        c += 1
        total += share
        found += share * sqrt(<double> c * (m - c))
        gap = sqrt(<double> c * (m - c)) - first - slope * (c - mode)
        gaps += share * gap
        squares += share * gap * gap
    c, share = mode, 1.0
    while c > 0 and c > m - n_b and share > NEGLIGIBLE:
        share *= <double> c * (n_b - m + c) / (<double> (m - c + 1) * (n_a - c + 1))
        c -= 1
        total += share
        found += share * sqrt(<double> c * (m - c))
        gap = sqrt(<double> c * (m - c)) - first - slope * (c - mode)
        gaps += share * gap
        squares += share * gap * gap
    variance[0] = squares / total - (gaps / total) * (gaps / total)
    return found / total


cdef double bin_by_chance(const input_bins_t* h, Py_ssize_t n_a, Py_ssize_t n_b,
                          Py_ssize_t m) noexcept nogil:
    # A term of (2), kept for the other bins with as many rows, as is the variance of (5).
    cdef double root
    if isnan(h.by_chance[m]):
        root = mean_root(n_a, n_b, m, &h.spread[m])
        h.by_chance[m] = 2.0 * m / (n_a + n_b) - 2.0 * root / sqrt(<double> n_a * n_b)
    return h.by_chance[m]


cdef void add_likeness(const input_bins_t* h, const int* a, const int* b, double* weight,
                       Py_ssize_t* n_added, double* moments) noexcept nogil:
    cdef Py_ssize_t i, j, n_a = n_counted(h, a), n_b = n_counted(h, b)
    cdef double squares, root
    if n_a == 0 or n_b == 0:
        return
    for i in range(n_a + n_b + 1 if h.corrected or moments != NULL else 0):
        h.by_chance[i] = NAN
    for j in range(h.n_features):
        squares = 0.0
        for i in range(h.start[j], h.start[j + 1]):
            if a[i] + b[i] > 0:
                root = sqrt(a[i] / <double> n_a) - sqrt(b[i] / <double> n_b)
                squares += root * root
                if h.corrected:
                    squares -= bin_by_chance(h, n_a, n_b, a[i] + b[i])
        weight[j] += max(1.0 - sqrt(squares / 2), 0.0) if squares > 0 else 1.0          # (1)
        n_added[j] += 1
        if moments != NULL:
            add_moments(h, j, a, b, n_a, n_b, moments + N_MOMENTS * j)


cdef void add_moments(const input_bins_t* h, Py_ssize_t j, const int* a, const int* b, Py_ssize_t n_a,
                      Py_ssize_t n_b, double* moments) noexcept nogil:
    cdef Py_ssize_t i, m
    cdef double n = n_a + n_b, scale = 4.0 * n_a * n_b / n, root, squares = 0.0, expected = 0.0
    cdef double variance = 0.0, among_bins = 1.0
    for i in range(h.start[j], h.start[j + 1]):
        m = a[i] + b[i]
        if m > 0:
            root = sqrt(a[i] / <double> n_a) - sqrt(b[i] / <double> n_b)
            squares += root * root
            expected += bin_by_chance(h, n_a, n_b, m)
            variance += h.spread[m]
            among_bins -= (m / n) * (m / n)
    moments[FOUND] += scale * squares                                                   # (3)
    moments[EXPECTED] += scale * expected                                               # (4)
    moments[VARIANCE] += scale * scale * 4.0 / (<double> n_a * n_b) * variance + 2.0 * among_bins    # (5)

# Corrects the answer if a member that uses only past labels was right more often.
#
# What is best by log-loss need not be right most often. Where the most likely class a of the answer p and the
# class b of such a member differ, what counts is how often each was right in such rows before: sums
# A and B, of which a share KEPT is kept at every such row. The member is followed if
#
#     B + PRIOR p_b - (A + PRIOR p_a) > LEAD sqrt(A + B + PRIOR (p_a + p_b)),                (1)
#
# the one with the largest lead by share if there are several. p then changes as little as makes b the
# most likely: p_a and p_b become equal, or p_b as large as that of a third class.             (2)

from libc.math cimport sqrt

from thalweg._native.maths cimport likeliest

cdef extern from *:
    """
    static const double SELECTOR_PRIOR = 2.0, SELECTOR_LEAD = 0.2, SELECTOR_KEPT = 0.995;
    static const double SELECTOR_TILT = 1e-9;
    """
    double SELECTOR_PRIOR
    double SELECTOR_LEAD
    double SELECTOR_KEPT
    double SELECTOR_TILT                # by which the class that is chosen is ahead

ctypedef struct selector_t:
    Py_ssize_t n_classes
    Py_ssize_t n_watched
    const Py_ssize_t* watched           # [watched]: which members
    double* right                       # [watched, 2]: of the answer and of the member, where they differ


cdef inline void select_class(const selector_t* c, const double* said, double* p) noexcept nogil:
    # Change p if a member should be followed; said[member, class] is what the members answered.
    cdef Py_ssize_t i, a = likeliest(p, c.n_classes), b, best = a
    cdef double lead, total, most = 0.0
    for i in range(c.n_watched):
        b = likeliest(said + c.watched[i] * c.n_classes, c.n_classes)
        if a == b:
            continue
        total = c.right[2 * i] + c.right[2 * i + 1] + SELECTOR_PRIOR * (p[a] + p[b])
        lead = c.right[2 * i + 1] - c.right[2 * i] + SELECTOR_PRIOR * (p[b] - p[a])
        lead -= SELECTOR_LEAD * sqrt(total)
        if lead > most * total:                                                  # (1)
            most, best = lead / total, b
    if best != a:
        make_likeliest(p, c.n_classes, a, best)


cdef inline void make_likeliest(double* p, Py_ssize_t n, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    cdef Py_ssize_t k
    cdef double total = p[a] + p[b], third = 0.5 * total
    for k in range(n):
        if k != a and k != b:
            third = max(third, p[k])
    p[b] = min(third * (1.0 + SELECTOR_TILT), total)                             # (2)
    p[a] = total - p[b]


cdef inline void learn_selector(selector_t* c, const double* said, const double* p, Py_ssize_t y,
                                double w) noexcept nogil:
    # Count who was right, where the members had `said` something else than the answer p.
    cdef Py_ssize_t i, a = likeliest(p, c.n_classes), b
    for i in range(c.n_watched):
        b = likeliest(said + c.watched[i] * c.n_classes, c.n_classes)
        if a != b:
            c.right[2 * i] = SELECTOR_KEPT * c.right[2 * i] + (w if y == a else 0.0)
            c.right[2 * i + 1] = SELECTOR_KEPT * c.right[2 * i + 1] + (w if y == b else 0.0)

"""What happens with a row in HUWRS; the formulas are those of huwrs.pyx."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from thalweg.learners.ensembles._native.base cimport NEXT_NOTE, ROWS, EnsembleKernel, learn_by
from thalweg._native.failure cimport should_stop
from .histograms cimport N_MOMENTS, add_likeness, count_rows, sum_classes
from thalweg._native.kernel cimport observe
from thalweg._native.missing cimport any_missing
from thalweg.learners.batch_trees._native.packed_tree cimport (
    ROWS_IN_SET,
    columns_of,
    columns_size,
    packed_vote,
)
from thalweg._native.ring cimport append_over, replaced_t, undo_append


cdef enum:
    FEW = 16                            # rows below this are not worth writing as columns


cdef bint is_first_of(const huwrs_t* c, Py_ssize_t m) noexcept nogil:
    # Whether no member before this one has the same reference.
    cdef Py_ssize_t other
    for other in range(m):
        if c.reference[other] == c.reference[m]:
            return False
    return True


cdef void compare(huwrs_t* c, Py_ssize_t r, const double* X, const Py_ssize_t* y,
                  Py_ssize_t n, double* moments) noexcept nogil:
    # How alike each input of the rows is to that of reference r: the mean over classes, or all rows together.
    cdef Py_ssize_t j, k, d = c.bins.n_features, n_bins = c.bins.n_bins
    cdef int* counts = c.counts + r * c.bins.n_classes * n_bins
    memset(c.likeness, 0, d * sizeof(double))
    memset(c.n_compared, 0, d * sizeof(Py_ssize_t))
    memset(c.counted, 0, (c.bins.n_classes if y != NULL else 1) * n_bins * sizeof(int))
    count_rows(&c.bins, c.low + r * d, c.scale + r * d, X, y, n, c.counted)
    if y == NULL:
        sum_classes(&c.bins, counts, c.total)
        add_likeness(&c.bins, c.total, c.counted, c.likeness, c.n_compared, moments)
        return
    for k in range(c.bins.n_classes):
        add_likeness(&c.bins, counts + k * n_bins, c.counted + k * n_bins, c.likeness, c.n_compared, moments)
    for j in range(d):
        c.likeness[j] = c.likeness[j] / c.n_compared[j] if c.n_compared[j] > 0 else 0.0


cdef bint weigh_by_chunk(huwrs_t* c, double* weight, double* moments, bint may_stop) noexcept nogil:
    cdef Py_ssize_t j, m, other, size = c.bins.n_features * N_MOMENTS
    for m in range(c.n_members):
        if not is_first_of(c, m):
            continue
        if may_stop and should_stop():
            return False
        compare(c, c.reference[m], c.rows.X, c.rows.y, c.rows.span.count,
                NULL if moments == NULL else moments + c.reference[m] * size)
        for other in range(m, c.n_members):
            if c.reference[other] == c.reference[m]:
                weight[other] = 1.0
                for j in range(c.first[other], c.first[other + 1]):
                    weight[other] = min(weight[other], c.likeness[c.columns[j]])     # (1)
    return True


cdef void weigh_by_window(huwrs_t* c) noexcept nogil:
    cdef Py_ssize_t j, m, other
    for m in range(c.n_members):
        if not is_first_of(c, m):
            continue
        compare(c, c.reference[m], c.observed, NULL, c.window, NULL)
        for other in range(m, c.n_members):
            if c.reference[other] == c.reference[m]:
                c.unlabelled[other] = 0.0
                for j in range(c.first[other], c.first[other + 1]):
                    c.unlabelled[other] += c.likeness[c.columns[j]]
                c.unlabelled[other] /= c.first[other + 1] - c.first[other]           # (2)


cdef bint is_due(const huwrs_t* c) noexcept nogil:
    # Whether the rows held are to be compared, or learned where nothing is known yet.
    cdef Py_ssize_t n = c.rows.span.count
    if c.period:
        return n == c.rows.room and (c.held[UPDATES] == 0 or c.progress[ROWS] % c.period == 0)
    return n == c.rows.room or (c.held[UPDATES] == 0 and n & (n - 1) == 0)


cdef void huwrs_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef huwrs_t* c = <huwrs_t*> state
    cdef replaced_t old = append_over(&c.rows, x, y, w, c.lost)
    c.progress[ROWS] += 1
    memset(c.is_fresh, 0, c.n_members)
    if is_due(c) and not c.update(c.kernel, c.undoes):
        undo_append(&c.rows, &old, c.lost)
        c.progress[ROWS] -= 1
        c.undone = True
        return
    if c.period:
        teach(c, x, y, w, number)
    if c.progress[ROWS] == c.progress[NEXT_NOTE]:
        with gil:
            (<EnsembleKernel> c.kernel).note()


cdef void teach(huwrs_t* c, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    # Let all members learn a row but those that were just trained on it.
    cdef Py_ssize_t m
    for m in range(c.n_members):
        if not c.is_fresh[m]:
            learn_by(c.member[m], x, y, w, number)


cdef void huwrs_flush(void* state) noexcept nogil:
    # Rows of a chunk that is not complete wait for the rest, except for the first one.
    cdef huwrs_t* c = <huwrs_t*> state
    if not c.period and c.held[UPDATES] == 0 and c.rows.span.count > 0:
        c.update(c.kernel, True)


cdef void huwrs_observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef huwrs_t* c = <huwrs_t*> state
    cdef Py_ssize_t m, d = c.bins.n_features
    for m in range(c.n_members if c.packed == NULL else 0):
        observe(c.member[m], x, number)
    if not c.weighs_observed:
        return
    memcpy(c.observed + c.held[OBSERVED] * d, x, d * sizeof(double))
    c.held[OBSERVED] += 1
    if c.held[OBSERVED] == c.window:
        c.held[OBSERVED] = 0
        if c.reference[0] >= 0:
            weigh_by_window(c)


cdef Py_ssize_t rows_to_update(const huwrs_t* c, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t held = c.rows.span.count, following = 1
    if c.period:
        return min(n, 1)
    if c.held[UPDATES] > 0:
        return min(n, c.rows.room - held)
    while following <= held:
        following *= 2
    return min(n, min(following, c.rows.room) - held)


cdef Py_ssize_t rows_to_window(const huwrs_t* c, Py_ssize_t n) noexcept nogil:
    return min(n, c.window - c.held[OBSERVED])


cdef void huwrs_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    predict_rows(<const huwrs_t*> state, x, 1, p, scratch)


cdef void predict_rows(const huwrs_t* c, const double* X, Py_ssize_t n, double* p,
                       double* scratch) noexcept nogil:
    # A few rows at a time, so that both they and the member stay in the cache.
    cdef double total = 0.0, vote
    cdef bint is_whole
    cdef double* columns
    cdef Py_ssize_t m, i, start, stop = 0, d = c.bins.n_features, n_classes = c.bins.n_classes
    for m in range(c.n_members):
        total += c.labelled[m] + c.unlabelled[m]
    memset(p, 0, n * n_classes * sizeof(double))
    while stop < n:
        start, stop = stop, min(stop + ROWS_IN_SET, n)
        is_whole = c.packed != NULL and not any_missing(X + start * d, (stop - start) * d)
        columns = scratch + n_classes if columns_size(d) and stop - start >= FEW else NULL
        if is_whole and columns != NULL:
            columns_of(X + start * d, stop - start, d, columns)
        for m in range(c.n_members):
            vote = (c.labelled[m] + c.unlabelled[m]) / total if total > 0 else 1.0 / c.n_members
            if not vote > 0:
                continue
            if is_whole and c.packed[m].by_numbers:
                packed_vote(c.packed[m], X + start * d, columns, stop - start, d, n_classes, vote,
                            p + start * n_classes)
                continue
            for i in range(start, stop):
                add_vote(c, m, vote, X + i * d, p + i * n_classes, scratch)
        for i in range(start, stop):
            normalise(p + i * n_classes, n_classes)


cdef inline void normalise(double* p, Py_ssize_t n_classes) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t k
    for k in range(n_classes):
        total += p[k]
    for k in range(n_classes):
        p[k] /= total


cdef inline void add_vote(const huwrs_t* c, Py_ssize_t m, double vote, const double* x, double* p,
                          double* scratch) noexcept nogil:
    cdef Py_ssize_t k, n_classes = c.bins.n_classes
    cdef const learner_t* h = c.member[m]
    h.predict(h.state, x, scratch, scratch + n_classes)
    for k in range(n_classes):
        p[k] += vote * scratch[k]

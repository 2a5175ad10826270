"""Sets of classes whose coverage holds over time, for a member whose answers they do not change.

With the probabilities q that were given to the true classes of the last W labels, n of them so far, and the
level a, class k is in the set of a row if its conformal p-value is at least the level,

    (1 + #{q <= p_k}) / (n + 1) >= a                                                          (1)

which is p_k >= t with the threshold t = q_(m), the m-th smallest q, m = ceil(a (n + 1)) - 1; all classes if
m < 1, and none if m > n: then the most likely class is the set. So one look into the ordered window makes a
set. Where several q equal q_(m), as those of a learner that is often quite sure, the p-value of a class with
that probability is smoothed, else the sets of all such rows would hold it or none would:

    (#{q < p_k} + u (1 + #{q = p_k})) / (n + 1) >= a                                          (2)

where u lies in [0, 1): the fractional part of the golden ratio times the number of labels so far. Before
there were FEW labels, t is the largest threshold with

    sum_{p_k >= t} p_k >= c                                                                   (3)

where c is the coverage wanted. When the label y of a row comes, at once or late, with the p and t of its
prediction, and p_y takes the place of the oldest q,

    a <- a + g ((1 - c) - [p_y < t])                                                          (4)
    g = min(STEP, LATE / (1 + d)) c (1 - c) / 0.09                                            (5)

where d is the running mean of how many labels the labels are late. The set without the most likely class is
judged, else the level would rise without end where the member errs less often than the sets may.
"""

from libc.math cimport ceil, floor, nextafter
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, Array, counter, require

from thalweg._native cimport kernel as learner
from thalweg._native.failure cimport current_failure
from thalweg._native.kept_rows cimport KeptRows, keep_row, kept_by, kept_rows_t, n_observed, take_kept
from thalweg._native.kernel cimport Kernel, learner_t
from thalweg._native.maths cimport likeliest
from thalweg._native.pointers cimport doubles
from thalweg.learners.base._native.one_member cimport OneMemberKernel

cdef double STEP = 0.03
cdef double LATE = 0.35                 # of (5): the level moves by less than this before it sees the effect
cdef double FEW = 50.0                  # labels
cdef double MEMORY = 1000.0             # labels over which the delay is averaged
cdef double GOLDEN = 0.6180339887498949
cdef double NOTHING = 2.0               # a threshold that no probability reaches
FARTHEST = 1e6                          # a bound of the level in saved states

ctypedef struct sets_t:
    double level                        # a
    double delay                        # d
    double n_labels
    double n_late                       # of them, those of rows that were observed before
    double n_held                       # labels in their sets
    double n_covered                    # the same with the rule that a set has the most likely class
    double n_single                     # sets of one class
    double n_members                    # classes in all sets

FIELDS = {
    "level": Array(FLOAT, low=-FARTHEST, high=FARTHEST),
    "delay": Array(FLOAT, low=0.0),
    "n_labels": counter(),
    "n_late": counter(),
    "n_held": counter(),
    "n_covered": counter(),
    "n_single": counter(),
    "n_members": Array(FLOAT, low=0.0, whole=True),
}

ctypedef struct prediction_sets_t:
    learner_t* member
    double* p                           # [class]: memory
    double* scratch                     # memory to predict while a row is learned
    Py_ssize_t p_size
    Py_ssize_t n_classes
    Py_ssize_t window                   # W
    double coverage                     # c
    double scale                        # of the steps of the level
    bint may_fail                       # the member is written in Python
    bint shares                         # what is predicted is observed next
    sets_t* sets
    double* arrival                     # [window]: q by place, that of label i being i % W
    double* ordered                     # [window]: the same, ascending
    kept_rows_t* kept                   # with a row: t, then p
    double* record                      # where to write t of tested rows; NULL: nowhere
    Py_ssize_t n_recorded


cdef class PredictionSetsKernel(OneMemberKernel):
    """Calls a member, and keeps the window of q and the level."""

    cdef prediction_sets_t core
    cdef public object record           # thresholds of the rows tested since it was set; None: not recorded

    def __init__(self, who, n_features, n_classes, coverage, window, most_kept):
        cdef prediction_sets_t* c = &self.core
        self.allocate(who, {
            "sets": Array(FLOAT, FIELDS),
            "arrival": Array(FLOAT, "window", low=0.0, high=1.0),
        }, {"window": window})
        self.arrays = self.arrays | {"ordered": layouts.new_array(window, FLOAT)}
        self.arrays["sets"][0] = 1.0 - coverage
        self.kept = KeptRows(who, n_classes + 1, most_kept, {"low": 0.0, "high": NOTHING})
        c.n_classes = c.p_size = n_classes
        c.window = window
        c.coverage, c.scale = coverage, coverage * (1.0 - coverage) / 0.09
        self.set_handle(<void*> c, n_features, n_classes, learn, predict, predict_learn)
        self.handle.observe = observe
        self.bind()

    cdef void bind(self):
        cdef prediction_sets_t* c = &self.core
        c.sets, c.kept = <sets_t*> doubles(self.arrays["sets"]), kept_by(self)
        c.arrival, c.ordered = doubles(self.arrays["arrival"]), doubles(self.arrays["ordered"])

    cdef void derive(self):
        n = n_held(&self.core)
        ordered = self.arrays["ordered"]
        ordered[:] = self.arrays["arrival"]
        ordered[:n].sort()

    def check(self, arrays):
        """Raise StateError if the counts contradict each other."""
        found = dict(zip(FIELDS, arrays["sets"].tolist(), strict=True))
        n = found["n_labels"]
        for name in ("n_late", "n_held", "n_covered", "n_single"):
            require(found[name] <= n, self.who, name, f"is more than {n:g} labels")
        require(found["n_held"] <= found["n_covered"], self.who, "n_held", "is more than 'n_covered'")
        good = not arrays["arrival"][int(min(n, self.core.window)):].any()
        require(good, self.who, "arrival", f"holds more than {n:g} labels")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs or classes; predictions of rows that wait are kept."""
        found = old.kept.state()
        values = layouts.new_array((len(found["kept_values"]), self.core.n_classes + 1), FLOAT)
        values[:, :found["kept_values"].shape[1]] = found["kept_values"]
        self.kept.restore(found | {"kept_values": values})
        self.adopt(layouts.grown(self.layout, self.lengths, self.arrays, old.arrays, self.who, missing))
        self.derive()

    cdef void follow_member(self):
        self.core.may_fail = self.calls_python

    def learn(self, X, y, w, p, tested=None, ids=None, observed=None):
        """Do what a kernel's `learn` does; append the thresholds of tested rows to `record`, if there is one.
        """
        self.begin_record(len(X))
        self.core.shares = observed is not None and (tested is None or bool((tested >= observed).all()))
        try:
            Kernel.learn(self, X, y, w, p, tested, ids, observed)
        finally:
            self.core.shares = False
            self.end_record()

    def predict_observe(self, X, p, ids=None):
        """For each row: write its probabilities into `p`, then observe it without a label."""
        self.begin_record(len(X))
        self.core.shares = True
        try:
            Kernel.predict_observe(self, X, p, ids)
        finally:
            self.core.shares = False
            self.end_record()

    cdef begin_record(self, Py_ssize_t n):
        # Only calls that exclude all others record.
        if self.record is not None:
            self.record.reserve(n)
            self.core.record, self.core.n_recorded = doubles(self.record.values), self.record.n

    cdef end_record(self):
        if self.record is not None:
            self.record.n, self.core.record = self.core.n_recorded, NULL

    def thresholds(self, const double[:, ::1] p, double[::1] found):
        """Write for each row of probabilities the threshold that a class in its set reaches now."""
        cdef Py_ssize_t i
        self.check_shape(p, len(found), self.core.n_classes)
        with nogil:
            for i in range(p.shape[0]):
                found[i] = threshold_of(&self.core, &p[i, 0])

    def sets(self, const double[:, ::1] p, unsigned char[:, ::1] mask):
        """Write for each row of probabilities which classes are in its set now."""
        cdef Py_ssize_t i
        self.check_shape(p, mask.shape[0], mask.shape[1])
        with nogil:
            for i in range(p.shape[0]):
                write_set(&self.core, &p[i, 0], &mask[i, 0])

    cdef check_shape(self, const double[:, ::1] p, Py_ssize_t n_rows, Py_ssize_t n_columns):
        if p.shape[0] != n_rows or not p.shape[1] == n_columns == self.core.n_classes:
            raise ValueError(f"{self.who}: probabilities of shape {p.shape[0], p.shape[1]} do not fit")


cdef inline Py_ssize_t n_held(const prediction_sets_t* c) noexcept nogil:
    # n, the labels in the window.
    return <Py_ssize_t> min(c.sets.n_labels, <double> c.window)


cdef inline Py_ssize_t first_not_below(const double* ordered, Py_ssize_t n, double q) noexcept nogil:
    cdef Py_ssize_t first = 0, half
    while n > 0:
        half = n // 2
        if ordered[first + half] < q:
            first += half + 1
            n -= half + 1
        else:
            n = half
    return first


cdef inline double threshold_of(const prediction_sets_t* c, const double* p) noexcept nogil:
    # t of a row with the probabilities p
    cdef Py_ssize_t n = n_held(c), m
    cdef double rank = c.sets.level * (n + 1)
    if c.sets.n_labels < FEW:
        return threshold_of_share(c, p)
    if rank > n + 1:
        return NOTHING
    if rank <= 0.0:
        return 0.0
    m = <Py_ssize_t> max(ceil(rank) - 1.0, 1.0)
    if m > 1 and c.ordered[m - 2] == c.ordered[m - 1] or m < n and c.ordered[m] == c.ordered[m - 1]:
        return threshold_at_tie(c, c.ordered[m - 1], rank)
    return c.ordered[m - 1] if rank > 1.0 else 0.0                                          # (1)


cdef double threshold_at_tie(const prediction_sets_t* c, double q, double rank) noexcept nogil:
    cdef Py_ssize_t n = n_held(c), n_below = first_not_below(c.ordered, n, q)
    cdef Py_ssize_t n_equal = first_not_below(c.ordered, n, nextafter(q, NOTHING)) - n_below
    cdef double u = GOLDEN * c.sets.n_labels
    return q if n_below + (u - floor(u)) * (n_equal + 1) >= rank else nextafter(q, NOTHING)  # (2)


cdef double threshold_of_share(const prediction_sets_t* c, const double* p) noexcept nogil:
    cdef double t = NOTHING, share = 0.0, following
    cdef Py_ssize_t k
    while t > 0.0 and share < c.coverage:                                                   # (3)
        following = 0.0
        for k in range(c.n_classes):
            if following < p[k] < t:
                following = p[k]
        t = following
        for k in range(c.n_classes):
            if p[k] == t:
                share += t
    return t


cdef void write_set(const prediction_sets_t* c, const double* p, unsigned char* mask) noexcept nogil:
    cdef double t = threshold_of(c, p)
    cdef Py_ssize_t k
    for k in range(c.n_classes):
        mask[k] = p[k] >= t
    mask[likeliest(p, c.n_classes)] = 1


cdef inline void record_threshold(prediction_sets_t* c, double t) noexcept nogil:
    if c.record != NULL:
        c.record[c.n_recorded] = t
        c.n_recorded += 1


cdef void put_in_order(prediction_sets_t* c, double q) noexcept nogil:
    # The oldest q leaves the full window, and only those between the two move.
    cdef Py_ssize_t n = n_held(c), gap, at
    cdef double* oldest = c.arrival + <int64_t> c.sets.n_labels % c.window
    gap = n if n < c.window else first_not_below(c.ordered, n, oldest[0])
    at = first_not_below(c.ordered, n, q)
    if at > gap:
        at -= 1
        memmove(c.ordered + gap, c.ordered + gap + 1, (at - gap) * sizeof(double))
    else:
        memmove(c.ordered + at + 1, c.ordered + at, (gap - at) * sizeof(double))
    c.ordered[at] = oldest[0] = q


cdef void judge(prediction_sets_t* c, const double* p, double t, Py_ssize_t y, double late) noexcept nogil:
    # The label y has arrived, `late` labels late, of a row whose set was that of p and the threshold t.
    cdef sets_t* s = c.sets
    cdef Py_ssize_t k, size = 0
    cdef double q = p[y]
    cdef bint is_held = q >= t
    for k in range(c.n_classes):
        size += p[k] >= t
    s.n_held += is_held
    s.n_covered += is_held or size == 0 and likeliest(p, c.n_classes) == y
    s.n_single += size <= 1
    s.n_members += max(size, 1)
    s.delay += (late - s.delay) / min(s.n_labels + 1.0, MEMORY)
    s.level += c.scale * min(STEP, LATE / (1.0 + s.delay)) * (1.0 - c.coverage - (not is_held))   # (4), (5)
    put_in_order(c, min(q, 1.0) if q > 0.0 else 0.0)
    s.n_labels += 1.0


cdef double labels_late(const prediction_sets_t* c) noexcept nogil:
    # Of the row taken last: how many labels of others came while it waited, about. That is how often the
    # level moved before it is known what came of it. It is estimated from the share of labels that come, as
    # at the beginning all labels are late and none has come yet.
    cdef double n_before = <double> max(n_observed(c.kept) - c.kept.age, 1)
    return c.kept.age * min((c.sets.n_late + 1.0) / n_before, 1.0)


cdef bint judge_kept(prediction_sets_t* c, Py_ssize_t y, int64_t number) noexcept nogil:
    # Judge the set of a row that waited for its label; False if it is not known.
    cdef const double* kept = take_kept(c.kept, number)
    if kept == NULL:
        return False
    judge(c, kept + 1, kept[0], y, labels_late(c))
    c.sets.n_late += 1.0
    return True


cdef inline bint has_failed(const prediction_sets_t* c) noexcept nogil:
    # Whether the member's probabilities may be no numbers.
    return c.may_fail and current_failure().failed


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef prediction_sets_t* c = <prediction_sets_t*> state
    c.member.predict(c.member.state, x, p, scratch)
    if c.record != NULL:
        record_threshold(c, threshold_of(c, p))
    if c.shares:
        memcpy(c.p, p, c.n_classes * sizeof(double))


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef prediction_sets_t* c = <prediction_sets_t*> state
    if judge_kept(c, y, number):
        c.member.learn(c.member.state, x, y, w, number)
        return
    learner.predict_learn(c.member, x, y, w, number, c.p, c.scratch)
    if not has_failed(c):
        judge(c, c.p, threshold_of(c, c.p), y, 0.0)


cdef void predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                        double* p) noexcept nogil:
    cdef prediction_sets_t* c = <prediction_sets_t*> state
    cdef double t
    learner.predict_learn(c.member, x, y, w, number, p, c.scratch)
    if has_failed(c):
        return
    t = threshold_of(c, p)
    record_threshold(c, t)
    if not judge_kept(c, y, number):
        judge(c, p, t, y, 0.0)


cdef void observe(void* state, const double* x, int64_t number) noexcept nogil:
    cdef prediction_sets_t* c = <prediction_sets_t*> state
    cdef double* kept
    cdef Py_ssize_t k
    if number > 0 and not c.shares:
        c.member.predict(c.member.state, x, c.p, c.scratch)
    if number > 0 and not has_failed(c):
        kept = keep_row(c.kept, number)
        if kept != NULL:
            kept[0] = threshold_of(c, c.p)
            for k in range(c.n_classes):
                kept[1 + k] = min(c.p[k], 1.0) if c.p[k] > 0.0 else 0.0
    learner.observe(c.member, x, number)

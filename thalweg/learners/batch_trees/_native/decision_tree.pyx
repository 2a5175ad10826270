"""A batch tree on the latest rows of a stream, grown again from time to time.

The latest `window` rows are kept. With t the weight of all rows so far, a tree is grown on them at the first
row, when t reaches 2, 4, 8, … below `period`, and then at every multiple of `period`.

A tree grows in its own memory and then replaces the previous one. If Ctrl-C ends its growth, the row that
asked for it is not learned. In an ensemble, whose other members have learned the row, and where memory is
lacking, the tree is due instead: it is grown before anything else is learned, on the same rows. Either way an
interrupt changes no later tree.

A stump may answer by the distance |x - t| of the split value from its threshold, `reach` being the largest on
the same side of the rows it was grown on. With p' and p'' the probabilities of the leaf on this side and of
the other,

    p = s p' + (1 - s) p'',   s = 1/2 + 1/2 min(|x - t|/reach, 1).                            (1)
"""

from contextlib import suppress

from thalweg.errors import StateError

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array
from thalweg._native.ring_layout import check_ring, ring_layout

from libc.math cimport fabs, floor, isnan
from libc.stdint cimport int64_t

from .grow cimport BatchTree, batch_tree_t, tree_grow, tree_predict
from .sorted_rows cimport SortedRows, load_rows, sorted_rows_t
from thalweg._native.failure cimport begin_call, call_t, attempt, end_call
from .impurity cimport ENTROPY
from thalweg._native.kernel cimport Kernel
from thalweg._native.lock cimport Lock
from thalweg._native.pointers cimport doubles, integers
from thalweg._native.ring cimport append_over, append_row, bind_ring, replaced_t, ring_t, undo_append

cdef enum:
    FIRST_ROOM = 64                     # rows there is memory for when the first tree is grown

LAYOUT = ring_layout() | {
    "is_due": Array(INDEX, 1, low=0, high=1),
    "progress": Array(FLOAT, 2, low=0.0, high=layouts.MOST_WEIGHT),
}

ctypedef struct window_tree_t:
    batch_tree_t* tree
    sorted_rows_t* sorted               # NULL before the first tree
    ring_t rows
    double period
    Py_ssize_t* is_due                  # whether the tree is to be grown on the rows held
    double* total                       # t
    double* next                        # t at which the tree is grown next
    double* lost                        # [feature]: the row that the last one replaced
    double* reach                       # [side]: of a stump that answers by distance; else NULL
    bint undoes                         # whether a row is not learned if the growth is stopped
    bint undone                         # and it was not
    void* kernel


cdef class WindowTreeKernel(BatchTree):
    """A batch tree, the rows it is grown on, and the memory to do so."""

    cdef window_tree_t window
    cdef SortedRows sorted

    def __init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace, multiway,
                 min_weight, window, period, by_distance=False):
        BatchTree.__init__(self, n_features, n_classes, n_categories, max_leaves, criterion, laplace,
                           multiway, min_weight)
        self.allocate("DecisionTree", LAYOUT, {"row": window})
        if by_distance:
            self.allocate("DecisionTree", {"reach": Array(FLOAT, 2, low=0.0)}, {})
        self.arrays["lost"] = layouts.new_array(n_features, FLOAT)
        self.window.tree, self.window.kernel, self.window.period = &self.core, <void*> self, period
        self.set_handle(<void*> &self.window, n_features, n_classes, learn, predict)
        self.handle.fit_block, self.handle.flush = fit_block, flush
        self.bind()

    cdef void bind(self):
        BatchTree.bind(self)
        if "X" not in self.arrays:
            return
        cdef window_tree_t* r = &self.window
        bind_ring(&r.rows, self.arrays)
        r.total, r.is_due = doubles(self.arrays["progress"]), integers(self.arrays["is_due"])
        r.next, r.lost = r.total + 1, doubles(self.arrays["lost"])
        r.reach = doubles(self.arrays["reach"]) if "reach" in self.arrays else NULL

    def check(self, arrays):
        """Raise StateError unless the tree ends in leaves and the counters fit the window."""
        BatchTree.check(self, arrays)
        check_ring(arrays, self.who)
        total, following = arrays["progress"].tolist()
        if following > (1 + 1e-9) * (total + self.window.period):
            raise StateError(f"{self.who}: the state's 'progress' says that the tree is grown next at "
                             f"{following}, more than a period after {total}")

    def learn(self, X, y, w, p, tested=None, ids=None):
        """For each row that is `tested`: write its probabilities into `p`; then learn it if it has weight."""
        self.finish(0)
        self.window.undoes, self.window.undone = True, False
        try:
            Kernel.learn(self, X, y, w, p, tested, ids)
        except BaseException as error:
            if self.window.undone:
                with suppress(AttributeError):
                    error.rows_learned -= 1
            raise
        finally:
            self.window.undoes = False

    cdef int finish(self, Py_ssize_t n_rows) except -1:
        # Grow the tree if it is due. A signal may end this: no row is learned, and the tree is still due.
        cdef call_t call
        if self.window.is_due[0]:
            begin_call(&call, 0)
            with nogil:
                grow(&self.window, True)
            end_call(&call, n_rows)
        return 0

    def roomier_rows(self, n):
        """Return memory for n sorted rows, with room for more."""
        room = FIRST_ROOM if self.sorted is None else 2 * self.sorted.core.room
        room = max(min(room, self.window.rows.room), n)
        n_logs = 2 * max(room, self.window.rows.room) if self.core.criterion == ENTROPY else 0
        return SortedRows(room, self.core.n_features, self.core.n_classes, n_logs)

    cdef bint make_rows(self, Py_ssize_t n) noexcept:
        rows = attempt(self.roomier_rows, (n,))
        if rows is None:
            return False
        self.sorted = rows
        self.window.sorted = &self.sorted.core
        return True


cdef bint grow_on(window_tree_t* r, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                  bint may_stop) noexcept nogil:
    # Replace the tree by one grown on these rows; return whether that was done.
    cdef bint has_room = r.sorted != NULL and r.sorted.room >= n
    if r.sorted != NULL:
        r.sorted.stopped = False
    if not has_room:
        with gil:
            has_room = (<WindowTreeKernel> r.kernel).make_rows(n)
    if not has_room:
        return False
    r.sorted.may_stop = may_stop
    load_rows(r.sorted, X, n, r.tree.n_features)
    if r.sorted.stopped or not tree_grow(r.tree, r.sorted, y, w):
        return False
    if r.reach != NULL:
        measure_reach(r, X, w, n)
    return True


cdef void measure_reach(window_tree_t* r, const double* X, const double* w, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, side, j = r.tree.nodes.feature[0]
    cdef double away
    r.reach[0] = r.reach[1] = 0.0
    for i in range(n if j >= 0 else 0):
        away = X[i * r.tree.n_features + j] - r.tree.nodes.threshold[0]
        side = away > 0
        if w[i] > 0 and fabs(away) > r.reach[side]:
            r.reach[side] = fabs(away)


cdef void grow(window_tree_t* r, bint may_stop) noexcept nogil:
    r.is_due[0] = 1
    r.is_due[0] = not grow_on(r, r.rows.X, r.rows.y, r.rows.w, r.rows.span.count, may_stop)


cdef void flush(void* state) noexcept nogil:
    cdef window_tree_t* r = <window_tree_t*> state
    if r.rows.span.count:
        grow(r, True)


cdef bint fit_block(void* state, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil:
    cdef window_tree_t* r = <window_tree_t*> state
    cdef Py_ssize_t i, d = r.tree.n_features
    if not grow_on(r, X, y, w, n, may_stop):
        return False
    for i in range(n):
        if w[i] > 0:
            keep(r, X + i * d, y[i], w[i])
    plan_next(r)
    return True


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef window_tree_t* r = <window_tree_t*> state
    if r.is_due[0]:
        grow(r, False)
    if r.total[0] + w < r.next[0]:
        keep(r, x, y, w)
    else:
        keep_and_grow(r, x, y, w)


cdef inline void keep(window_tree_t* r, const double* x, Py_ssize_t y, double w) noexcept nogil:
    append_row(&r.rows, x, y, w)
    r.total[0] += w


cdef void plan_next(window_tree_t* r) noexcept nogil:
    if r.total[0] >= r.period:
        r.next[0] = r.period * (1 + floor(r.total[0] / r.period))
    else:
        while r.next[0] <= r.total[0]:
            r.next[0] = min(max(2 * r.next[0], 1.0), r.period)


cdef void keep_and_grow(window_tree_t* r, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef double total = r.total[0], following = r.next[0]
    cdef replaced_t old = append_over(&r.rows, x, y, w, r.lost)
    r.total[0] += w
    plan_next(r)
    grow(r, True)
    if r.is_due[0] and r.undoes and r.sorted != NULL and r.sorted.stopped:
        undo_append(&r.rows, &old, r.lost)
        r.total[0], r.next[0], r.is_due[0], r.undone = total, following, 0, True


cdef bint is_exclusive(window_tree_t* r) noexcept nogil:
    # Whether the call that predicts may also change the model: it learns.
    with gil:
        lock = (<WindowTreeKernel> r.kernel).lock
        return lock is not None and (<Lock> lock).depth > 0


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    cdef window_tree_t* r = <window_tree_t*> state
    if r.is_due[0] and is_exclusive(r):
        grow(r, False)
    tree_predict(r.tree, x, p, scratch)
    if r.reach != NULL:
        blend(r, x, p)


cdef void blend(const window_tree_t* r, const double* x, double* p) noexcept nogil:
    cdef Py_ssize_t k, j = r.tree.nodes.feature[0], n_classes = r.tree.n_classes
    cdef double away, share, total = 0.0
    cdef const double* other
    if j < 0 or isnan(x[j]) or r.tree.n_categories[j] > 0:
        return
    away = x[j] - r.tree.nodes.threshold[0]
    other = r.tree.nodes.weights + (r.tree.nodes.child[0] + (away <= 0)) * n_classes
    if fabs(away) >= r.reach[away > 0]:
        return
    share = 0.5 + 0.5 * fabs(away) / r.reach[away > 0]
    for k in range(n_classes):
        total += other[k] + r.tree.laplace
    for k in range(n_classes):
        p[k] = share * p[k] + (1.0 - share) * (other[k] + r.tree.laplace) / total                 # (1)

"""How often the answers of a model are right: memory, growth and state; `accuracy_windows` has the method."""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from thalweg._native.pointers cimport doubles, integers
from thalweg.trust._native.accuracy_windows cimport (
    ALIKE_START, B, BLOCK, FIRST, FIRST_LINE, HAA, HAB, HAD, HBB, HBD, HDD, KNOWN, LABELS, LEVEL_START,
    N_COUNTS, N_EXPERTS, N_KEPT, N_STATE, N_SUMS, N_WINDOW, NO_LABEL, OLDEST, PAST, ROWS, SLOPE_START,
    WAITING, estimate_t, find_weights, has_room, has_row, has_window, is_waiting, judge, judged, judgement_t,
    n_windows, step_of, take_label, take_row,
)

LAYOUT = {
    "counts": Array(INDEX, N_COUNTS, low=0, high=MOST_COUNTED),
    "sums": Array(FLOAT, N_SUMS, low=0),
    "expert": Array(FLOAT, N_EXPERTS, N_STATE),
    "recent": Array(FLOAT, "class", low=0, high=1),
    "row": Array(FLOAT, "row", "kept"),
    "answer": Array(INDEX, "row", low=0, high="class"),
    "label": Array(INDEX, "row", low=NO_LABEL, high="class"),
    "window": Array(FLOAT, "window", N_WINDOW),
    "by_class": Array(FLOAT, "window", 3, "class", low=0),
    "gone_by_class": Array(FLOAT, "window", 3, "class", low=0),
}


cdef inline int arrive(estimate_t* c, Py_ssize_t number, Py_ssize_t code) noexcept nogil:
    if number >= 0:
        return take_label(c, number, code)
    c.counts[KNOWN] += 1
    return 0


cdef class AccuracyKernel:
    """Rows that wait for labels, the experts, and the windows; rows have the numbers 0, 1, 2, …"""

    cdef estimate_t core
    cdef readonly dict arrays
    cdef object costs
    cdef str who

    def __init__(self, who, n_classes, window, learns, most_rows, most_windows, costs=None):
        cdef estimate_t* c = &self.core
        self.who = who
        c.window, c.learns = window, learns
        c.most_room, c.most_windows = max(most_rows, 2 * window), most_windows
        self.set_costs(costs)
        lengths = {"row": 2 * window, "window": 2, "class": n_classes, "kept": N_KEPT + n_classes}
        arrays = layouts.new_arrays(LAYOUT, lengths)
        arrays["label"][:] = NO_LABEL
        arrays["expert"][:, B] = 1.0
        arrays["expert"][:FIRST_LINE, B] = 0.0
        arrays["expert"][:, HAA], arrays["expert"][:, HBB] = LEVEL_START, SLOPE_START
        arrays["expert"][:, HDD] = ALIKE_START
        self.adopt(arrays)

    cdef void adopt(self, dict arrays):
        cdef estimate_t* c = &self.core
        self.arrays = arrays
        c.room, c.width = arrays["row"].shape
        c.window_room, c.n_classes = len(arrays["window"]), arrays["by_class"].shape[2]
        c.counts, c.sums = integers(arrays["counts"]), doubles(arrays["sums"])
        c.expert, c.row = doubles(arrays["expert"]), doubles(arrays["row"])
        c.recent = doubles(arrays["recent"])
        c.answer, c.label = integers(arrays["answer"]), integers(arrays["label"])
        c.window_of, c.by_class = doubles(arrays["window"]), doubles(arrays["by_class"])
        c.gone_by_class = doubles(arrays["gone_by_class"])
        c.stale = True

    def set_costs(self, costs):
        """Set the cost of each answer (second axis) for each true class, or None."""
        self.costs = costs
        self.core.costs = NULL if costs is None else doubles(costs)

    def follow(self, const double[:, ::1] p, const Py_ssize_t[::1] answers, const Py_ssize_t[:, ::1] due):
        """Take rows that were answered, and labels after them; return how many rows' labels were used.

        A line of `due` is the row after which a label comes, the row it is of, and its code; lines are in the
        order of arrival. Labels of rows that do not wait are left out; one of row -1 is of a row that was not
        answered here, and counts as knowledge.
        """
        cdef estimate_t* c = &self.core
        cdef Py_ssize_t i = 0, at = 0, used = 0, number
        with nogil:
            while at < due.shape[0] and due[at, 0] < c.counts[ROWS]:
                used += arrive(c, due[at, 1], due[at, 2])
                at += 1
        while i < p.shape[0]:
            with nogil:
                while i < p.shape[0] and has_room(c):
                    take_row(c, &p[i, 0], answers[i])
                    number = c.counts[ROWS] - 1
                    i += 1
                    while at < due.shape[0] and due[at, 0] <= number:
                        used += arrive(c, due[at, 1], due[at, 2])
                        at += 1
            if i < p.shape[0]:
                self.grow()
        return used

    def take_labels(self, const Py_ssize_t[::1] numbers, const Py_ssize_t[::1] codes):
        """Take labels that arrive now for rows of these numbers; return how many were of rows that wait."""
        cdef estimate_t* c = &self.core
        cdef Py_ssize_t i, used = 0
        with nogil:
            for i in range(numbers.shape[0]):
                used += take_label(c, numbers[i], codes[i])
        return used

    def add_knowledge(self, Py_ssize_t n):
        """Count `n` labels of other rows that the model has learned."""
        self.core.counts[KNOWN] += n

    def waits(self, Py_ssize_t number):
        """Return whether a row waits for its label."""
        return is_waiting(&self.core, number)

    @property
    def window(self):
        """Number of rows of a window."""
        return self.core.window

    @property
    def oldest(self):
        """The number of the oldest row that is kept."""
        return self.core.counts[FIRST]

    @property
    def n_rows(self):
        """Number of rows so far."""
        return self.core.counts[ROWS]

    @property
    def n_labels(self):
        """Number of labels so far."""
        return self.core.counts[LABELS]

    @property
    def n_waiting(self):
        """Number of rows that wait."""
        return self.core.counts[WAITING]

    @property
    def first_window(self):
        """The number of the first window that is kept."""
        cdef estimate_t* c = &self.core
        return max(0, n_windows(c) - c.window_room)

    def weights(self):
        """Return the weight of each expert."""
        cdef estimate_t* c = &self.core
        find_weights(c)
        return np.array([c.weight[i] for i in range(N_EXPERTS)])

    def judge(self, Py_ssize_t start, Py_ssize_t stop):
        """Return estimate, variance, spread, unknown share, τ² and n for rows from `start` to `stop`.

        Rows forgotten without a label, which are of whole windows only, count with what was predicted for
        them.
        """
        cdef judgement_t found
        judge(&self.core, start, stop, &found)
        return found.estimate, found.variance, found.spread, found.unknown, found.tau, found.n

    def said(self, Py_ssize_t start, Py_ssize_t stop):
        """Return what the experts predict for each row, its answer, label (-1: none) and probabilities."""
        cdef estimate_t* c = &self.core
        cdef Py_ssize_t number
        start = max(start, self.oldest)
        places = np.arange(start, max(start, stop)) % c.room
        sure = np.empty(len(places))
        cdef double[::1] g = sure
        cdef double[7] each
        for number in range(start, stop):
            g[number - start] = judged(c, c.row + (number % c.room) * c.width, each)
        arrays = self.arrays
        return sure, arrays["answer"][places], arrays["label"][places], arrays["row"][places, N_KEPT:]

    cdef int grow(self) except -1:
        # Make memory for more rows, or for more windows.
        cdef estimate_t* c = &self.core
        arrays = dict(self.arrays)
        if not has_row(c):
            room = min(2 * c.room, c.most_room)
            rows = np.arange(self.oldest, c.counts[ROWS])
            for name, fill in (("row", 0), ("answer", 0), ("label", NO_LABEL)):
                arrays[name] = moved(arrays[name], rows, room, fill)
        if not has_window(c):
            room = min(2 * c.window_room, c.most_windows)
            windows = np.arange(self.first_window, n_windows(c))
            for name in ("window", "by_class", "gone_by_class"):
                arrays[name] = moved(arrays[name], windows, room, 0)
        self.adopt(arrays)
        return 0

    def set_classes(self, n_classes):
        """Make room for more classes, whose probability was 0 so far."""
        arrays = dict(self.arrays)
        more = n_classes - self.core.n_classes
        arrays["recent"] = np.pad(arrays["recent"], (0, more))
        # Most of its memory is not touched before there are so many rows.
        places = np.arange(self.oldest, self.n_rows) % self.core.room
        arrays["row"] = layouts.new_array((self.core.room, self.core.width + more), np.float64)
        arrays["row"][places, : self.core.width] = self.arrays["row"][places]
        for name in ("by_class", "gone_by_class"):
            arrays[name] = np.pad(arrays[name], ((0, 0), (0, 0), (0, more)))
        self.adopt(arrays)

    def state(self):
        """Return copies of the arrays."""
        return {name: array.copy() for name, array in self.arrays.items()}

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        cdef estimate_t* c = &self.core
        lengths = {"row": None, "window": None, "class": c.n_classes, "kept": N_KEPT + c.n_classes}
        arrays = layouts.checked_arrays(LAYOUT, lengths, state, self.who)
        counts, rows, windows = arrays["counts"].tolist(), len(arrays["row"]), len(arrays["window"])
        good = 2 * c.window <= rows <= c.most_room
        require(good, self.who, "row", f"has room for {rows} rows, not for {2 * c.window} to {c.most_room}")
        good = 2 <= windows <= c.most_windows
        require(good, self.who, "window", f"has room for {windows} windows, not for 2 to {c.most_windows}")
        oldest, n_kept = counts[FIRST], counts[ROWS] - counts[FIRST]
        require(0 <= n_kept <= rows, self.who, "counts", f"cannot be: {counts}")
        kept = np.arange(oldest, counts[ROWS]) % rows
        n_waiting = int((arrays["label"][kept] == NO_LABEL).sum())
        good = counts[WAITING] == n_waiting and oldest <= counts[OLDEST] <= counts[ROWS]
        good = good and counts[PAST] <= counts[ROWS]
        # In whole numbers of Python: beyond 64 bits the product would be another one in the kernel.
        good = good and counts[LABELS] <= counts[ROWS]
        good = good and oldest <= counts[BLOCK] * step_of(c) <= counts[ROWS] + step_of(c)
        require(good, self.who, "counts", f"cannot be: {counts}")
        places = [[HAA, HAB, HAD], [HAB, HBB, HBD], [HAD, HBD, HDD]]
        least = np.linalg.eigvalsh(arrays["expert"][:, places])[:, 0]
        require(bool((least > 0).all()), self.who, "expert", "has a matrix that cannot be inverted")
        self.adopt(arrays)


def moved(array, numbers, room, fill):
    """Return a ring with more room, with the lines of these numbers in their places."""
    new = layouts.new_array((room, *array.shape[1:]), array.dtype, fill)
    new[numbers % room] = array[numbers % len(array)]
    return new

"""Members, weights and window of boosting on the latest rows: how they are kept, trained, saved and checked.

What happens with a row is in rows.pyx.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg.drift._native.adwin import check_adwin, holds_losses
from thalweg._native.layout import FLAG, FLOAT, INDEX, INT, MOST_COUNTED, Array, require
from thalweg._native.ring_layout import ROWS, check_ring, places, ring_layout, selected

from thalweg.drift._native.adwin cimport adwin_begin, adwin_doubles, adwin_t
from .rows cimport (
    ADD, ALWAYS, BUILT, DONE, FILL, IMPROVE_AND_ADD, LIGHTEST, OLDEST, ON_ERRORS, STAGE, START, UNTIL_FULL,
    WORST, boost_finish, boost_improve, boost_learn, boost_predict, boost_predict_learn, iboost_t,
    judge_member,
)
from thalweg._native.failure cimport begin_call, call_t, end_call
from thalweg._native.kernel cimport Kernel
from .loss_steps cimport BATCH, COORDINATE, IMPLICIT, NONE, STOCHASTIC
from .loss_window cimport compute_shares, loss_window_t
from thalweg._native.pointers cimport doubles, flags, integers, ints
from thalweg._native.ring cimport bind_ring, copy_rows, place_of
from .trained_members cimport TrainedMembers, outcome_t

UPDATES = {
    "stochastic": STOCHASTIC, "batch": BATCH, "implicit": IMPLICIT, "coordinate": COORDINATE, "none": NONE,
}
ADDING = {"errors": <int> ON_ERRORS, "always": <int> ALWAYS, "until_full": <int> UNTIL_FULL}
REMOVING = {"lightest": <int> LIGHTEST, "oldest": <int> OLDEST, "worst": <int> WORST}

cdef enum:
    ADWIN_SIZES = 20
    FIRST_ROWS = 1                      # learned before the first check for signals: one may take long


cdef class IBoostKernel(TrainedMembers):
    """Members, their weights, and the rows they are trained on.

    Members are stumps, kept in arrays, or learners, if `build` returns new ones.
    """

    def __init__(self, who, n_features, n_categories, n_classes, n_members, room, settings, adwin_delta=0.0,
                 build=None):
        lengths = {"row": room, "input": n_features, "class": n_classes, "member": n_members,
                   "member_byte": (n_members + 7) // 8, "row_byte": (room + 7) // 8}
        self.allocate(who, window_layout(build is None), lengths)
        cdef iboost_t* c = &self.core
        cdef loss_window_t* v = &c.window
        v.n_members = n_members
        c.n_classes = c.sorted.n_classes = n_classes
        (c.period, c.from_scratch, c.adding, c.removal, c.update, c.rate, c.n_updates, c.cap) = settings
        self.scratch = {
            "share": np.zeros(room), "slope": np.zeros(room), "direction": np.zeros(n_members),
            "gradient": np.zeros(n_members), "output": np.zeros(n_members, dtype=np.intp),
            "right": np.zeros(room, dtype=np.int8), "p": np.zeros(n_classes), "sums": np.zeros(3 * n_classes),
            "n_categories": np.array(n_categories, dtype=np.intp),
        }
        if adwin_delta:
            self.allocate(who, {"adwin": Array(FLOAT, adwin_doubles(ADWIN_SIZES))}, {})
            adwin_begin(<adwin_t*> doubles(self.arrays["adwin"]), adwin_delta, 1, ADWIN_SIZES)
        self.prepare(n_members, build)
        if build is not None:
            c.train, c.put, c.drop = train_member, put_member, drop_member
            for name, shape in (("X", (room, n_features)), ("w", room)):
                self.scratch[name] = layouts.new_array(shape, FLOAT)
            self.scratch["y"] = layouts.new_array(room, INDEX)
        c.member = self.member
        self.set_handle(<void*> c, n_features, n_classes, boost_learn, boost_predict, boost_predict_learn)
        self.make_scratch(self.member_scratch)
        self.handle.flush, self.n_rows = flush, FIRST_ROWS
        self.bind()

    cdef void bind(self):
        cdef iboost_t* c = &self.core
        cdef loss_window_t* v = &c.window
        cdef Py_ssize_t k, n_seen = 0
        arrays, scratch = self.arrays, self.scratch
        c.kernel = <void*> self
        bind_ring(&v.rows, arrays)
        v.margin, v.alpha = doubles(arrays["margin"]), doubles(arrays["alpha"])
        v.born = integers(arrays["born"])
        v.by_row = <unsigned char*> flags(arrays["by_row"])
        v.by_member = <unsigned char*> flags(arrays["by_member"])
        v.share, v.slope = doubles(scratch["share"]), doubles(scratch["slope"])
        v.direction, v.gradient = doubles(scratch["direction"]), doubles(scratch["gradient"])
        c.progress, c.seen = integers(arrays["progress"]), flags(arrays["seen"])
        c.adwin = <adwin_t*> doubles(arrays["adwin"]) if "adwin" in arrays else NULL
        c.sorted.n_categories, c.sorted.sums = integers(scratch["n_categories"]), doubles(scratch["sums"])
        c.output, c.right = integers(scratch["output"]), flags(scratch["right"])
        c.p, c.votes = doubles(scratch["p"]), doubles(scratch["votes"])
        if self.build is None:
            c.sorted.order = ints(arrays["order"])
            c.stump_feature = integers(arrays["stump_feature"])
            c.stump_threshold = doubles(arrays["stump_threshold"])
            c.stump_classes = integers(arrays["stump_classes"])
        for k in range(c.n_classes):
            n_seen += c.seen[k]
        v.wrong = -2.0 / max(n_seen, 2)
        v.right = 2.0 + v.wrong

    cdef void make_scratch(self, Py_ssize_t size):
        cdef iboost_t* c = &self.core
        votes = np.zeros(c.n_classes + size)
        self.scratch["votes"], c.votes = votes, doubles(votes)
        c.member_scratch = self.member_scratch = size
        self.handle.scratch_size = c.n_classes + size if self.build is not None else 0

    cdef outcome_t train_fresh(self) noexcept:
        # Train a learner on the rows in the order they came, each weighted by its share.
        cdef iboost_t* c = &self.core
        cdef loss_window_t* v = &c.window
        cdef double* X = doubles(self.scratch["X"])
        cdef double* w = doubles(self.scratch["w"])
        cdef Py_ssize_t* y = integers(self.scratch["y"])
        cdef Py_ssize_t age, n = v.rows.span.count
        copy_rows(&v.rows, X, y, w)
        for age in range(n):
            w[age] = v.share[place_of(&v.rows, age)] * n
        return self.train(v.n_members + c.progress[BUILT], X, y, w, n, v.may_stop, judge_member, c)

    def learn(self, X, y, w, p, tested=None, ids=None, observed=None):
        """For each row that is `tested`: write its probabilities into `p`; then learn it if it has weight."""
        self.finish(0)
        Kernel.learn(self, X, y, w, p, tested, ids, observed)

    def finish(self, n_rows=-1):
        """Finish the latest row if an interrupt stopped it; no more rows are learned."""
        cdef call_t call
        if self.core.progress[STAGE] != DONE:
            begin_call(&call, 0)
            with nogil:
                boost_finish(&self.core, True)
            end_call(&call, n_rows)

    def member_slots(self):
        """Return the places of the members there are."""
        return np.flatnonzero(self.arrays["born"]).tolist()

    def rows(self):
        """Return the places of the window's rows, the oldest first."""
        return places(self.arrays)

    def shares(self):
        """Return each row's share of the loss, the oldest row first, and the loss."""
        loss = compute_shares(&self.core.window, 0.0, NULL)
        return self.scratch["share"][self.rows()], float(np.exp(min(loss, 700.0)))

    def improve(self):
        """Move the weights as after a row, on the window as it is."""
        cdef call_t call
        self.finish()
        begin_call(&call, 0)
        with nogil:
            boost_improve(&self.core)
        end_call(&call, -1)

    def keeping(self, keep):
        """Return a function that drops all rows but `keep`, their numbers in order, 0 being the oldest."""
        n = len(keep)
        new = selected(self.arrays, keep, self.core.window.rows.room, (*ROWS, "margin"))
        new |= {name: layouts.new_array(self.arrays[name].shape, FLAG) for name in ("by_row", "by_member")}
        new["by_row"][:, :n] = self.arrays["by_row"][:, self.rows()[keep]]
        new["by_member"][...] = transposed(new["by_row"], self.core.window.n_members)
        if self.build is None:
            new["order"] = layouts.new_array(self.arrays["order"].shape, INT)
            new["order"][:, :n] = np.argsort(new["X"][:n], axis=0, kind="stable").T
        return lambda: self.adopt(new)

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs; a new input has one value in all rows."""
        Kernel.inherit(self, old, missing)
        if self.build is None:
            used = self.rows()
            self.arrays["order"][len(old.arrays["order"]):, :len(used)] = used

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        who = self.who
        check_ring(arrays, who, slides=True)
        used = places(arrays)
        self.check_progress(arrays, len(used))
        require(arrays["seen"][arrays["y"][used]].all(), who, "seen", "lacks a class that is in the window")
        self.check_members(arrays, used)
        if "order" in arrays:
            order = used[np.argsort(arrays["X"][used], axis=0, kind="stable")].T
            same = np.array_equal(order, arrays["order"][:, :len(used)])
            require(same, who, "order", "is not the rows' order")
        if "adwin" in arrays:
            check_adwin(arrays["adwin"], who, "adwin")
            same = np.array_equal(arrays["adwin"][:4], self.arrays["adwin"][:4])
            good = same and holds_losses(arrays["adwin"])
            require(good, who, "adwin", "holds an ADWIN with other settings")

    def check_progress(self, arrays, count):
        """Raise StateError if what is left to do for the latest row cannot be."""
        cdef iboost_t* c = &self.core
        _rows, _built, stage, left = arrays["progress"].tolist()
        allowed = (DONE, FILL, START) if c.from_scratch else range(FILL)
        good = stage in allowed and left <= c.n_updates and (stage != START or c.start != NULL)
        good = good and (stage == DONE or count > 0)
        if stage in (IMPROVE_AND_ADD, ADD, FILL):
            good = good and not arrays["born"].all()
        require(good, self.who, "progress", f"says that stage {stage} is left of the latest row")

    def check_members(self, arrays, used):
        """Raise StateError if what is kept of members, on the rows at `used` too, contradicts itself."""
        who, born, (n_rows, n_built, _, _) = self.who, arrays["born"], arrays["progress"].tolist()
        here = born[born > 0]
        good = len(set(here.tolist())) == len(here) and (here <= n_built).all()
        require(good, who, "born", "must hold different numbers of members that were added")
        require(len(used) <= n_rows, who, "progress", f"says {n_rows} rows for a window of {len(used)}")
        require((arrays["alpha"][born == 0] == 0).all(), who, "alpha", "holds a weight without a member")
        bits = np.unpackbits(arrays["by_row"].view(np.uint8), axis=0, bitorder="little")
        good = not bits[len(born):].any() and not bits[:len(born)][born == 0][:, used].any()
        require(good, who, "by_row", "holds answers without a member")
        same = np.array_equal(transposed(arrays["by_row"], len(born)), arrays["by_member"])
        require(same, who, "by_member", "holds other answers than 'by_row'")


def window_layout(has_stumps):
    """Return the declarations of the arrays, with those of stumps or without."""
    index = {"low": 0, "high": MOST_COUNTED}
    far = {"low": -1e12, "high": 1e12}
    layout = ring_layout(most_value=1e150, least_weight=-1000, most_weight=1000, missing=not has_stumps) | {
        "margin": Array(FLOAT, "row", **far),
        "alpha": Array(FLOAT, "member", low=-1e9, high=1e9),
        "born": Array(INDEX, "member", **index),
        "by_row": Array(FLAG, "member_byte", "row"),
        "by_member": Array(FLAG, "row_byte", "member"),
        "progress": Array(INDEX, 4, **index),
        "seen": Array(FLAG, "class", low=0, high=1),
    }
    if has_stumps:
        layout |= {
            "order": Array(INT, "input", "row", low=0, high="row"),
            "stump_feature": Array(INDEX, "member", low=0, high="input"),
            "stump_threshold": Array(FLOAT, "member"),
            "stump_classes": Array(INDEX, "member", 2, low=0, high="class"),
        }
    return layout


def transposed(by_row, n_members):
    """Return the answers by member for answers by row."""
    bits = np.unpackbits(by_row.view(np.uint8), axis=0, bitorder="little")[:n_members]
    return np.packbits(bits.T, axis=0, bitorder="little").view(np.int8)


cdef outcome_t train_member(void* kernel) noexcept nogil:
    with gil:
        return (<IBoostKernel> kernel).train_fresh()


cdef void put_member(void* kernel, Py_ssize_t m) noexcept nogil:
    with gil:
        if m < 0:
            (<IBoostKernel> kernel).discard()
        else:
            (<IBoostKernel> kernel).put_fresh(m)


cdef void drop_member(void* kernel, Py_ssize_t m) noexcept nogil:
    with gil:
        (<IBoostKernel> kernel).drop(m)


cdef void flush(void* state) noexcept nogil:
    boost_finish(<iboost_t*> state, True)

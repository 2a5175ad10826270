"""Members on random subspaces, weighted and retrained by how far inputs are from those they were trained on.

Rows with labels are kept until there is a whole chunk of them. Let h(a, b) be how alike two histograms are,
from 0 to 1 (histograms.pyx), a those of the chunk a member was trained on, b those of the new chunk. Then

    labelled = min over its inputs of the mean over classes of h(a | class, b | class)                     (1)

without classes that only one of the two has; 0 if they share none. Where that is below the threshold, or
with a level an input has changed by more than chance explains (chance.py), the member is trained on the new
chunk, and labelled = 1; the first chunk trains all. Rows without a label count into their own window,
and each time that is full

    unlabelled = mean over its inputs of h(a, b),                                                          (2)

which is 0 again after each chunk of rows with labels. A member votes with labelled + unlabelled for the
probabilities it gives. Members that were trained on the same chunk share its histograms, a reference. Before
the first chunk is complete, all are trained on the rows so far after 1, 2, 4, 8, … of them.

With a period, b is a window of the latest rows with labels, looked at every so many rows. Members learn each
row, and one that (1) puts below the threshold is replaced by a new one, trained on the window. The first
window that is full is the first reference.
"""

import numpy as np

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, INT, MOST_COUNTED, Array, require
from thalweg._native.ring_layout import check_ring, ring_layout
from thalweg.learners.subspaces.chance import changed_members
from thalweg.learners.subspaces.histogram_counts import check_counts

from libc.stdint cimport int64_t
from libc.string cimport memset

from thalweg.learners.ensembles._native.base cimport ROWS, EnsembleKernel
from thalweg._native.failure cimport begin_call, call_t, current_failure, end_call, poll_after, record_failure
from .rows cimport (
    OBSERVED, UPDATES, huwrs_flush, huwrs_learn, huwrs_observe, huwrs_predict, huwrs_t,
    predict_rows, rows_to_update, rows_to_window, weigh_by_chunk,
)
from .histograms cimport N_MOMENTS, count_rows, cut_bins
from thalweg._native.kernel cimport Kernel, fit_block
from thalweg.learners.batch_trees._native.packed_tree cimport PackedTree, columns_size, packed_tree_t
from thalweg._native.pointers cimport doubles, flags, integers, ints
from thalweg._native.ring cimport bind_ring, clear_rows, copy_rows
from thalweg.learners.batch_trees._native.subspace_trees cimport SubspaceTrees

LAYOUT = ring_layout() | {
    "observed": Array(FLOAT, "observed_row", "input", low=-layouts.MOST_VALUE, high=layouts.MOST_VALUE,
                      missing=True),
    "held": Array(INDEX, 2, low=0, high=MOST_COUNTED),
    "reference": Array(INDEX, "member", low=-1, high="reference", fill=-1),
    "labelled": Array(FLOAT, "member", low=0.0, high=1.0, fill=1.0),
    "unlabelled": Array(FLOAT, "member", low=0.0, high=1.0),
    "low": Array(FLOAT, "reference", "input", low=-layouts.MOST_VALUE, high=layouts.MOST_VALUE),
    "scale": Array(FLOAT, "reference", "input", low=0.0),
    "counts": Array(INT, "reference", "class", "bin", low=0),
}


cdef class HUWRSKernel(EnsembleKernel):
    """Members on subspaces: learners, or trees if `trees` is not None.

    `subspaces` are the columns of each member, `n_bins` the bins of each input's histogram.
    """

    cdef huwrs_t core
    cdef double threshold
    cdef double level                   # chance of a false alarm of the test of a member; 0 for no test
    cdef SubspaceTrees trees
    cdef list packed                    # [member]: packed trees; None where members are learners
    cdef object packed_table            # memory of `core.packed`
    cdef dict memories                  # scratch memory, and what follows from the parameters

    def __init__(self, who, n_features, n_classes, subspaces, n_bins, n_categories, settings, n_templates,
                 build, trees):
        cdef huwrs_t* c = &self.core
        chunk_size, c.period, c.window, *limits, c.bins.corrected, c.weighs_observed = settings
        self.threshold, self.level = limits
        lengths = {"member": len(subspaces), "slot": len(subspaces), "kind": 1, "class": n_classes,
                   "input": n_features, "template": n_templates}
        EnsembleKernel.__init__(self, who, lengths, 1, build)
        lengths = {"row": chunk_size, "observed_row": c.window, "bin": sum(n_bins), "reference": None}
        self.allocate(who, LAYOUT, lengths, {"reference": 1})
        self.own_scratch = n_classes + (columns_size(n_features) if trees is not None else 0)
        self.own_flush, self.own_observe = True, True
        self.trees = trees
        c.kernel, c.update = <void*> self, update
        c.n_members, c.member = len(subspaces), self.member
        c.bins.n_features, c.bins.n_classes, c.bins.n_bins = n_features, n_classes, sum(n_bins)
        self.set_memories(n_features, n_classes, chunk_size, subspaces, n_bins, n_categories)
        self.set_handle(<void*> c, n_features, n_classes, huwrs_learn, huwrs_predict)
        self.handle.observe, self.handle.flush = huwrs_observe, huwrs_flush
        self.bind()

    def set_memories(self, n_features, n_classes, chunk_size, subspaces, n_bins, n_categories):
        """Make the arrays that are not part of a state."""
        cdef huwrs_t* c = &self.core
        total = sum(n_bins)
        self.memories = {
            "start": np.cumsum([0, *n_bins], dtype=np.intp),
            "first": np.cumsum([0, *map(len, subspaces)], dtype=np.intp),
            "columns": np.concatenate(subspaces).astype(np.intp),
            "n_categories": np.array(n_categories, dtype=np.intp),
            "by_chance": np.empty((2, chunk_size + max(chunk_size, c.window) + 1)),
            "counted": np.empty((n_classes, total), dtype=np.int32),
            "total": np.empty(total, dtype=np.int32),
            "likeness": np.empty(n_features),
            "n_compared": np.empty(n_features, dtype=np.intp),
            "weight": np.empty(len(subspaces)),
            "is_fresh": np.zeros(len(subspaces), dtype=np.int8),
            "lost": np.empty(n_features),
        }
        memories = self.memories
        c.first, c.columns = integers(memories["first"]), integers(memories["columns"])
        c.bins.start, c.bins.n_categories = integers(memories["start"]), integers(memories["n_categories"])
        c.bins.by_chance, c.bins.spread = doubles(memories["by_chance"][0]), doubles(memories["by_chance"][1])
        c.counted, c.total = ints(memories["counted"]), ints(memories["total"])
        c.likeness = doubles(memories["likeness"])
        c.n_compared, c.lost = integers(memories["n_compared"]), doubles(memories["lost"])
        c.is_fresh = flags(memories["is_fresh"])

    cdef void bind(self):
        cdef huwrs_t* c = &self.core
        arrays = self.arrays
        EnsembleKernel.bind(self)
        if "X" not in arrays:
            return
        c.progress, c.held = self.progress, integers(arrays["held"])
        bind_ring(&c.rows, arrays)
        c.observed, c.reference = doubles(arrays["observed"]), integers(arrays["reference"])
        c.labelled, c.unlabelled = doubles(arrays["labelled"]), doubles(arrays["unlabelled"])
        c.low, c.scale, c.counts = doubles(arrays["low"]), doubles(arrays["scale"]), ints(arrays["counts"])

    def plant(self, states=None):
        """Call untrained trees, or those of these states; raise StateError if they do not fit."""
        planted = [self.trees.new_tree() for _ in range(self.core.n_members)]
        for tree, state in zip(planted, states or (), strict=states is not None):
            tree.restore(state)
        self.set_members(list(planted), planted)
        self.pack()

    def pack(self):
        """Copy the trees into packed trees."""
        cdef PackedTree packed
        made = [PackedTree(tree) for tree in self.kernels]
        table = layouts.new_array(len(made), INDEX)
        cdef const packed_tree_t** pointers = <const packed_tree_t**> integers(table)
        for m in range(len(made)):
            packed = made[m]
            pointers[m] = &packed.core
        self.packed, self.packed_table, self.core.packed = made, table, pointers

    @property
    def n_updates(self):
        """Updates by rows with labels so far."""
        return self.core.held[UPDATES]

    def used(self):
        """Return how many references there are."""
        return {"reference": max(int(self.arrays["reference"].max()) + 1, 1)}

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer classes or inputs; new inputs count as missing in all rows."""
        n_old = old.lengths["input"]
        EnsembleKernel.inherit(self, old, missing)
        counts, starts = self.arrays["counts"], self.memories["start"]
        n_rows = counts[:, :, : starts[1]].sum(axis=2)
        for j in range(n_old, self.lengths["input"]):
            counts[:, :, starts[j] + (missing == missing)] = n_rows

    def learn(self, X, y, w, p, tested=None, ids=None, observed=None):
        """For each row that is `tested`: write its probabilities into `p`; then learn it if it has weight."""
        if observed is None:
            self.undoing(HUWRSKernel.learn_rows, X, y, w, p, tested, ids)
        else:
            self.undoing(Kernel.learn, X, y, w, p, tested, ids, observed)

    def learn_rows(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
                   double[:, ::1] p, const unsigned char[::1] tested=None, const int64_t[::1] ids=None):
        """Do that; rows that get the same votes are predicted together."""
        cdef Py_ssize_t start = 0, first, stop, i
        cdef bint any_tested
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            first = start
            with nogil:
                stop = start + rows_to_update(&self.core, min(X.shape[0] - start, call.n_rows))
                any_tested = tested is None
                for i in range(start, stop if tested is not None else start):
                    any_tested = any_tested or tested[i]
                if any_tested:
                    predict_rows(&self.core, &X[start, 0], stop - start, &p[start, 0], self.scratch)
                while start < stop and not call.failure.failed:
                    if w[start] > 0:
                        huwrs_learn(&self.core, &X[start, 0], y[start], w[start],
                                    0 if ids is None else ids[start])
                    start += 1
            poll_after(&call, start - first)
        self.n_rows = call.n_rows
        end_call(&call, start)

    def predict(self, const double[:, ::1] X, double[:, ::1] p):
        """Write each row's probabilities into `p`."""
        self.predict_and(X, p, False, None)

    def predict_observe(self, const double[:, ::1] X, double[:, ::1] p, const int64_t[::1] ids=None):
        """For each row: write its probabilities into `p`, then observe it without a label."""
        self.predict_and(X, p, True, ids)

    def predict_and(self, const double[:, ::1] X, double[:, ::1] p, bint observes, const int64_t[::1] ids):
        """Write probabilities into `p`, and see the rows where `observes`."""
        cdef Py_ssize_t start = 0, stop, i
        cdef double[::1] scratch = np.empty(self.handle.scratch_size)
        cdef call_t call
        begin_call(&call, self.n_rows)
        while start < X.shape[0] and not call.failure.failed:
            stop = min(start + call.n_rows, X.shape[0])
            with nogil:
                if observes:
                    stop = start + rows_to_window(&self.core, stop - start)
                predict_rows(&self.core, &X[start, 0], stop - start, &p[start, 0], &scratch[0])
                for i in range(start, stop if observes else start):
                    huwrs_observe(&self.core, &X[i, 0], 0 if ids is None else ids[i])
            poll_after(&call, stop - start)
            start = stop
        end_call(&call, start if observes else -1)

    def learn_row(self, x, y, means=None, waiting=None, given=None):
        """Learn one row if it is an array as usual, there are no means and no row waits; return whether."""
        if means is not None or waiting is not None and waiting.n:
            return False
        return self.undoing(EnsembleKernel.learn_row, x, y)

    def undoing(self, method, *arguments):
        """Call a method that learns; a row at which it is stopped is then as if it had not been seen."""
        self.core.undoes, self.core.undone = True, False
        try:
            return method(self, *arguments)
        except BaseException as error:
            if self.core.undone and hasattr(error, "rows_learned"):
                error.rows_learned -= 1
            raise
        finally:
            self.core.undoes = False

    cdef bint update(self, bint may_stop) noexcept:
        cdef huwrs_t* c = &self.core
        try:
            if c.held[UPDATES] > 0:
                chosen = self.changed(may_stop)
                if chosen is None:
                    return False
            else:
                chosen = [] if c.period else list(range(c.n_members))
            trained = self.trained(chosen, may_stop) if chosen else {}
            if current_failure().failed and may_stop:
                return False
            place = self.new_reference(trained) if trained else 0
        except BaseException as error:
            record_failure(error)
            if may_stop:
                return False
            trained, place = {}, 0
        self.commit(trained, place)
        return True

    cdef list changed(self, bint may_stop):
        # Weigh the members by the rows held; return those to be trained on them, None if that is stopped.
        cdef double* weight = doubles(self.memories["weight"])
        cdef bint done
        moments = np.zeros((len(self.arrays["low"]), self.core.bins.n_features, N_MOMENTS))
        cdef double* sums = doubles(moments) if self.level > 0 else NULL
        with nogil:
            done = weigh_by_chunk(&self.core, weight, sums, may_stop)
        if not done:
            return None
        found = self.memories["weight"] < self.threshold
        if self.level > 0:
            of_members = self.arrays["reference"], self.memories["first"], self.memories["columns"]
            found[changed_members(moments, *of_members, self.level)] = True
        return np.flatnonzero(found).tolist()

    cdef dict trained(self, list chosen, bint may_stop):
        # New members for those chosen, trained on the rows held, by their number; less if that is stopped.
        cdef huwrs_t* c = &self.core
        cdef Py_ssize_t m, n = c.rows.span.count
        found = {}
        if self.trees is not None and not self.trees.load(c.rows.X, n, may_stop):
            return found
        for m in chosen:
            if self.trees is not None:
                fresh = self.trees.grown(
                    c.columns + c.first[m], c.first[m + 1] - c.first[m], c.rows.y, c.rows.w)
                fresh = None if fresh is None else (fresh, fresh, PackedTree(fresh))
            else:
                fresh = self.trained_learner(m, n, may_stop)
            if fresh is not None:
                found[m] = fresh
            if may_stop and current_failure().failed:
                break
        return found

    cdef tuple trained_learner(self, Py_ssize_t m, Py_ssize_t n, bint may_stop):
        cdef huwrs_t* c = &self.core
        cdef Kernel kernel
        cdef bint done
        fresh = self.built(m)
        if fresh is None:
            return None
        kernel = fresh[1]
        X, y, w = np.empty((n, c.rows.width)), np.empty(n, dtype=np.intp), np.empty(n)
        cdef double* rows = doubles(X)
        cdef Py_ssize_t* codes = integers(y)
        cdef double* weights = doubles(w)
        with nogil:
            copy_rows(&c.rows, rows, codes, weights)
            done = fit_block(&kernel.handle, rows, codes, weights, n, may_stop)
        return fresh if done else None

    def new_reference(self, trained):
        """Return the place for a reference that no other member has, after there is memory for it."""
        kept = {r for m, r in enumerate(self.arrays["reference"].tolist()) if m not in trained}
        place = next(r for r in range(len(kept) + 1) if r not in kept)
        room = len(self.arrays["low"])
        if place >= room:
            room = min(2 * room, self.core.n_members)
            self.adopt(layouts.resized(LAYOUT, self.arrays, "reference", room))
        return place

    cdef void commit(self, dict trained, Py_ssize_t place):
        # Nothing here can fail. Members that could not be trained at first have the reference all the same.
        cdef huwrs_t* c = &self.core
        cdef Py_ssize_t m, d = c.bins.n_features, size = c.bins.n_classes * c.bins.n_bins
        cdef double* weight = doubles(self.memories["weight"])
        cdef bint is_first = c.held[UPDATES] == 0
        cdef PackedTree packed
        if trained or is_first:
            cut_bins(&c.bins, c.rows.X, c.rows.span.count, c.low + place * d, c.scale + place * d)
            memset(c.counts + place * size, 0, size * sizeof(int))
            count_rows(&c.bins, c.low + place * d, c.scale + place * d, c.rows.X, c.rows.y,
                       c.rows.span.count, c.counts + place * size)
        for m in range(c.n_members):
            fresh = trained.get(m)
            if fresh is not None or not c.period:
                c.unlabelled[m] = 0.0
            if fresh is None and not is_first:
                c.labelled[m] = weight[m]
                continue
            c.labelled[m], c.reference[m] = 1.0, place
            if fresh is not None:
                if self.trees is not None:
                    self.trees.keep(self.kernels[m])
                    packed = fresh[2]
                    self.packed[m], c.packed[m] = packed, &packed.core
                self.put(m, fresh)
                c.is_fresh[m] = 1
            if not is_first:
                self.record_event(c.progress[ROWS], m, 0)
        if c.period:
            c.held[UPDATES] += 1
            return
        c.held[OBSERVED] = 0
        if c.rows.span.count == c.rows.room:
            clear_rows(&c.rows)
            c.held[UPDATES] += 1

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's vote.
        return self.core.labelled[m] + self.core.unlabelled[m]

    cdef double size_of(self, Py_ssize_t m) noexcept:
        if self.trees is None:
            return EnsembleKernel.size_of(self, m)
        return self.kernels[m].used()["node"]

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        EnsembleKernel.check(self, arrays)
        check_ring(arrays, self.who)
        (first, n_labelled), (n_observed, n_updates) = arrays["span"].tolist(), arrays["held"].tolist()
        room, n_rows = self.core.rows.room, arrays["progress"][ROWS].item()
        good = n_labelled < room
        if self.core.period:
            good = n_labelled == min(n_rows, room) and first == (n_rows % room if n_rows > room else 0)
        require(good, self.who, "span", f"says that {n_labelled} rows are held, the oldest at {first}")
        require(n_observed < self.core.window, self.who, "held", f"says that {n_observed} rows were observed")
        reference = arrays["reference"]
        good = (reference >= 0).all() or ((reference < 0).all() and n_updates == 0)
        require(bool(good), self.who, "reference", "must be there for all members, or for none")
        counts = arrays["counts"][np.unique(reference[reference >= 0])]
        check_counts(counts, self.memories["start"][:-1], room, self.who)


cdef bint update(void* kernel, bint may_stop) noexcept nogil:
    with gil:
        return (<HUWRSKernel> kernel).update(may_stop)

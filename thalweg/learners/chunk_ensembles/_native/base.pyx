"""Chunk ensembles: rows are collected in chunks, and at the end of each a new member is fitted on it.

A subclass computes the weights of the members (`weigh`, which may be stopped and repeated, so it uses
separate memory) and then says which member the new one replaces (`place`, which also sets the weights and
cannot fail). Where some rows of a chunk are held out, the new member is fitted on the others, at the
front of the chunk, and members are weighted on those held out, at its back. Of the rows to come, each is
held out with the probability

    (rows still to be held out)/(rows still to come in the chunk).                            (1)

Members do not change within a chunk: where they are weighted by their votes, those on rows that were tested
before they were learned are kept, and not asked for again.
A signal may put the end of a chunk off: the chunk stays full, and is finished before more is learned.
Before the first chunk ends, a member is fitted on its rows whenever their number is the size of a chunk
divided by 2, 4, 8, …                                                                         (2)
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, INT, MOST_COUNTED, Array, require
from thalweg._native.ring_layout import row_layout

from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from thalweg.learners.ensembles._native.base cimport NEXT_NOTE, ROWS
from thalweg._native.failure cimport (
    begin_call, call_t, current_failure, end_call, failure_t, record_failure, should_stop,
)
from thalweg._native.kernel cimport HEAVIEST, fit_block
from thalweg._native.maths cimport likeliest, softmax
from thalweg.learners.base._native.member_pool cimport MemberPool
from thalweg._native.pointers cimport doubles, integers, ints
from thalweg._native.rng cimport bits, unit

cdef enum:
    FEWEST = 8                          # rows a member is fitted on before the first chunk ends
    ROWS_A_LOOK = 256                   # predicted between two checks for signals
    MOST_TRIES = 100                    # to finish a chunk that signals postponed

cdef double MOST_LOGIT = 1e9            # of the absolute weights of members


cdef class ChunkEnsembleKernel(EnsembleKernel):
    """Rows in chunks and members fitted on them; there is one slot more than members for one that waits."""

    def __init__(self, who, n_features, n_classes, most, size, n_held_out, combination, key, n_templates,
                 build, n_kinds=2):
        cdef chunks_t* b = &self.chunks
        lengths = {"member": most, "slot": most + 1, "kind": n_kinds, "class": n_classes, "input": n_features,
                   "row": size, "template": n_templates}
        EnsembleKernel.__init__(self, who, lengths, 1, build)
        self.own_scratch, self.most_spares, self.own_flush = n_classes, 2, True
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, row_layout() | {
            "counts": Array(INDEX, 4, **number),
            "number": Array(INDEX, "row", **number),
            "template": Array(INDEX, "slot", low=0, high="template"),
            "weight": Array(FLOAT, "member", low=-MOST_LOGIT if combination == LOGISTIC else 0.0,
                            high=MOST_LOGIT, fill=1.0),
        }, {})
        self.buffers = {"votes": layouts.new_array(n_classes, FLOAT),
                        "answers": layouts.new_array((size, n_classes), FLOAT)}
        b.kernel, b.member, b.combination = <void*> self, self.member, combination
        b.n_features, b.n_classes, b.most = n_features, n_classes, most
        b.size, b.n_held_out, b.key = size, n_held_out, key
        b.votes, b.answers = doubles(self.buffers["votes"]), doubles(self.buffers["answers"])
        self.set_handle(<void*> b, n_features, n_classes, learn, predict, predict_and_learn)
        self.handle.flush = flush_chunk
        self.own_observe = True         # nothing: members are fitted on chunks, not on single rows

    cdef void bind(self):
        EnsembleKernel.bind(self)
        cdef chunks_t* b = &self.chunks
        self.forget_votes()
        if "X" not in self.arrays:
            return
        b.progress, b.counts = self.progress, integers(self.arrays["counts"])
        b.X, b.y, b.w = doubles(self.arrays["X"]), integers(self.arrays["y"]), doubles(self.arrays["w"])
        b.number, b.weight = integers(self.arrays["number"]), doubles(self.arrays["weight"])
        b.template = integers(self.arrays["template"])

    cdef void keep_votes(self):
        cdef chunks_t* b = &self.chunks
        self.buffers["chosen"] = layouts.new_array((b.most + 1, b.size), INT)
        self.buffers["is_chosen"] = layouts.new_array(b.size, INT)
        b.chosen, b.is_chosen = ints(self.buffers["chosen"]), ints(self.buffers["is_chosen"])

    cdef void forget_votes(self) noexcept:
        # Other arrays or members: what was kept need not be theirs.
        if self.chunks.is_chosen != NULL:
            memset(self.chunks.is_chosen, 0, self.chunks.size * sizeof(int))

    def prepare(self):
        """Build a member of each template, which shows how much memory a prediction needs; return them."""
        cdef Kernel kernel
        cdef Py_ssize_t template
        self.least_scratch, self.template_in_python, fresh = 0, False, []
        for template in range(self.n_templates):
            learner, kernel = self.build(template, self.chunks.most, 0, None)
            self.least_scratch = max(self.least_scratch, kernel.handle.scratch_size)
            self.template_in_python = self.template_in_python or kernel.calls_python
            fresh.append(learner)
        self.set_members([], [])
        return fresh

    cdef Py_ssize_t template_of(self, Py_ssize_t slot) noexcept nogil:
        return self.chunks.template[slot]

    cdef Py_ssize_t next_template(self, Py_ssize_t slot) noexcept nogil:
        # By chunks, in turn.
        return self.n_built[self.chunks.most] % self.n_templates

    def set_members(self, members, kernels):
        """Call these learners, whose kernels are given, from now on."""
        EnsembleKernel.set_members(self, members, kernels)
        self.forget_votes()
        self.chunks.scratch = self.scratch
        self.calls_python = self.calls_python or self.template_in_python

    def check_number(self, n):
        """Raise StateError if a state cannot have n members."""
        voters = int(self.arrays["counts"][VOTERS])
        require(n == voters, self.who, "members", f"are {n}, not the {voters} that vote")

    def check(self, arrays):
        """Raise StateError if what is kept of the chunk contradicts itself."""
        EnsembleKernel.check(self, arrays)
        who, b = self.who, self.chunks
        growing, held_out, voters, n_chunks = arrays["counts"].tolist()
        rows = int(arrays["progress"][ROWS])
        good = (held_out <= b.n_held_out and growing <= b.size - b.n_held_out and growing + held_out <= rows
                and voters <= b.most and n_chunks <= rows)
        require(good, who, "counts", f"holds {arrays['counts'].tolist()}, which do not fit the chunk")
        require(bool((arrays["number"] <= rows).all()), who, "number", f"holds a row beyond the last, {rows}")

    cdef double number_of(self, Py_ssize_t m) noexcept nogil:
        # A member's weight.
        return self.chunks.weight[m]

    def learn(self, X, y, w, p, tested=None, ids=None, observed=None):
        """For each row that is `tested`: write its probabilities into `p`; then learn it if it has weight."""
        self.finish_full(0)
        Kernel.learn(self, X, y, w, p, tested, ids, observed)

    def finish_full(self, n_rows):
        """Finish a chunk that is full because a signal postponed its end."""
        cdef call_t call
        if is_full(&self.chunks):
            begin_call(&call, 0)
            self.finish(True)
            end_call(&call, n_rows)

    cdef tuple fitted(self, bint may_stop):
        # A new member, fitted on the front of the chunk; None if that failed or was stopped.
        cdef chunks_t* b = &self.chunks
        cdef Kernel kernel
        cdef bint done
        fresh = self.built(b.most)
        if fresh is None:
            return None
        kernel = fresh[1]
        with nogil:
            done = fit_block(&kernel.handle, b.X, b.y, self.fit_weights(), b.counts[GROWING], may_stop)
        if not done or current_failure().failed:
            self.keep(self.next_template(b.most), fresh[0])
            return None
        return fresh

    cdef void finish(self, bint may_stop) noexcept:
        # The end of a chunk. If it fails, the chunk is dropped; if a signal stops it, it stays full.
        cdef chunks_t* b = &self.chunks
        cdef tuple fresh
        cdef Py_ssize_t slot
        try:
            b.may_stop, b.n_old = may_stop, b.counts[VOTERS] if b.counts[CHUNKS] else 0
            fresh = self.fitted(may_stop)
            if fresh is not None and self.weigh(fresh[1]):
                slot = self.place()
                b.counts[CHUNKS] += 1
                self.admit(slot, fresh, self.next_template(slot))
                self.n_built[b.most] += 1
            else:
                if fresh is not None:
                    self.keep(self.next_template(b.most), fresh[0])
                if was_interrupted():
                    return
        except BaseException as error:
            record_failure(error)
        b.counts[GROWING] = b.counts[HELD_OUT] = 0

    cdef void fit_early(self) noexcept:                                                     # (2)
        try:
            fresh = self.fitted(False)
            if fresh is not None:
                before, old = self.install(0, fresh, self.next_template(0))
                self.keep(before, old)
                self.chunks.counts[VOTERS] = 1
                self.chunks.weight[0] = 2.0 if self.chunks.combination == LOGISTIC else 1.0
        except BaseException as error:
            record_failure(error)

    cdef const double* fit_weights(self) noexcept nogil:
        # Weights of the rows on which a member is fitted.
        return self.chunks.w

    cdef bint weigh(self, Kernel fresh) noexcept:
        # Compute the weights of all members and the new one; False, and no change, if stopped or failed.
        return True

    cdef Py_ssize_t place(self) noexcept nogil:
        # Set the weights and return the slot of the new member, n_old to add it, -1 to do without it.
        return -1

    cdef void admit(self, Py_ssize_t slot, tuple fresh, Py_ssize_t template):
        # Let the new member, made from this template, vote in this slot, instead of any that does.
        cdef chunks_t* b = &self.chunks
        if slot < 0:
            self.keep(template, fresh[0])
            return
        before, old = self.install(slot, fresh, template)
        self.keep(before, old)
        b.counts[VOTERS] = max(slot + 1, b.n_old)
        if slot < b.n_old:
            self.record_event(b.progress[ROWS], slot, WENT)
        self.record_event(b.progress[ROWS], slot, CAME)

    cdef tuple install(self, Py_ssize_t slot, tuple fresh, Py_ssize_t template):
        # Put a member into a slot; return the template and the member that was there, to be built again.
        cdef Py_ssize_t before = self.template_of(slot)
        old = None
        if slot == len(self.members):
            self.members.append(None)
            self.kernels.append(None)
        else:
            old = self.reusable(slot)
        MemberPool.put(self, slot, fresh)
        self.chunks.template[slot] = template
        return before, old


cdef bint was_interrupted():
    cdef PyObject* error = current_failure().error
    return error != NULL and not isinstance(<object> error, Exception)


cdef inline bint is_full(const chunks_t* b) noexcept nogil:
    return b.counts[GROWING] + b.counts[HELD_OUT] == b.size


cdef inline bint may_go_on(chunks_t* b, const failure_t* failure) noexcept nogil:
    # Before a row is predicted: False if code written in Python failed, or a signal came.
    b.n_looks += 1
    if b.n_looks >= ROWS_A_LOOK:
        b.n_looks = 0
        if b.may_stop and should_stop():
            return False
    return not failure.failed


cdef bint answer(chunks_t* b, const learner_t* h, Py_ssize_t first, Py_ssize_t n, double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef const failure_t* failure = current_failure()
    for i in range(n):
        if not may_go_on(b, failure):
            return False
        h.predict(h.state, b.X + (first + i) * b.n_features, p + i * b.n_classes, b.scratch)
    return not failure.failed


cdef bint choose(chunks_t* b, const learner_t* h, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    cdef int* chosen = b.chosen + m * b.size
    cdef const failure_t* failure = current_failure()
    for i in range(b.counts[GROWING]):
        if m < b.n_old and b.is_chosen[i]:
            continue
        if not may_go_on(b, failure):
            return False
        h.predict(h.state, b.X + i * b.n_features, b.answers, b.scratch)
        chosen[i] = <int> likeliest(b.answers, b.n_classes)
    return not failure.failed


cdef Py_ssize_t next_place(chunks_t* b) noexcept nogil:
    # Where the next row of the chunk goes; counts it.
    cdef Py_ssize_t to_come = b.size - b.counts[GROWING] - b.counts[HELD_OUT]
    cdef Py_ssize_t wanted = b.n_held_out - b.counts[HELD_OUT]
    if to_come < b.size and unit(bits(b.key, b.progress[ROWS])) * to_come < wanted:           # (1)
        b.counts[HELD_OUT] += 1
        return b.size - b.counts[HELD_OUT]
    b.counts[GROWING] += 1
    return b.counts[GROWING] - 1


cdef void learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    cdef chunks_t* b = <chunks_t*> state
    if is_full(b):
        finish_without_stop(b)
    gather(b, x, y, w, False)


cdef void gather(chunks_t* b, const double* x, Py_ssize_t y, double w, bint is_chosen) noexcept nogil:
    # Add a row to the chunk; end the chunk if it is full. `is_chosen`: its votes are in `chosen`.
    cdef Py_ssize_t place = next_place(b)
    if b.is_chosen != NULL:
        b.is_chosen[place] = is_chosen
    memcpy(b.X + place * b.n_features, x, b.n_features * sizeof(double))
    b.y[place], b.w[place], b.number[place] = y, min(w, HEAVIEST), b.progress[ROWS]
    b.progress[ROWS] += 1
    if b.progress[ROWS] == b.progress[NEXT_NOTE]:
        with gil:
            (<ChunkEnsembleKernel> b.kernel).note()
    if is_full(b):
        with gil:
            (<ChunkEnsembleKernel> b.kernel).finish(True)
    elif b.counts[CHUNKS] == 0 and is_early(b):
        with gil:
            (<ChunkEnsembleKernel> b.kernel).fit_early()


cdef void finish_without_stop(chunks_t* b) noexcept nogil:
    # Finish a chunk whose end was postponed, whatever signals come; drop it if that cannot be done.
    cdef Py_ssize_t _i
    with gil:
        for _i in range(MOST_TRIES):
            if is_full(b):
                (<ChunkEnsembleKernel> b.kernel).finish(False)
    if is_full(b):
        b.counts[GROWING] = b.counts[HELD_OUT] = 0


cdef bint is_early(const chunks_t* b) noexcept nogil:
    cdef Py_ssize_t part = b.size // 2, n = b.counts[GROWING] + b.counts[HELD_OUT]
    while part > n:
        part //= 2
    return part == n and n >= FEWEST


cdef void flush_chunk(void* state) noexcept nogil:
    # End the chunk now, with the rows there are.
    cdef chunks_t* b = <chunks_t*> state
    if b.counts[GROWING] > 0:
        with gil:
            (<ChunkEnsembleKernel> b.kernel).finish(True)


cdef void predict_and_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                            double* p) noexcept nogil:
    cdef chunks_t* b = <chunks_t*> state
    if is_full(b):
        finish_without_stop(b)
    combine(b, x, p, b.scratch, b.chosen + b.counts[GROWING] if b.chosen != NULL else NULL)
    gather(b, x, y, w, not current_failure().failed)


cdef void predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    combine(<const chunks_t*> state, x, p, scratch, NULL)


cdef inline void combine(const chunks_t* b, const double* x, double* p, double* scratch,
                         int* chosen) noexcept nogil:
    # Write the combined prediction; the members' votes also into one column of `chosen`, unless it is NULL.
    cdef Py_ssize_t m, k, n_classes = b.n_classes
    cdef double total = 0.0
    cdef const learner_t* h
    for k in range(n_classes):
        p[k] = 0.0
    for m in range(b.counts[VOTERS]):
        h = b.member[m]
        h.predict(h.state, x, scratch, scratch + n_classes)
        if b.combination == VOTES:
            k = likeliest(scratch, n_classes)
            p[k] += b.weight[m]
            if chosen != NULL:
                chosen[m * b.size] = <int> k
        else:
            for k in range(n_classes):
                p[k] += b.weight[m] * scratch[k]
    if b.combination == LOGISTIC:
        softmax(p, p, n_classes)
        return
    for k in range(n_classes):
        total += p[k]
    for k in range(n_classes):
        p[k] = p[k] / total if total > 0 else 1.0 / n_classes

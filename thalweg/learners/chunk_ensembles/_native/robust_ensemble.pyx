"""The robust-regression ensemble: the latest members, weighted by logistic regression without the outliers.

Part of each chunk grows a member, the rest weighs all members (member_weights.pyx). Or all rows of a chunk do
both: then members that were fitted on other folds speak for the new one (folds.pyx). A row weighs what it was
given with, times the weight of its class; to weigh members, this is divided by its mean. With balanced
classes, the weight of class k among n rows, of which n_k are of this class, is

    n/(classes seen × n_k).                                                                   (1)

Rows that were found to be outliers are kept in a record of the latest ones.
"""

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, MOST_COUNTED, Array, require

from libc.math cimport exp
from libc.string cimport memset

from thalweg.learners.batch_trees._native.grow cimport BatchTree
from .base cimport (
    CHUNKS, GROWING, LOGISTIC, ChunkEnsembleKernel, answer, chunks_t, first_weighed, n_weighed,
)
from .folds cimport answer_by_folds
from thalweg.learners.ensembles._native.base cimport ROWS
from thalweg._native.failure cimport attempt, should_stop
from thalweg._native.kernel cimport HEAVIEST, Kernel, learner_t
from thalweg._native.missing cimport any_missing
from .member_weights cimport make_memory, place_of, weigh_members, weighing_t
from thalweg.learners.batch_trees._native.packed_tree cimport (
    ROWS_IN_SET,
    PackedTree,
    columns_of,
    columns_size,
    packed_tree_t,
    packed_vote,
)
from thalweg._native.pointers cimport doubles, integers

cdef enum:
    MOST_OUTLIERS = 1000                # in the record


ctypedef struct outliers_t:
    Py_ssize_t* n                       # so far
    Py_ssize_t* row
    Py_ssize_t* label
    Py_ssize_t* believed
    double* likelihood


cdef class RobustKernel(ChunkEnsembleKernel):
    """The latest members, their weights, and the outliers found; `class_weight` is None for balanced ones."""

    cdef weighing_t fit
    cdef outliers_t outliers
    cdef dict memory
    cdef bint is_balanced
    cdef double* class_weight           # [class]
    cdef double* row_weight             # [row]: with which a member is fitted
    cdef Py_ssize_t n_folds             # if no rows are held out
    cdef double* masked                 # [row]: memory for the folds
    cdef double* columns                # the rows that weigh members, in sets; NULL if they are not used
    cdef const packed_tree_t** packed   # [member]: copies of trees that predict many rows, or NULL

    def __init__(self, who, n_features, n_classes, most, size, n_held_out, n_folds, key, n_templates, build,
                 penalty, ridge, class_weight):
        n_weighed_on = n_held_out or size
        ChunkEnsembleKernel.__init__(self, who, n_features, n_classes, most, size, n_held_out, LOGISTIC, key,
                                     n_templates, build)
        number = {"low": 0, "high": MOST_COUNTED}
        self.allocate(who, {
            "n_outliers": Array(INDEX, 1, **number),
            "outlier_row": Array(INDEX, MOST_OUTLIERS, **number),
            "outlier_label": Array(INDEX, MOST_OUTLIERS, low=0, high="class"),
            "outlier_believed": Array(INDEX, MOST_OUTLIERS, low=0, high="class"),
            "outlier_likelihood": Array(FLOAT, MOST_OUTLIERS, low=0.0, high=1.0),
        }, {})
        self.memory = make_memory(&self.fit, most, n_weighed_on, n_classes)
        self.fit.penalty, self.fit.ridge = penalty, ridge
        self.is_balanced, self.n_folds = class_weight is None, n_folds
        self.buffers["class_weight"] = layouts.new_array(n_classes, FLOAT)
        self.buffers["class_weight"][:] = 1.0 if self.is_balanced else class_weight
        self.buffers["row_weight"] = layouts.new_array(size, FLOAT)
        self.class_weight = doubles(self.buffers["class_weight"])
        self.row_weight = doubles(self.buffers["row_weight"])
        self.buffers["masked"] = layouts.new_array(0 if n_held_out else size, FLOAT)
        self.masked = doubles(self.buffers["masked"])
        n_sets = n_weighed_on // ROWS_IN_SET + 1
        self.buffers["columns"] = layouts.new_aligned(columns_size(n_features) * n_sets)
        self.buffers["packed"] = layouts.new_array(most, INDEX)
        self.columns = doubles(self.buffers["columns"]) if columns_size(n_features) else NULL
        self.packed = <const packed_tree_t**> integers(self.buffers["packed"])
        self.bind()

    cdef void bind(self):
        ChunkEnsembleKernel.bind(self)
        cdef outliers_t* o = &self.outliers
        if "n_outliers" in self.arrays:
            o.n, o.row = integers(self.arrays["n_outliers"]), integers(self.arrays["outlier_row"])
            o.label = integers(self.arrays["outlier_label"])
            o.believed = integers(self.arrays["outlier_believed"])
            o.likelihood = doubles(self.arrays["outlier_likelihood"])

    def check(self, arrays):
        """Raise StateError if arrays contradict each other."""
        ChunkEnsembleKernel.check(self, arrays)
        rows = int(arrays["progress"][ROWS])
        good = arrays["n_outliers"][0] <= rows and (arrays["outlier_row"] <= rows).all()
        require(bool(good), self.who, "outlier_row", f"holds a row beyond the last, {rows}")

    def latest_outliers(self):
        """Return row, label, believed label and likelihood of the outliers recorded, the latest first."""
        n = int(self.outliers.n[0])
        places = [i % MOST_OUTLIERS for i in range(n - 1, max(n - MOST_OUTLIERS, 0) - 1, -1)]
        return [self.arrays[f"outlier_{name}"][places] for name in ("row", "label", "believed", "likelihood")]

    cdef const double* fit_weights(self) noexcept nogil:
        cdef const chunks_t* b = &self.chunks
        weigh_rows(self, 0, b.counts[GROWING], self.row_weight)
        return self.row_weight

    cdef bint weigh(self, Kernel fresh) noexcept:
        cdef weighing_t* f = &self.fit
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t m, slot = b.counts[CHUNKS] % b.most, first = first_weighed(b)
        cdef const learner_t* h
        cdef bint by_folds = b.n_held_out == 0
        f.n, f.n_members, f.may_stop = n_weighed(b), min(b.n_old + 1, b.most), b.may_stop
        trees = attempt(self.pack_trees, (None if by_folds else fresh, slot))
        if trees is None:
            return False
        if by_folds and not answer_by_folds(self, self.row_weight, self.n_folds, self.masked):
            return False
        with nogil:
            if by_folds:
                write_leads(f, b, slot)
            for m in range(f.n_members):
                f.fits[0].weights[m] = 2.0 / f.n_members
                if by_folds and m == slot:
                    continue
                h = &fresh.handle if m == slot else b.member[m]
                if not (answer_by_tree(self, m) if self.packed[m] != NULL
                        else answer(b, h, first, f.n, b.answers)):
                    return False
                write_leads(f, b, m)
            weigh_rows(self, first, f.n, f.v)
            divide_by_mean(f.v, f.n)
            return weigh_members(f)

    def pack_trees(self, fresh, slot):
        """Copy the members that are trees, if no value is missing in the rows; return the copies.

        `fresh` is the kernel of the member in this slot, None if it is not asked.
        """
        cdef PackedTree tree
        cdef Py_ssize_t m, d = self.chunks.n_features, start = 0
        cdef const double* X = self.chunks.X + first_weighed(&self.chunks) * d
        cdef bint are_whole = not any_missing(X, self.fit.n * d)
        kept = []
        for m in range(self.fit.n_members):
            kernel = fresh if m == slot else self.kernels[m]
            self.packed[m] = NULL
            if are_whole and isinstance(kernel, BatchTree) and not kernel.arrays.get("is_due", (0,))[0]:
                tree = PackedTree(kernel)
                self.packed[m] = &tree.core if tree.core.by_numbers else NULL
                kept.append(tree)
        while kept and self.columns != NULL and start < self.fit.n:
            columns_of(X + start * d, min(self.fit.n - start, ROWS_IN_SET), d, self.columns + start * d)
            start += ROWS_IN_SET
        return kept

    cdef Py_ssize_t place(self) noexcept nogil:
        cdef weighing_t* f = &self.fit
        cdef chunks_t* b = &self.chunks
        cdef Py_ssize_t i, m, order
        for m in range(f.n_members):
            b.weight[m] = f.fits[0].weights[m]
        for order in range(f.n):
            i = f.n - 1 - order if b.n_held_out else order  # rows held out are in the chunk the last first
            if f.fits[0].out[i]:
                record_outlier(&self.outliers, f, b, i)
        return b.counts[CHUNKS] % b.most


cdef bint answer_by_tree(RobustKernel kernel, Py_ssize_t m) noexcept nogil:
    # Write what member m, a packed tree, predicts for the rows; False if a signal came.
    cdef const chunks_t* b = &kernel.chunks
    cdef Py_ssize_t start = 0, n = kernel.fit.n, d = b.n_features, n_classes = b.n_classes
    cdef const double* X = b.X + first_weighed(b) * d
    cdef const double* columns
    memset(b.answers, 0, n * n_classes * sizeof(double))
    while start < n:
        columns = NULL if kernel.columns == NULL else kernel.columns + start * d
        packed_vote(kernel.packed[m], X + start * d, columns, min(n - start, ROWS_IN_SET), d, n_classes, 1.0,
                    b.answers + start * n_classes)
        start += ROWS_IN_SET
    return not (b.may_stop and should_stop())


cdef void write_leads(weighing_t* f, const chunks_t* b, Py_ssize_t m) noexcept nogil:
    # What member m predicts: by how much each row's label is ahead of the other classes.
    cdef Py_ssize_t i, k, other, first = first_weighed(b), y
    cdef const double* p = b.answers
    for i in range(f.n):
        y, other = b.y[first + i], 0
        for k in range(b.n_classes):
            if k != y:
                f.lead[place_of(f, i, other, m)] = p[y] - p[k]
                other += 1
        p += b.n_classes


cdef void weigh_rows(RobustKernel kernel, Py_ssize_t first, Py_ssize_t n, double* v) noexcept nogil:
    # Write the weights of n rows of the chunk from `first` on.
    cdef const chunks_t* b = &kernel.chunks
    cdef Py_ssize_t i, k, n_seen = 0
    cdef double of_class
    if kernel.is_balanced:
        for k in range(b.n_classes):
            kernel.class_weight[k] = 0.0
        for i in range(first, first + n):
            n_seen += kernel.class_weight[b.y[i]] == 0
            kernel.class_weight[b.y[i]] += 1.0
        for k in range(b.n_classes):
            of_class = kernel.class_weight[k]
            kernel.class_weight[k] = n / (n_seen * of_class) if of_class > 0 else 0.0         # (1)
    for i in range(n):
        v[i] = min(b.w[first + i] * kernel.class_weight[b.y[first + i]], HEAVIEST)


cdef void divide_by_mean(double* v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double mean = 0.0
    for i in range(n):
        mean += v[i] / n
    for i in range(n):
        v[i] = v[i] / mean if mean > 0 else 1.0


cdef void record_outlier(outliers_t* o, const weighing_t* f, const chunks_t* b, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k, m, other = 0, place = o.n[0] % MOST_OUTLIERS, row = first_weighed(b) + i
    cdef double least = 0.0, ahead
    o.row[place], o.label[place], o.believed[place] = b.number[row], b.y[row], b.y[row]
    o.likelihood[place] = exp(f.fits[0].likelihood[i])
    for k in range(b.n_classes):
        if k == b.y[row]:
            continue
        ahead = 0.0
        for m in range(f.n_members):
            ahead += f.fits[0].weights[m] * f.lead[place_of(f, i, other, m)]
        if ahead < least:
            least, o.believed[place] = ahead, k
        other += 1
    o.n[0] += 1

"""The contract of a learner: three methods to write, everything else derived from them."""

from contextlib import suppress

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from thalweg._kernels.lock import Lock
from thalweg._kernels.missing import fill, fill_and_update, update_means
from thalweg._kernels.python_learner import PythonKernel
from thalweg._parameters import is_whole
from thalweg.learners.growth import Growing
from thalweg.learners.rows import (
    Labels,
    Names,
    as_category_counts,
    as_codes,
    as_mask,
    as_output,
    as_row,
    as_rows,
    as_weights,
    usual_rows,
)
from thalweg.learners.saving import Saved
from thalweg.learners.sklearn_verbs import SklearnVerbs
from thalweg.learners.sparse_rows import checked_sparse_rows, is_sparse


class StreamClassifier(SklearnVerbs, Saved, Growing, ClassifierMixin, BaseEstimator):
    """A classifier that learns rows as they come.

    A learner writes `_begin`, `_learn` and `_predict`; `_observe` if rows without a label teach it something;
    `_flush` if it holds rows back; `_fit_block` if it is better fitted on a batch. scikit-learn's verbs
    (`fit`, `partial_fit`, `predict`, `predict_proba`) validate in scikit-learn's manner; the fast door
    (`begin`, `test_then_train`, `predict_block`, `learn_one`, …) checks only what would corrupt a model:
    width, infinity, unknown labels.

    How the rows are cut into blocks never changes a result. Any thread may call a learner: predictions run
    side by side, learning waits for them and excludes all else. A call that fails, by Ctrl-C too, leaves a
    learner that works; where compiled code learned part of the rows, the exception's `rows_learned` says how
    many.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the columns of all probabilities.
    n_features_in_ : int
        Inputs a row has.
    n_categories_ : ndarray of int
        Categories of each input as far as known when the learner began, 0 where it is numeric.
    """

    takes_missing = False
    """Whether the three methods cope with NaN themselves; if not, they are given the running mean instead."""

    uses_weights = True
    """Whether the weight of a row, where it is above 0, makes a difference; boosting needs such members."""

    takes_sparse = False
    """Whether the three methods take `SparseRows`, too; only for a learner that takes missing values."""

    _counts_rows = False  # whether `rows_learned` of what `_learn` raises is about its own rows

    def _begin(self, n_features, n_classes):
        """Allocate the state."""
        raise NotImplementedError

    def _learn(self, X, y, w, p):
        """For each row: write its probabilities into `p`, then learn it, unless its weight is 0."""
        raise NotImplementedError

    def _predict(self, X, p):
        """Write the probabilities of each row into `p`; change nothing."""
        raise NotImplementedError

    def _observe(self, X):
        """See rows that have no label. Most learners make nothing of them."""

    def _predict_observe(self, X, p):
        """For each row: write its probabilities into `p`, then see it."""
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._observe(X[i : i + 1])

    def _fit_block(self, X, y, w):
        """Learn rows as one batch, as the member of an ensemble does before anything else is learned."""
        self._learn(X, y, w, np.empty((len(X), self._n_columns)))
        self._flush()

    def _flush(self):
        """Learn the rows that `_learn` held back until more would come. Most learners hold none back."""

    @property
    def observes(self):
        """Whether rows without a label mean anything to this learner; if not, `observe` does nothing."""
        return type(self)._observe is not StreamClassifier._observe

    def begin(self, n_features=None, classes=None, names=None, n_categories=None, more_classes=None):
        """Start again for rows of `n_features` inputs and the given classes; return self.

        Without `n_features`, rows are dicts, and new names of inputs are taken as they come. Without
        `classes`, labels are taken as they come, and `classes_` lists them in that order; otherwise a label
        that is none of them is an error, unless `more_classes` is True. `names` are the inputs' names, if
        known; `n_categories` gives for each input the number of its categories (coded 0, 1, 2, …; more may
        follow), 0 where it is numeric.
        """
        if names is not None and n_features is not None and len(names) != n_features:
            raise ValueError(f"{self._who}: got {len(names)} names for {n_features} inputs")
        is_open = classes is None if more_classes is None else more_classes
        labels = Labels([] if classes is None else classes, is_open)
        return self._begin_with(n_features, labels, names, n_categories)

    def _begin_with(self, n_features, labels, names=None, n_categories=None):
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._begin_unlocked, n_features, labels, names, n_categories)

    def _own_lock(self):
        # An attribute that neither parameters nor states know; the first of two threads makes it.
        return vars(self).setdefault("_lock", Lock())

    def _begin_unlocked(self, n_features, labels, names=None, n_categories=None):
        """Do what `begin` does, for a caller that holds the lock; replaces attributes and changes none."""
        if n_features is not None and (not is_whole(n_features) or n_features < 1):
            raise ValueError(f"{self._who}: a row needs at least one input, got n_features={n_features!r}")
        self._labels = labels
        self.classes_ = labels.classes
        self._names = Names(names, None if n_features is None else int(n_features), self._who)
        self.n_features_in_ = n = self._names.n_places
        self.n_categories_ = as_category_counts(n_categories, n, self._who)
        self._means = None if self.takes_missing else (np.zeros(n), np.zeros(n))
        # The first label to come has a place from the start, as has the first input.
        self._begin(n, self._n_columns)
        return self

    def test_then_train(self, X, y, sample_weight=None):
        """Learn the rows one after another; return the probabilities each got just before it was learned."""
        self._check_begun()
        if not self._labels.is_open:
            return self.test_then_train_coded(X, self._labels.codes(y, self._who), sample_weight)
        with self._lock.write:
            labels, codes = self._labels.extended(y, self._who)
            X = self._checked(X)[0]
            codes, w = self._checked_labels(codes, sample_weight, len(X), len(labels.list))
            return self._learn_open(X, codes, w, labels, None, np.zeros((len(X), len(labels.list))))

    def test_then_train_coded(self, X, codes, sample_weight=None, asked=None, p=None, classes=None):
        """Do `test_then_train` for labels given as positions in `classes_`.

        A row of weight 0 is only predicted; where the mask `asked` is False it is only learned, and what is
        returned for it is undefined. So one call can predict some rows and learn others in any order. The
        probabilities are written into `p` if given: after Ctrl-C it holds those of the first `rows_learned`.

        `classes` are all labels there are codes of, if these may be more than `classes_`, which they begin
        with. Those that are new are added as they are learned, with all before them; before that, they have
        the probability 0.
        """
        self._check_begun()
        with self._lock.write:
            labels = self._labels if classes is None else self._labels.continued(classes, self._who)
            X, has_missing = self._checked(X)
            codes, w = self._checked_labels(codes, sample_weight, len(X), len(labels.list))
            asked = None if asked is None else as_mask(asked, len(X), self._who)
            p = as_output(p, (len(X), max(len(labels.list), 1)), self._who)
            if labels is self._labels:
                return self._learn_block(X, has_missing, codes, w, asked, p)
            return self._learn_open(X, codes, w, labels, asked, p)

    def _checked_labels(self, codes, sample_weight, n_rows, n_classes):
        codes = as_codes(codes, n_rows, n_classes, self._who)
        return codes, as_weights(sample_weight, n_rows, self._who)

    def _learn_block(self, X, has_missing, codes, w, asked=None, p=None):
        # Learn rows that have been checked; return their probabilities.
        p = np.empty((len(X), self._n_columns)) if p is None else p
        if not len(X):
            return p
        means = None if self._means is None else tuple(mean.copy() for mean in self._means)
        try:
            rows = self._filled(X, has_missing, w)
            if asked is None:
                self._learn(rows, codes, w, p)
            else:
                self._learn_asked(rows, codes, w, p, asked)
        except BaseException as error:
            if not self._counts_rows:
                vars(error).pop("rows_learned", None)
            n = getattr(error, "rows_learned", None)
            if means is not None and n is not None:
                update_means(X[:n], w[:n], *means)
                self._means = means
            raise
        return p

    def _learn_asked(self, X, y, w, p, asked):
        """Do what `_learn` does; rows that are not `asked` need no probabilities."""
        self._learn(X, y, w, p)

    def _learn_open(self, X, codes, w, labels, asked, p):
        # As _learn_block, where codes may be of classes that are new; each is added at its first row.
        start = 0
        try:
            while start < len(X):
                new = codes[start:] >= len(self.classes_)
                first = start + int(np.argmax(new)) if new.any() else len(X)
                start = self._learn_part(X, codes, w, asked, p, start, first)
                if first < len(X):
                    p[first] = 0.0
                    p[first, : len(self.classes_)] = self.predict_block(X[first : first + 1])[0]
                    self._all_or_nothing(self._add_classes, labels.first(codes[first] + 1))
                    start = self._learn_part(X, codes, w, asked, np.empty_like(p), start, first + 1)
        except BaseException as error:
            with suppress(AttributeError):
                if self._counts_rows:
                    error.rows_learned = start + getattr(error, "rows_learned", 0)
            raise
        return p

    def _learn_part(self, X, codes, w, asked, p, start, stop):
        part, n_classes = slice(start, stop), len(self.classes_)
        has_missing = self._means is not None and bool(np.isnan(X[part]).any())
        asked = None if asked is None else asked[part]
        answers = np.empty((stop - start, self._n_columns))
        try:
            self._learn_block(X[part], has_missing, codes[part], w[part], asked, answers)
        finally:
            p[part, :n_classes], p[part, n_classes:] = answers[:, :n_classes], 0.0
        return stop

    @property
    def _n_columns(self):
        # Of the probabilities that the learner writes: one even before the first label.
        return max(len(self._labels.list), 1)

    def predict_block(self, X):
        """Return the probabilities of each row: rows × classes."""
        self._check_begun()
        with self._lock.read:
            X, has_missing = self._checked(X)
            p = np.empty((len(X), self._n_columns))
            if len(X):
                self._predict(self._filled(X, has_missing), p)
            return p[:, : len(self.classes_)]

    def observe(self, X):
        """See rows that have no label, or not yet."""
        self._check_begun()
        with self._lock.write:
            X, has_missing = self._checked(X)
            if len(X):
                self._observe(self._filled(X, has_missing))

    def predict_then_observe(self, X, p=None):
        """See rows that have no label one after another; return the probabilities each got before that.

        They are written into `p` if given.
        """
        self._check_begun()
        with self._lock.write:
            X, has_missing = self._checked(X)
            p = as_output(p, (len(X), self._n_columns), self._who)
            if len(X):
                self._predict_observe(self._filled(X, has_missing), p)
            return p[:, : len(self.classes_)]

    def flush(self):
        """Learn the rows held back until more would come, as `ParticleFilter` and `DecisionTree` do."""
        self._check_begun()
        with self._lock.write:
            self._flush()

    def learn_one(self, x, y):
        """Learn one row: an array of inputs, or a dict of named ones.

        A learner that has not begun begins with its first dict row, as by `begin()`.
        """
        if isinstance(x, dict) and not self._begun:
            with self._own_lock().write:
                return self._all_or_nothing(self._begin_with_row, x, y)
        self._check_begun()
        with self._lock.write:
            row, names = self._row(x, learns=True)
            X, has_missing = usual_rows(row, names, self._who)
            labels = self._labels
            if labels.is_open and y not in labels.code:
                labels = labels.extended([y], self._who)[0]
            self._learn_row(X, has_missing, np.array([labels.one(y, self._who)]), names, labels)

    def _begin_with_row(self, x, y):
        if not self._begun:  # by another thread
            self.begin()
        self.learn_one(x, y)

    def _learn_row(self, X, has_missing, code, names, labels):
        # Learn a row after which the learner has these names and labels.
        before = None
        if labels is not self._labels or names.n_features > self._names.n_features:
            before = vars(self).copy()
            self._all_or_nothing(self._make_room, names, labels)
        weight = np.ones(1)
        try:
            self._learn(self._filled(X, has_missing, weight), code, weight, np.empty((1, self._n_columns)))
        except BaseException as error:
            if before is not None and getattr(error, "rows_learned", None) == 0:
                self.__dict__ = before
            raise
        self._names = names

    def _make_room(self, names, labels):
        if names.n_features > self._names.n_features:
            self._add_inputs(names)
        if labels is not self._labels:
            self._add_classes(labels)

    def predict_proba_one(self, x):
        """Return the probabilities of one row: an array for an array, {class: probability} for a dict."""
        if isinstance(x, dict) and not self._begun:
            return {}
        p = self._predict_row(x)
        return dict(zip(self._labels.list, p.tolist(), strict=True)) if isinstance(x, dict) else p

    def predict_one(self, x):
        """Return the most probable class of one row, None before any is known.

        The row is an array of inputs, or a dict of named ones.
        """
        if isinstance(x, dict) and not self._begun:
            return None
        p = self._predict_row(x)
        return self._labels.list[p.argmax()] if len(p) else None

    def _predict_row(self, x):
        self._check_begun()
        with self._lock.read:
            row, _names = self._row(x)
            X, has_missing = usual_rows(row, self._names, self._who)
            p = np.empty((1, self._n_columns))
            self._predict(self._filled(X, has_missing), p)
            return p[0, : len(self._labels.list)]

    def _handle(self):
        """Return the kernel through which compiled code calls this learner; here a trampoline into Python."""
        self._check_begun()
        return PythonKernel(self, self.n_features_in_, self._n_columns)

    @property
    def _who(self):
        return type(self).__name__

    @property
    def _begun(self):
        return hasattr(self, "classes_")

    def _check_begun(self):
        if not hasattr(self, "classes_"):
            raise NotFittedError(
                f"This {self._who} instance is not fitted yet: call fit, partial_fit(X, y, classes=…) or "
                "begin(n_features, classes) first."
            )

    def _checked(self, X):
        self._check_inputs()
        if not isinstance(X, np.ndarray) and is_sparse(X):
            return checked_sparse_rows(X, self), False
        return usual_rows(as_rows(X, self.n_features_in_, self._who), self._names, self._who)

    def _filled(self, X, has_missing, w=None):
        # With weights the rows are being learned, and each is filled from the rows before it.
        if self._means is None or not (has_missing or w is not None):
            return X
        if not has_missing:
            update_means(X, w, *self._means)
            return X
        X = X.copy()
        if w is None:
            fill(X, self._means[0])
        else:
            fill_and_update(X, w, *self._means)
        return X

    def _row(self, x, learns=False):
        # One row, and the names of the inputs once it is learned.
        if not isinstance(x, dict):
            self._check_inputs()
            return as_row(x, self.n_features_in_, self._who), self._names
        if learns and not x:
            self._check_inputs()
        return self._names.row(x, self._who, learns)

    def _check_inputs(self):
        if not self._names.n_features:
            raise ValueError(
                f"{self._who}: there are no inputs yet; the first row to learn must be a dict that has some. "
                "For arrays, tell how many inputs there are: begin(n_features)"
            )

"""The contract of a learner: three methods to write, everything else derived from them."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from thalweg._kernels.learner import PythonKernel
from thalweg._kernels.lock import Lock
from thalweg._kernels.missing import fill, fill_and_update, update_means
from thalweg.learners import state as states
from thalweg.learners.rows import (
    Labels,
    Names,
    as_category_counts,
    as_codes,
    as_numbers,
    as_row,
    as_rows,
    as_weights,
    usual_rows,
)


class StreamClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns rows as they come.

    A learner writes `_begin`, `_learn` and `_predict`, and `_observe` if rows without a label teach it
    something. scikit-learn's verbs (`fit`, `partial_fit`, `predict`, `predict_proba`) validate in
    scikit-learn's manner; the fast door (`begin`, `test_then_train`, `predict_block`, `learn_one`, …) checks
    only what would corrupt a model: width, infinity, unknown labels.

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

    def begin(self, n_features, classes, names=None, n_categories=None):
        """Start afresh for rows of `n_features` inputs and the given classes; return self.

        `names` are the inputs' names, if known; `n_categories` gives for each input the number of its
        categories (coded 0, 1, 2, …; more may follow), 0 where it is numeric.
        """
        if names is not None and len(names) != n_features:
            raise ValueError(f"{self._who}: got {len(names)} names for {n_features} inputs")
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._begin_unlocked, n_features, classes, names, n_categories)

    def _own_lock(self):
        # An attribute that neither parameters nor states know; the first of two threads makes it.
        return vars(self).setdefault("_lock", Lock())

    def _all_or_nothing(self, change, *arguments):
        """Call `change`, which replaces attributes; if it fails, put back those of before."""
        before = vars(self).copy()
        try:
            return change(*arguments)
        except BaseException:
            self.__dict__ = before
            raise

    def _begin_unlocked(self, n_features, classes, names=None, n_categories=None):
        """Do what `begin` does, for a caller that holds the lock; replaces attributes and changes none."""
        if isinstance(n_features, bool) or not isinstance(n_features, int | np.integer) or n_features < 1:
            raise ValueError(f"{self._who}: a row needs at least one input, got n_features={n_features!r}")
        self._labels = Labels(classes)
        self.classes_ = self._labels.classes
        self.n_features_in_ = int(n_features)
        self.n_categories_ = as_category_counts(n_categories, self.n_features_in_, self._who)
        self._names = Names(names, self.n_features_in_, self._who)
        self._means = None if self.takes_missing else (np.zeros(n_features), np.zeros(n_features))
        self._begin(self.n_features_in_, len(self.classes_))
        return self

    def test_then_train(self, X, y, sample_weight=None):
        """Learn the rows one after another; return the probabilities each got just before it was learned."""
        self._check_begun()
        return self.test_then_train_coded(X, self._labels.codes(y, self._who), sample_weight)

    def test_then_train_coded(self, X, codes, sample_weight=None):
        """Do `test_then_train` for labels given as positions in `classes_`."""
        self._check_begun()
        with self._lock.write:
            X, has_missing = self._checked(X)
            codes = as_codes(codes, len(X), len(self.classes_), self._who)
            p = np.empty((len(X), len(self.classes_)))
            if len(X):
                w = np.ones(len(X)) if sample_weight is None else as_weights(sample_weight, len(X), self._who)
                self._learn(self._filled(X, has_missing, w), codes, w, p)
            return p

    def predict_block(self, X):
        """Return the probabilities of each row: rows × classes."""
        self._check_begun()
        with self._lock.read:
            X, has_missing = self._checked(X)
            p = np.empty((len(X), len(self.classes_)))
            if len(X):
                self._predict(self._filled(X, has_missing), p)
            return p

    def observe(self, X):
        """See rows that have no label, or not yet."""
        self._check_begun()
        with self._lock.write:
            X, has_missing = self._checked(X)
            if len(X):
                self._observe(self._filled(X, has_missing))

    def learn_one(self, x, y):
        """Learn one row: an array of inputs, or a dict of named ones."""
        self._check_begun()
        with self._lock.write:
            row, names = self._row(x)
            X, has_missing = usual_rows(row, self._names, self._who)
            code = np.array([self._labels.one(y, self._who)])
            weight = np.ones(1)
            self._learn(self._filled(X, has_missing, weight), code, weight, np.empty((1, len(self.classes_))))
            self._names = names

    def predict_proba_one(self, x):
        """Return the probabilities of one row: an array for an array, {class: probability} for a dict."""
        p = self._predict_row(x)
        return dict(zip(self._labels.list, p.tolist(), strict=True)) if isinstance(x, dict) else p

    def predict_one(self, x):
        """Return the most probable class of one row: an array of inputs, or a dict of named ones."""
        best = self._predict_row(x).argmax()
        return self._labels.list[best]

    def _predict_row(self, x):
        self._check_begun()
        with self._lock.read:
            row, _names = self._row(x)
            X, has_missing = usual_rows(row, self._names, self._who)
            p = np.empty((1, len(self._labels.list)))
            self._predict(self._filled(X, has_missing), p)
            return p[0]

    def fit(self, X, y, sample_weight=None):
        """Start afresh and learn the rows in their order."""
        return self._taught(X, y, None, sample_weight, afresh=True)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more rows. The first call names all classes that will ever come."""
        return self._taught(X, y, classes, sample_weight, afresh=not self._begun)

    def predict(self, X):
        """Return the most probable class of each row."""
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probabilities of each row: rows × classes, in the order of `classes_`."""
        self._check_begun()
        return self.predict_block(self._validated(X, reset=False))

    def state(self):
        """Return all there is to this learner as a dict of arrays, numbers, strings and nested members."""
        with self._own_lock().read:
            return self._state_unlocked()

    def _state_unlocked(self):
        """Do what `state` does, for a caller that holds the lock."""
        state = {
            "format": states.FORMAT,
            "learner": states.name_of(self),
            "parameters": states.to_plain(self.get_params(deep=False)),
        }
        if self._begun:
            means = {} if self._means is None else {"mean": self._means[0], "count": self._means[1]}
            state |= {
                "classes": self.classes_.copy(),
                "n_categories": self.n_categories_.copy(),
                "names": list(self._names),
                "feature_names": list(getattr(self, "feature_names_in_", [])),
                "means": states.to_plain(means),
                "memory": self._state(),
            }
        return state

    def restore(self, state):
        """Become the learner whose `state()` this is; return self.

        Raises StateError if the state is damaged or another learner's; this learner is then as it was.
        """
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._become, state)

    def _become(self, state):
        states.check_header(state, self)
        with states.naming(self._who):
            self.set_params(**states.from_plain(state["parameters"]))
            if "classes" in state:
                counts = states.array_of(state, "n_categories", 1)
                names = states.names_of(state, "names", len(counts))
                self._begin_unlocked(len(counts), state["classes"], names, counts)
                names = states.names_of(state, "feature_names", len(counts))
                if names:
                    self.feature_names_in_ = np.array(names, dtype=object)
                if self._means is not None:
                    self._means = states.means_of(state["means"], len(counts))
                self._restore(state["memory"])
        return self

    def copy(self):
        """Return a learner that knows all this one knows and shares nothing with it."""
        return type(self)().restore(self.state())

    def _state(self):
        """Return what the learner has learned, plain: all its attributes that are not the base class's."""
        kept = set(self.get_params(deep=False)) | _OF_THE_BASE
        return states.to_plain({name: value for name, value in vars(self).items() if name not in kept})

    def _restore(self, memory):
        """Replace what was learned by what `_state` returned; the learner has just begun."""
        states.check_alike(memory, self._state(), "memory")
        vars(self).update(states.from_plain(memory))

    def _handle(self):
        """Return the kernel through which compiled code calls this learner; here a trampoline into Python."""
        self._check_begun()
        return PythonKernel(self, self.n_features_in_, len(self.classes_))

    def __getstate__(self):
        return self.state()

    def __setstate__(self, state):
        vars(self).update(vars(type(self)()))
        self.restore(state)

    def __sklearn_is_fitted__(self):
        return self._begun

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def _who(self):
        return type(self).__name__

    @property
    def _begun(self):
        return hasattr(self, "classes_")

    def _as_member(self, model):
        """Return what is to be a member, if it is a learner."""
        if not isinstance(model, StreamClassifier):
            raise TypeError(
                f"{self._who}: member must be a learner such as HoeffdingTree(), got {model!r}; "
                "docs/add_a_learner.md shows how to wrap another model"
            )
        return model

    def _check_begun(self):
        if not hasattr(self, "classes_"):
            raise NotFittedError(
                f"This {self._who} instance is not fitted yet: call fit, partial_fit(X, y, classes=…) or "
                "begin(n_features, classes) first."
            )

    def _checked(self, X):
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

    def _row(self, x):
        # One row, and the names of the inputs once it is learned.
        if isinstance(x, dict):
            return self._names.row(x, self._who)
        return as_row(x, self.n_features_in_, self._who), self._names

    def _validated(self, X, *y, reset):
        try:
            return validate_data(
                self, X, *y, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
            )
        except ValueError as error:
            if "could not convert" in str(error):
                as_numbers(X, self._who)  # says where the text is
            raise

    def _taught(self, X, y, classes, sample_weight, afresh):
        X, y = self._validated(X, y, reset=afresh)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if afresh:
            self.begin(X.shape[1], np.unique(y) if classes is None else np.unique(classes),
                       getattr(self, "feature_names_in_", None))
        elif classes is not None and not np.array_equal(np.unique(classes), np.sort(self.classes_)):
            raise ValueError(f"{self._who}: classes={classes!r} are not the classes of the first call, "
                             f"{self.classes_.tolist()}")
        self.test_then_train(X, y, sample_weight)
        return self


_OF_THE_BASE = {
    "classes_", "n_features_in_", "feature_names_in_", "n_categories_", "_labels", "_names", "_means", "_lock"
}

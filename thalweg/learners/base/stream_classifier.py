"""The base class of all learners, which derives everything from the methods of the contract."""

from collections.abc import Callable, Collection, Hashable, Iterable
from functools import partial
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._frames import frame_names
from thalweg._names import Names
from thalweg._native.kernel import Kernel
from thalweg._native.layout import charge
from thalweg._native.missing import fill, fill_and_update, update_means
from thalweg._native.python_kernel import PythonKernel
from thalweg._parameters import is_whole
from thalweg._types import Floats, Ints, Numbers, RowsLike
from thalweg.errors import set_rows_learned
from thalweg.learners.base.arguments import (
    Labels,
    Row,
    as_category_counts,
    as_codes,
    as_id,
    as_ids,
    as_mask,
    as_output,
    as_rows,
    as_weights,
    clipped_rows,
    n_inputs,
)
from thalweg.learners.base.named_rows import DictRows, NamedRows, dict_rows, named_row
from thalweg.learners.base.saving import Saved
from thalweg.learners.base.sklearn_verbs import SklearnVerbs
from thalweg.learners.base.sparse_rows import checked_sparse_rows
from thalweg.rows.sparse_rows import is_sparse

NOT_IN_BEGIN = ("classes_", "n_features_in_", "n_categories_", "_labels", "_names", "_means", "_waiting")
BYTES_PER_INPUT = 32  # at least: its number of categories, its mean and count, and what a learner keeps


class StreamClassifier(SklearnVerbs, Saved, NamedRows):
    """A classifier that learns rows as they come.

    A subclass writes `_begin`, `_learn` and `_predict`; `_observe` if it uses rows without a label; `_flush`
    if it holds rows back; `_fit_block` if it can be fitted on a batch. scikit-learn's methods (`fit`,
    `partial_fit`, `predict`, `predict_proba`) validate as scikit-learn does. The stream methods (`begin`,
    `test_then_train`, `predict_proba_block`, `learn_one`, …) are faster: they check only what would corrupt a
    model, which is the width, infinity and unknown labels.

    The size of the blocks never changes a result. Threads may share a learner: predictions run in parallel,
    and learning excludes all other calls. A call that raises, also by Ctrl-C, leaves a learner that works; if
    compiled code has learned part of the rows, the exception's `rows_learned` is their number.

    A label that is new after 100 rows opens a class, but its row is learned only when the class comes again:
    until then it is as likely a mistyped label, for which no answer must change.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the columns of all probabilities.
    n_features_in_ : int
        Number of inputs of a row.
    input_names_ : list of str
        Names of the inputs, x0, x1, … where there are none; in learners with a coefficient for each category,
        the names of what has a coefficient.
    n_categories_ : ndarray of int
        Number of categories of each input given to `begin`, 0 if it is numeric.
    n_waiting_ : int
        Number of rows that were observed and wait for their labels, if the learner keeps something with them.
    """

    def begin(
        self,
        n_features: int | None = None,
        classes: ArrayLike | None = None,
        *,
        names: Collection[Hashable] | None = None,
        n_categories: ArrayLike | None = None,
        more_classes: bool | None = None,
    ) -> Self:
        """Reset the learner for rows of `n_features` inputs and the given classes; return self.

        Without `n_features`, rows are dicts, and each new name in a learned row becomes an input. Without
        `classes`, each new label becomes a class, and `classes_` lists them in order of appearance; otherwise
        another label is an error, unless `more_classes` is True. `names` are the names of the inputs, if
        known; `n_categories` gives for each input the number of its categories (coded 0, 1, 2, …; more may
        follow), 0 if it is numeric.
        """
        if names is not None and n_features is not None and len(names) != n_features:
            raise ValueError(f"{self._who}: got {len(names)} names for {n_features} inputs")
        is_open = classes is None if more_classes is None else more_classes
        labels = Labels([] if classes is None else classes, is_open)
        return self._begin_with(n_features, labels, names, n_categories)

    def _begin_with(
        self,
        n_features: int | None,
        labels: Labels,
        names: Iterable[Hashable] | None = None,
        n_categories: ArrayLike | None = None,
    ) -> Self:
        self._own_lock().renew()
        with self._lock.write:
            self._all_or_nothing(self._begin_unlocked, n_features, labels, names, n_categories)
            if labels.is_open:  # a member does not look at classes: its owner does
                self._open_classes(0)
            return self

    def _begin_unlocked(
        self,
        n_features: int | None,
        labels: Labels,
        names: Iterable[Hashable] | None = None,
        n_categories: ArrayLike | None = None,
    ) -> Self:
        """Do what `begin` does, for a caller that holds the lock; only replace attributes."""
        if n_features is not None and (not is_whole(n_features) or n_features < 1):
            raise ValueError(
                f"{self._who}: n_features must be a whole number of at least 1, got {n_features!r}"
            )
        if n_features is not None:
            charge(BYTES_PER_INPUT * int(n_features))
        self._labels, self._waiting, self._begun_with = labels, None, self.get_params(deep=False)
        self._n_counted, self._masked, self._first_rows = 0, (), {}
        self.classes_ = labels.classes
        self._names = Names(names, None if n_features is None else int(n_features), self._who)
        self.n_features_in_ = n = self._names.n_places
        self.n_categories_ = as_category_counts(n_categories, n, self._who)
        self._means = None if self.takes_missing else (np.zeros(n), np.zeros(n))
        # There is room for the first label and the first input from the start.
        before = {name: vars(self).get(name) for name in NOT_IN_BEGIN}
        self._begin(n, self._n_columns)
        self._check_own_attributes(before)
        self._limit_again()
        return self

    def _check_own_attributes(self, before: dict[str, Any]) -> None:
        """Raise TypeError if `_begin` has set an attribute that the base class uses."""
        for name, value in before.items():
            if vars(self).get(name) is not value:
                raise TypeError(f"{self._who}: _begin sets self.{name}, which the base class uses: rename it")

    def test_then_train(
        self,
        X: RowsLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> Floats:
        """Learn rows one after another; return the probabilities predicted for each before it was learned.

        Rows that were observed before, because their labels come late, are found by their `ids`, or by their
        values if there are none. If `begin` has not been called, the rows call it as in `learn_one`.
        """
        if not self._begun:
            with self._own_lock().write:
                self._all_or_nothing(self._begin_for, X)
        if not self._labels.is_open:
            codes = self._labels.codes(y, self._who)
            return self.test_then_train_coded(X, codes, sample_weight=sample_weight, ids=ids)
        with self._lock.write:
            labels, codes = self._labels.extended(y, self._who)
            rows = self._checked(X, learns=True)[0]
            codes, w = self._checked_labels(codes, sample_weight, len(rows), len(labels.list))
            p = np.zeros((len(rows), len(labels.list)))
            learn = self._learn_dicts if isinstance(rows, DictRows) else self._learn_open
            given = as_ids(ids, len(rows), self._who)
            return self._counted(p, learn, rows, codes, w, labels, None, p, given)

    def _begin_for(self, X: Any) -> None:
        if self._begun:  # by another thread
            return
        if dict_rows(X, False, self._who) is not None:
            self.begin()
        else:
            self.begin(n_inputs(X))
            self._checked(X)

    def test_then_train_coded(
        self,
        X: RowsLike,
        codes: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        tested: ArrayLike | None = None,
        p: Floats | None = None,
        classes: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        observed: ArrayLike | None = None,
    ) -> Floats:
        """Do `test_then_train` for labels given as positions in `classes_`.

        A row of weight 0 is only predicted. A row for which the mask `tested` is False is only learned, and
        its probabilities are undefined. A row for which the mask `observed` is True is not learned, but
        observed right after its prediction, and waits for its label by its id. So one call can predict some
        rows, let them wait, and learn others in any order. The probabilities are written into `p` if given;
        after Ctrl-C it has those of the first `rows_learned`.

        `classes` are all labels that codes may refer to, if there may be more than `classes_`, with which
        they start. A new class is added, with all before it, when its first row is learned; until then its
        probability is 0.
        """
        with self._writing:
            labels = self._labels if classes is None else self._labels.continued(classes, self._who)
            rows, has_missing = self._checked(X, learns=True)
            y, w = self._checked_labels(codes, sample_weight, len(rows), len(labels.list))
            mask = None if tested is None else as_mask(tested, len(rows), self._who)
            p = as_output(p, (len(rows), max(len(labels.list), 1)), self._who)
            given = as_ids(ids, len(rows), self._who)
            seen = None if observed is None else as_mask(observed, len(rows), self._who)
            if seen is not None and self.observes and seen.any():
                w = np.where(seen, 0.0, w)
                if isinstance(rows, DictRows) or not self._observes_in_blocks:
                    learn = partial(StreamClassifier.test_then_train_coded, self)  # not that of a subclass
                    return self._learn_in_parts(learn, X, y, w, mask, p, classes, given, seen)
            elif seen is not None:
                w, seen = np.where(seen, 0.0, w), None
            if isinstance(rows, DictRows):
                return self._counted(p, self._learn_dicts, rows, y, w, labels, mask, p, given)
            if labels is self._labels and not self._first_rows:
                return self._counted(p, self._learn_block, rows, has_missing, y, w, mask, p, given, seen)
            return self._counted(p, self._learn_open, rows, y, w, labels, mask, p, given, seen)

    def _counted(self, p: Floats, learn: Callable[..., Floats], *arguments: Any) -> Floats:
        """Call `learn`, which writes into `p`; store in what it raises how many rows it has learned."""
        first = self._n_learned
        try:
            return learn(*arguments)
        except BaseException as error:
            vars(error).pop("rows_learned", None)  # of a member
            if first is not None and self._n_learned is not None:
                set_rows_learned(error, self._n_learned - first)
            raise
        finally:
            self._without_masked(p)

    def _checked_labels(
        self, codes: ArrayLike, sample_weight: ArrayLike | None, n_rows: int, n_classes: int
    ) -> tuple[Ints, Floats]:
        y = as_codes(codes, n_rows, n_classes, self._who)
        return y, as_weights(sample_weight, n_rows, self._who)

    def _learn_open(
        self,
        X: Floats,
        codes: Ints,
        w: Floats,
        labels: Labels,
        tested: NDArray[np.uint8] | None,
        p: Floats,
        ids: Numbers | None,
        observed: NDArray[np.uint8] | None = None,
    ) -> Floats:
        # Like _learn_block, but a row may be the first of its class, or of a class of which a row is kept.
        start = 0
        while start < len(X):
            apart = self._are_apart(codes[start:], w[start:])
            first = start + int(np.argmax(apart)) if apart.any() else len(X)
            start = self._learn_part(X, codes, w, tested, p, ids, observed, start, first)
            if first < len(X):
                p[first] = 0.0
                p[first, : len(self.classes_)] = self.predict_proba_block(X[first : first + 1])[0]
                start = first + 1
                one = slice(first, start)
                has_missing = self._means is not None and bool(np.isnan(X[one]).any())
                row = X[one], has_missing, codes[one], w[one]
                now = labels.first(max(int(codes[first]) + 1, len(self.classes_)))
                self._learn_row(*row, self._names, now, None if ids is None else ids[one])
        return p

    def _learn_part(
        self,
        X: Floats,
        codes: Ints,
        w: Floats,
        tested: NDArray[np.uint8] | None,
        p: Floats,
        ids: Numbers | None,
        observed: NDArray[np.uint8] | None,
        start: int,
        stop: int,
    ) -> int:
        part, n_classes = slice(start, stop), len(self.classes_)
        has_missing = self._means is not None and bool(np.isnan(X[part]).any())
        tested, ids = None if tested is None else tested[part], None if ids is None else ids[part]
        observed = None if observed is None else observed[part]
        answers = np.empty((stop - start, self._n_columns))
        try:
            self._learn_block(X[part], has_missing, codes[part], w[part], tested, answers, ids, observed)
        finally:
            p[part, :n_classes], p[part, n_classes:] = answers[:, :n_classes], 0.0
        return stop

    def predict_proba_block(self, X: RowsLike) -> Floats:
        """Return the probabilities of each row, of shape (n_rows, n_classes)."""
        with self._reading:
            rows, has_missing = self._checked(X)
            p = np.empty((len(rows), self._n_columns))
            if len(rows):
                self._predict(self._filled(rows, has_missing), p)
            return self._without_masked(p[:, : len(self.classes_)])

    def freeze(self) -> Self:
        """Get ready to answer many rows for which no label comes; return self.

        Until the next row is learned, a stack whose answers follow mostly from past labels alone uses members
        that do not need these. Other learners do not change.
        """
        with self._writing:
            self._freeze()
        return self

    def flush(self) -> None:
        """Learn the rows held back for a full batch, as by `ParticleFilter` and `DecisionTree`."""
        with self._writing:
            self._flush()

    def learn_one(self, x: Row, y: Any, *, id: int | None = None) -> None:
        """Learn one row: an array of inputs, or a dict of named inputs; `id` is that of an observed row.

        If `begin` has not been called, the row calls it: a dict without a number of inputs, an array with its
        own. Each new label becomes a class.
        """
        x = named_row(x)
        if not self._begun:
            with self._own_lock().write:
                self._all_or_nothing(self._begin_with_row, x, y, id)
            return
        with self._writing:
            row, names = self._row(x, learns=True)
            X, has_missing = clipped_rows(row, names, self._who)
            labels = self._labels
            if labels.is_open and y not in labels.code:
                labels = labels.extended([y], self._who)[0]
            code = np.array([labels.one(y, self._who)])
            ids = None if id is None else np.array([as_id(id, self._who)], dtype=np.int64)
            self._learn_row(X, has_missing, code, np.ones(1), names, labels, ids)

    def _begin_with_row(self, x: Row, y: Any, id: int | None) -> None:
        if not self._begun:  # another thread may have called begin
            self.begin(None if isinstance(x, dict) else n_inputs(x))
        self.learn_one(x, y, id=id)

    @overload
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Hashable, float]: ...

    @overload
    def predict_proba_one(self, x: ArrayLike) -> Floats: ...

    @overload
    def predict_proba_one(self, x: Row) -> Floats | dict[Hashable, float]: ...

    def predict_proba_one(self, x: Row) -> Floats | dict[Hashable, float]:
        """Return the probabilities of one row: an array, or {class: probability} if the row is a dict.

        Before the first label there are none.
        """
        x = named_row(x)
        if not self._begun:
            return {} if isinstance(x, dict) else np.empty(0)
        p = self._predict_row(x)
        # Another thread may have added classes since: they have no probability yet.
        return dict(zip(self._labels.list, p.tolist(), strict=False)) if isinstance(x, dict) else p

    def predict_one(self, x: Row) -> Hashable | None:
        """Return the most probable class of one row, None before the first label.

        The row is an array of inputs, or a dict of named inputs.
        """
        x = named_row(x)
        if not self._begun:
            return None
        p = self._predict_row(x)
        return self._labels.list[self._answer(p)] if len(p) else None

    def _predict_row(self, x: Row) -> Floats:
        with self._reading:
            row, _names = self._row(x)
            X, has_missing = clipped_rows(row, self._names, self._who)
            p = np.empty((1, self._n_columns))
            self._predict(self._filled(X, has_missing), p)
            return self._without_masked(p[0, : len(self._labels.list)])

    def _handle(self) -> Kernel:
        self._check_begun()
        return PythonKernel(self, self.n_features_in_, self._n_columns)

    def _checked(self, X: Any, learns: bool = False) -> tuple[Any, bool]:
        # Rows as an array, and whether a value is missing; DictRows if they are learned and may grow inputs.
        dicts = dict_rows(X, self._names.is_open, self._who)
        if dicts is not None:
            return (dicts, True) if learns else self._checked_dicts(dicts)
        self._check_inputs()
        if not isinstance(X, np.ndarray):
            if is_sparse(X):
                return checked_sparse_rows(X, self), False
            if (names := frame_names(X)) is not None:
                return self._checked_frame(X, names, learns)
        return clipped_rows(as_rows(X, self.n_features_in_, self._who), self._names, self._who)

    def _filled(self, X: Any, has_missing: bool, w: Floats | None = None) -> Any:
        # With weights the rows are being learned, and each is filled with the means of the rows before it.
        if self._means is None:
            return X
        if not has_missing:
            if w is not None:
                update_means(X, w, *self._means)
            return X
        given, X = X, X.copy()
        if w is None:
            fill(X, self._means[0])
        else:
            fill_and_update(X, w, *self._means)
        if self.expands_categories:
            X[:, self.n_categories_ > 2] = given[:, self.n_categories_ > 2]
        return X

"""The methods of a scikit-learn classifier, which validate as scikit-learn does and pass its checks."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from thalweg._frames import as_table, check_no_dates, unmasked
from thalweg._native.argmax import likeliest
from thalweg._types import Floats, Ints, RowsLike
from thalweg.learners.base.arguments import Labels, as_numbers
from thalweg.learners.base.contract import Contract
from thalweg.learners.base.named_rows import DictRows, dict_rows

SHUFFLED = 0  # seed of the order in which `fit` learns rows


class SklearnVerbs(Contract):
    """The part of a learner that makes it a scikit-learn classifier."""

    _parameter_names: list[str]

    if TYPE_CHECKING:

        def _begin_with(
            self, n_features: int | None, labels: Labels, names: Iterable[Hashable] | None = None
        ) -> Self: ...

        def test_then_train(
            self, X: RowsLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None
        ) -> Floats:
            """See StreamClassifier."""

        def predict_proba_block(self, X: RowsLike) -> Floats:
            """See StreamClassifier."""

        def flush(self) -> None:
            """See StreamClassifier."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # Kept, because saving and loading ask for them several times, and scikit-learn parses a signature.
        if "_parameter_names" not in vars(cls):
            cls._parameter_names = super()._get_param_names()
        return cls._parameter_names

    def fit(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, shuffle: bool = True
    ) -> Self:
        """Reset the learner and learn rows whose order means nothing, as in scikit-learn.

        They are learned in a random order, always the same one, so that a table sorted by its labels does no
        harm. With `shuffle=False`, or a `time_column`, they are learned in the order given, as by
        `partial_fit`. Rows held back for a full batch are learned too.
        """
        self._learn_validated(X, y, None, sample_weight, fresh=True, is_open=False, shuffle=shuffle)
        self.flush()
        return self

    def partial_fit(
        self,
        X: RowsLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn more rows; return self. If the first call has no `classes`, new ones may come later."""
        fresh = not self._begun
        return self._learn_validated(X, y, classes, sample_weight, fresh, is_open=classes is None)

    def predict(self, X: RowsLike) -> NDArray[Any]:
        """Return the most probable class of each row, or that of the least cost where there are costs."""
        p = self.predict_proba(X)
        return self.classes_[self._answers(p)]

    def _answers(self, p: Floats) -> Ints:
        """Return the codes of the classes that these rows of probabilities are answered with."""
        return likeliest(p)

    def _answer(self, p: Floats) -> int:
        """Return the code of the class that the probabilities of one row are answered with."""
        return int(p.argmax())

    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the probabilities of each row, of shape (n_rows, n_classes), in the order of `classes_`."""
        self._check_begun()
        dicts = dict_rows(X, self._names.is_open, self._who)
        return self.predict_proba_block(self._validated(X, reset=False) if dicts is None else dicts)

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self.takes_sparse
        return tags

    def _validated(self, X: Any, *y: ArrayLike, reset: bool) -> Any:
        check_no_dates(X, self._who)
        X = as_table(unmasked(X))
        try:
            return validate_data(
                self, X, *y, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False,
                accept_sparse="csr" if self.takes_sparse else False,
            )
        except ValueError as error:
            if "could not convert" in str(error):
                as_numbers(X, self._who)  # its error names the place
            raise

    def _learn_validated(
        self,
        X: RowsLike,
        y: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        fresh: bool,
        is_open: bool,
        shuffle: bool = False,
    ) -> Self:
        dicts = dict_rows(X, not fresh and self._names.is_open, self._who)
        rows: Any = dicts
        if dicts is None:
            rows, labels = self._validated(X, y, reset=fresh)
        else:
            labels = np.asarray(y)
        check_classification_targets(labels)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        if fresh:
            if isinstance(classes, str | bytes):
                raise ValueError(f"{self._who}: classes must be a list of labels, got the text {classes!r}")
            known = Labels(np.unique(labels if classes is None else classes), is_open)
            n_features = rows.shape[1] if dicts is None else None
            self._begin_with(n_features, known, getattr(self, "feature_names_in_", None))
        elif classes is not None and set(np.asarray(classes).tolist()) != set(self._labels.list):
            raise ValueError(
                f"{self._who}: classes={classes!r} are not those of the first call, {self._labels.list}"
            )
        if shuffle and getattr(self, "time_column", None) is None:
            order = np.random.default_rng(SHUFFLED).permutation(len(labels))
            rows = DictRows(rows[i] for i in order.tolist()) if isinstance(rows, DictRows) else rows[order]
            labels = labels[order]
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[order]
        self.test_then_train(rows, labels, sample_weight=sample_weight)
        return self

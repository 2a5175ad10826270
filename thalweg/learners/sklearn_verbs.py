"""scikit-learn's verbs for a learner: they validate as scikit-learn does and pass its checks."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from thalweg.learners.rows import Labels, as_numbers


class SklearnVerbs:
    """The part of a learner that makes it a scikit-learn classifier."""

    def fit(self, X, y, sample_weight=None):
        """Start again and learn the rows in their order, also those that would be held back for a batch."""
        self._learn_validated(X, y, None, sample_weight, fresh=True, is_open=False)
        self.flush()
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more rows. If the first call names no classes, more may come later."""
        fresh = not self._begun
        return self._learn_validated(X, y, classes, sample_weight, fresh, is_open=classes is None)

    def predict(self, X):
        """Return the most probable class of each row."""
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probabilities of each row: rows × classes, in the order of `classes_`."""
        self._check_begun()
        return self.predict_block(self._validated(X, reset=False))

    def __sklearn_is_fitted__(self):
        return self._begun

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self.takes_sparse
        return tags

    def _validated(self, X, *y, reset):
        try:
            return validate_data(
                self, X, *y, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False,
                accept_sparse="csr" if self.takes_sparse else False,
            )
        except ValueError as error:
            if "could not convert" in str(error):
                as_numbers(X, self._who)  # says where the text is
            raise

    def _learn_validated(self, X, y, classes, sample_weight, fresh, is_open):
        X, y = self._validated(X, y, reset=fresh)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if fresh:
            labels = Labels(np.unique(y if classes is None else classes), is_open)
            self._begin_with(X.shape[1], labels, getattr(self, "feature_names_in_", None))
        elif classes is not None and set(np.asarray(classes).tolist()) != set(self._labels.list):
            raise ValueError(
                f"{self._who}: classes={classes!r} are not those of the first call, {self._labels.list}"
            )
        self.test_then_train(X, y, sample_weight)
        return self

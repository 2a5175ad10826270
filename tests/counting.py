"""A learner in plain Python that is right, from which tests derive broken ones."""

import numpy as np

from thalweg.learners.base import StreamClassifier


class Counting(StreamClassifier):
    """A learner in plain Python that is right: the majority class, counted."""

    def _begin(self, n_features, n_classes):
        self._counts = np.zeros(n_classes)

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._counts[y[i]] += w[i]

    def _predict(self, X, p):
        p[:] = (self._counts + 1) / (self._counts + 1).sum()

    def _restore(self, memory):
        counts = np.asarray(memory["_counts"], dtype=float)
        if counts.shape != self._counts.shape or not ((counts >= 0) & (counts < 1e200)).all():
            raise ValueError("counts must be finite and not negative, one for each class")
        super()._restore(memory)

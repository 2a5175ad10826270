"""A learner in plain Python that is right, from which tests derive broken ones."""

import numpy as np

from thalweg.learners.base.stream_classifier import StreamClassifier


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


class NearestMean(StreamClassifier):
    """A learner in plain Python that looks at its inputs and does not take missing values."""

    def _begin(self, n_features, n_classes):
        self._mean = np.zeros((n_classes, n_features))

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            if w[i] > 0:
                self._mean[y[i]] += 0.1 * (X[i] - self._mean[y[i]])

    def _predict(self, X, p):
        far = np.abs(X[:, None] / 1e150 - self._mean / 1e150).sum(axis=2) * 1e150
        near = np.exp(-np.minimum(far - far.min(axis=1, keepdims=True), 700))
        p[:] = near / near.sum(axis=1, keepdims=True)

    def _restore(self, memory):
        super()._restore(memory)
        if self._mean.shape[1:] != (self.n_features_in_,) or not (np.abs(self._mean) < 1e151).all():
            raise ValueError("means must be finite, one for each input")

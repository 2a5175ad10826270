"""A whole learner: the class whose mean is nearest, means fading at a fixed rate."""

import numpy as np

from thalweg.checks import check_learner
from thalweg.learners.base import StreamClassifier


class NearestMean(StreamClassifier):
    """Nearest class mean, forgetting exponentially."""

    uses_weights = False

    def __init__(self, rate=0.05):
        self.rate = rate

    def _begin(self, n_features, n_classes):
        self._mean = np.zeros((n_classes, n_features))

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            if w[i] > 0:
                self._mean[y[i]] += self.rate * (X[i] - self._mean[y[i]])

    def _predict(self, X, p):
        far = np.abs(X[:, None] / 1e150 - self._mean / 1e150).sum(axis=2) * 1e150
        near = np.exp(-np.minimum(far - far.min(axis=1, keepdims=True), 700))
        p[:] = near / near.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    check_learner(NearestMean(), excused=["weight_two_is_the_row_twice"])
    print("NearestMean keeps the contract")

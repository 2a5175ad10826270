"""A whole learner: the class whose mean is nearest, means fading at a fixed rate."""

import numpy as np

from thalweg.checks import check_learner
from thalweg.learners.base import StreamClassifier

# A mean moves only a part of the way to a row, and one without rows is at 0, where other classes have some.
EXCUSED = [
    "weight_two_is_the_row_twice",
    "a_mistyped_label_changes_no_answer",
    "a_class_that_never_comes_costs_nothing",
]


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
    check_learner(NearestMean(), excused=EXCUSED)
    print("NearestMean keeps the contract")

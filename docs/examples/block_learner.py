"""A learner that is fitted on a batch, as a member of an ensemble that trains on chunks of rows."""

import numpy as np

from thalweg.checks import check_learner
from thalweg.evaluation import metrics, prequential
from thalweg.learners import SEAEnsemble
from thalweg.learners.base import StreamClassifier
from thalweg.streams import SEA


class BatchMeans(StreamClassifier):
    """Nearest class mean: of a batch by `_fit_block`, and of all rows by `_learn`."""

    def _begin(self, n_features, n_classes):
        self._sum = np.zeros((n_classes, n_features))
        self._weight = np.zeros(n_classes)

    def _fit_block(self, X, y, w):
        sums, weight = np.zeros_like(self._sum), np.zeros_like(self._weight)
        np.add.at(sums, y, w[:, None] * X)
        np.add.at(weight, y, w)
        self._sum, self._weight = sums, weight

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._sum[y[i]] += w[i] * X[i]
            self._weight[y[i]] += w[i]

    def _predict(self, X, p):
        mean = self._sum / np.maximum(self._weight, 1e-9)[:, None]
        far = np.abs(X[:, None] / 1e150 - mean / 1e150).sum(axis=2) * 1e150
        near = (self._weight > 0) * np.exp(-np.minimum(far - far.min(axis=1, keepdims=True), 700))
        near += 1e-9
        p[:] = near / near.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    check_learner(BatchMeans(), excused=["recovers_after_a_drift"])
    run = prequential(SEA(4000, seed=1), SEAEnsemble(BatchMeans(), chunk_size=200))
    print(f"SEAEnsemble of BatchMeans: accuracy {metrics.accuracy(run):.3f}")

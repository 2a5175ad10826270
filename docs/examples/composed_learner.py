"""A learner made of another one: its member also sees the square of each input."""

import numpy as np
from sklearn.base import clone

from thalweg.checks import check_learner
from thalweg.learners import AdaptiveLogistic
from thalweg.learners.base import StreamClassifier


class Squares(StreamClassifier):
    """Any learner with the squares of the inputs as further inputs."""

    def __init__(self, member=None):
        self.member = member

    def _begin(self, n_features, n_classes):
        member = AdaptiveLogistic() if self.member is None else clone(self.member)
        self._member = member.begin(2 * n_features, range(n_classes))

    def _learn(self, X, y, w, p):
        p[:] = self._member.test_then_train_coded(with_squares(X), y, sample_weight=w)

    def _predict(self, X, p):
        p[:] = self._member.predict_proba_block(with_squares(X))


def with_squares(X):
    """Return the rows with the squares of their inputs, the largest of which still are finite."""
    return np.hstack([X, np.clip(X, -1e150, 1e150) ** 2])


if __name__ == "__main__":
    check_learner(Squares(AdaptiveLogistic()), excused=["weight_two_is_the_row_twice"])
    X = np.random.default_rng(1).normal(size=(4000, 2))
    ring = (X**2).sum(axis=1) > 1.4
    for learner in (AdaptiveLogistic(), Squares(AdaptiveLogistic())):
        right = learner.begin(2, [False, True]).test_then_train(X, ring).argmax(axis=1) == ring
        print(f"{type(learner).__name__}: accuracy {right.mean():.3f} on a ring")

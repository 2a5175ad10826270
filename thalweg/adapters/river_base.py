"""The classifier of River that `to_river` returns; importing it needs River."""

from typing import Any

import numpy as np
from river import base
from sklearn.base import clone

from thalweg.learners.base.stream_classifier import StreamClassifier


class RiverClassifier(base.Classifier):
    """Calls a learner for River."""

    def __init__(self, learner: StreamClassifier) -> None:
        self.learner = learner
        self._learner = learner.copy() if hasattr(learner, "classes_") else clone(learner)

    @classmethod
    def _unit_test_params(cls) -> Any:
        from thalweg.learners import NaiveBayes

        yield {"learner": NaiveBayes()}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn one row."""
        self._learner.learn_one(x, y)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of each class seen so far."""
        return self._learner.predict_proba_one(x)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """Return the most probable class."""
        found = self._learner.predict_one(x)
        return found.item() if isinstance(found, np.generic) else found

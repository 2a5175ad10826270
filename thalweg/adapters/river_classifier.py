"""Any learner as a classifier of River."""

from typing import Any

from thalweg.errors import ParameterError
from thalweg.learners.base.stream_classifier import StreamClassifier


def to_river(learner: StreamClassifier) -> Any:
    """Return a classifier of River made from a copy of a learner, for its pipelines and evaluation.

    Parameters
    ----------
    learner : learner
        If it has begun, the copy continues from there; otherwise inputs and classes are taken as they come.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from thalweg.adapters import to_river
    >>> from thalweg.learners import LogisticMixture
    >>> model = preprocessing.StandardScaler() | to_river(LogisticMixture())
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 89.27%
    """
    from thalweg.adapters.river_base import RiverClassifier

    if isinstance(learner, type):
        name = learner.__name__
        raise ParameterError(f"to_river: got the class {name}; pass an instance: {name}()")
    return RiverClassifier(learner)

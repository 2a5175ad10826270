"""Any learner as a classifier of CapyMOA."""

from typing import Any

from thalweg.learners.base.stream_classifier import StreamClassifier


def to_capymoa(learner: StreamClassifier, schema: Any = None) -> Any:
    """Return a classifier of CapyMOA made from a copy of a learner, for its evaluation and ensembles.

    Parameters
    ----------
    learner : learner
        If it has begun, the copy continues from there; it must have the inputs and classes of the schema.
    schema : capymoa.stream.Schema or None
        Classes, names and categories; by default those of the first instance.

    Examples
    --------
    >>> from capymoa.datasets import ElectricityTiny          # doctest: +SKIP
    >>> from capymoa.evaluation import prequential_evaluation  # doctest: +SKIP
    >>> from thalweg.adapters import to_capymoa
    >>> from thalweg.learners import LogisticMixture
    >>> model = to_capymoa(LogisticMixture())                  # doctest: +SKIP
    >>> prequential_evaluation(ElectricityTiny(), model).cumulative.accuracy()  # doctest: +SKIP
    """
    from thalweg.adapters.capymoa_base import CapymoaClassifier

    return CapymoaClassifier(schema, learner)

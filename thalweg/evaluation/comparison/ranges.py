"""Usual values of parameters, which `tune` tries if it is not told any."""

from collections.abc import Iterable
from typing import Any

from thalweg._misspelt import unknown_parameter
from thalweg.errors import ParameterError
from thalweg.learners.base.stream_classifier import StreamClassifier

# Of parameters that many learners have: multiples of the learner's own default.
FACTORS: dict[str, tuple[float, ...]] = {
    "n_members": (0.5, 1, 3),
    "window": (0.2, 1, 5),
    "chunk_size": (0.4, 1, 2.5),
    "batch_size": (0.4, 1, 2),
    "grace_period": (0.25, 1, 5),
    "period": (0.5, 1, 3),
    "n_neighbours": (0.3, 1, 3),
    "n_particles": (0.3, 1, 3),
    "spread": (0.3, 1, 3),
    "rate": (0.3, 1, 3),
    "poisson_mean": (0.3, 1, 3),
    "prior": (0.1, 1, 10),
    "penalty": (0.5, 1, 2),
    "threshold": (0.7, 1, 1.3),
    "switching": (0.1, 1, 10),
    "delta": (0.1, 1, 10),
    "drift_delta": (0.1, 1, 10),
    "watch_delta": (0.1, 1, 10),
}
# Of parameters that are no scale: values that mean the same for every learner.
VALUES: dict[str, tuple[Any, ...]] = {
    "tie": (0.02, 0.05, 0.2),
    "leaf": ("majority", "bayes", "adaptive"),
    "beta": (0.3, 0.5, 0.8),
    "max_features": (0.3, 0.6, 1.0),
    "max_options": (2, 5, 10),
    "error_bound": (0.4, 0.5),
    "decay": (0.99, 0.999, 0.9999),
    "l2": (0.0, 1e-6, 1e-4),
}
TREE = {"delta": (1e-7, 1e-4, 1e-2)}
# Of parameters that only one learner has, or for which the values above do not suit a learner.
OF_LEARNERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "AdaptiveHoeffdingOptionTree": TREE,
    "AdaptiveLogistic": {"forgetting": ("tuned", "adaptive", "none"), "decay": (), "rate": ()},
    "Calibrated": {"keep_answers": (True, False)},
    "DecisionTree": {"max_leaves": (8, 32, None)},
    "HoeffdingAdaptiveTree": TREE,
    "HoeffdingOptionTree": TREE,
    "HoeffdingTree": TREE,
    "LabelChain": {"order": (1, 2, 3)},
    "LastLabels": {"n": (1, 2, 5)},
    "LogisticMixture": {"discount": (0.98, 0.995, 0.999)},
}
NOTHING_TO_TUNE = {
    "DriftReset": "its member and its detector have the parameters: member__…, detector__…",
    "MajorityClass": "it has no parameters",
    "NaiveBayes": "it has no parameters but the names of categorical inputs",
    "NoChange": "it has no parameters",
    "RiverLearner": "the parameters of River's models cannot be searched",
    "SklearnLearner": "its model has the parameters: give values of them, such as those of model__alpha",
}


def usual_values(learner: StreamClassifier, names: Iterable[str] | None = None) -> dict[str, list[Any]]:
    """Return the usual values of a learner's parameters, with the learner's own value among them.

    Parameters
    ----------
    learner : learner
        Of a pipeline, the parameters of its learner are returned as `learner__name`.
    names : iterable of str or None
        The parameters; by default all that have usual values.

    Examples
    --------
    >>> from thalweg.evaluation.comparison.ranges import usual_values
    >>> from thalweg.learners import NearestNeighbours
    >>> usual_values(NearestNeighbours())
    {'n_neighbours': [3, 10, 30], 'window': [200, 1000, 5000]}
    """
    found = _all_values(learner)
    if names is None:
        if not found:
            kind = type(learner).__name__
            reason = NOTHING_TO_TUNE.get(kind, "no usual values of its parameters are known: give some")
            raise ParameterError(f"tune: there is nothing to try for {kind}: {reason}")
        return found
    known = learner.get_params()
    for name in names:
        if name not in known:
            raise unknown_parameter(f"tune: {type(learner).__name__}", name, known)
        if name not in found:
            raise ParameterError(f"tune: no usual values of {name} are known: give some")
    return {name: found[name] for name in names}


def _all_values(learner: StreamClassifier) -> dict[str, list[Any]]:
    inner = getattr(learner, "learner", None)
    if isinstance(inner, StreamClassifier):
        return {f"learner__{name}": values for name, values in _all_values(inner).items()}
    own = OF_LEARNERS.get(type(learner).__name__, {})
    found = {}
    for name, value in learner.get_params(deep=False).items():
        values = own[name] if name in own else _values(name, value)
        if values:
            found[name] = list(values) if value in values else _sorted([*values, value])
    return found


def _values(name: str, value: Any) -> list[Any]:
    """Return values for a parameter by its name; none if the learner's own value is of another kind."""
    if name in VALUES:
        return list(VALUES[name]) if isinstance(value, type(VALUES[name][0])) else []
    if name not in FACTORS or isinstance(value, bool) or not isinstance(value, int | float):
        return []
    scaled = [value * factor for factor in FACTORS[name]]
    whole = isinstance(value, int)
    return list(dict.fromkeys(max(round(each), 1) if whole else float(f"{each:.3g}") for each in scaled))


def _sorted(values: list[Any]) -> list[Any]:
    return values if any(isinstance(each, str | None) for each in values) else sorted(values)

"""What a learner says of its inputs by itself: how much they count in its trees, or their coefficients."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Floats


class Explanation(NamedTuple):
    """What the numbers are, the names of the inputs, and a number for each."""

    title: str
    names: list[str]
    values: Floats


def explanation(learner: Any) -> dict[str, float] | None:
    """Return a number for each input of a learner, by its name; None if the learner has none.

    These are the shares of `importance_`, or the coefficients of `coef_`; with more than two classes, those
    have the name of the class beside that of the input. A pipeline, `DriftReset` and `LastLabels` are
    explained by the learner inside. For any other learner there is `PermutationImportance`.

    Examples
    --------
    >>> from thalweg.evaluation import explanation
    >>> from thalweg.learners import AdaptiveLogistic
    >>> learner = AdaptiveLogistic().fit([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    >>> {name: round(value, 1) for name, value in explanation(learner).items()}
    {'x0': 0.5, 'x1': 0.0}
    """
    found = explained(learner)
    return None if found is None else dict(zip(found.names, found.values.tolist(), strict=True))


def explained(learner: Any, names: Sequence[Any] | None = None) -> Explanation | None:
    """Return the same with a title; `names` are those of the inputs, if the learner does not know them."""
    if not hasattr(learner, "_given_names"):
        return None
    names = learner._given_names() if names is None else names
    importance = getattr(learner, "importance_", None)
    if importance is not None:
        return Explanation("importance in splits", [str(name) for name in names], importance)
    if hasattr(learner, "coef_"):
        return _coefficients(learner, names)
    member = getattr(learner, "member_", getattr(learner, "learner_", None))
    return None if member is None else explained(member, learner._member_names())


def _coefficients(learner: Any, names: Sequence[Any]) -> Explanation:
    coef = learner.coef_
    places = learner._place_names(names)
    if len(places) != coef.shape[1]:  # those of features of the inputs
        places = learner.input_names_
    if len(coef) > 1:
        places = [f"{name}, {label}" for label in learner.classes_.tolist() for name in places]
    return Explanation("coefficient", places, np.ravel(coef))

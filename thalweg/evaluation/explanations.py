"""What a learner says of its inputs by itself: how much they count in its trees, or their coefficients."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.evaluation.history import History

MOST_READ, MOST_INPUTS, MOST_KEPT = 128, 10_000, 1000


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


class Explanations:
    """Notes during a run what a learner says of its inputs: give it to `prequential` as `watch`.

    It reads `explanation` about a hundred times, after the same rows whatever the size of blocks, and keeps
    the 1000 largest numbers each time. Learners without an explanation, or with more than 10,000 inputs, are
    left alone.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self, names: Sequence[Any] = (), n_rows: int | None = None) -> "Explanations":
        """Forget everything; the stream has so many rows, if that is known. Return self."""
        self._period = 100 if n_rows is None else max(1, -(-n_rows // 100))
        self._n_learned, self._next = 0, self._period
        self._found: list[tuple[int, Explanation]] = []
        return self

    @property
    def n_until_next(self) -> int:
        """Rows to be learned until it looks at the learner."""
        return self._next - self._n_learned

    def update_coded(self, learner: Any, X: Floats, codes: Ints) -> None:
        """Take note of rows that the learner has just learned."""
        self._n_learned += int((codes >= 0).sum())
        if self._n_learned < self._next:
            return
        self._next = (self._n_learned // self._period + 1) * self._period
        found = explained(learner) if getattr(learner, "n_features_in_", 0) <= MOST_INPUTS else None
        if found is None:
            return
        largest = np.sort(np.argsort(-np.abs(found.values), kind="stable")[:MOST_KEPT])
        kept = Explanation(found.title, [found.names[j] for j in largest], found.values[largest])
        self._found.append((self._n_learned, kept))
        if len(self._found) == MOST_READ:
            self._found, self._period = self._found[1::2], 2 * self._period
            self._next = (self._n_learned // self._period + 1) * self._period

    def as_history(self) -> History | None:
        """Return what was noted; None if that is nothing, or never changed."""
        names = list(dict.fromkeys(name for _, each in self._found for name in each.names))
        place = {name: j for j, name in enumerate(names)}
        values = np.full((len(self._found), len(names)), np.nan)
        for line, (_, each) in zip(values, self._found, strict=True):
            line[[place[name] for name in each.names]] = each.values
        if not values.size or np.nanmin(values) == np.nanmax(values):
            return None
        rows = np.array([row for row, _ in self._found], dtype=np.int64)
        return History(self._found[-1][1].title, rows, values, names)

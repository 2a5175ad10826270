"""How good a model is now: an estimate that gets what it predicts with ids, and their labels."""

from collections.abc import Sequence
from typing import Any

from thalweg._types import Floats, Ints, State
from thalweg.trust.accuracy_estimate import AccuracyEstimate
from thalweg.waiting import Ids

WINDOW = 1000


class ModelEstimate:
    """The estimate of a model, made when the first row is predicted with an id.

    `n_learned` are labels that the model learned in other ways: they count as knowledge.
    """

    def __init__(self, max_waiting: int) -> None:
        self._max_waiting, self.n_learned, self._n_passed = max_waiting, 0, 0
        self._estimate: AccuracyEstimate | None = None

    @property
    def n_known(self) -> int:
        """Number of labels that the model has learned, in any way."""
        return self.n_learned + self._n_passed + (0 if self._estimate is None else self._estimate.n_labels_)

    def predicted(self, p: Floats, ids: Ids, answers: Ints) -> None:
        """Take what was said of rows that wait with these ids, and the codes of the answers."""
        if self._estimate is None:
            self._estimate = AccuracyEstimate(WINDOW, max_waiting=self._max_waiting)
        self._pass_on()
        self._estimate._add_rows(p, list(ids), answers)

    def labelled(self, ids: Ids, codes: Ints) -> None:
        """Take labels; those of rows that were not predicted count as learned."""
        n = 0 if self._estimate is None else self._estimate._add_labels(list(ids), codes)
        self.n_learned += int((codes >= 0).sum()) - n

    def copy(self, classes: Sequence[Any]) -> AccuracyEstimate:
        """Return a copy of the estimate, with labels instead of codes."""
        if self._estimate is None:
            raise ValueError(
                "Model: no row was predicted with an id yet: call predict(rows, ids=…), and later "
                "label(ids, labels)"
            )
        self._pass_on()
        made = self._estimate.copy()
        made._begun(len(classes))
        made.classes = [*classes, *(f"class {k}" for k in range(len(classes), made._n_classes))]
        return made

    def _pass_on(self) -> None:
        if self.n_learned and self._estimate is not None:
            self._estimate.learned(self.n_learned)
            self._n_passed += self.n_learned
            self.n_learned = 0

    def state(self) -> State:
        """Return it as plain data."""
        estimate = None if self._estimate is None else self._estimate.state()
        return {"learned": self.n_learned, "passed": self._n_passed, "estimate": estimate}

    @classmethod
    def from_state(cls, state: State | None, max_waiting: int) -> "ModelEstimate":
        """Return what `state` returned; an empty one for a model that was saved without."""
        made = cls(max_waiting)
        if state is not None:
            made.n_learned, made._n_passed = int(state["learned"]), int(state.get("passed", 0))
            if state["estimate"] is not None:
                made._estimate = AccuracyEstimate().restore(state["estimate"])
        return made

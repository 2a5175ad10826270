"""What a live model is asked and what it answers, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from thalweg._types import Floats, Ints
from thalweg.waiting import Ids

PREDICTED = "predicted"
LEARNED = "learned"
ALREADY = "already"
UNKNOWN_ID = "unknown_id"
DROPPED = "dropped"
EXPIRED = "expired"
OTHER_LABEL = "other_label"
UNKNOWN_LABEL = "unknown_label"
ERRORS = frozenset({UNKNOWN_ID, DROPPED, EXPIRED, OTHER_LABEL, UNKNOWN_LABEL})


@dataclass(slots=True)
class PredictRequest:
    """Rows to predict.

    Attributes
    ----------
    rows : list of dicts, 2-d array or table
        Whatever `thalweg.Model` takes.
    ids : sequence of int or str, or None
        Under which the rows wait for their labels. None for a pure read, which changes nothing.
    durable : bool
        Whether the rows must be on disk before the answer; otherwise they are soon after.
    sets : bool
        Whether to return the prediction sets, if the learner is a `thalweg.trust.PredictionSets`.
    """

    rows: Any
    ids: Ids | None = None
    durable: bool = True
    sets: bool = False


@dataclass(slots=True)
class LabelRequest:
    """Labels of rows that were predicted.

    Attributes
    ----------
    ids : sequence of int or str
        Those under which the rows were predicted.
    labels : sequence
        Their labels.
    """

    ids: Ids
    labels: Sequence[Any]


@dataclass(slots=True)
class LearnRequest:
    """Rows to learn.

    Attributes
    ----------
    rows : list of dicts, 2-d array or table
        Whatever `thalweg.Model` takes.
    labels : sequence
        Their labels.
    ids : sequence of int or str, or None
        With ids it is harmless to send the rows again.
    """

    rows: Any
    labels: Sequence[Any]
    ids: Ids | None = None


@dataclass(slots=True)
class Predictions:
    """What was predicted, with one entry for each row.

    Attributes
    ----------
    ids : list of int or str, or None
        Those of the request.
    codes : ndarray of int
        The answers, as places in `classes`; -1 if there is none, as no class is known.
    labels : list
        The answers.
    probabilities : ndarray of rows × classes
        In the order of `classes`.
    classes : list
        The labels that were known then.
    events : list of int or None
        The number of the event that each row is; None if it was only read.
    statuses : list of str
        "predicted", or "already" if a row with this id was predicted before: then its answer is that one.
    sets : list of lists or None
        The labels in the prediction set of each row, if asked for.
    asks : list of bool or None
        Whether a label would help, if the live model has a label budget.
    """

    ids: list[int | str] | None
    codes: Ints
    probabilities: Floats
    classes: list[Any]
    events: list[int | None]
    statuses: list[str]
    sets: list[list[Any]] | None = None
    asks: list[bool] | None = None
    _labels: list[Any] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def labels(self) -> list[Any]:
        """The answers, None for the code -1."""
        if self._labels is None:
            self._labels = list(map([*self.classes, None].__getitem__, self.codes.tolist()))
        return self._labels


@dataclass(slots=True)
class Outcomes:
    """What became of labels, with one entry for each.

    Attributes
    ----------
    ids : list of int or str, or None
        Those of the request.
    statuses : list of str
        "learned"; "already" if the same label was learned before; or, with nothing learned, "unknown_id",
        "dropped", "expired", "other_label", or "unknown_label" if it is no class, missing or unreadable.
    events : list of int or None
        The number of the event in which the label was learned, if it was.
    messages : list of str or None
        A sentence for each error, None for the others.
    """

    ids: list[int | str] | None
    statuses: list[str]
    events: list[int | None]
    messages: list[str | None]

    @property
    def is_good(self) -> bool:
        """Whether every label was learned, now or before."""
        return ERRORS.isdisjoint(self.statuses)


Request: TypeAlias = PredictRequest | LabelRequest | LearnRequest
Result: TypeAlias = Predictions | Outcomes

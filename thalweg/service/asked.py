"""What a request asks for, whatever form it came in."""

from dataclasses import dataclass
from typing import Any

from thalweg.live.requests import LabelRequest, LearnRequest, PredictRequest, Request

PREDICT, LABEL, LEARN = "predict", "label", "learn"


@dataclass(slots=True)
class Asked:
    """Rows, ids and labels of a request.

    Attributes
    ----------
    kind : str
        "predict", "label" or "learn".
    n : int
        Number of rows, or of labels.
    rows : list of dicts, list of lists, 2-d array, table or None
        Raw records, or inputs as numbers.
    ids, labels : list or None
    durable, sets : bool
        See `PredictRequest`.
    is_one : bool
        Whether the client sent one row, not a list of rows: the answer has the same form.
    """

    kind: str
    n: int
    rows: Any = None
    ids: list[int | str] | None = None
    labels: list[Any] | None = None
    durable: bool = True
    sets: bool = False
    is_one: bool = False

    def request(self) -> Request:
        """Return it as a live model takes it."""
        if self.kind == PREDICT:
            return PredictRequest(self.rows, self.ids, self.durable, self.sets)
        if self.kind == LABEL:
            return LabelRequest(self.ids or [], self.labels or [])
        return LearnRequest(self.rows, self.labels or [], self.ids)

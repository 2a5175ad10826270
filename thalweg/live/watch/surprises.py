"""The labels that the model thought least likely: some of them may be wrong."""

from typing import Any, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.live.watch.part import Part

MOST, PERIOD = 20, 5000
LEAST_LIKELY = 0.001  # so that labels that were held impossible are not all the same
LIKELY = 0.1  # more likely labels are no surprise


class LabelsThatCame(NamedTuple):
    """Labels of predicted rows: their rows, codes, answers, the probabilities of both, and when they came."""

    numbers: Ints
    codes: Ints
    answers: Ints
    p_label: Floats
    p_answer: Floats
    times: Floats


class Surprises(Part):
    """The 20 most surprising labels of the current 5,000, and those of the 5,000 before.

    How surprising a label is: the logarithm of the probability that the model gave its answer, less that of
    the label. As labels come, `label_errors` cannot be asked, which needs the rows after them too.
    """

    _grows = frozenset({"now", "before"})

    def __init__(self) -> None:
        self.n = 0
        self.now = np.empty((0, 7))
        self.before = np.empty((0, 7))

    def add(self, labels: LabelsThatCame) -> None:
        """Add labels in the order in which they came."""
        surprise = np.log(np.maximum(labels.p_answer, LEAST_LIKELY))
        surprise -= np.log(np.maximum(labels.p_label, LEAST_LIKELY))
        lines = np.column_stack([surprise, *labels])
        start = 0
        while start < len(lines):
            stop = min(len(lines), start + PERIOD - self.n % PERIOD)
            part = lines[start:stop]
            self.now = _most(np.concatenate([self.now, part[part[:, 4] < LIKELY]]))
            self.n += stop - start
            start = stop
            if self.n % PERIOD == 0:
                self.before, self.now = self.now, np.empty((0, 7))

    def snapshot(self) -> dict[str, Any]:
        """Return how many labels were looked at, and the most surprising of them, by codes of classes."""
        names = ("surprise", "row", "label", "answer", "p_label", "p_answer", "time")
        lines = _most(np.concatenate([self.before, self.now])).tolist()
        rows = [dict(zip(names, line, strict=True)) for line in lines]
        for each in rows:
            each |= {name: int(each[name]) for name in ("row", "label", "answer")}
        n = min(self.n, PERIOD + self.n % PERIOD)
        return {"of": n, "labels": rows}


def _most(lines: Floats) -> Floats:
    """Return the most surprising lines; of equal ones the latest rows."""
    return lines[np.lexsort([-lines[:, 1], -lines[:, 0]])[:MOST]]

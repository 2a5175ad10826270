"""What an evaluation found: every answer, every label, and how long it took."""

import math
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np


@dataclass
class Run:
    """One learner's answers to one stream; the metrics are functions of it.

    Attributes
    ----------
    learner, parameters : str, dict
        The learner's class and its parameters.
    stream, classes : str, ndarray
        The stream's name and its labels in the order of their codes.
    settings : dict
        The protocol and its settings.
    labels : ndarray of int
        Code of each tested row's label, -1 where the stream has none: such rows are not scored.
    probabilities : ndarray of float
        Tested rows × classes, as they were before the row's label was learned. A tested row takes
        8 K + 3 bytes in all for K < 128 classes.
    baselines : dict of ndarray
        The codes that "no_change" (repeat the last label) and "majority" answer, which learn the same labels
        at the same moments as the learner.
    row_numbers : ndarray of int or None
        The stream's row each tested row belongs to; None if they are 0, 1, 2, …
    n_rows : int
        Rows of the stream that were used.
    drifts, alarms : ndarray of int
        Rows at which the stream is known to change, and at which the learner said it does.
    seconds, learner_seconds : float
        Time in all, and the part of it inside the learner.
    memory : int
        Bytes of the learner's state at the end.
    skipped, messages : int, list of str
        Rows of a file left out as unreadable, and what was wrong with the first of them.
    interrupted : bool
        Whether the run was stopped by Ctrl-C; all the rest is then the result so far.
    """

    learner: str
    stream: str
    classes: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray
    baselines: dict[str, np.ndarray]
    n_rows: int
    parameters: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)
    row_numbers: np.ndarray | None = None
    drifts: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    alarms: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    seconds: float = 0.0
    learner_seconds: float = 0.0
    memory: int = 0
    skipped: int = 0
    messages: list[str] = field(default_factory=list)
    interrupted: bool = False

    @cached_property
    def predicted(self) -> np.ndarray:
        """Code of the most probable class of each tested row, the first of equals."""
        best = np.zeros(len(self.labels), dtype=self.labels.dtype)
        if len(self.classes) == 2:
            best[self.probabilities[:, 1] > self.probabilities[:, 0]] = 1
        elif len(self.labels):
            best[:] = self.probabilities.argmax(axis=1)
        return best

    @property
    def rows_per_second(self) -> float:
        """Rows of the stream a second, reading and predicting and learning together."""
        return self.n_rows / self.seconds if self.seconds > 0 else math.nan

    @property
    def class_shares(self) -> dict[Any, float]:
        """Share of each class in the tested rows that have a label, in the order of `classes`."""
        counts = np.bincount(self.labels[self.labels >= 0], minlength=len(self.classes))
        return dict(zip(self.classes.tolist(), (counts / max(counts.sum(), 1)).tolist(), strict=True))

    def part(self, start: int = 0, stop: int | None = None) -> "Run":
        """Return the Run of the tested rows `start` to `stop` alone; times stay those of the whole."""
        numbers = np.arange(len(self.labels)) if self.row_numbers is None else self.row_numbers
        kept = slice(start, stop)
        return replace(
            self,
            labels=self.labels[kept],
            probabilities=self.probabilities[kept],
            baselines={name: codes[kept] for name, codes in self.baselines.items()},
            row_numbers=numbers[kept],
        )

    def of_baseline(self, name: str) -> "Run":
        """Return a baseline as a Run of its own, sure of each answer it gives."""
        certain = np.zeros((len(self.labels), len(self.classes)))
        certain[np.arange(len(self.labels)), self.baselines[name]] = 1
        return replace(self, learner=name, parameters={}, probabilities=certain, alarms=self.alarms[:0])

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain numbers: rates as fractions of 1, None where one is not defined."""
        from thalweg.evaluation.figures import plain, plain_number
        from thalweg.evaluation.metrics import agreement

        answers = self.baselines.items()
        return {
            "learner": self.learner,
            "stream": self.stream,
            "rows": self.n_rows,
            "classes": {str(label): share for label, share in self.class_shares.items()},
            **plain(self),
            "baselines": {name: plain_number(agreement(self.labels, codes)) for name, codes in answers},
            "seconds": self.seconds,
            "learner_seconds": self.learner_seconds,
            "rows_per_second": plain_number(self.rows_per_second),
            "memory": self.memory,
            "drifts": self.drifts.tolist(),
            "alarms": self.alarms.tolist(),
            "skipped": self.skipped,
            "interrupted": self.interrupted,
        }


def bytes_of(state) -> int:
    """Return the bytes a nested dict or list of arrays, numbers and strings takes, about."""
    if isinstance(state, np.ndarray):
        return state.nbytes
    if isinstance(state, dict):
        return sum(bytes_of(value) for value in state.values())
    if isinstance(state, list | tuple):
        return sum(bytes_of(value) for value in state)
    return sys.getsizeof(state)

"""The result of an evaluation: all predictions, all labels, and the time spent."""

import math
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats

if TYPE_CHECKING:  # importing it takes pyarrow
    from thalweg.streams.found import FoundColumns


@dataclass
class Run:
    """The predictions of a learner for a stream; the metrics are functions of a Run.

    Attributes
    ----------
    learner, parameters : str, dict
        The class of the learner and its parameters.
    stream, classes : str, ndarray
        The name of the stream and its labels in the order of their codes.
    settings : dict
        The protocol and its settings.
    labels : ndarray of int
        Code of the label of each tested row; -1 if it has none: such rows are not scored.
    probabilities : ndarray of float
        Tested rows × classes, predicted before the label of the row was learned. For K < 128 classes a Run
        has 8 K + 3 bytes per tested row.
    baselines : dict of ndarray
        The codes predicted by "no_change" (repeat the last label), "majority", and "label_chain" (what most
        often followed the last label), which learn the same labels at the same time as the learner.
    row_numbers : ndarray of int or None
        The row of the stream that each tested row belongs to; None if they are 0, 1, 2, …
    n_rows : int
        Number of rows of the stream that were used.
    drifts, alarms : ndarray of int
        Rows at which the stream is known to change, and rows at which the learner found a change.
    seconds, learner_seconds : float
        Total time, and the time spent in the learner.
    memory : int
        Size of the state of the learner at the end, in bytes.
    columns : FoundColumns or None
        What the columns of a file were taken for.
    written : str
        The learner as one would write it, with the parameters that are not the default.
    skipped, messages : int, list of str
        Number of unreadable rows of a file that were left out, and error messages of the first of them.
    interrupted : bool
        Whether Ctrl-C or a limit of time stopped the run; then the rest is the result so far.
    """

    learner: str
    stream: str
    classes: NDArray[Any]
    labels: NDArray[Any]
    probabilities: Floats
    baselines: dict[str, NDArray[Any]]
    n_rows: int
    parameters: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    row_numbers: NDArray[np.int64] | None = None
    drifts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    alarms: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    seconds: float = 0.0
    learner_seconds: float = 0.0
    memory: int = 0
    columns: "FoundColumns | None" = None
    written: str = ""
    skipped: int = 0
    messages: list[str] = field(default_factory=list)
    interrupted: bool = False

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Code of the most probable class of each tested row; the first of equally probable ones."""
        best = np.zeros(len(self.labels), dtype=self.labels.dtype)
        if len(self.classes) == 2:
            best[self.probabilities[:, 1] > self.probabilities[:, 0]] = 1
        elif len(self.labels):
            best[:] = self.probabilities.argmax(axis=1)
        return best

    @property
    def pipeline(self) -> str | None:
        """How the columns of a file become inputs and what learns them, in a line; None if it is no file."""
        if self.columns is None:
            return None
        return f"{self.columns.in_one_line()} → {self.written or self.learner}"

    @property
    def rows_per_second(self) -> float:
        """Rows of the stream per second, including reading, predicting and learning."""
        return self.n_rows / self.seconds if self.seconds > 0 else math.nan

    @property
    def class_shares(self) -> dict[Any, float]:
        """Share of each class in the tested rows that have a label, in the order of `classes`."""
        counts = np.bincount(self.labels[self.labels >= 0], minlength=len(self.classes))
        return dict(zip(self.classes.tolist(), (counts / max(counts.sum(), 1)).tolist(), strict=True))

    def part(self, start: int = 0, stop: int | None = None) -> "Run":
        """Return the Run of the tested rows from `start` to `stop`; times remain those of the whole run."""
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
        """Return a baseline as a Run, with probability 1 for its predictions."""
        certain = np.zeros((len(self.labels), len(self.classes)))
        certain[np.arange(len(self.labels)), self.baselines[name]] = 1
        none = self.alarms[:0]
        return replace(self, learner=name, written=name, parameters={}, probabilities=certain, alarms=none)

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain numbers; rates are fractions of 1; None if a figure is not defined."""
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
            "columns": None if self.columns is None else self.columns.to_plain(),
            "pipeline": self.pipeline,
            "skipped": self.skipped,
            "messages": self.messages,
            "interrupted": self.interrupted,
        }


def written(learner: Any) -> str:
    """Return a learner in one line, as one would write it in Python."""
    if not hasattr(learner, "get_params"):
        return type(learner).__name__
    return " ".join(repr(learner).split())


def bytes_of(state: Any) -> int:
    """Return the approximate size in bytes of a nested dict or list of arrays, numbers and strings."""
    if isinstance(state, np.ndarray):
        return state.nbytes
    if isinstance(state, dict):
        return sum(bytes_of(value) for value in state.values())
    if isinstance(state, list | tuple):
        return sum(bytes_of(value) for value in state)
    return sys.getsizeof(state)

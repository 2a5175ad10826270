"""The result of an evaluation: all predictions, the codes of all labels, and the time spent."""

import math
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thalweg._registry import Pickled
from thalweg._sklearn import BaseEstimator
from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.history import History
from thalweg.evaluation.positive import code_of, positive_of_two
from thalweg.evaluation.stretches import Stretches
from thalweg.evaluation.tally import LEARNER, ROWS_AT_A_TIME, SETS, Tally, set_counts
from thalweg.trust.costs import answer_codes

if TYPE_CHECKING:  # importing the second takes pyarrow
    from thalweg.evaluation.asked_labels import AskedLabels
    from thalweg.streams.files.column_report import ColumnReport
    from thalweg.trust.window_estimates import WindowEstimates

SMALL_MODEL = 1_000_000  # bytes: not worth a warning
SET_COLUMNS = {"classes in the set": "size", "label in the set": "covered"}


@dataclass(repr=False)
class Run(Pickled):
    """The predictions of a learner for a stream; the metrics are functions of a Run.

    Attributes
    ----------
    learner, parameters : str, dict
        The class of the learner and its parameters.
    resolved_parameters : dict of str
        The values, in words, of parameters that are None and that the learner chose when it began.
    stream, classes : str, ndarray
        The name of the stream and its labels in the order of their codes.
    inputs : dict of list
        The names of the inputs by kind: "number" and "category".
    settings : dict
        The protocol and its settings.
    codes : ndarray of int
        Code of the label of each tested row; -1 if it has none: such rows are not scored.
    probabilities : ndarray of float
        Tested rows × classes, predicted before the label of the row was learned. For K < 128 classes a Run
        has 8 K + 3 bytes per tested row.
    baselines : dict of ndarray
        The codes predicted by "no_change" (repeat the last label), "majority", and "label_chain" (the
        class that most often follows the last label), which learn the same labels at the same time as the
        learner.
    sets : ndarray of int or None
        Tested rows × 2, if the learner answers with prediction sets: the number of classes in the set, 0 if
        none reached its threshold and the set is the most probable class, and 1 if the label is in the set
        before this rule. The metrics of sets are in `set_metrics`.
    asked, chances : ndarray of bool and float, or None
        With a label budget: whether the label of each tested row was asked for, and with which chance.
    asked_labels : AskedLabels or None
        With a label budget: how many labels were asked for, and the accuracy they tell.
    costs : ndarray or None
        What each answer costs, [true class, answer]; then the answers are those of the least expected cost.
    row_numbers : ndarray of int or None
        The row of the stream that each tested row belongs to; None if they are 0, 1, 2, …
    n_rows : int
        Number of rows of the stream that were used.
    drifts, alarms : ndarray of int
        Rows at which the stream is known to change, and rows at which the learner found a change.
    seconds, learner_seconds : float
        Total time, and the time spent in the learner.
    memory : int
        Size of the state of the learner at the end, in bytes; of a model of another library, of its pickle.
    history : History or None
        Weights of members, or forgetting, over time; None if the learner has no such numbers.
    explanations : list of History
        What observers found: a number for each input over time.
    version, date, command : str
        The version of thalweg, the time of the start, and the command, if there was one.
    columns : ColumnReport or None
        What the columns of a file were taken for.
    learner_code : str
        The learner as one would write it, with the parameters that are not the default.
    unlabelled : int
        Number of rows of the stream that have no label: they are tested, but neither scored nor learned.
    skipped, messages : int, list of str
        Number of unreadable rows of a file that were left out, and error messages of the first of them.
    estimates : WindowEstimates or None
        The accuracy of windows of rows as it could be estimated at their end, if that was asked for.
    positive : label or None
        The positive class as it was chosen; None: see `positive_class`.
    learned_before : str
        When a model had learned the same rows before, in words; nothing if it had not.
    interrupted : bool
        Whether Ctrl-C or a limit of time stopped the run; then the rest is the result so far.
    timed_out : bool
        Whether it was the limit of time.
    """

    learner: str
    stream: str
    _: KW_ONLY
    classes: NDArray[Any]
    codes: NDArray[Any]
    probabilities: Floats
    baselines: dict[str, NDArray[Any]]
    n_rows: int
    parameters: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, list[str]] = field(default_factory=dict)
    sets: NDArray[np.int32] | None = None
    row_numbers: NDArray[np.int64] | None = None
    asked: Mask | None = None
    chances: Floats | None = None
    asked_labels: "AskedLabels | None" = None
    costs: Floats | None = None
    drifts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    alarms: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    seconds: float = 0.0
    learner_seconds: float = 0.0
    memory: int = 0
    resolved_parameters: dict[str, str] = field(default_factory=dict)
    history: History | None = None
    explanations: list[History] = field(default_factory=list)
    version: str = ""
    date: str = ""
    command: str = ""
    columns: "ColumnReport | None" = None
    learner_code: str = ""
    unlabelled: int = 0
    skipped: int = 0
    messages: list[str] = field(default_factory=list)
    estimates: "WindowEstimates | None" = None
    positive: Any = None
    learned_before: str = ""
    interrupted: bool = False
    timed_out: bool = False
    keeps_rows = True

    def __repr__(self) -> str:
        from thalweg.evaluation.summary import with_error

        speed = "" if math.isnan(self.rows_per_second) else f", {self.rows_per_second:,.0f} rows/s"
        return f"<{self.learner} on {self.stream}: accuracy {with_error(self)}, {self.n_rows:,} rows{speed}>"

    def _repr_html_(self) -> str:
        from thalweg.evaluation.report import short

        return short(self)

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Code of the answer to each tested row: the most probable class, or that of the least cost."""
        if self.costs is not None:
            return answer_codes(self.probabilities, self.costs).astype(self.codes.dtype)
        best = np.zeros(len(self.codes), dtype=self.codes.dtype)
        if len(self.classes) == 2:
            best[self.probabilities[:, 1] > self.probabilities[:, 0]] = 1
        elif len(self.codes):
            best[:] = self.probabilities.argmax(axis=1)
        return best

    @cached_property
    def likeliest(self) -> Ints:
        """Code of the most probable class of each row, whatever wrong answers cost."""
        return answer_codes(self.probabilities, None)

    @property
    def pipeline(self) -> str | None:
        """How the columns of a file become inputs and what learns them, in a line; None if it is no file."""
        if self.columns is None:
            return None
        return f"{self.columns.in_one_line()} → {self.learner_code or self.learner}"

    @property
    def rows_per_second(self) -> float:
        """Rows of the stream per second, including reading, predicting and learning."""
        return self.n_rows / self.seconds if self.seconds > 0 else math.nan

    @property
    def data_bytes(self) -> int:
        """Size in bytes of the rows of the stream that were used, each input a number of 8 bytes."""
        return 8 * self.n_rows * sum(len(names) for names in self.inputs.values())

    @property
    def outgrows_data(self) -> bool:
        """Whether the learner has come to be larger than the rows it has seen, and above a megabyte.

        False if it had learned other rows before, which are not counted here.
        """
        is_larger = self.memory > max(self.data_bytes, SMALL_MODEL) and self.data_bytes > 0
        return is_larger and not self.settings.get("resume", False) and "part" not in self.settings

    @property
    def end_row(self) -> int:
        """The row of the stream after the last one that was used."""
        numbers = self.row_numbers
        return self.n_rows if numbers is None or not len(numbers) else max(self.n_rows, int(numbers[-1]) + 1)

    def rows_until(self, n_tested: Ints) -> Ints:
        """Return up to which row of the stream these numbers of rows were tested."""
        numbers = self.row_numbers
        if numbers is None or not len(numbers):
            return n_tested
        return numbers[n_tested - 1] + 1

    @cached_property
    def tally(self) -> Tally:
        """Sums over all tested rows: confusion, calibration, and parts over time."""
        tally = Tally(max(1, len(self.classes)))
        tally.costs = self.costs
        for start in range(0, len(self.codes), ROWS_AT_A_TIME):
            rows = slice(start, start + ROWS_AT_A_TIME)
            answers = {name: codes[rows] for name, codes in self.baselines.items()}
            sets = None if self.sets is None else self.sets[rows]
            tally.add(self.codes[rows], self.probabilities[rows], answers, sets)
        return tally

    @property
    def n_scored(self) -> int:
        """Number of tested rows that have a label."""
        return self.tally.n_scored

    @property
    def class_shares(self) -> dict[Any, float]:
        """Share of each class in the tested rows that have a label, in the order of `classes`."""
        counts = self.confusion().sum(axis=1)
        return dict(zip(self.classes.tolist(), (counts / max(counts.sum(), 1)).tolist(), strict=True))

    @property
    def positive_class(self) -> Any:
        """The class whose F1, precision, recall and average precision are meant; None for the mean of all.

        Of two classes it is the one called yes, true, 1, y, t, positive or pos, if only one is; else the
        rarer one. `positive` chooses another.
        """
        k = self.positive_code
        return None if k is None else self.classes.tolist()[k]

    @property
    def positive_code(self) -> int | None:
        """The code of `positive_class`."""
        labels = self.classes.tolist()
        if self.positive is not None:
            return code_of(self.positive, labels, "Run", "positive")
        return positive_of_two(labels, self.confusion().sum(axis=1)) if len(labels) == 2 else None

    @property
    def stretches(self) -> Stretches:
        """How the labels come in stretches of one class."""
        if not self.keeps_rows:
            return self.tally.stretches
        found = Stretches()
        found.add(self.codes)
        return found

    def confusion(self) -> Ints:
        """Return the number of rows of each true class (first axis) that got each answer (second axis)."""
        return self.tally.confusions[LEARNER][: len(self.classes), : len(self.classes)].copy()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a line for each tested row.

        Its columns are the row of the stream, the label (missing: None), the answer and whether it is
        correct, the probability of each class, the answers of the baselines; of prediction sets, the number
        of classes and whether the label is one of them; with a label budget, whether the label was asked for,
        and with which chance.
        """
        codes, predicted, probabilities = self.codes, self.predicted, self.probabilities
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        names = np.array([*self.classes.tolist(), None], dtype=object)
        columns = {
            "row": np.arange(len(codes)) if self.row_numbers is None else self.row_numbers,
            "label": names[codes],
            "predicted": names[predicted],
            "correct": codes == predicted,
        }
        columns |= {f"probability of {label}": probabilities[:, k] for k, label in enumerate(self.classes)}
        columns |= {name: names[given] for name, given in self.baselines.items()}
        if self.sets is not None:
            counts = set_counts(self.sets, codes == self.likeliest)
            columns |= {name: counts[:, SETS.index(key)] for name, key in SET_COLUMNS.items()}
        if self.asked is not None:
            columns |= {"asked": self.asked, "chance": self.chances}
        return pd.DataFrame(columns)

    def part(self, start: int = 0, stop: int | None = None) -> "Run":
        """Return the Run of the tested rows from `start` to `stop`, which keep their numbers.

        Its time is its share of the whole; memory, and rows that were skipped, are those of the whole.
        """
        numbers = np.arange(len(self.codes)) if self.row_numbers is None else self.row_numbers
        kept = slice(start, stop)
        rows = numbers[kept]
        first, end = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
        share = (end - first) / max(self.n_rows, 1)
        asked = self.asked_labels
        if asked is not None and self.asked is not None and self.chances is not None:
            asked = asked.part(self.asked[kept], self.chances[kept])
        return replace(
            self,
            settings=self.settings | {"part": f"rows {first} to {end - 1}" if len(rows) else "no rows"},
            n_rows=end - first,
            unlabelled=int(np.count_nonzero(self.codes[kept] < 0)),
            drifts=self.drifts[(self.drifts >= first) & (self.drifts < end)],
            alarms=self.alarms[(self.alarms >= first) & (self.alarms < end)],
            history=None if self.history is None else self.history.between(first, end),
            explanations=[
                found for each in self.explanations if (found := each.between(first, end)) is not None
            ],
            seconds=share * self.seconds,
            learner_seconds=share * self.learner_seconds,
            asked_labels=asked,
            codes=self.codes[kept],
            probabilities=self.probabilities[kept],
            baselines={name: codes[kept] for name, codes in self.baselines.items()},
            sets=None if self.sets is None else self.sets[kept],
            row_numbers=rows,
            estimates=None,
            positive=self.positive_class,
            asked=None if self.asked is None else self.asked[kept],
            chances=None if self.chances is None else self.chances[kept],
        )

    def of_baseline(self, name: str) -> "Run":
        """Return a baseline as a Run, with probability 1 for its predictions."""
        certain = np.zeros((len(self.codes), len(self.classes)))
        certain[np.arange(len(self.codes)), self.baselines[name]] = 1
        unnamed = replace(self, parameters={}, probabilities=certain, alarms=self.alarms[:0])
        made = replace(unnamed, sets=None, estimates=None, learner=name, learner_code=name)
        if self.costs is not None:  # it answers whatever that costs
            vars(made).update({"predicted": self.baselines[name], "tally": self.tally.of(name)})
        return made

    def summary(self) -> dict[str, Any]:
        """Return the metrics as plain numbers; rates are fractions of 1; None if one is not defined."""
        from thalweg.evaluation import notable, set_metrics
        from thalweg.evaluation.baselines import BASELINES
        from thalweg.evaluation.summary import by_class, plain, plain_number, rate, rate_error

        return {
            "learner": self.learner,
            "stream": self.stream,
            "rows": self.n_rows,
            "unlabelled": self.unlabelled,
            "inputs": {kind: len(names) for kind, names in self.inputs.items()},
            "classes": {str(label): share for label, share in self.class_shares.items()},
            "positive": None if self.positive_code is None else str(self.positive_class),
            **plain(self),
            **notable.plain(self),
            "by_class": by_class(self),
            "costs": None if self.costs is None else self.costs.tolist(),
            "sets": set_metrics.plain(self),
            "baselines": {name: plain_number(rate(self, name)) for name in BASELINES},
            "baselines_errors": {name: plain_number(rate_error(self, name)) for name in BASELINES},
            "seconds": self.seconds,
            "learner_seconds": self.learner_seconds,
            "rows_per_second": plain_number(self.rows_per_second),
            "memory": self.memory,
            "data_bytes": self.data_bytes,
            "outgrows_data": self.outgrows_data,
            "drifts": self.drifts.tolist(),
            "alarms": self.alarms.tolist(),
            "columns": None if self.columns is None else self.columns.to_plain(),
            "pipeline": self.pipeline,
            "label_budget": None if self.asked_labels is None else self.asked_labels.to_plain(),
            "skipped": self.skipped,
            "messages": self.messages,
            "interrupted": self.interrupted,
            "explanations": {each.title: each.latest() for each in self.explanations},
            "settings": {name: setting(value) for name, value in self.settings.items()},
            "parameters": {name: repr(value) for name, value in self.parameters.items()},
            "resolved_parameters": self.resolved_parameters,
            "version": self.version,
            "date": self.date,
            "command": self.command,
        }


def not_cut(run: Run) -> Run:
    """Return a run that came to its end or its limit of time; raise KeyboardInterrupt if Ctrl-C cut it.

    A run is a whole result where it is alone, even if it was cut. Among several it is none: it must not be
    kept, ranked or compared, and the others need not begin.
    """
    if run.interrupted and not run.timed_out:
        raise KeyboardInterrupt
    return run


def setting(value: Any) -> str:
    """Return a setting as text; a frozen distribution by its name and parameters."""
    if not hasattr(value, "rvs") or not hasattr(value, "dist"):
        return str(value)
    parameters = [*map(str, value.args), *(f"{name}={number}" for name, number in value.kwds.items())]
    return f"{value.dist.name}({', '.join(parameters)})"


def learner_code(learner: Any) -> str:
    """Return a learner in one line of Python."""
    return " ".join(repr(learner).split()) if isinstance(learner, BaseEstimator) else type(learner).__name__

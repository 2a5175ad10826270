"""What a model has learned, and how it is saved: its learner, columns, and rows that wait for labels."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from thalweg import saving
from thalweg._frames import plain_table
from thalweg._learner_text import DEFAULT_LEARNER, read_learner
from thalweg._parameters import whole_number, wrong
from thalweg._sklearn import BaseEstimator
from thalweg._stateful import Stateful
from thalweg._types import State
from thalweg._warn import warn
from thalweg.errors import StateError, first_of, set_rows_learned
from thalweg.evaluation.arguments import as_learner
from thalweg.evaluation.learning import Progress
from thalweg.evaluation.run import Run
from thalweg.evaluation.sparse_blocks import stays_sparse
from thalweg.learners.base.state import from_plain, to_plain
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.model.estimating import ModelEstimate
from thalweg.model.late_rows import LateRows
from thalweg.model.learned_rows import LearnedRows
from thalweg.model.opening import ColumnSettings, check_any_known, listed, sorted_if_set
from thalweg.model.wording import in_words_of_model, worded
from thalweg.saving.plain import to_json
from thalweg.streams.base import Stream
from thalweg.streams.columns.class_codes import class_order
from thalweg.streams.columns.codes import MOST_TEXT
from thalweg.streams.columns.kinds import MIN_FLAG_ROWS, N_SPARSE_WORDS, N_WORDS
from thalweg.streams.files.coding import Coding
from thalweg.streams.files.column_report import ColumnReport
from thalweg.streams.files.row_order import BACKWARDS
from thalweg.streams.files.schema_reader import LEFT_OUT
from thalweg.streams.files.stream import FileStream
from thalweg.streams.files.tables import flat, trimmed
from thalweg.trust.calibrated import Calibrated
from thalweg.trust.costs import cost_matrix

FITTED = ("learner_", "runs_", "_coding", "_report", "_late", "_estimates", "_learned")
SAVED = frozenset({"schema", "report", "fitted", "waiting", "runs"})  # of a model that has begun
MOST_NEW = 1000
LISTED = ("classes", "missing", "date_parts")
NEW_LABELS = ("warn", "add", "refuse")


class FittedModel(Stateful, BaseEstimator):
    """The part of a `Model` that holds what was learned, and is saved."""

    _kind, _format = "model", 1
    target: str | int | None
    learner: Any
    classes: Iterable[Any] | None
    missing: str | Iterable[Any]
    decimal: str | None
    date_order: str | None
    date_parts: Iterable[str]
    n_words: int | None
    max_waiting: int
    random_state: int
    costs: Any
    new_labels: str
    learner_: StreamClassifier
    runs_: list[dict[str, Any]]
    _given_columns: Mapping[str, Any] | None
    _coding: Coding
    _report: ColumnReport
    _late: LateRows
    _estimates: ModelEstimate
    _learned: LearnedRows
    _known_order: tuple[list[Any] | None, list[int] | None] = None, None  # of these labels

    @property
    def columns(self) -> Any:
        """What the columns were taken for; before the first row, the parameter."""
        return vars(self).get("_report") or self._given_columns

    @columns.setter
    def columns(self, given: Mapping[str, Any] | None) -> None:
        self._given_columns = given

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn does."""
        return super().get_params(deep) | {"columns": self._given_columns}

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels that were learned: sorted, or as `classes` or the header of ARFF list them."""
        self._check_begun()
        return self._in_order(self.learner_.classes_)

    def _in_order(self, of_codes: NDArray[Any]) -> NDArray[Any]:
        """Return what has an entry for each code, along its last axis, in the order of `classes_`."""
        order = self._order(of_codes.shape[-1])
        return of_codes if order is None else of_codes[..., order]

    def _order(self, n: int) -> list[int] | None:
        """Return the first `n` codes in the order of `classes_`; None if that is their own."""
        labels = self._class_list
        if self._known_order[0] is not labels or len(labels) != n:
            is_open = self._coding.labels.grows or self.new_labels == "refuse"
            is_listed = self.classes is not None or not is_open
            order = [*range(n)] if is_listed else class_order(labels[:n])
            self._known_order = labels, None if order == [*range(n)] else order
        return self._known_order[1]

    @property
    def n_features_in_(self) -> int:
        """Number of columns that are inputs."""
        self._check_begun()
        return len(self._coding.columns)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns that are inputs."""
        self._check_begun()
        return np.array([column.name for column in self._coding.columns], dtype=object)

    @property
    def n_waiting_(self) -> int:
        """Number of rows that wait for their labels."""
        return len(self._late) if self._begun else 0

    @property
    def n_dropped_(self) -> int:
        """Number of rows that were dropped to make room for others before their labels came."""
        return self._late.n_dropped if self._begun else 0

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, which `thalweg.load` opens; see `thalweg.save`."""
        saving.save(self, path)

    def schema(self) -> dict[str, Any]:
        """Return the columns and their codes as plain data; see `Stream.schema`."""
        with self._reading:
            return self._coding.schema()

    def digest(self) -> str:
        """Return a checksum of what was learned and of how values become inputs.

        Two models with the same digest give the same answers, and go on in the same way.
        """
        with self._reading:
            arrays: list[NDArray[Any]] = []
            content = to_json([self.learner_.state(), self._coding.plain()], arrays)
            found = hashlib.sha256(json.dumps(content).encode())
            for array in arrays:
                found.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
            return found.hexdigest()

    @property
    def can_be_saved(self) -> bool:
        """Whether `save` can write the model; not if its learner holds a model of another library."""
        learner = vars(self).get("learner_", self.learner)
        return learner is None or isinstance(learner, str) or getattr(learner, "can_be_saved", False)

    def _header(self) -> State:
        return {"format": self._format, self._kind: type(self).__name__}

    def _content(self) -> State:
        parameters = self.get_params(deep=False)
        for name in LISTED:
            given = parameters[name]
            is_plain = given is None or isinstance(given, str | tuple | list)
            parameters[name] = given if is_plain else sorted_if_set(given)
        if isinstance(parameters["columns"], Mapping):
            parameters["columns"] = {name: listed(kind) for name, kind in parameters["columns"].items()}
        state: State = {"parameters": to_plain(parameters)}
        if self._begun:
            state |= {"schema": self._coding.schema(), "report": dataclasses.asdict(self._report)}
            state |= {"fitted": self.learner_.state(), "waiting": self._late.state(), "runs": self.runs_}
            state["estimate"], state["learned"] = self._estimates.state(), self._learned.state()
        return state

    def _set_content(self, state: State) -> None:
        self.set_params(**from_plain(state["parameters"]))
        self._check_types()
        for name in FITTED:
            vars(self).pop(name, None)
        if not SAVED.isdisjoint(state):
            learner = from_plain(state["fitted"])
            if not isinstance(learner, StreamClassifier) or not learner.__sklearn_is_fitted__():
                raise StateError("Model: the state has no learner")
            self._coding, self._report = Coding(state["schema"]), ColumnReport(**state["report"])
            self._late, self.runs_ = LateRows.from_state(state["waiting"]), [*state["runs"]]
            self._estimates = ModelEstimate.from_state(state.get("estimate"), self.max_waiting)
            self._learned = LearnedRows.from_state(state.get("learned"))
            self.learner_ = learner
            if not self._late.n_features == learner.n_features_in_ == self._coding.n_inputs:
                raise StateError("Model: the learner and the columns have different numbers of inputs")
            if not len(learner.classes_) or (self._coding.labels.grows and not learner._labels.is_open):
                raise StateError("Model: the learner of the state has no classes, or can learn no new ones")
            if not np.array_equal(self._coding.classes[: len(learner.classes_)], learner.classes_):
                raise StateError("Model: the learner has other classes than the labels")
            whole_number(self, "max_waiting", self.max_waiting, 1)
            self._settings()

    def _check_types(self) -> None:
        """Raise an error if a parameter of a state has a type that would be met only when rows are read."""
        for name in LISTED:
            given = getattr(self, name)
            if not isinstance(given, str | tuple | list | None):
                raise StateError(f"Model: the state's {name} must be a list")
            hash(tuple(given or ()))  # a TypeError if one is an array or a dict
        for name in ("decimal", "date_order"):
            if not isinstance(getattr(self, name), str | None):
                raise StateError(f"Model: the state's {name} must be text")

    @property
    def _begun(self) -> bool:
        return "learner_" in vars(self)

    def _check_begun(self) -> None:
        if not self._begun:
            raise NotFittedError("This Model has learned nothing yet: call learn or fit first.")
        self._own_lock()

    @property
    def _class_list(self) -> list[Any]:
        return self.learner_._labels.list

    def _begun_learner(self) -> StreamClassifier:
        """Return the learner, or a new one if there is none yet."""
        if self._begun:
            return self.learner_
        whole_number(self, "max_waiting", self.max_waiting, 1)
        if self.learner is None or isinstance(self.learner, str):
            text = self.learner or DEFAULT_LEARNER
            parameters = {} if self.learner else {"n_jobs": -1}
            made = read_learner(text, parameters, whole_number(self, "random_state", self.random_state, 0))
            if hasattr(made, "max_waiting") and "max_waiting" not in text:
                made.set_params(max_waiting=self.max_waiting)  # it forgets no row that waits here
        else:
            made = clone(as_learner(self.learner, "Model"), safe=False)
        if self.costs is None:
            return made
        costs = plain_table(self.costs)
        costs = costs if isinstance(costs, dict) else self._costs_by_label()
        return Calibrated(made, costs=costs)

    def _costs_by_label(self) -> dict[Any, Any]:
        """Return costs that are an array by the labels of `classes`."""
        if self.classes is None:
            raise wrong(self, "costs", "a dict by labels, or classes must list the labels", self.costs)
        labels = sorted_if_set(self.classes)
        matrix = cost_matrix(self, self.costs, labels)
        rows = [dict(zip(labels, row, strict=True)) for row in matrix.tolist()]
        return dict(zip(labels, rows, strict=True))

    def _n_words(self) -> int:
        if self.n_words is not None:
            return self.n_words
        return N_SPARSE_WORDS if self._begun_learner().takes_sparse else N_WORDS

    def _settings(self) -> ColumnSettings:
        for name in LISTED:
            given = getattr(self, name)
            is_text = isinstance(given, str) and name == "classes"
            if is_text or (not isinstance(given, Iterable) and (given is not None or name != "classes")):
                raise wrong(self, name, "a sequence", given)
        is_number = isinstance(self.target, int | np.integer) and not isinstance(self.target, bool)
        if not (is_number or isinstance(self.target, str | None)):
            raise wrong(self, "target", "the name of a column, its position or None", self.target)
        if self.new_labels not in NEW_LABELS:
            raise wrong(self, "new_labels", '"warn", "add" or "refuse"', self.new_labels)
        classes = None if self.classes is None else sorted_if_set(self.classes)
        target = int(self.target) if isinstance(self.target, np.integer) else self.target
        return ColumnSettings(
            target, self._given_columns, classes, missing=self.missing, decimal=self.decimal,
            date_order=self.date_order, date_parts=self.date_parts, n_words=self._n_words(),
        )

    def _open(self, source: Any, y: Any = None, *, learns: bool = False, **options: Any) -> Stream:
        with in_words_of_model():
            stream = self._settings().open(source, y, self._coding if self._begun else None, **options)
        known = self._report.warnings if self._begun else ()
        quiet = (LEFT_OUT,) if learns else (LEFT_OUT, BACKWARDS)  # predictions need no order
        if not self._begun and stream.columns is not None and stream.columns.n_rows < MIN_FLAG_ROWS:
            n = stream.columns.n_rows
            warn(f"the kinds of the columns are found from {n} rows; columns={{…}} names them")
        for warning in () if stream.columns is None else stream.columns.warnings:
            if (text := worded(warning)) not in known and not text.startswith(quiet):
                warn(text)
        if self._begun and stream.columns is not None:
            self._warn_of_new(set(stream.columns.kinds) - self._coding.known)
        return stream

    def _flat(self, record: Mapping[Any, Any]) -> Mapping[str, Any]:
        """Return a record by the names of columns; warn of those that the model does not have, once of each.

        Raise StreamError if it has none of the model's columns.
        """
        is_known = record.keys() <= self._coding.known
        if not is_known:
            record = flat(record)
            new = trimmed(record, self._coding.known)
            record = {new.get(name, name): cell for name, cell in record.items()} if new else record
        if self._coding.names.isdisjoint(record):
            check_any_known(record, self._coding)
        if not is_known:
            self._warn_of_new(record.keys() - self._coding.known)
        return record

    def _warn_of_new(self, names: set[str]) -> None:
        """Warn of columns that are left out; not of more than `MOST_NEW`, or of long names: they are kept."""
        names = short_names(names)
        if names and len(self._coding.known) < self._coding.n_own + MOST_NEW:
            new = first_of([*map(repr, sorted(map(str, names)))], 5)
            warn(f"left out, as the model has no such column: {new}")
            self._coding.known |= names  # not before a warning that is raised as an error

    def _then_adopt(
        self, stream: Stream, learner: StreamClassifier, change: Callable[[], Any],
        progress: Progress | None = None,
    ) -> Any:
        """Call `change`, which reads the stream; then keep the codes that it has, also if it raises.

        If it raises and has learned nothing, the model does not change. `progress` knows how much it has
        learned if a signal comes after its last row.
        """
        was_begun = self._begun
        if isinstance(stream, FileStream):
            stream.whole_blocks = True
        said = _warnings_of(stream)
        try:
            with in_words_of_model():
                result = change()
        except BaseException as error:
            if progress is not None:
                progress.note_in(error)
            n = getattr(error, "rows_learned", None)
            if n or (was_begun and not (n == 0 and isinstance(error, Exception))):
                self._adopt(stream, learner)
            elif not was_begun:
                for name in FITTED:
                    vars(self).pop(name, None)
            raise
        try:
            self._adopt(stream, learner)
        except KeyboardInterrupt as error:  # the learner has learned rows with these codes
            self._adopt(stream, learner)
            if isinstance(result, Run):
                set_rows_learned(error, result.n_rows)
            raise
        for warning in _warnings_of(stream)[len(said) :]:
            warn(worded(warning))
        return result

    def _noted(self, stream: Stream) -> str:
        """Take note of rows that were learned; return in words when they were learned before, or nothing."""
        digest = stream.digest if isinstance(stream, FileStream) else None
        return "" if digest is None else self._learned.add(stream, digest)

    def _adopt(self, stream: Stream, learner: StreamClassifier) -> None:
        coding = self._coding.updated(stream.schema()) if self._begun else Coding(stream.schema())
        if not self._begun:
            most = whole_number(self, "max_waiting", self.max_waiting, 1)
            self._late = LateRows(learner.n_features_in_, most, stays_sparse(stream, learner))
            report = stream.columns or _report(coding)
            self._report = dataclasses.replace(report, warnings=tuple(map(worded, report.warnings)))
            self.runs_ = []
            self._estimates, self._learned = ModelEstimate(most), LearnedRows()
        elif isinstance(stream, FileStream) and stream.changes:
            changes = [each._replace(warning=worded(each.warning)) for each in stream.changes]
            self._report = self._report.changed(changes)
        self._coding, self.learner_ = self._closed(coding), learner

    def _closed(self, coding: Coding) -> Coding:
        """Return a coding to which no label is added if the model refuses new ones, and has two classes."""
        return coding.closed() if self.new_labels == "refuse" and len(coding.labels) > 1 else coding


def _warnings_of(stream: Stream) -> tuple[str, ...]:
    """Return the warnings of the columns of a stream; while rows are read, more may come."""
    return () if stream.columns is None else stream.columns.warnings


def short_names(names: Iterable[Any]) -> set[Any]:
    """Return the names of columns that are short enough to be kept."""
    return {name for name in names if len(str(name)) <= MOST_TEXT}


def _report(coding: Coding) -> ColumnReport:
    """Return what the inputs of a stream without columns are."""
    kinds = {column.name: str(column.kind) for column in coding.columns}
    return ColumnReport(coding.target, kinds, {}, becomes=kinds, n_inputs=coding.n_inputs)

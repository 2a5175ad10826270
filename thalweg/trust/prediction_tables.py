"""Predictions of anyone's model in a table or a file: probabilities, and labels that are partly missing."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._frames import as_array, frame_columns, frame_names
from thalweg._misspelt import nearest
from thalweg._types import Floats, Ints, Mask, Numbers
from thalweg.errors import Advice, StreamError, first_of, short_repr
from thalweg.trust.followed_labels import NEVER, FollowedLabels
from thalweg.trust.prediction_classes import class_codes, classes_of

SUM_MAY_BE_OFF = 0.01


class Predictions(NamedTuple):
    """The rows of a table in the order in which they were predicted."""

    p: Floats
    codes: Ints
    comes: Numbers
    classes: list[Any]
    answers: Ints | None


class Table(NamedTuple):
    """Columns by name; `name` and `first` say how messages call the table, and its first row."""

    columns: dict[str, NDArray[Any]]
    name: str
    first: int

    def at(self, column: str, row: int) -> str:
        """Return the place of a cell in words."""
        return f"{self.row(row)}, column {column!r}"

    def row(self, row: int) -> str:
        """Return the place of a row in words."""
        return f"{self.name}, {'data ' if self.first else ''}row {row + self.first}"


def from_table(
    kind: Any, table: Any, probability: str | Sequence[str], target: str, *,
    classes: Iterable[Any] | None = None, prediction: str | None = None, time: str | None = None,
    label_time: str | None = None, delay: int | None = None, learns: bool = False,
    reading: Mapping[str, Any] | None = None, **settings: Any,
) -> Any:
    """Return an AccuracyEstimate of the class `kind` for a table of predictions; see `from_table` there."""
    chosen = [probability] if isinstance(probability, str) else list(probability)
    names = [name for name in (prediction, time, label_time) if name is not None]
    columns = as_table(table, [*chosen, *names], target, dict(reading or {}))
    found = read_predictions(columns, chosen, target, classes, prediction, time, label_time, delay)
    estimate = kind(classes=found.classes, learns=learns, **settings)
    FollowedLabels(estimate).add(found.p, found.codes, found.comes, found.answers)
    return estimate


def as_table(table: Any, names: Sequence[str], target: str, reading: dict[str, Any]) -> Table:
    """Return the columns of a frame, of a dict of columns, or of a file."""
    if isinstance(table, str | PathLike):
        from thalweg.trust.prediction_files import read_file

        return Table(read_file(str(table), names, target, reading), str(table), 1)
    given = frame_names(table)
    if given is not None:
        values = dict(zip(map(str, given), frame_columns(table), strict=True))
    elif isinstance(table, Mapping):
        values = {str(name): column for name, column in table.items()}
    else:
        raise StreamError(
            f"predictions: expected a frame, a dict of columns or a path, got {short_repr(table)}"
        )
    for name in [*names, target]:
        check_column(name, list(values), "predictions")
    columns = {name: as_array(values[name]) for name in [*names, target]}
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name!r} {len(column):,}" for name, column in columns.items())
        raise StreamError(f"predictions: the columns have different numbers of rows: {lengths}")
    return Table(columns, "predictions", 0)


def check_column(name: str, known: Sequence[str], where: str) -> None:
    """Raise StreamError if there is no such column."""
    if name not in known:
        near = nearest(name, known)
        meant = f"; did you mean {near!r}?" if near else f"; there are {first_of([*map(repr, known)], 10)}"
        raise StreamError(f"{where}: there is no column {name!r}{meant}")


def read_predictions(
    table: Table, probability: Sequence[str], target: str, classes: Iterable[Any] | None,
    prediction: str | None, time: str | None, label_time: str | None, delay: int | None,
) -> Predictions:
    """Return the predictions of a table; raise StreamError, with row and column, if they cannot be read."""
    p = np.column_stack([_probabilities(table, name) for name in probability])
    if not len(p):
        raise StreamError(f"{table.name}: there is no row")
    labels = table.columns[target]
    has_label = ~is_missing(labels)
    if not has_label.any():
        raise StreamError(
            f"{table.name}: the column {target!r} has no label at all; some are needed to know how far "
            "the probabilities can be trusted"
        )
    known = classes_of(labels[has_label], probability, classes, table.name, target)
    codes = np.full(len(labels), -1, dtype=np.intp)
    codes[has_label] = class_codes(labels[has_label], known, np.flatnonzero(has_label), table, target)
    answers = None
    if prediction is not None:
        answers = class_codes(table.columns[prediction], known, np.arange(len(p)), table, prediction)
    p = np.column_stack([1 - p, p]) if p.shape[1] == 1 else p
    off = np.abs(p.sum(axis=1) - 1)
    if off.max() > SUM_MAY_BE_OFF:
        row = int(np.argmax(off > SUM_MAY_BE_OFF))
        raise StreamError(
            f"{table.row(row)}: probabilities sum to {p[row].sum():.4g}, not to 1; each label needs a column"
        )
    return Predictions(p, codes, _comes(table, has_label, time, label_time, delay), known, answers)


def is_missing(values: NDArray[Any]) -> Mask:
    """Return where there is no value: None, NaN, or text without a character."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind in "iub":
        return np.zeros(len(values), dtype=bool)
    return np.array([_is_nothing(each) for each in values.tolist()], dtype=bool)


def _is_nothing(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _probabilities(table: Table, name: str) -> Floats:
    values = table.columns[name]
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([_number(table, name, i, each) for i, each in enumerate(values.tolist())])
    good = (numbers >= 0) & (numbers <= 1)
    if not good.all():
        row = int(np.argmin(good))
        what = "the probability is missing"
        if not np.isnan(numbers[row]):
            what = f"a probability is between 0 and 1, not {numbers[row]:g}"
        raise StreamError(f"{table.at(name, row)}: {what}")
    return numbers


def _number(table: Table, name: str, row: int, value: Any) -> float:
    if value is None or (isinstance(value, str) and not value.strip()):
        return np.nan
    try:
        if not isinstance(value, str):
            return float(value)
        text = value.strip()
        text = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except (TypeError, ValueError):
        raise StreamError(f"{table.at(name, row)}: {short_repr(value)} is not a number") from None


def _comes(
    table: Table, has_label: Mask, time: str | None, label_time: str | None, delay: int | None
) -> Numbers:
    """Return after which row each label came."""
    rows = np.arange(len(has_label), dtype=np.int64)
    if label_time is None:
        # Labels are taken to be as late as the latest of them is now.
        late = len(rows) - 1 - int(np.flatnonzero(has_label)[-1]) if delay is None else delay
        return np.where(has_label, rows + late, NEVER)
    if delay is not None:
        raise StreamError(
            f"{table.name}: the column {label_time!r} says when labels came, and delay too: give one of them"
        )
    if time is None:
        raise StreamError(
            f"{table.name}: when a label came is compared with the time of the prediction: ",
            Advice("time", "…"),
        )
    predicted = _times(table, time, np.zeros(len(rows), dtype=bool))
    came = _times(table, label_time, ~has_label)
    backwards = np.flatnonzero(np.diff(predicted) < 0)
    if len(backwards):
        place = table.at(time, int(backwards[0]) + 1)
        raise StreamError(f"{place}: rows must be in the order of their times")
    early = np.flatnonzero(has_label & (came < predicted))
    if len(early):
        place = table.at(label_time, int(early[0]))
        raise StreamError(f"{place}: the label came before the prediction, by the column {time!r}")
    places = np.searchsorted(predicted, came, side="right") - 1
    return np.where(has_label, np.maximum(places, rows), NEVER)


def _times(table: Table, name: str, may_miss: Mask) -> Floats:
    """Return times as numbers: numbers as they are, dates in microseconds."""
    values = table.columns[name]
    missing = is_missing(values)
    wrong = missing & ~may_miss
    if wrong.any():
        raise StreamError(f"{table.at(name, int(np.argmax(wrong)))}: a time is missing")
    times = np.zeros(len(values))
    kept = values[~missing]
    try:
        times[~missing] = kept.astype(np.float64) if kept.dtype.kind not in "mM" else _moments(kept)
    except (TypeError, ValueError):
        try:
            times[~missing] = _moments(np.array([str(each).strip().rstrip("Z") for each in kept.tolist()]))
        except ValueError:
            raise StreamError(
                f"{table.name}, column {name!r}: times must be numbers, or dates such as 2024-01-31 12:00"
            ) from None
    return times


def _moments(values: NDArray[Any]) -> Floats:
    return values.astype("M8[us]").astype(np.int64).astype(np.float64)

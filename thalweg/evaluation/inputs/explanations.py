"""What a learner says of its inputs by itself: how much they count in its trees, or their coefficients."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from thalweg._bounded_record import BoundedRecord
from thalweg._types import Floats, Ints
from thalweg.evaluation.history import History, Named
from thalweg.evaluation.inputs.columns import InputColumns
from thalweg.learners.base.one_hot import NOT_FIRST, OTHERS
from thalweg.learners.base.stream_classifier import StreamClassifier

IMPORTANCE = "importance in splits"
MOST_READ, MOST_INPUTS, MOST_KEPT = 128, 10_000, 1000
MOST_WORDS = 10  # of a text that are named


class Place(NamedTuple):
    """What a number is about: an input, one of its categories by code (None: the input), and a class."""

    input: str
    category: int | None = None
    label: Any = None

    def __str__(self) -> str:
        codes = {None: "", OTHERS: "=other", NOT_FIRST: ""}
        name = f"{self.input}{codes.get(self.category, f'={self.category}')}"
        return name if self.label is None else f"{name}, {self.label}"


class Explanation(NamedTuple):
    """What the numbers are, what each is about, and the numbers."""

    title: str
    places: list[Place]
    values: Floats


def explanation(learner: Any, columns: InputColumns | None = None) -> dict[str, float] | None:
    """Return a number for each input of a learner, by its name; None if the learner has none.

    These are the shares of `importance_`, or the coefficients of `coef_`; with more than two classes, those
    have the name of the class beside that of the input. A pipeline, `DriftReset` and `LastLabels` are
    explained by the learner inside. For any other learner there is `PermutationImportance`.

    Text in dict rows has its values (`sensor = s17`). So have the categories of a file with `columns`, such
    as `InputColumns(stream)`; then there is one share for each column and one for each part of a date
    (`ordered`, `ordered: weekday`). The coefficients of a cycle or of a text's words are one number, the
    length of their vector: how far the score swings.

    Parameters
    ----------
    learner : learner
        It must have learned something.
    columns : InputColumns or None
        The columns of the file or frame that the inputs came from.

    Examples
    --------
    >>> from thalweg.evaluation import explanation
    >>> from thalweg.learners import AdaptiveLogistic
    >>> learner = AdaptiveLogistic().fit([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    >>> {name: round(value, 1) for name, value in explanation(learner).items()}
    {'x0': 0.7, 'x1': 0.0}
    """
    found = explained(learner)
    if found is None:
        return None
    if columns is None and (schema := learner.text_schema()) is not None:
        columns = InputColumns(schema)
    named = by_column(found, columns)
    return dict(zip(named.names, named.values.tolist(), strict=True))


def explained(learner: Any, names: Sequence[Any] | None = None) -> Explanation | None:
    """Return the numbers of a learner; `names` are those of the inputs, if the learner does not know them."""
    if not isinstance(learner, StreamClassifier):
        return None
    names = learner.given_names() if names is None else names
    importance = getattr(learner, "importance_", None)
    if importance is not None:
        return Explanation(IMPORTANCE, [Place(str(name)) for name in names], importance)
    if hasattr(learner, "coef_"):
        return _coefficients(learner, names)
    member = getattr(learner, "member_", getattr(learner, "learner_", None))
    return None if member is None else explained(member, learner.member_input_names())


def _coefficients(learner: Any, names: Sequence[Any]) -> Explanation:
    coef = learner.coef_
    places = [Place(str(names[j]), code) for j, code in learner.input_places()]
    if len(places) != coef.shape[1]:  # those of features of the inputs
        places = [Place(name) for name in learner.input_names_]
    if len(coef) > 1:
        places = [place._replace(label=label) for label in learner.classes_.tolist() for place in places]
    return Explanation("coefficient", places, np.ravel(coef))


def by_column(numbers: Explanation, columns: InputColumns | None) -> Named:
    """Return the numbers by name: those of inputs, or, if the columns are known, those of columns."""
    if columns is None:
        return Named([str(place) for place in numbers.places], numbers.values)
    is_share = numbers.title == IMPORTANCE
    return _shares(numbers, columns) if is_share else _lengths(numbers, columns)


def _shares(numbers: Explanation, columns: InputColumns) -> Named:
    """Return the sum of the shares of each column, then those of its parts."""
    value = {place.input: share for place, share in zip(numbers.places, numbers.values.tolist(), strict=True)}
    sums: dict[str, float] = {}
    parts: dict[str, list[str]] = {}
    for column in columns.columns:
        known = [columns.names[j] for j in column.inputs if columns.names[j] in value]
        if not known:
            continue
        below = {
            part.name: sum(value.get(columns.names[j], 0.0) for j in part.inputs)
            for part in (*columns.parts.get(column.name, ()), *columns.words.get(column.name, ()))
        }
        if column.name in columns.words:
            below = _largest_words(below)
        sums |= {column.name: sum(value[name] for name in known)} | below
        parts |= {column.name: list(below)} if below else {}
    sums |= {name: share for name, share in value.items() if columns.position(name) is None}
    return Named(list(sums), np.array(list(sums.values())), parts)


def _largest_words(values: dict[str, float]) -> dict[str, float]:
    order = sorted((name for name in values if values[name]), key=lambda name: -abs(values[name]))
    return {name: values[name] for name in order[:MOST_WORDS]}


def _lengths(numbers: Explanation, columns: InputColumns) -> Named:
    """Return the coefficients of inputs and categories, and the length of those that belong together."""
    together: dict[str, list[float]] = {}
    words: dict[str, dict[str, float]] = {}
    named = {group.inputs[0]: group.name for groups in columns.words.values() for group in groups}
    for place, number in zip(numbers.places, numbers.values.tolist(), strict=True):
        if place.category is not None and columns.is_spare(place.input, place.category):
            continue
        about = "" if place.label is None else f", {place.label}"
        name = f"{_in_columns(place, columns)}{about}"
        together.setdefault(name, []).append(number)
        position = columns.position(place.input)
        if position in named:
            words.setdefault(name, {})[f"{named[position]}{about}"] = number
    values = {
        name: each[0] if len(each) == 1 else float(np.linalg.norm(each)) for name, each in together.items()
    }
    below = {name: _largest_words(each) for name, each in words.items()}
    values |= {word: number for each in below.values() for word, number in each.items()}
    return Named(list(values), np.array(list(values.values())), {name: list(below[name]) for name in below})


def _in_columns(place: Place, columns: InputColumns) -> str:
    if place.category is None:
        return columns.unit(place.input)
    if place.category == OTHERS:
        return f"{place.input} = others"
    is_not = place.category == NOT_FIRST
    return columns.condition(place.input, "≠" if is_not else "=", 0 if is_not else place.category)


class Explanations:
    """Records during a run what a learner says of its inputs: give it to `prequential` as `observers`.

    It reads `explanation` about a hundred times, after the same rows whatever the size of blocks, and keeps
    the 1000 largest numbers each time. Learners without an explanation, or with more than 10,000 inputs, are
    left alone.
    """

    reads_rows = False
    _noted_at: dict[int, int] = {}  # the source's rows when so many had been learned

    def __init__(self) -> None:
        self.begin()

    def begin(self, names: Sequence[Any] = (), n_rows: int | None = None) -> "Explanations":
        """Forget everything; the stream has so many rows, if that is known. Return self."""
        period = 100 if n_rows is None else max(1, -(-n_rows // 100))
        self._record = BoundedRecord[Named](MOST_READ, period)
        self._n_learned, self._title = 0, ""
        self._columns: InputColumns | None = None
        self._learned_at, self._noted_at = np.empty(0, dtype=np.int64), {}
        return self

    def set_columns(self, columns: InputColumns) -> None:
        """Sum up by the columns of the stream, and name its categories."""
        self._columns = columns

    def set_rows(self, rows: Ints) -> None:
        """Tell it the rows of the source at which the next rows are learned."""
        self._learned_at = rows

    @property
    def n_until_next(self) -> int:
        """Rows to be learned until it looks at the learner."""
        return self._record.next_row - self._n_learned

    def update_coded(self, learner: Any, X: Floats, codes: Ints) -> None:
        """Take note of rows that the learner has just learned."""
        self._n_learned += int((codes >= 0).sum())
        if not self._record.is_due(self._n_learned):
            return
        self._record.skip(self._n_learned)
        found = explained(learner) if getattr(learner, "n_features_in_", 0) <= MOST_INPUTS else None
        if found is not None:
            self._title = found.title
            if len(self._learned_at):
                self._noted_at[self._n_learned] = int(self._learned_at[-1]) + 1
            self._record.add(self._n_learned, by_column(found, self._columns).largest(MOST_KEPT))

    def as_history(self) -> History | None:
        """Return what was noted; None if that is nothing, or never changed."""
        kept = self._record.values
        names = list(dict.fromkeys(name for each in kept for name in each.names))
        place = {name: j for j, name in enumerate(names)}
        values = np.full((len(kept), len(names)), np.nan)
        for line, each in zip(values, kept, strict=True):
            line[[place[name] for name in each.names]] = each.values
        if not values.size or np.nanmin(values) == np.nanmax(values):
            return None
        rows = np.array([self._noted_at.get(n, n) for n in self._record.rows], dtype=np.int64)
        parts: dict[str, dict[str, None]] = {}
        for each in kept:
            for name, below in each.parts.items():
                parts.setdefault(name, {}).update(dict.fromkeys(below))
        return History(
            self._title, rows, values=values, names=names, parts={name: list(parts[name]) for name in parts}
        )

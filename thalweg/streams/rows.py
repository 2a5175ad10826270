"""A stream of rows that are read one after another from any iterable."""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Sized
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._names import Names, as_number
from thalweg._parameters import check_no_text
from thalweg._types import Block, Floats, Ints
from thalweg.errors import StreamError, one_line
from thalweg.streams.base import Stream, recut
from thalweg.streams.labels import LabelCodes, sorted_labels
from thalweg.streams.pairs import Pair, pairs

N_FIRST = 1000
NUMBERS = {float, int, bool, type(None)}


def from_rows(
    rows: Iterable[Any],
    target: Hashable | None = None,
    *,
    names: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    drifts: ArrayLike = (),
) -> "RowStream":
    """Return a stream of the pairs (x, y) of an iterable: a list, a generator, a dataset of River, ….

    `x` is a dict of named inputs, or a sequence of numbers; `y` is its label, None if it is missing. In a
    dict, an absent name is a missing value, and an input whose first value is text holds categories. Names of
    inputs, categories and labels may appear later: in `prequential` and `chunked`, learners of this library
    then get a new input, category or class. Elsewhere the inputs are those of the first 1,000 rows.

    Rows are read in blocks, when they are needed; the first 1,000 at once, and those of a list or tuple all.
    An iterator, such as a generator, can be read only once.

    Parameters
    ----------
    rows : iterable
        The pairs (x, y), or dicts that have the label as well.
    target : hashable, optional
        The name of the label in rows that are dicts; then they are no pairs.
    names : sequence of str, optional
        Names of the inputs: of the numbers in each row, or further names that dicts may have later.
    classes : sequence, optional
        All labels in the order of their codes; any other label is an error. By default they are those of the
        first rows, sorted, and others may follow.
    drifts : sequence of int
        Rows at which the concept is known to change.

    Examples
    --------
    >>> from thalweg.streams import from_rows
    >>> stream = from_rows([({"wind": 3.0, "sky": "clear"}, "calm"), ({"wind": 22.0}, "storm")])
    >>> stream.names, stream.classes.tolist()
    (('wind', 'sky'), ['calm', 'storm'])
    >>> next(stream.coded_blocks())[0].tolist()
    [[3.0, 0.0], [22.0, nan]]
    """
    check_no_text("from_rows", names=names, classes=classes)
    return RowStream(rows, target, names, classes, drifts)


class RowStream(Stream):
    """What `from_rows` returns: a stream of the rows of an iterable."""

    def __init__(
        self, rows: Iterable[Any], target: Hashable | None, names: Sequence[str] | None,
        classes: ArrayLike | None, drifts: ArrayLike,
    ) -> None:
        self.name = type(rows).__name__
        self._source, self._target = rows, target
        reader = iter(rows)
        self.is_once = reader is rows
        in_memory = isinstance(rows, list | tuple)
        read = pairs(reader, target, self.name)
        first = list(read) if in_memory else list(islice(read, N_FIRST))
        if not first:
            raise StreamError(f"{self.name}: there are no rows; an iterator can be read only once")
        ended = in_memory or len(first) < N_FIRST
        self.n_rows = len(first) if ended else len(rows) if isinstance(rows, Sized) else None
        known = sorted_labels(y for _, y in first) if classes is None else list(np.asarray(classes).tolist())
        self._labels = LabelCodes(known, is_open=classes is None and not ended, name=self.name)
        self._n_first_classes, self._more_classes = len(known), classes is None
        self.drifts = np.asarray(drifts, dtype=np.intp)
        self.is_named = isinstance(first[0][0], dict)
        self._begin_names(first, names)
        self._unread = chain(first, read) if self.is_once else None

    def _begin_names(self, first: list[Pair], given: Sequence[str] | None) -> None:
        if self.is_named:
            self.input_names = Names((), None, self.name)
            for i, (x, _) in enumerate(first):
                self._row(i, x)
            more = [name for name in given or () if name not in self.input_names]
            self.input_names = Names([*self.input_names, *more], None, self.name, self.input_names.texts)
            self.n_features = self.input_names.n_places
            return
        self.n_features = len(first[0][0])
        self._given = [f"x{j}" for j in range(self.n_features)] if given is None else [*map(str, given)]
        if len(self._given) != self.n_features:
            raise ValueError(f"from_rows: {len(self._given)} names for {self.n_features} inputs")

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels so far, in the order of their codes."""
        return self._labels.classes

    @property
    def is_open(self) -> bool:  # type: ignore[override]
        """Whether new labels may appear while rows are read."""
        return self._labels.is_open

    @property
    def more_classes(self) -> bool:
        """Whether other rows may have other labels: `classes` does not list them."""
        return self._more_classes

    @property
    def first_classes(self) -> NDArray[Any]:
        """The labels of the first rows."""
        return self._labels.classes[: self._n_first_classes]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs; of dict rows, all that appeared so far."""
        return tuple(map(str, self.input_names)) if self.is_named else tuple(self._given)

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input known so far, 0 if it is numeric."""
        if not self.is_named:
            return np.zeros(self.n_features, dtype=np.intp)
        texts = self.input_names.texts
        return np.array([max(len(texts[each]), 1) if each in texts else 0 for each in self.input_names])

    @property
    def categories(self) -> dict[str, list[str]]:
        """For each categorical input its values so far, in the order of their codes."""
        texts = self.input_names.texts if self.is_named else {}
        return {str(name): list(codes) for name, codes in texts.items()}

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        as_array = self._coded_dicts if self.is_named else self._stacked
        return recut(((as_array(i, rows), codes) for i, rows, codes in self._chunks(size)), size)

    def named_blocks(self, size: int = 1000) -> Iterator[tuple[NDArray[Any], Ints]]:
        """Yield (rows, codes) in blocks of `size` rows, which are dicts; only if `is_named`."""
        return recut(((self._checked(i, rows), codes) for i, rows, codes in self._chunks(size)), size)

    def _chunks(self, size: int) -> Iterator[tuple[int, list[Any], Ints]]:
        """Yield the number of the first row of a chunk, its rows, and the codes of their labels."""
        read, start = self._read(), 0
        while chunk := list(islice(read, size)):
            yield start, [x for x, _ in chunk], self._labels.of([y for _, y in chunk], start)
            start += len(chunk)

    def _read(self) -> Iterator[Pair]:
        if not self.is_once:
            return pairs(iter(self._source), self._target, self.name)
        if self._unread is None:
            raise StreamError(
                f"{self.name}: its rows have been read, and an iterator can be read only once; "
                "pass a list, or make a new one for each use"
            )
        read, self._unread = self._unread, None
        return read

    def _stacked(self, start: int, rows: list[Any]) -> Floats:
        try:
            X = np.array(rows, dtype=np.float64)
            if X.shape == (len(rows), self.n_features):
                return X
        except (TypeError, ValueError):
            pass
        X = np.empty((len(rows), self.n_features))
        for i, row in enumerate(rows):
            if len(row) != self.n_features:
                raise StreamError(
                    f"{self.name}: row {start + i} has {len(row)} inputs, the first row {self.n_features}"
                )
            for j, value in enumerate(row):
                X[i, j] = self._number(value, start + i, self._given[j])
        return X

    def _coded_dicts(self, start: int, rows: list[Any]) -> Floats:
        X = np.full((len(rows), self.n_features), np.nan)
        for i, x in enumerate(rows):
            row = self._row(start + i, x)
            if row.shape[1] > self.n_features:
                new = list(self.input_names)[self.n_features]
                raise StreamError(
                    f"{self.name}: row {start + i} has the input {new!r}, which the first rows do not have; "
                    "pass from_rows(…, names=[…]) with all of them"
                )
            X[i] = row[0]
        return X

    def _row(self, i: int, x: dict[Any, Any]) -> Floats:
        self._check(i, x)
        row, self.input_names = self.input_names.row(x, self.name, learns=True)
        return row

    def _checked(self, start: int, rows: list[Any]) -> NDArray[Any]:
        block = np.empty(len(rows), dtype=object)
        for i, x in enumerate(rows):
            self._check(start + i, x)
            if not x.keys() <= self.input_names.keys():
                self.input_names = self.input_names.row(x, self.name, learns=True)[1]
            block[i] = x
        return block

    def _check(self, i: int, x: dict[Any, Any]) -> None:
        """Raise StreamError if an input of numbers has something else."""
        if not isinstance(x, dict):
            raise StreamError(f"{self.name}: row {i} is a {type(x).__name__}, the first row a dict")
        for name, value in x.items():
            if type(value) not in NUMBERS and name in self.input_names and name not in self.input_names.texts:
                self._number(value, i, name)

    def _number(self, value: Any, row: int, name: Any) -> float:
        try:
            return as_number(value, self.name, str(name))
        except ValueError:
            raise StreamError(
                f"{self.name}: row {row}, input {name!r}: {one_line(repr(value))} is not a number; "
                "in dict rows an input holds categories if its first value is text"
            ) from None

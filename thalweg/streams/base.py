"""The contract of a stream: rows in order, each with a label."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from thalweg._misspelt import CheckedKeywords
from thalweg._names import Names
from thalweg._parameters import real_number, whole_number
from thalweg._registry import Pickled
from thalweg._types import Block, Floats, Ints, Labelled
from thalweg.streams.schema import plain_values, schema
from thalweg.streams.shown import as_html, as_text

if TYPE_CHECKING:  # importing it takes pyarrow
    from thalweg.streams.files.column_report import ColumnReport

CHUNK = 4096
Parts = TypeVar("Parts", bound=tuple[Any, ...])


class Stream(Pickled, CheckedKeywords):
    """Rows in order, each with a label. The size of the blocks changes nothing about the rows.

    A subclass sets the attributes below that have no default and writes `coded_blocks`.

    Attributes
    ----------
    name : str
        What it is called in results; if empty, the name of its class.
    n_features : int
        Number of inputs of a row.
    classes : ndarray
        The labels, in the order of their codes.
    is_open : bool
        Whether new labels may appear while rows are read: then `classes` grows, and `first_classes` are those
        known before the first row.
    n_rows : int or None
        Number of rows; None if it is not known before the end.
    names : tuple of str
        The names of the inputs.
    n_categories : ndarray of int
        For each input the number of categories known so far, 0 where it is numeric. Categories are coded
        0, 1, 2, … and a missing value is NaN everywhere.
    drifts : ndarray of int
        Rows at which the concept is known to change: the first row of each new concept.
    is_sparse : bool
        Whether `sparse_blocks` yields the rows as sparse matrices, because most values are 0.
    is_named : bool
        Whether `named_blocks` yields the rows as dicts, whose names, `input_names`, may grow.
    is_once : bool
        Whether the rows can be read only once.
    columns : ColumnReport or None
        What the columns of a file were taken for.
    skipped, skipped_rows : int, sequence of int
        How many bad rows of a file were left out so far, and their numbers in the file, from 1.
    file_order : ndarray of int or None
        The numbers in the file of the rows so far, if they come in another order.
    messages : sequence of str
        What was wrong with the first of the bad rows.
    kept : tuple of str
        Columns of a file whose cells `blocks_with_cells` yields.
    """

    name: str = ""
    n_features: int
    classes: NDArray[Any]
    is_open: bool = False
    n_rows: int | None = None
    drifts: Ints = np.empty(0, dtype=np.intp)
    is_sparse: bool = False
    is_named: bool = False
    input_names: Names
    is_once: bool = False
    skipped_rows: Sequence[int] = ()
    messages: Sequence[str] = ()
    kept: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return as_text(self, stream_name(self))

    def _repr_html_(self) -> str:
        return as_html(self, stream_name(self))

    @property
    def first_classes(self) -> NDArray[Any]:
        """The labels known before the first row is read."""
        return self.classes

    @property
    def more_classes(self) -> bool:
        """Whether rows of this or another file may have other labels: no list of them was given."""
        return self.is_open

    @property
    def columns(self) -> "ColumnReport | None":
        """What the columns of a file were taken for; None if it is no file."""
        return None

    @property
    def categories(self) -> Mapping[str, Sequence[Any] | NDArray[Any]]:
        """For categorical inputs whose values are known: the values, in the order of their codes."""
        return {}

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""
        return len(self.skipped_rows)

    @property
    def file_order(self) -> Ints | None:
        """The numbers in the file, from 1, of the rows so far, if they come in another order than there."""
        return None

    @property
    def cell_names(self) -> tuple[str, ...]:
        """All columns of a file, if a person knows a row by its cells; none if rows are sparse."""
        return ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(f"x{j}" for j in range(self.n_features))

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input known so far, 0 if it is numeric."""
        return np.zeros(self.n_features, dtype=np.intp)

    def schema(self) -> dict[str, Any]:
        """Return the inputs and classes as plain data, which JSON can hold.

        `from_file(path, like=…)` reads a file into the same inputs. The dict has the keys `columns` (each has
        its name, its kind and what reading it needs: codes of categories, parts of dates), `classes`,
        `more_classes` (whether others may appear), `target`, `ignored`, `header`, `match` (which spellings of
        a label are one), `missing` (cells that the user named as missing) and `ids` (columns of ids).
        """
        columns: list[dict[str, Any]] = []
        for name, n in zip(self.names, self.n_categories.tolist(), strict=True):
            values = plain_values(self.categories.get(name, range(n)))
            kind = {"kind": "category", "values": values, "grows": True} if n else {"kind": "number"}
            columns.append({"name": name, **kind})
        return schema(columns, self.classes, self.more_classes)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes): rows, and the position of each label in `classes`, -1 if it is missing.

        Every block but the last has `size` rows. Each call starts again at the first row.
        """
        raise NotImplementedError

    def sparse_blocks(self, size: int = 1000) -> Iterator[tuple[Any, Ints]]:
        """Yield what `coded_blocks` does, X as a sparse matrix of SciPy; only if `is_sparse`."""
        raise NotImplementedError(f"{type(self).__name__} has no sparse rows")

    def named_blocks(self, size: int = 1000) -> Iterator[tuple[NDArray[Any], Ints]]:
        """Yield what `coded_blocks` does, X as an array of dicts; only if `is_named`."""
        raise NotImplementedError(f"{type(self).__name__} has no rows by name")

    def blocks_with_cells(
        self, size: int = 1000, columns: Sequence[str] | None = None, *, sparse: bool = False
    ) -> Iterator[tuple[Any, Ints, Any]]:
        """Yield (X, codes, cells): what `coded_blocks` does and cells of a file; only if it is one."""
        raise NotImplementedError(f"{type(self).__name__} has no cells")

    def expected_rows(self, done: int) -> int | None:
        """Return the number of rows, if need be an estimate after `done` rows of a pass; None if unknown."""
        return self.n_rows

    def blocks(self, size: int = 1000) -> Iterator[Labelled]:
        """Yield (X, y): rows and their labels. Rows without a label are left out."""
        for X, codes in self.coded_blocks(size):
            known = codes >= 0
            if not known.all():
                X, codes = X[known], codes[known]
            yield X, self.classes[codes]

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of the current concept at row `t`."""
        raise NotImplementedError(f"{type(self).__name__} cannot draw samples: its concept is not known")


class Generator(Stream):
    """A generated stream: a subclass writes `_draw`, and sets `drifts` if it has any.

    Rows are drawn in chunks of a fixed length, each with its own random generator, so that neither the size
    of the blocks nor the length of the stream changes a row.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    noise : float
        Share of rows whose label is replaced by another class.
    seed : int
        The same seed gives the same stream.
    """

    n_rows: int
    classes = np.array([0, 1])

    def __init__(self, n_rows: int, noise: float, *, seed: int) -> None:
        self.n_rows = whole_number(self, "n_rows", n_rows, 1)
        self.noise = real_number(self, "noise", noise, least=0, most=1)
        self.seed = whole_number(self, "seed", seed, 0)

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        """Return X and the label codes of the rows with numbers `t`, with or without noise."""
        raise NotImplementedError

    def _flip(self, rng: np.random.Generator, codes: Ints, noise: bool) -> Ints:
        return flipped(rng, codes, self.noise, len(self.classes)) if noise and self.noise else codes

    def _random(self, *key: int) -> np.random.Generator:
        """Return the random generator for `key`: (0, chunk) for rows, (1, t, seed) for samples."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self) -> Iterator[Block]:
        for number, start in enumerate(range(0, self.n_rows, CHUNK)):
            X, codes = self._draw(self._random(0, number), np.arange(start, start + CHUNK), True)
            left = self.n_rows - start
            yield X[:left], codes[:left]

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of the current concept at row `t`.

        The same `t`, `n` and `seed` give the same sample, which is independent of the rows of the stream.
        """
        rng = self._random(1, whole_number(self, "t", t, 0), 0 if seed is None else seed + 1)
        X, codes = self._draw(rng, np.full(n, t), False)
        return X, self.classes[codes]


def stream_name(stream: Stream) -> str:
    """Return the name of a stream: that of its file, or of its class."""
    return stream.name or type(stream).__name__


def check_closed(stream: Stream, who: str) -> None:
    """Raise ValueError if new labels may appear in `stream`, which `who` cannot handle."""
    if stream.is_open:
        raise ValueError(
            f"{who}: {stream_name(stream)} may have labels that its first rows do not have; "
            "pass all labels, classes=[…], or let from_file find them, scan_labels=True"
        )


def fewest(*counts: int | None) -> int | None:
    """Return the least of some numbers of rows; those that are not known are None."""
    return min((n for n in counts if n is not None), default=None)


def recut(chunks: Iterable[tuple[Any, Ints]], size: int) -> Iterator[tuple[Any, Ints]]:
    """Yield the rows of (X, codes) chunks of any length as blocks of `size` rows, the last one shorter.

    X is an array, or a sparse matrix in all of them. If the chunks end in an error, the rows before it come
    first.
    """
    if size < 1:
        raise ValueError(f"a block needs at least one row, got size={size}")
    kept_X: list[Any] = []
    kept_y: list[Ints] = []
    n_kept = 0
    reader, failure = iter(chunks), None
    while True:
        try:
            X, y = next(reader)
        except StopIteration:
            break
        except Exception as error:
            failure = error
            break
        start = 0
        while n_kept + len(y) - start >= size:
            stop = start + size - n_kept
            yield _joined([*kept_X, X[start:stop]]), _joined([*kept_y, y[start:stop]])
            kept_X, kept_y, n_kept, start = [], [], 0, stop
        if start < len(y):
            kept_X.append(X[start:])
            kept_y.append(y[start:])
            n_kept += len(y) - start
    if n_kept:
        yield _joined(kept_X), _joined(kept_y)
    if failure is not None:
        raise failure


def first_rows(blocks: Iterable[Parts], n: int | None) -> Iterator[Parts]:
    """Yield blocks, tuples such as (X, codes), up to `n` rows in all; None for all rows. None are empty."""
    for block in blocks if n != 0 else ():
        if n is not None:
            block = cast(Parts, tuple(part[:n] for part in block))
            n -= len(block[1])
        if len(block[1]):
            yield block
        if n == 0:
            return


def _joined(parts: list[Any]) -> Any:
    if len(parts) > 1 and hasattr(parts[0], "tocsr"):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def flipped(rng: np.random.Generator, codes: Ints, share: float, n_classes: int) -> Ints:
    """Return a copy of `codes` in which each known label is replaced with probability `share`."""
    rows = np.flatnonzero((rng.random(len(codes)) < share) & (codes >= 0))
    codes = codes.copy()
    codes[rows] = (codes[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return codes


def bounce(x: Floats) -> Floats:
    """Reflect numbers into [0, 1], as a ball bounces between two walls: 1.1 becomes 0.9, 2.3 becomes 0.3."""
    return 1 - np.abs(x % 2 - 1)

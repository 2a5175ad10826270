"""Where events come from: files, a folder of files, standard input, tables in memory.

A source is anything with `read(position, until=None)`: it returns the events after a position, as a table of
Arrow, and the position after them, or None and the same position if there are none now. A position is None at
the beginning, and otherwise what JSON can hold. With `until`, a position that was returned before, no event
beyond it is returned. If `replays` is False, events cannot be read again: the runner keeps them until they
are done. `name` says which source it is: in a run's folder each has a position of its own.
"""

import hashlib
import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from thalweg._frames import frame_names
from thalweg.errors import ColumnWarning, StreamError, first_of
from thalweg.keyed.journal import SeenFile
from thalweg.streams.files.errors import reading
from thalweg.streams.files.open import _source
from thalweg.streams.files.pipes import is_once, name_of
from thalweg.streams.files.tables import as_table, is_records
from thalweg.streams.files.text_files import growing_files

START = 1 << 16  # bytes of a file by which it is known again
ROWS = 20_000  # of a table in memory that make a batch
TEMPORARY = (".part", ".tmp", ".crdownload")


class Wanted(NamedTuple):
    """What to read of each event: inputs and label, those of them that are numbers, and other columns."""

    names: list[str]
    numeric: set[str]
    kept: list[str]
    schema: dict[str, Any]


class Source(Protocol):
    """What events are read from."""

    name: str
    replays: bool

    def read(self, position: Any, until: Any = None) -> tuple[Any, Any]:
        """Return the events after `position`, up to `until` if that is given, and the position after them."""
        ...


class FileSource:
    """The rows of one file, of any format that the library reads; "-" is standard input.

    A position is the number of rows before it. If a file has grown since, its new rows are read. While it
    `is_growing`, its last row is read when its end is there; `has_rest` says whether there is more.
    """

    is_growing = False

    def __init__(self, path: str | PathLike[str], **options: Any) -> None:
        self.path, self.options = str(path), options
        self.replays = not is_once(path)
        self.name = str(Path(path).resolve()) if self.replays else name_of(path)
        self.n_bad, self.messages = 0, list[str]()
        self.share_read: float | None = None
        self._wanted: Wanted | None = None
        self._place, self._size = 0, 0
        self._batches: Iterator[Any] | None = None
        self._rest: Any = None
        self._opened: Any = None
        self._remembered: SeenFile | None = None

    def want(self, wanted: Wanted) -> None:
        """Say what to read; without it, all columns are read as they are written."""
        self._wanted = wanted

    def read(self, position: Any, until: Any = None) -> tuple[Any, Any]:
        """Return the next rows; see the module."""
        before = 0 if position is None else int(position)
        if before:
            self._check_same(before)
        if self.replays and (self._batches is None or before != self._place):
            self._restart(before)
        elif self._batches is None:
            self._batches = self._read()
        table = self._next()
        has_ended = self.has_rest and not self.is_growing
        if table is None and self.replays and (has_ended or Path(self.path).stat().st_size != self._size):
            self._restart(before)  # it has grown
            table = self._next()
        if table is None and until not in (None, before):
            raise StreamError(f"{self.path} was cut short: it had {until:,} rows before")
        if table is not None and until is not None and before + table.num_rows > until:
            self._rest, table = table.slice(until - before), table.slice(0, until - before)
            self._place = until
        return table, before + (0 if table is None else table.num_rows)

    @property
    def has_rest(self) -> bool:
        """Whether a last row was left out because it has no end yet."""
        return self._opened is not None and getattr(self._opened, "has_rest", False)

    def remember(self, files: Mapping[str, SeenFile]) -> None:
        """Say how the file was when it was read before."""
        self._remembered = files.get("")

    def seen(self) -> dict[str, SeenFile]:
        """Return how the file is."""
        return {"": seen_file(self.path)} if self.replays else {}

    def _check_same(self, before: int) -> None:
        """Raise StreamError if this is another file than that of which rows were read."""
        known, self._remembered = self._remembered, None
        if known is not None and not is_start(self.path, known):
            read = f"the one of which {before:,} rows were read"
            raise StreamError(f"{self.path} is another file than {read}: give it another name")

    def head(self) -> list[dict[str, Any]]:
        """Return the first rows as they are written, which are read again later."""
        source = self._open()
        names = [column.name for column in source.columns]
        batch = next(iter(source.batches(names[:1], (), kept=names)), None)
        return [] if batch is None else batch.rows.select(range(1, len(names) + 1)).to_pylist()

    def _next(self) -> Any:
        table, self._rest = self._rest, None
        if table is None:
            with reading(self.path):
                table = None if self._batches is None else next(self._batches, None)
        self._place += 0 if table is None else table.num_rows
        return table

    def _restart(self, start: int) -> None:
        """Open the file, and leave out its first rows."""
        self._place, self._rest = 0, None
        self._size = Path(self.path).stat().st_size
        self._batches = self._read()
        while self._place < start:
            table = self._next()
            if table is None:
                raise StreamError(f"{self.path} was cut short: {start:,} rows were read before")
            if self._place > start:
                more = self._place - start
                self._rest, self._place = table.slice(table.num_rows - more), start

    def _open(self) -> Any:
        if self._opened is not None and not self.replays:
            return self._opened
        given = {name: self.options.get(name) for name in ("header", "delimiter", "encoding")}
        schema = {} if self._wanted is None else self._wanted.schema
        with reading(self.path), growing_files(self.is_growing):
            source, _ = _source(
                self.path, given["header"], given["delimiter"], None, given["encoding"],
                schema.get("header"), schema.get("encoding"),
            )
        self._opened = source
        if source.is_sparse:
            raise StreamError(f"{self.path}: rows that are sparse have no columns for a key")
        return source

    def _read(self) -> Iterator[Any]:
        source = self._open()
        there = [column.name for column in source.columns]
        names, numeric, kept = self._chosen(there)
        for batch in source.batches(names, numeric, last=True, kept=kept):
            self._note(batch.problems)
            self.share_read = source.share_read
            yield pa.Table.from_batches([batch.rows])

    def _chosen(self, there: list[str]) -> tuple[list[str], set[str], list[str]]:
        wanted = self._wanted
        if wanted is None:
            return there[:1], set(), there[1:]
        missing = [name for name in (*wanted.names, *wanted.kept) if name not in there]
        if missing:
            raise StreamError(f"{self.path}: there is no column {missing[0]!r}; it has {first_of(there, 20)}")
        return wanted.names, wanted.numeric & set(there), wanted.kept

    def _note(self, problems: list[tuple[int, str]]) -> None:
        self.n_bad += len(problems)
        self.messages += [f"{self.path}, data row {n}{why}" for n, why in problems[: 5 - len(self.messages)]]


class FolderSource:
    """The files of a folder, in the order of their names; new ones are read as they come.

    A file must be complete when it gets its name: write it under a name that begins with a dot or ends in
    `.part`, and rename it. A position is the name of a file and the number of its rows before it. A new file
    whose name comes before those already read is left out, with a warning. If events are followed, the last
    file may be one that others write.
    """

    replays = True
    is_growing = False

    def __init__(self, path: str | PathLike[str], **options: Any) -> None:
        self.path, self.options = Path(path), options
        self.name = str(self.path.resolve())
        self._wanted: Wanted | None = None
        self._file: FileSource | None = None
        self._known: set[str] | None = None
        self._remembered: dict[str, SeenFile] = {}
        self._seen: dict[str, SeenFile] = {}
        self.n_bad, self.messages = 0, list[str]()
        self.share_read: float | None = None

    def want(self, wanted: Wanted) -> None:
        """Say what to read of each file."""
        self._wanted = wanted

    def files(self) -> list[str]:
        """Return the names of the files that are there, in order."""
        names = [each.name for each in self.path.iterdir() if each.is_file()]
        return sorted(name for name in names if name[0] not in "._" and not name.endswith(TEMPORARY))

    def read(self, position: Any, until: Any = None) -> tuple[Any, Any]:
        """Return the next rows; see the module."""
        names = self.files()
        self._note_new(names, position)
        first, rows = (None, None) if position is None else position
        for name in names:
            if first is None or name >= first:
                end = until[1] if until is not None and until[0] == name else None
                file = self._open(name)
                file.is_growing = self.is_growing and name == names[-1]
                table, rows = file.read(rows if name == first else None, end)
                self._seen[name] = seen_file(file.path)
                self._remembered.pop(name, None)
                if table is not None:
                    return table, [name, rows]
        return None, position

    def remember(self, files: Mapping[str, SeenFile]) -> None:
        """Say which files were read before, and how they were."""
        self._remembered = dict(files)
        self._known = {*files} or None

    def seen(self) -> dict[str, SeenFile]:
        """Return the files that were read since the last call."""
        found, self._seen = self._seen, {}
        return found

    def _open(self, name: str) -> FileSource:
        path = str(self.path / name)
        if self._file is None or self._file.path != path:
            self._file = FileSource(path, **self.options)
            self._file.remember({"": self._remembered[name]} if name in self._remembered else {})
            self._file.n_bad, self._file.messages = self.n_bad, self.messages
            if self._wanted is not None:
                self._file.want(self._wanted)
        return self._file

    @property
    def has_rest(self) -> bool:
        """Whether the last row of the last file was left out because it has no end yet."""
        return self._file is not None and self._file.has_rest

    def _note_new(self, names: list[str], position: Any) -> None:
        if self._file is not None:
            self.n_bad, self.messages = self._file.n_bad, self._file.messages
        late = [] if self._known is None else [
            name for name in names if name not in self._known and position is not None and name < position[0]
        ]
        if late:
            warnings.warn(f"{self.path}: {late[0]!r} came after later names were read: left out",
                          ColumnWarning, stacklevel=4)
        for name in names if position is not None else ():
            known = self._remembered.pop(name, None) if name < position[0] else None
            path = self.path / name
            if known is not None and (path.stat().st_size != known.size or not is_start(path, known)):
                warnings.warn(f"{path} has changed since it was read, and later names were read: left out",
                              ColumnWarning, stacklevel=4)
        self._known = set(names)


class TableEvents:
    """Events in memory: a table, frame or list of dicts, or an iterable of these.

    A position is the number of events before it.
    """

    def __init__(self, tables: Any) -> None:
        is_table = frame_names(tables) is not None or is_records(tables)
        self.replays, self._given = is_table, tables
        self._table = as_table(tables)[0] if is_table else None
        self.name = "tables" if self._table is None else f"table {_digest(self._table)}"
        self._tables = iter(()) if is_table else iter(tables)

    def head(self) -> Any:
        """Return the first events, which are read again later."""
        if self._table is None:
            first = next(self._tables, None)
            self._tables = itertools.chain([] if first is None else [first], self._tables)
            return first
        return self._given
    def read(self, position: Any, until: Any = None) -> tuple[Any, Any]:
        """Return the next events; see the module."""
        start = 0 if position is None else int(position)
        if self._table is None:
            table = next((as_table(each)[0] for each in self._tables), None)
        else:
            n = ROWS if until is None else until - start
            table = self._table.slice(start, n) if start < self._table.num_rows else None
        return table, start + (0 if table is None else table.num_rows)


def seen_file(path: str | PathLike[str]) -> SeenFile:
    """Return how a file is now."""
    size = Path(path).stat().st_size
    return SeenFile(size, _start(path, min(size, START)))


def is_start(path: str | PathLike[str], known: SeenFile) -> bool:
    """Return whether a file begins as one did that was seen."""
    return _start(path, min(known.size, START)) == known.start


def _start(path: str | PathLike[str], n: int) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(n)).hexdigest()[:16]


def _digest(table: Any) -> str:
    found = hashlib.sha256()
    for batch in table.to_batches(max_chunksize=ROWS):
        found.update(batch.serialize())
    return found.hexdigest()[:16]


def as_source(source: Any, **options: Any) -> Any:
    """Return a path, a folder, "-", a table or an iterable of tables as a source; sources as they are."""
    if hasattr(source, "read") and hasattr(source, "replays"):
        return source
    if isinstance(source, str | PathLike):
        is_folder = str(source) != "-" and Path(source).is_dir()
        return FolderSource(source, **options) if is_folder else FileSource(source, **options)
    if isinstance(source, Iterable) or frame_names(source) is not None:
        return TableEvents(source)
    raise TypeError(f"expected a path, a table or a source with `read`, got {type(source).__name__}")

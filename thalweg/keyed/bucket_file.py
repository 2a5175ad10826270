"""The keys of one bucket on disk: states, outputs and how far it has come, in one SQLite file.

What happens between two commits is one transaction: after a crash all of it is there, or nothing. The file
has one owner, whose lock ends with its process.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from thalweg._atomic_file import make_private
from thalweg._native.layout import at_most
from thalweg.errors import StateError, ThalwegError, short_repr
from thalweg.keyed.bucket import Content
from thalweg.keyed.operator import Operator
from thalweg.saving.files import allowed_bytes

AT_ONCE = 2_000  # keys that are read at a time
PARTS = 1_000_000  # most tables of outputs of a batch
UPSERT = """
INSERT INTO states VALUES (?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET last = excluded.last, state = excluded.state, late = excluded.late
"""
SETTINGS = (
    "locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL", "cache_size = -8192",
    "wal_autocheckpoint = 4000", "journal_size_limit = 67108864",
)  # fmt: skip
WAIT = 30.0  # seconds for a process that was killed to be gone
TABLES = """
CREATE TABLE IF NOT EXISTS states (number INTEGER PRIMARY KEY, key TEXT NOT NULL, last INTEGER NOT NULL,
                                   state BLOB NOT NULL, late BLOB);
CREATE TABLE IF NOT EXISTS outputs (number INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS done (one INTEGER PRIMARY KEY CHECK (one = 1), batch INTEGER NOT NULL,
                                 operator TEXT NOT NULL, counts TEXT NOT NULL);
"""


def connect(path: Path, tables: str, page_size: int = 16_384, wait: float = WAIT) -> sqlite3.Connection:
    """Open a file with these tables for its one owner; raise StateError if it is in use or damaged."""
    make_private(path)  # its -wal and -shm get the permissions of this file
    file = sqlite3.connect(path, isolation_level=None, timeout=wait)
    try:
        for setting in (f"page_size = {page_size}", *SETTINGS):
            file.execute(f"PRAGMA {setting}")
        file.execute("BEGIN EXCLUSIVE")  # the lock is taken now, not at the first change
        file.execute("COMMIT")
        file.executescript(tables)
    except BaseException as error:
        file.close()
        if isinstance(error, sqlite3.Error):
            raise in_use(path, error) from error
        raise
    return file


def in_use(path: Path, error: sqlite3.Error) -> StateError:
    """Return what to say of an error of SQLite: mostly that another process has the file."""
    if "locked" in str(error):
        return StateError(f"{path.parent} is in use by another process: wait for it, or stop it first")
    return StateError(f"{path}: {error}")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Read the file of a run here: bound its memory; raise StateError, which names it, for any damage."""
    try:
        with at_most(allowed_bytes(path.stat().st_size)):
            yield
    except sqlite3.Error as error:
        raise in_use(path, error) from error
    except (ThalwegError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StateError(f"{path} is damaged: {error}") from error


def whole(value: Any) -> int:
    """Return a whole number; raise ValueError if it is another value, which SQLite allows."""
    if type(value) is not int:
        raise ValueError(f"{short_repr(value)} is no whole number")
    return value


def checked_counts(data: Any) -> dict[str, int]:
    """Return how many events had each status; raise ValueError if these are no counts."""
    counts: dict[str, int] = json.loads(data)
    if not isinstance(counts, dict) or not all(type(n) is int and n >= 0 for n in counts.values()):
        raise ValueError("its counts of events are no numbers")
    return counts


class BucketFile:
    """A bucket of keys in memory, and the file that it is kept in."""

    def __init__(self, path: Path, operator: Operator) -> None:
        self.path, self._operator = path, operator
        self._file = connect(path, TABLES)
        self._is_open = False
        self._batch, self._n_parts = -1, 0
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        found = self._file.execute("SELECT batch, operator, counts FROM done").fetchone()
        digest = self._operator.digest_ if found is None else found[1]
        if digest != self._operator.digest_:
            seen = "this is the state of another operator, with other columns or settings"
            raise StateError(f"{self.path}: {seen}")
        self.bucket = self._operator.bucket()
        with reading(self.path):
            self.batch: int = -1 if found is None else whole(found[0])
            self.counts: dict[str, int] = {} if found is None else checked_counts(found[2])
            for content in self._contents():
                self.bucket.add(content)

    def _contents(self) -> Iterator[Content]:
        rows = self._file.execute("SELECT key, last, state, late FROM states ORDER BY number")
        while part := rows.fetchmany(AT_ONCE):
            keys = pa.array([row[0] for row in part], pa.large_string())
            last = np.array([row[1] for row in part], dtype=np.int64)
            records: Any = [row[2] for row in part]
            if self.bucket.bank.is_slab_:
                records = np.frombuffer(b"".join(records), dtype=np.uint8).reshape(len(part), -1)
            yield Content(np.arange(len(part)), keys, last, records, self._waiting([row[3] for row in part]))

    def _waiting(self, blobs: list[bytes | None]) -> Any:
        bank = self.bucket.bank
        width = bank.n_features_in_ + len(bank.classes_)
        places, orders, ids, rows = [], [], [], [np.empty((0, width))]
        for place, blob in enumerate(blobs):
            if blob is not None:
                table = from_ipc(blob)
                places += [place] * table.num_rows
                orders += table.column("order").to_pylist()
                ids += table.column("id").to_pylist()
                rows.append(np.frombuffer(b"".join(table.column("row").to_pylist())).reshape(-1, width))
        as_whole = (np.array(each, dtype=np.int64) for each in (places, orders))
        return *as_whole, ids, np.concatenate(rows)

    def process(self, batch: int, events: Any) -> None:
        """Predict and learn events, and keep the outputs; nothing lasts before `commit`."""
        if not self._is_open:
            self._file.execute("BEGIN IMMEDIATE")
            self._is_open = True
        if batch != self._batch:
            self._batch, self._n_parts = batch, 0
        outputs = self.bucket.process(events)
        counted = outputs.column("status").value_counts().to_pylist()
        for each in counted:
            self.counts[each["values"]] = self.counts.get(each["values"], 0) + each["counts"]
        number = batch * PARTS + self._n_parts
        self._n_parts += 1
        self._file.execute("INSERT INTO outputs VALUES (?, ?)", (number, to_ipc(outputs)))

    def commit(self, batch: int) -> None:
        """Let the states, the outputs and the number of the batch last, all at once."""
        if not self._is_open:
            self._file.execute("BEGIN IMMEDIATE")
        for content in self.bucket.changes():
            rows = zip(content.numbers.tolist(), content.keys.to_pylist(), content.last.tolist(),
                       content.records, _late(content), strict=True)
            self._file.executemany(UPSERT, rows)
        self._file.execute(
            "INSERT OR REPLACE INTO done VALUES (1, ?, ?, ?)",
            (batch, self._operator.digest_, json.dumps(self.counts)),
        )
        self._file.execute("COMMIT")
        self.batch, self._is_open = batch, False

    def outputs(self, batch: int) -> list[Any]:
        """Return the outputs of a batch, as tables."""
        return outputs_of(self._file, batch)

    def forget_outputs(self, until: int) -> None:
        """Remove the outputs of batches up to a number, as part of the next transaction."""
        self._file.execute("DELETE FROM outputs WHERE number < ?", ((until + 1) * PARTS,))

    def close(self) -> None:
        """Let others have the file; what was not committed is forgotten."""
        self._file.close()


def outputs_of(file: sqlite3.Connection, batch: int) -> list[Any]:
    """Return the outputs of a batch in a bucket's file, as tables."""
    wanted = (batch * PARTS, (batch + 1) * PARTS)
    found = file.execute("SELECT rows FROM outputs WHERE number >= ? AND number < ? ORDER BY number", wanted)
    return [from_ipc(row[0]) for row in found]


def _late(content: Content) -> list[bytes | None]:
    """Return for each key its rows that wait, as bytes."""
    found: list[bytes | None] = [None] * len(content.last)
    places, orders, ids, rows = content.waiting
    borders = np.flatnonzero(np.diff(places)) + 1
    for part in np.split(np.arange(len(places)), borders) if len(places) else ():
        table = pa.table({
            "order": pa.array(orders[part]), "id": pa.array([ids[i] for i in part.tolist()], pa.string()),
            "row": pa.array([rows[i].tobytes() for i in part.tolist()], pa.binary()),
        })
        found[int(places[part[0]])] = to_ipc(table, None)
    return found


def to_ipc(table: Any, compression: str | None = "lz4") -> bytes:
    """Return a table as bytes."""
    target = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(target, table.schema, options=options) as writer:
        writer.write_table(table)
    return target.getvalue().to_pybytes()


def from_ipc(data: bytes, is_own: bool = False) -> Any:
    """Return the table that `to_ipc` was given; raise StateError if it is damaged.

    Arrow relies on the borders of texts in a table. They are checked unless the bytes are those of a process
    of this run.
    """
    try:
        table = pa.ipc.open_stream(data).read_all()
        if not is_own:
            table.validate(full=True)
    except (pa.ArrowException, OSError, TypeError) as error:
        raise StateError(f"a table in the folder of a run is damaged: {error}") from error
    return table

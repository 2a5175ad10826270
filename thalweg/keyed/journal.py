"""What a run is made of and how far it has been read: the operator, the buckets, and the borders of batches.

A batch is written here before any bucket gets it. After a crash, buckets that are behind get the batches they
lack, with the same borders; events of a source that cannot be read again are kept here until all have them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from thalweg.errors import StateError
from thalweg.keyed.bucket_file import connect, from_ipc, reading, to_ipc

FORMAT = 1
NAME = "run.sqlite"
MOST_BUCKETS = 999
WAIT = 5.0  # seconds for another process to be gone
TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value BLOB);
CREATE TABLE IF NOT EXISTS batches (batch INTEGER PRIMARY KEY, start TEXT NOT NULL, stop TEXT NOT NULL,
                                    first_row INTEGER NOT NULL, n_rows INTEGER NOT NULL,
                                    source TEXT NOT NULL, events BLOB);
CREATE TABLE IF NOT EXISTS files (source TEXT, name TEXT, size INTEGER, start TEXT,
                                  PRIMARY KEY (source, name)) WITHOUT ROWID;
"""


class Border(NamedTuple):
    """A batch: its number, the positions before and after it, its first event, how many, and where from."""

    batch: int
    start: Any
    stop: Any
    first_row: int
    n_rows: int
    source: str


class SeenFile(NamedTuple):
    """A file as it was read: its size, and a checksum of its first bytes."""

    size: int
    start: str


class Journal:
    """The journal of a run's folder, which has one owner."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._file = connect(self._path, TABLES, 4096, WAIT)

    def about(self, name: str) -> Any:
        """Return what was noted under a name, or None."""
        found = self._file.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if found is None else found[0]

    def note(self, **values: Any) -> None:
        """Note values under names, all at once."""
        self._file.execute("BEGIN")
        self._file.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values.items())
        self._file.execute("COMMIT")

    def begin(self, operator: bytes, n_buckets: int) -> tuple[bytes, int]:
        """Note what the run is made of, unless it has begun; return what it is made of."""
        if self.about("operator") is None:
            self.note(operator=operator, buckets=n_buckets, format=FORMAT)
        if self.about("format") != FORMAT:
            raise StateError("keyed: the folder has another format: it was written by another release")
        return self.made_of()

    def made_of(self) -> tuple[bytes, int]:
        """Return the operator and the number of buckets; raise StateError if they are damaged."""
        return checked_parts(self.about("operator"), self.about("buckets"), self._path)

    def delivered(self) -> int:
        """Return the last batch that the sink has; -1 if it has none."""
        found = self.about("delivered")
        with reading(self._path):
            return -1 if found is None else int(found)

    def last(self) -> Border | None:
        """Return the last batch."""
        found = self._file.execute("SELECT * FROM batches ORDER BY batch DESC LIMIT 1").fetchone()
        return None if found is None else self._border(found)

    def position(self, source: str) -> Any:
        """Return the position up to which a source was read, None if it was not."""
        wanted = "SELECT stop FROM batches WHERE source = ? ORDER BY batch DESC LIMIT 1"
        found = self._file.execute(wanted, (source,)).fetchone()
        with reading(self._path):
            return None if found is None else json.loads(found[0])

    def add(self, border: Border, events: Any = None, files: Mapping[str, SeenFile] | None = None) -> None:
        """Note a batch, with its events if they cannot be read again, and what files were read for it.

        It lasts from now on.
        """
        data = None if events is None else to_ipc(events)
        values = (border.batch, json.dumps(border.start), json.dumps(border.stop), *border[3:], data)
        seen = [(border.source, name, *each) for name, each in (files or {}).items()]
        self._file.execute("BEGIN")
        self._file.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        self._file.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", seen)
        self._file.execute("COMMIT")

    def files(self, source: str) -> dict[str, SeenFile]:
        """Return the files of a source that were read."""
        wanted = "SELECT name, size, start FROM files WHERE source = ?"
        return {name: SeenFile(size, start) for name, size, start in self._file.execute(wanted, (source,))}

    def after(self, batch: int) -> list[tuple[Border, Any]]:
        """Return the batches after a number, with their events if they are kept here."""
        found = self._file.execute("SELECT * FROM batches WHERE batch > ? ORDER BY batch", (batch,))
        with reading(self._path):
            return [(self._border(row), None if row[6] is None else from_ipc(row[6])) for row in found]

    def borders(self) -> list[Border]:
        """Return all batches."""
        return [self._border(row) for row in self._file.execute("SELECT * FROM batches ORDER BY batch")]

    def _border(self, row: Any) -> Border:
        with reading(self._path):
            batch, start, stop, first, n, source, *_ = row
            return Border(int(batch), json.loads(start), json.loads(stop), int(first), int(n), source)

    def all_have(self, batch: int) -> None:
        """Forget the events of batches up to a number: all buckets have them."""
        forget = "UPDATE batches SET events = NULL WHERE batch <= ? AND events IS NOT NULL"
        self._file.execute(forget, (batch,))

    def close(self) -> None:
        """Let others have the folder."""
        self._file.close()


def checked_parts(operator: Any, n_buckets: Any, path: Path) -> tuple[bytes, int]:
    """Return what a run is made of; raise StateError if these are not bytes and a number of buckets."""
    is_number = isinstance(n_buckets, int) and 1 <= n_buckets <= MOST_BUCKETS
    if not isinstance(operator, bytes) or not is_number:
        raise StateError(f"{path} is damaged: it has no operator, or no number of buckets")
    return operator, n_buckets

"""The log of a live model: groups of events in an SQLite database."""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thalweg._atomic_file import make_private
from thalweg.errors import short_repr
from thalweg.live.errors import CommitFailed, LogDamaged
from thalweg.saving.container import pack, unpack
from thalweg.saving.plain import from_json, to_json

NAME = "log.sqlite"
FORMAT = "1"
STEP = 64  # groups that one commit removes at most
MOST_EVENTS = 1 << 32  # of a group, less one
Survive = Literal["power", "process"]
_TABLES = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS versions(first INTEGER PRIMARY KEY, version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS log(first INTEGER PRIMARY KEY, n INTEGER NOT NULL, time REAL NOT NULL,
                               data BLOB NOT NULL);
"""


class Entry(NamedTuple):
    """A group in the log: its first event, how many events it has, and its bytes."""

    first: int
    n: int
    data: bytes


class Log:
    """Groups of events on disk, in order and without a gap.

    Parameters
    ----------
    folder : path
        Where the database is.
    survive : "power" or "process"
        What a commit survives: a loss of power, because it is flushed to disk; or only the end of the
        process.
    read_only : bool
        Whether nothing may be written.
    """

    def __init__(
        self, folder: str | PathLike[str], survive: Survive = "power", read_only: bool = False
    ) -> None:
        self.path = Path(folder) / NAME
        if read_only and not self.path.exists():
            raise LogDamaged(f"{self.path}: there is no log")
        mode = "ro" if read_only else "rwc"
        if not read_only:
            make_private(self.path)  # its -wal and -shm get the permissions of this file
        with self._reading():
            self._db = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None,
                check_same_thread=False, timeout=30.0,
            )
            if not read_only:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(f"PRAGMA synchronous={'FULL' if survive == 'power' else 'NORMAL'}")
                self._db.execute("PRAGMA secure_delete=ON")
                self._db.execute("PRAGMA cache_size=-2000")
                if not self._tables():
                    self._db.executescript(_TABLES)
                    self.set_meta("format", FORMAT)
            self._check_format()

    def _tables(self) -> set[str]:
        return {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type='table'")}

    def _check_format(self) -> None:
        if not {"meta", "log", "versions"} <= self._tables():
            raise LogDamaged(f"{self.path} is not the log of a live model")
        found = self.meta("format")
        if found != FORMAT:
            raise LogDamaged(
                f"{self.path} has format {found}, this release of thalweg reads {FORMAT}: use the release "
                "that wrote it"
            )

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "malformed" in str(error) or "corrupt" in str(error):
                raise LogDamaged(f"{self.path} is damaged: {error}") from error
            raise CommitFailed(f"{self.path} cannot be opened or read: {error}") from error
        except sqlite3.DatabaseError as error:
            raise LogDamaged(f"{self.path} is damaged: {error}") from error

    def meta(self, key: str) -> str | None:
        """Return what was stored under a key."""
        with self._reading():
            found = self._db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return None if found is None else found[0]

    def set_meta(self, key: str, value: str) -> None:
        """Store text under a key."""
        self.set_all({key: value})

    def set_all(self, notes: Mapping[str, str]) -> None:
        """Store texts under their keys, all or none."""
        with self._writing():
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", notes.items())
            self._db.execute("COMMIT")

    def erasures(self) -> tuple[str | None, str | None]:
        """Return what changes whenever all events so far are removed because an id is erased."""
        return self.meta("emptied"), self.meta("erasures")

    def notes(self) -> dict[str, str]:
        """Return all texts that are stored under a key."""
        with self._reading():
            return dict(self._db.execute("SELECT key, value FROM meta").fetchall())

    def changes(self) -> list[tuple[int, dict[str, Any]]]:
        """Return how settings were changed, in order: after which event, and to what."""
        try:
            found = [(int(event), data) for event, data in json.loads(self.meta("changes") or "[]")]
        except (TypeError, ValueError) as error:
            raise LogDamaged(f"{self.path} is damaged: {error}") from error
        return [(event, _setting(data)) for event, data in found]

    def add_change(self, event: int, settings: dict[str, Any]) -> None:
        """Note that settings were changed after an event."""
        arrays: list[Any] = []
        content = to_json(settings, arrays)
        known = json.loads(self.meta("changes") or "[]")
        data = pack({"content": content}, arrays).hex()
        self.set_meta("changes", json.dumps([*known, [event, data]]))

    def versions(self) -> list[tuple[int, str]]:
        """Return the versions of thalweg that wrote the log, each with its first event."""
        with self._reading():
            found = [*self._db.execute("SELECT first, version FROM versions ORDER BY first")]
        if any(type(first) is not int or type(version) is not str for first, version in found):
            raise LogDamaged(f"{self.path} is damaged: a version is no text")
        return found

    def emptied(self) -> int:
        """Return the event up to which all were removed, 0 if there is none."""
        found = self.meta("emptied")
        try:
            return 0 if found is None else int(found)
        except ValueError as error:
            raise LogDamaged(f"{self.path} is damaged: {error}") from error

    def begin_version(self, first: int, version: str) -> None:
        """Note that events from `first` on are written by a version, if the one before was another."""
        known = self.versions()
        if not known or known[-1][1] != version:
            with self._writing():
                self._db.execute("INSERT OR REPLACE INTO versions VALUES (?, ?)", (first, version))

    def append(
        self, entries: Sequence[Entry], now: float, remove_below: int = 0,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Write groups, and text under the keys of `notes`; when this returns they are on disk.

        In the same commit, a few of the groups whose events are all below `remove_below` are removed.
        """
        with self._writing():
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT INTO log VALUES (?, ?, ?, ?)",
                ((each.first, each.n, now, each.data) for each in entries),
            )
            if notes:
                self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", notes.items())
            if remove_below:
                self._remove(remove_below, STEP)
            self._db.execute("COMMIT")

    def _remove(self, below: int, most: int) -> int:
        removed = self._db.execute(
            "DELETE FROM log WHERE first IN (SELECT first FROM log WHERE first + n <= ? ORDER BY first "
            "LIMIT ?)", (below, most),
        )
        return removed.rowcount

    def remove(self, below: int, most: int = STEP) -> int:
        """Remove groups, oldest first, whose events are all below `below`; return how many."""
        with self._writing():
            return self._remove(below, most)

    def entries(self, after: int, most: int = 256) -> list[Entry]:
        """Return groups after an event, at most so many."""
        with self._reading():
            found = self._db.execute(
                "SELECT first, n, data FROM log WHERE first > ? ORDER BY first LIMIT ?", (after, most)
            ).fetchall()
        return [self._checked(*row) for row in found]

    def _checked(self, first: Any, n: Any, data: Any) -> Entry:
        """Return a group; raise LogDamaged if a value has another type, which SQLite allows."""
        if not (type(first) is type(n) is int and type(data) is bytes and first > 0 and 0 < n < MOST_EVENTS):
            raise LogDamaged(f"{self.path} is damaged: the group at event {short_repr(first)} is none")
        return Entry(first, n, data)

    def span(self) -> tuple[int, int] | None:
        """Return the first and last event in the log, None if it is empty."""
        with self._reading():
            first = self._db.execute("SELECT first FROM log ORDER BY first LIMIT 1").fetchone()
            last = self._db.execute("SELECT first, n FROM log ORDER BY first DESC LIMIT 1").fetchone()
        if first is None:
            return None
        start, n = last
        newest = self._checked(start, n, b"")
        return int(first[0]), newest.first + newest.n - 1

    def size(self) -> tuple[int, int]:
        """Return the number of groups and of their bytes."""
        with self._reading():
            n, size = self._db.execute("SELECT count(*), total(length(data)) FROM log").fetchone()
        return int(n), int(size)

    def check(self) -> None:
        """Raise LogDamaged if the structure of the database is damaged."""
        with self._reading():
            found = [text for (text,) in self._db.execute("PRAGMA quick_check(5)")]
        if found != ["ok"]:
            raise LogDamaged(f"{self.path} is damaged: {'; '.join(found)}")

    def shrink(self) -> None:
        """Give free space back, so that nothing that was removed stays in the files."""
        with self._writing():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise CommitFailed(
                f"{self.path} could not be written: {error}; is the disk full, or the folder read-only?"
            ) from error

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _setting(data: str) -> dict[str, Any]:
    try:
        description, arrays = unpack(bytes.fromhex(data))
        return dict(from_json(description["content"], arrays))
    except (LookupError, TypeError, ValueError) as error:
        raise LogDamaged(f"a change of settings is damaged: {error}") from error


def now() -> float:
    """Return the time in seconds since 1970."""
    return time.time()

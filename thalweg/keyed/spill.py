"""States on disk: a SQLite file that lives as long as its bank."""

import sqlite3
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

PAGE = 16_384  # bytes of a page: several states
CACHE = 2_000  # pages that SQLite keeps in memory
AT_ONCE = 500  # states asked for in one query


class Spill:
    """States by the number of their key, in a file without a name that others could open.

    It holds what does not fit into memory now, and goes with the process: `thalweg.save` keeps a bank.
    Writes of a block are one transaction.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="thalweg-bank-", dir=folder)
        self.path = Path(self._folder.name) / "states.sqlite"
        self._file = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        for setting in (
            f"page_size = {PAGE}", f"cache_size = {CACHE}", "journal_mode = OFF", "synchronous = OFF",
            "locking_mode = EXCLUSIVE", "temp_store = MEMORY",
        ):
            self._file.execute(f"PRAGMA {setting}")
        self._file.execute("CREATE TABLE states (number INTEGER PRIMARY KEY, state BLOB NOT NULL)")
        self.n_read = self.n_written = 0
        self._finalizer = weakref.finalize(self, _close, self._file, self._folder)

    def write(self, states: Iterable[tuple[int, Any]]) -> None:
        """Keep states, each a pair of a number and bytes."""
        self._file.execute("BEGIN")
        done = self._file.executemany("INSERT OR REPLACE INTO states VALUES (?, ?)", states)
        self._file.execute("COMMIT")
        self.n_written += max(done.rowcount, 0)

    def read(self, numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the states of these numbers, in any order."""
        self.n_read += len(numbers)
        for start in range(0, len(numbers), AT_ONCE):
            part = numbers[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            yield from self._file.execute(f"SELECT * FROM states WHERE number IN ({marks})", part)

    def close(self) -> None:
        """Remove the file."""
        self._finalizer()


def _close(file: sqlite3.Connection, folder: "tempfile.TemporaryDirectory[str]") -> None:
    file.close()
    folder.cleanup()

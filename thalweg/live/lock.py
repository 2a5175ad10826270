"""One owner of a folder: a lock that ends with its process."""

import os
import time
from pathlib import Path
from typing import BinaryIO

from thalweg._atomic_file import PRIVATE, opener
from thalweg.live.errors import FolderInUse

if os.name == "nt":
    import msvcrt

    def _try_lock(file: BinaryIO) -> None:
        file.seek(1 << 20)  # beyond the text, which others may read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
else:
    import fcntl

    def _try_lock(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """The lock of a folder.

    The operating system releases it when the process ends, however it ends. A process that is being killed
    may still have it for a moment, so it is tried again for up to `wait` seconds.
    """

    def __init__(self, folder: Path, wait: float = 5.0) -> None:
        self._path = folder / "lock"
        self._file: BinaryIO | None = open(  # noqa: SIM115, closed by release
            self._path, "a+b", opener=opener(PRIVATE)
        )
        deadline = time.monotonic() + wait
        while True:
            try:
                _try_lock(self._file)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    owner = self._owner()
                    self._file.close()
                    raise FolderInUse(
                        f"{folder} is in use{owner}: stop that one first, or open the folder read-only with "
                        "LiveFollower"
                    ) from None
                time.sleep(0.02)
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def _owner(self) -> str:
        try:
            pid = self._path.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            pid = ""
        return f" by process {pid}" if pid.isdigit() else ""

    def release(self) -> None:
        """Let others have the folder."""
        if self._file is not None:
            self._file.close()
            self._file = None

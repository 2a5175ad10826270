"""Writing a file so that it is either complete or unchanged, and files that only their owner may read."""

import contextlib
import io
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

PRIVATE = 0o600  # the mode of a file with rows, labels, ids or keys
PRIVATE_FOLDER = 0o700
ANY = 0o666  # less the umask of the process


@contextmanager
def replacing(
    path: str | os.PathLike[str], check: Callable[[Path], object] = lambda part: None, mode: int = ANY
) -> Iterator[BinaryIO]:
    """Give a new binary file that takes the name `path` at the end of the `with` block.

    Until then it lies beside `path` under another name, by which `check` may read what the disk has; after an
    error it is removed. From its first byte it has the permissions of the file it replaces, or those in
    `mode` less the umask. Links go on pointing at it. A device or a pipe is not replaced but written into, at
    the end.
    """
    old = _status(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with _written_into(path, check) as file:
            yield file
        return
    path = Path(path).resolve()
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb", opener=opener(mode if old is None else stat.S_IMODE(old.st_mode))) as file:
            if old is not None:
                _take_over(file.fileno(), part, old)
            yield file
            file.flush()
            os.fsync(file.fileno())
        check(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Give a new text file in UTF-8 that takes the name `path` at the end of the `with` block."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            text.detach()


def opener(mode: int) -> Callable[[str, int], int]:
    """Return an opener for `open` that makes a new file with these permissions, less the umask."""
    return lambda path, flags: os.open(path, flags, mode)


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read and write, unless there is a file."""
    # A folder that does not allow it is reported by whoever opens the file.
    with contextlib.suppress(OSError), open(path, "xb", opener=opener(PRIVATE)):
        pass


def make_private_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, unless there is one; folders above it are as usual."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def mode_of(path: Path) -> int:
    """Return the permissions of a file, `PRIVATE` if there is none."""
    old = _status(path)
    return PRIVATE if old is None else stat.S_IMODE(old.st_mode)


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


@contextmanager
def _written_into(path: str | os.PathLike[str], check: Callable[[Path], object]) -> Iterator[BinaryIO]:
    """Give a temporary file that is copied into a device or pipe at the end of the `with` block."""
    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:  # of this user alone
        part = Path(folder) / "part"
        with open(part, "xb") as file:
            yield file
        check(part)
        with open(part, "rb") as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target)


def _take_over(file: int, part: Path, old: os.stat_result) -> None:
    """Give a new file the owner, where this user may, and the permissions of another."""
    if hasattr(os, "fchown"):  # Windows has no owners
        with contextlib.suppress(OSError):
            os.fchown(file, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))

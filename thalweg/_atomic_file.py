"""Writing a file so that it is either complete or unchanged."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(
    path: str | os.PathLike[str], check: Callable[[Path], object] = lambda part: None
) -> Iterator[BinaryIO]:
    """Give a new binary file that takes the name `path` at the end of the `with` block.

    Until then it lies beside `path` under another name, by which `check` may read what the disk has; after an
    error it is removed. It gets the permissions of the file it replaces. Links go on pointing at it.
    """
    path = Path(path).resolve()
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check(part)
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

"""Errors of the system and of pyarrow, reported as StreamError."""

from collections.abc import Iterator
from contextlib import contextmanager

from thalweg.errors import StreamError


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Convert errors of the system and of pyarrow inside the `with` block into a StreamError about `name`."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise StreamError(f"{name}: there is no such file") from error
    except (OSError, EOFError, MemoryError, UnicodeDecodeError, pa.ArrowException) as error:
        lines = str(getattr(error, "strerror", None) or error).splitlines() or [type(error).__name__]
        raise StreamError(f"{name} cannot be read, it may be damaged or cut short: {lines[0]}") from error

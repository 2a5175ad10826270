"""What goes wrong while a stream is read."""

from contextlib import contextmanager


class StreamError(ValueError):
    """A stream cannot be read: one line that names the file and, where known, the row, column and value."""


@contextmanager
def reading(name):
    """Turn what the system or pyarrow raises while `name` is read into one line."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise StreamError(f"{name}: there is no such file") from error
    except (OSError, EOFError, pa.ArrowException) as error:
        lines = str(getattr(error, "strerror", None) or error).splitlines() or [type(error).__name__]
        raise StreamError(f"{name} cannot be read, it may be damaged or cut short: {lines[0]}") from error

"""What goes wrong while a stream is read."""

from contextlib import contextmanager

from thalweg.errors import ThalwegError

MAX_LENGTH = 1000


class StreamError(ThalwegError, ValueError):
    """A stream cannot be read: one line that names the file and, where known, the row, column and value."""

    def __init__(self, message):
        super().__init__(one_line(message))


def one_line(text):
    """Return `text` with line ends and other control characters escaped, cut to a readable length.

    Names, labels and cells of a damaged file may be any text, such as commands to a terminal.
    """
    text = text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def reading(name):
    """Turn what the system or pyarrow raises while `name` is read into one line."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise StreamError(f"{name}: there is no such file") from error
    except (OSError, EOFError, MemoryError, UnicodeDecodeError, pa.ArrowException) as error:
        lines = str(getattr(error, "strerror", None) or error).splitlines() or [type(error).__name__]
        raise StreamError(f"{name} cannot be read, it may be damaged or cut short: {lines[0]}") from error

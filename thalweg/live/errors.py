"""The errors of live models: all derive from LiveError, itself a ThalwegError."""

from thalweg.errors import ThalwegError, one_line


class LiveError(ThalwegError, ValueError):
    """Base class of the errors of live models.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class QueueFull(LiveError):
    """More rows are waiting for an answer than `max_queue` allows: try again soon."""


class Recovering(LiveError):
    """The live model is replaying its log: try again soon."""


class FolderInUse(LiveError):
    """Another process, or another live model of this one, has the folder open."""


class LogDamaged(LiveError):
    """The log or all checkpoints of a folder are damaged, cut, or have a gap."""


class OtherVersion(LiveError):
    """The log has events of another version of thalweg, which are not replayed silently."""


class LiveStopped(LiveError):
    """The live model was closed, or has stopped after an error: open the folder again."""


class CommitFailed(LiveStopped):
    """Events could not be written to disk, so the live model has stopped; none of them was acknowledged."""


class ReadOnly(LiveError):
    """A follower only reads: predictions with ids, labels and rows to learn go to the owner of the folder."""


class RowError(LiveError):
    """A row of a request cannot be read, so nothing of the request was done.

    Attributes
    ----------
    row : int or None
        Its position in the request, where known.
    column : str or None
        The column, "id" or "label", where known.
    problem : str
        What is wrong.
    """

    def __init__(self, problem: str, row: int | None = None, column: str | None = None) -> None:
        self.row, self.column, self.problem = row, column, one_line(problem)
        places = [] if row is None else [f"row {row}"]
        places += [] if column is None else [f"column {column!r}"]
        super().__init__(f"{', '.join(places)}: {self.problem}" if places else self.problem)

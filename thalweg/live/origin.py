"""Which model runs in a folder: when it was put there, and what it was then."""

import json
from typing import NamedTuple

from thalweg.live.log import Log
from thalweg.model import Model

NAME = "model"


class Origin(NamedTuple):
    """The model that was put into a folder last, when it began or with `replace`.

    Attributes
    ----------
    digest : str or None
        Its checksum then; None if it had learned nothing, or an earlier release has put it there.
    since : float or None
        When that was, in seconds since 1970; None if an earlier release did it.
    event : int
        After which event.
    """

    digest: str | None
    since: float | None
    event: int


def note_of(model: Model, since: float, event: int) -> dict[str, str]:
    """Return what the log keeps of a model that is put into a folder."""
    return {NAME: json.dumps(Origin(model.digest() if model._begun else None, since, event)._asdict())}


def origin_of(log: Log) -> Origin:
    """Return which model runs, from what the log keeps."""
    found = log.meta(NAME)
    return Origin(None, None, 0) if found is None else Origin(**json.loads(found))

"""Checkpoints: the whole state of a live model at an event, each in a model file."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thalweg._atomic_file import mode_of, opener
from thalweg._types import State
from thalweg.errors import ModelFileError
from thalweg.live.log import NAME
from thalweg.saving.files import _bytes_of, describe

_NAME = re.compile(r"checkpoint-(\d+)\.tw")
KEPT = 2


class Checkpoint(NamedTuple):
    """A checkpoint that was read: its event, the state of the model, what else was kept, and who wrote it."""

    event: int
    model: State
    live: dict[str, Any]
    version: str


def path_of(folder: Path, event: int) -> Path:
    """Return the file of the checkpoint at an event."""
    return folder / f"checkpoint-{event}.tw"


def events_of(folder: Path) -> list[int]:
    """Return the events at which there are checkpoints, newest first."""
    found = (_NAME.fullmatch(name) for name in os.listdir(folder))
    return sorted((int(match[1]) for match in found if match), reverse=True)


def write(folder: Path, event: int, model: State, live: dict[str, Any]) -> int:
    """Write a checkpoint; return its bytes. When this returns it is on disk, or an OSError was raised.

    It is written under another name and flushed, takes its name, and the folder is flushed: a crash at any
    moment leaves the whole file or none. It has the permissions of the log: those of its owner alone, unless
    the folder was shared with others on purpose or by an earlier release.
    """
    data = _bytes_of(model, {"live": live, "event": event})
    path = path_of(folder, event)
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)  # its permissions may be others
        with open(part, "xb", opener=opener(mode_of(folder / NAME))) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        flush_folder(folder)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return len(data)


def flush_folder(folder: Path) -> None:
    """Flush the names of the files in a folder to disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(folder: Path, event: int) -> Checkpoint:
    """Return a checkpoint; raise ModelFileError if it is damaged."""
    content = describe(path_of(folder, event))
    notes = content["notes"]
    found = notes.get("event")
    if type(found) is not int or found != event or not isinstance(notes.get("live"), dict):
        raise ModelFileError(f"{path_of(folder, event)}: this is no checkpoint at event {event}")
    return Checkpoint(event, content["state"], notes["live"], str(content["about"].get("version")))


def readable(folder: Path) -> Iterator[Checkpoint | tuple[int, Exception]]:
    """Yield the checkpoints, newest first; for one that cannot be read, its event and the error."""
    for event in events_of(folder):
        try:
            yield read(folder, event)
        except (OSError, ModelFileError) as error:
            yield event, error


def remove_old(folder: Path, keep: int = KEPT) -> None:
    """Remove all but the newest checkpoints, and what a crash left half written."""
    remove(folder, events_of(folder)[keep:])


def remove(folder: Path, events: Sequence[int]) -> None:
    """Remove the checkpoints at these events."""
    for event in events:
        path_of(folder, event).unlink(missing_ok=True)


def remove_parts(folder: Path) -> None:
    """Remove what a crash left half written."""
    for path in folder.glob("checkpoint-*.tw.part"):
        path.unlink(missing_ok=True)

"""What is in the folder of a live model, and whether it is sound: read without changing anything."""

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from thalweg.errors import StateError
from thalweg.live import checkpoints
from thalweg.live.engine import Engine
from thalweg.live.errors import LiveError, LogDamaged
from thalweg.live.events import from_bytes
from thalweg.live.log import NAME, Log
from thalweg.live.recovery import newest_engine, replay


class Checked(NamedTuple):
    """What `verify` found.

    `event` is the last event; `replayed` how many events were replayed, and `problems` are sentences.
    """

    event: int
    groups: int
    replayed: int
    digest: str | None
    problems: list[str]


def inspect(folder: str | PathLike[str]) -> dict[str, Any]:
    """Return what is in the folder of a live model as plain data."""
    path = _checked(folder)
    log = Log(path, read_only=True)
    try:
        engine, _ = newest_engine(path, watched=False)
        span, (n_groups, n_bytes) = log.span(), log.size()
        found: dict[str, Any] = {
            "folder": str(path),
            "event": max(engine.event, span[1] if span else 0),
            "checkpoints": _checkpoints(path),
            "log": {"first": span[0] if span else None, "last": span[1] if span else None,
                    "groups": n_groups, "bytes": n_bytes},
            "to_replay": max(0, (span[1] if span else 0) - engine.event),
            "versions": [{"first": first, "version": version} for first, version in log.versions()],
        }
    finally:
        log.close()
    return found | _engine_facts(engine)


def _engine_facts(engine: Engine) -> dict[str, Any]:
    model = engine.model
    facts: dict[str, Any] = {"max_waiting": model.max_waiting, "known": len(engine.done),
                             "label_budget": None if engine.budget is None else repr(engine.budget)}
    if engine.has_begun:
        facts |= {"learner": type(model.learner_).__name__, "target": model._coding.target,
                  "classes": list(model._class_list), "columns": dict(model.columns.kinds),
                  "waiting": len(engine.waiting)}
    return facts


def _checkpoints(folder: Path) -> list[dict[str, Any]]:
    found = []
    for each in checkpoints.readable(folder):
        good = isinstance(each, checkpoints.Checkpoint)
        event = each.event if isinstance(each, checkpoints.Checkpoint) else each[0]
        size = checkpoints.path_of(folder, event).stat().st_size
        version = each.version if isinstance(each, checkpoints.Checkpoint) else None
        found.append({"event": event, "bytes": size, "is_good": good, "version": version})
    return found


def verify(folder: str | PathLike[str]) -> Checked:
    """Check every group and checkpoint, and that the older checkpoint leads to the newer one."""
    path = _checked(folder)
    problems: list[str] = []
    log = Log(path, read_only=True)
    try:
        n_groups = _check_groups(log, problems)
        engines = _engines(path, problems)
        replayed, digest, event = 0, None, 0
        if engines:
            replayed, digest, event = _replay_all(log, engines, problems)
    finally:
        log.close()
    return Checked(event, n_groups, replayed, digest, problems)


def _check_groups(log: Log, problems: list[str]) -> int:
    try:
        log.check()
    except LogDamaged as error:
        problems.append(str(error))
    n, expected = 0, None
    after = 0
    try:
        while entries := log.entries(after):
            for entry in entries:
                if expected is not None and entry.first != expected:
                    problems.append(f"the log has a gap: events {expected} to {entry.first - 1} are missing")
                try:
                    if len(from_bytes(entry.data)) != entry.n:
                        problems.append(f"the group at event {entry.first} has another number of events")
                except LogDamaged as error:
                    problems.append(f"the group at event {entry.first}: {error}")
                expected, n, after = entry.first + entry.n, n + 1, entry.first
    except LogDamaged as error:
        problems.append(str(error))
    return n


def _engines(folder: Path, problems: list[str]) -> list[Engine]:
    """Return the states in the checkpoints that are good, oldest first."""
    found = []
    for each in checkpoints.readable(folder):
        if not isinstance(each, checkpoints.Checkpoint):
            problems.append(f"checkpoint-{each[0]}.tw: {each[1]}")
            continue
        try:
            found.append(Engine.from_state(each.model, each.live))
        except StateError as error:
            problems.append(f"checkpoint-{each.event}.tw: {error}")
    if not found:
        problems.append("there is no checkpoint that can be read")
    return found[::-1]


def _replay_all(log: Log, engines: list[Engine], problems: list[str]) -> tuple[int, str | None, int]:
    engine, n = engines[0], 0
    try:
        for later in engines[1:]:
            n += replay(engine, log, until=later.event)
            for _, settings in [each for each in log.changes() if each[0] == later.event]:
                later.change(settings)  # it may have been written before
            if _bounds(engine) != _bounds(later):
                engine = later  # an earlier release wrote it because of other bounds
            elif engine.event != later.event or engine.digest() != later.digest():
                before = "what the checkpoint before it and the events after that lead to"
                problems.append(f"the checkpoint at event {later.event} differs from {before}")
                engine = later
        n += replay(engine, log)
        return n, engine.digest(), engine.event
    except LogDamaged as error:
        problems.append(str(error))
        return n, None, engine.event


def _bounds(engine: Engine) -> tuple[int, int]:
    return engine.model.max_waiting, engine.done.capacity


def _checked(folder: str | PathLike[str]) -> Path:
    path = Path(folder)
    if not path.is_dir() or not (path / NAME).exists():
        raise LiveError(f"{folder} is not the folder of a live model: it has no {NAME}")
    return path

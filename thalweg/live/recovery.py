"""From the files of a folder to the state of its live model: a checkpoint, and the events after it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import numpy as np

from thalweg import __version__
from thalweg._native.missing import scan
from thalweg.errors import ThalwegError
from thalweg.live import checkpoints
from thalweg.live.block import Block
from thalweg.live.engine import Engine, check_waiting
from thalweg.live.errors import LogDamaged, OtherVersion
from thalweg.live.events import (
    ADD_CLASS,
    ALONE,
    HAS_CODE,
    HAS_ID,
    HAS_ROW,
    LABEL,
    LEARN,
    LEARN_WITHOUT_ID,
    PREDICT,
    REPLACE,
    Group,
    from_bytes,
    joined_from_bytes,
)
from thalweg.live.log import Entry, Log
from thalweg.live.operations import apply_replace
from thalweg.live.requests import LEARNED
from thalweg.model import Model
from thalweg.rows.sparse_rows import SparseRows
from thalweg.saving import from_bytes as model_from_bytes

logger = logging.getLogger("thalweg.live")
BLOCK = 512  # events that are passed to the learner at once


def newest_engine(folder: Path, watched: bool = True) -> tuple[Engine, list[int]]:
    """Return the state at the newest checkpoint that is good, and the events of newer ones that are not.

    If it is `watched`, a `LiveWatch` continues from what the checkpoint has of one, or begins.
    """
    problems, damaged = [], []
    for found in checkpoints.readable(folder):
        if isinstance(found, tuple) and not isinstance(found, checkpoints.Checkpoint):
            event, error = found
            problems.append(f"checkpoint-{event}.tw: {error}")
            damaged.append(event)
            logger.warning("a checkpoint is left out: %s", problems[-1])
            continue
        try:
            engine = Engine.from_state(found.model, found.live)
            engine.is_watched = watched
            engine.begin_watch(found.live.get("watch"))
            return engine, damaged
        except (ThalwegError, LookupError, TypeError, ValueError) as error:
            problems.append(f"checkpoint-{found.event}.tw: {error}")
            damaged.append(found.event)
            logger.warning("a checkpoint is left out: %s", problems[-1])
    seen = "; ".join(problems) if problems else "there is none"
    raise LogDamaged(f"{folder}: no checkpoint can be read: {seen}")


def check_span(engine: Engine, log: Log, folder: Path) -> None:
    """Raise LogDamaged if the log does not go on where the checkpoint ends."""
    span, emptied = log.span(), log.emptied()
    last = max(emptied, span[1] if span else 0)
    if last < engine.event:
        raise LogDamaged(
            f"{folder}: the log ends at event {last}, the checkpoint is at {engine.event}: the log was cut, "
            "or belongs to another folder; a copy of a folder needs log.sqlite-wal too"
        )


def check_version(engine: Engine, log: Log, allow_other: bool) -> None:
    """Raise OtherVersion if events of another version would have to be replayed."""
    span = log.span()
    if allow_other or span is None or span[1] <= engine.event:
        return
    known = [*log.versions(), (span[1] + 1, "")]
    others = {
        version
        for (first, version), (end, _) in pairwise(known)
        if version != __version__ and end > engine.event + 1 and first <= span[1]
    }
    if others:
        raise OtherVersion(
            f"the log has {span[1] - engine.event:,} events of thalweg {', '.join(sorted(others))} after the "
            f"last checkpoint, and this is {__version__}: open the folder with that version and close it, "
            "which writes a checkpoint; or replay them with this one: replay_other_version=True"
        )


def replay(engine: Engine, log: Log, until: int | None = None) -> int:
    """Pass the events after those of the engine to it, up to `until`; return how many.

    Groups are joined into blocks, which changes nothing but the time it takes.
    """
    first, block, n_changed = engine.event, None, 0
    while True:
        after = engine.event + (0 if block is None else len(block))
        entries = log.entries(after)
        entries = [each for each in entries if until is None or each.first + each.n - 1 <= until]
        # Read after the groups: a change is on disk before any event that comes after it.
        changes = [each for each in log.changes() if each[0] >= first][n_changed:]
        if changes and changes[0][0] <= after:
            _finish(block)
            block, n_changed = None, n_changed + 1
            with _damaged_at(changes[0][0]):
                engine.change(changes[0][1])
            continue
        entries = [each for each in entries if not changes or each.first <= changes[0][0]]
        if not entries:
            break
        _check_order(entries, after + 1)
        for part in _parts(entries):
            block = _apply(engine, block, part)
    _finish(block)
    return engine.event - first


def _finish(block: Block | None) -> None:
    if block is not None:
        with _damaged_at(block.first):
            block.finish()


def _check_order(entries: list[Entry], expected: int) -> None:
    for entry in entries:
        if entry.first != expected:
            raise LogDamaged(f"the log has a gap: events {expected} to {entry.first - 1} are missing")
        expected = entry.first + entry.n


def _parts(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Yield entries one by one, but small ones together."""
    part: list[Entry] = []
    n = 0
    for entry in entries:
        if part and n + entry.n > BLOCK:
            yield part
            part, n = [], 0
        part.append(entry)
        n += entry.n
    if part:
        yield part


@contextmanager
def _damaged_at(event: int) -> Iterator[None]:
    """Raise LogDamaged, which names the event, for whatever is wrong with the events here."""
    try:
        yield
    except (ThalwegError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        where = "" if f"event {event}" in str(error) else f"the group at event {event}: "
        raise LogDamaged(f"{where}{error}") from error


def _apply(engine: Engine, block: Block | None, entries: list[Entry]) -> Block | None:
    """Add groups to the block, finish it when it is long enough; return the open one."""
    group, first = None, entries[0].first
    with suppress(LogDamaged):  # read one by one, the groups say which of them is damaged
        group = joined_from_bytes([each.data for each in entries])
    if group is not None and len(group) == sum(each.n for each in entries) and engine.has_begun:
        with _damaged_at(first):
            return _add(engine, block, group, first)
    for entry in entries:
        with _damaged_at(entry.first):
            block = _apply_one(engine, block, entry)
    return block


def _apply_one(engine: Engine, block: Block | None, entry: Entry) -> Block | None:
    group = from_bytes(entry.data)
    if len(group) != entry.n:
        raise LogDamaged(f"it has {len(group)} events instead of {entry.n}")
    is_class = group.kinds.tolist() == [ADD_CLASS]
    if group.model is None and not is_class:
        return _add(engine, block, group, entry.first)
    if block is not None:
        block.finish()
    if is_class:
        _add_class(engine, group)
    else:
        _begin_or_replace(engine, group)
        engine.time = group.time
    return None


def _add(engine: Engine, block: Block | None, group: Group, first: int) -> Block | None:
    block = engine.open_block() if block is None else block
    engine.coder.grow(group.growth)
    _check_fits(engine, group, first)
    engine.time = group.time[-1] if isinstance(group.time, list) else group.time
    add_group(block, group, first)
    if len(block) >= BLOCK:
        block.finish()
        return None
    return block


def _check_fits(engine: Engine, group: Group, first: int) -> None:
    """Raise LogDamaged unless these are rows and labels for the model: compiled code relies on it."""
    X, codes, coder = group.X, group.codes, engine.coder
    if np.isin(group.kinds, ALONE).any():
        raise LogDamaged("it replaces a model and has none, or adds a class beside other events")
    if len(X) and (X.shape[1] != coder.n_inputs or isinstance(X, SparseRows) != coder.sparse):
        seen = f"{'sparse ' if isinstance(X, SparseRows) else ''}rows of {X.shape[1]} inputs"
        raise LogDamaged(f"it has {seen}, which are not those of the model")
    n_labels = len(engine.model._coding.labels)
    if len(codes) and not 0 <= codes.min() <= codes.max() < n_labels:
        i = int(np.argmax((codes < 0) | (codes >= n_labels)))
        event = first + int(np.flatnonzero(HAS_CODE[group.kinds])[i])
        raise LogDamaged(f"event {event} has the label {codes[i]}, and the model knows {n_labels}")
    if isinstance(X, np.ndarray) and (i := scan(X)[2]) >= 0:
        event = first + int(np.flatnonzero(HAS_ROW[group.kinds])[i])
        raise LogDamaged(f"event {event} has an infinite value")


def _begin_or_replace(engine: Engine, group: Group) -> None:
    model = model_from_bytes(group.model or b"")
    if not isinstance(model, Model) or not model._begun:
        raise LogDamaged("the model in it is none that has learned")
    if group.kinds.tolist() == [REPLACE]:
        check_waiting(model)
        apply_replace(engine, model, group.time)
    else:
        if not np.isin(group.kinds, (LEARN, LEARN_WITHOUT_ID)).all():
            raise LogDamaged("a model begins with other events than rows that are learned")
        codes = group.codes.tolist() if group.ids else []
        engine.begin(model, group.ids, codes, len(group))


def _add_class(engine: Engine, group: Group) -> None:
    labels = group.growth.get("labels", [])
    if not engine.has_begun or group.growth != {"labels": labels} or len(labels) != 1:
        raise LogDamaged("it adds a class, and has no label or no model to add it to")
    engine.add_class(labels[0], group.time)


def add_group(block: Block, group: Group, first: int) -> None:
    """Add the events of a group to a block."""
    kinds = group.kinds
    ids, rows, codes = (
        np.concatenate([[0], np.cumsum(has[kinds])]).tolist() for has in (HAS_ID, HAS_ROW, HAS_CODE)
    )
    labels = group.codes.tolist()
    borders = [0, *(np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist(), len(kinds)]
    for start, stop in pairwise(borders):
        kind = int(kinds[start])
        keys = group.ids[ids[start] : ids[stop]]
        part, given = slice(rows[start], rows[stop]), labels[codes[start] : codes[stop]]
        time = group.time[start:stop] if isinstance(group.time, list) else group.time
        if kind == PREDICT:
            block.predict(keys, group.X[part], time)
        elif kind == LABEL:
            statuses, _ = block.label(keys, given, time)
            if statuses.count(LEARNED) != len(keys):
                raise LogDamaged(f"the group at event {first} has labels of rows that do not wait")
        else:
            block.learn(group.X[part], given, keys or None, time)
    if group.n_expired > block.n_waiting:
        raise LogDamaged(f"the group at event {first} removes {group.n_expired} rows, and fewer wait")
    block.expire(group.n_expired)

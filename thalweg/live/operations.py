"""What an operator does to a live model: export it, replace it, erase an id."""

import time
from typing import Any

import numpy as np

from thalweg.live.answering import NO_COLUMNS
from thalweg.live.consuming import without_id
from thalweg.live.engine import Engine, check_waiting
from thalweg.live.errors import LiveError
from thalweg.live.events import ADD_CLASS, REPLACE, Group
from thalweg.live.folder import with_max_waiting
from thalweg.live.ids import Id
from thalweg.live.keeper import Keeper
from thalweg.live.origin import note_of
from thalweg.live.recoding import label_codes, misfit, recode
from thalweg.live.waiting import DROPPED
from thalweg.model import Model
from thalweg.saving import from_bytes, to_bytes


def exported(engine: Engine) -> Model:
    """Return a copy of the model, in which the rows that wait do so as well."""
    model = engine.model.copy()
    if engine.has_begun and len(engine.waiting):
        slots = np.array(list(engine.waiting.index.values()), dtype=np.intp)
        numbers = engine.waiting.field("number", slots)
        model._late._store(engine.waiting.rows(slots), list(engine.waiting.index), numbers)
    if engine.has_begun:
        model._late._next = engine.next_number()
        model._late._rows.n_dropped = engine.n_dropped
    return model


def replace(
    engine: Engine, keeper: Keeper, model: Model, drop_waiting: bool, max_waiting: int | None = None
) -> int:
    """Put another model instead of the engine's, as an event that is on disk; return it.

    As many rows may wait as `max_waiting`, by default as many as in the model.
    """
    if not isinstance(model, Model) or not model._begun:
        raise LiveError("a model can only be replaced by a thalweg.Model that has learned")
    data = to_bytes(with_max_waiting(from_bytes(to_bytes(model)), max_waiting))
    fresh = from_bytes(data)
    why = misfit(engine.model, fresh) if engine.has_begun and len(engine.waiting) else None
    if why is not None and not drop_waiting:
        raise LiveError(
            f"{len(engine.waiting):,} rows wait for their labels, and the new model has other inputs: it "
            f"{why}. Wait for the labels, or drop those rows: drop_waiting=True, by HTTP ?drop_waiting=true"
        )
    check_waiting(fresh)
    group = Group(
        max(engine.time, time.time()), np.array([REPLACE], dtype=np.uint8), [], np.empty((0, 0)),
        np.empty(0, dtype=np.intp), model=data,
    )  # fmt: skip
    keeper.add(group, engine.event + 1)
    keeper.commit(note_of(model, group.time, engine.event + 1))
    apply_replace(engine, fresh, group.time)
    return engine.event


def apply_replace(engine: Engine, model: Model, when: float) -> None:
    """Go on with another model: rows that wait are dropped if they do not fit it."""
    if engine.has_begun:
        if misfit(engine.model, model) is None:
            recode(engine.waiting, engine.model, model)
        else:
            for key in list(engine.waiting.index):
                engine.waiting.free([engine.waiting.index.pop(key)])
                engine.done.add(key, DROPPED, engine.event + 1)
        engine.done.recode(label_codes(engine.model, model))
    engine.replace(model)
    engine.event += 1
    engine.time = when


def add_class(engine: Engine, keeper: Keeper, label: Any) -> int:
    """Make a label a class, as an event that is on disk; return it."""
    if not engine.has_begun:
        raise LiveError(f"{NO_COLUMNS}; until then every label is a class")
    when = max(engine.time, time.time())
    found = engine.add_class(label, when)
    group = Group(
        when, np.array([ADD_CLASS], dtype=np.uint8), [], np.empty((0, 0)), np.empty(0, dtype=np.intp),
        growth={"labels": [found]},
    )  # fmt: skip
    keeper.add(group, engine.event)
    keeper.commit()
    return engine.event


def erase(engine: Engine, keeper: Keeper, key: Id) -> dict[str, Any]:
    """Remove an id from memory, the log and the checkpoints; return what was removed."""
    was_waiting = False
    if engine.has_begun:
        slot = engine.waiting.index.pop(key, None)
        was_waiting = slot is not None
        if slot is not None:
            engine.waiting.free([slot])
    was_known = engine.done.discard(key)
    notes = keeper.log.notes()
    changed = {name: text for name in notes if (text := without_id(name, notes[name], key)) is not None}
    if changed:
        keeper.log.set_all(changed)
    removed = keeper.forget_before(engine)
    return {"was_waiting": was_waiting, "was_known": was_known, **removed}

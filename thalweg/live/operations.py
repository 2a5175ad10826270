"""What an operator does to a live model: export it, replace it, erase an id."""

import time
from typing import Any

import numpy as np

from thalweg.live.engine import Engine, check_waiting
from thalweg.live.errors import LiveError
from thalweg.live.events import REPLACE, Group
from thalweg.live.ids import Id
from thalweg.live.keeper import Keeper
from thalweg.live.waiting import DROPPED, NO_LABEL
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
    return model


def replace(engine: Engine, keeper: Keeper, model: Model, drop_waiting: bool) -> int:
    """Put another model instead of the engine's, as an event that is on disk; return it."""
    if not isinstance(model, Model) or not model._begun:
        raise LiveError("a model can only be replaced by a thalweg.Model that has learned")
    data = to_bytes(model)
    fresh = from_bytes(data)
    loses_rows = engine.has_begun and len(engine.waiting) and not fits(engine.model, fresh)
    if loses_rows and not drop_waiting:
        raise LiveError(
            f"{len(engine.waiting):,} rows wait for their labels, and the new model has other inputs: wait "
            "for the labels, or drop those rows with drop_waiting=True"
        )
    check_waiting(fresh)
    group = Group(
        max(engine.time, time.time()), np.array([REPLACE], dtype=np.uint8), [], np.empty((0, 0)),
        np.empty(0, dtype=np.intp), model=data,
    )  # fmt: skip
    keeper.add(group, engine.event + 1)
    keeper.commit()
    apply_replace(engine, fresh, group.time)
    return engine.event


def apply_replace(engine: Engine, model: Model, when: float) -> None:
    """Go on with another model: rows that wait are dropped if they do not fit it."""
    if engine.has_begun and not fits(engine.model, model):
        for key in list(engine.waiting.index):
            engine.waiting.free([engine.waiting.index.pop(key)])
            engine.done.add(key, DROPPED, engine.event + 1)
    if engine.has_begun:
        names = {each: code for code, each in enumerate(model._coding.plain()["classes"])}
        engine.done.recode([names.get(each, NO_LABEL) for each in engine.model._coding.plain()["classes"]])
    engine.replace(model)
    engine.event += 1
    engine.time = when


def fits(old: Model, new: Model) -> bool:
    """Return whether the coded rows of a model mean the same to another, which may know more categories."""
    before, after = old._coding.plain(), new._coding.plain()
    if old._late._sparse != new._late._sparse or len(before["columns"]) != len(after["columns"]):
        return False
    for one, other in zip(before["columns"], after["columns"], strict=True):
        values, others = one.pop("values", []), other.pop("values", [])
        if one != other or values != others[: len(values)]:
            return False
    return bool(before["classes"] == after["classes"][: len(before["classes"])])


def erase(engine: Engine, keeper: Keeper, key: Id) -> dict[str, Any]:
    """Remove an id from memory, the log and the checkpoints; return what was removed."""
    was_waiting = False
    if engine.has_begun:
        slot = engine.waiting.index.pop(key, None)
        was_waiting = slot is not None
        if slot is not None:
            engine.waiting.free([slot])
    was_known = engine.done.discard(key)
    removed = keeper.forget_before(engine)
    return {"was_waiting": was_waiting, "was_known": was_known, **removed}

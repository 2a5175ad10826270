"""A folder of a live model: is there one, its first checkpoint, and settings that changed since."""

import time
from pathlib import Path
from typing import Any

from thalweg._atomic_file import make_private_folder
from thalweg.errors import ParameterError
from thalweg.live import checkpoints
from thalweg.live.engine import Engine, packed, set_max_waiting
from thalweg.live.errors import LiveError
from thalweg.live.log import NAME, Log
from thalweg.live.origin import note_of
from thalweg.model import Model
from thalweg.trust.label_budget import LabelBudget

WHO = "LiveModel"


def check_folder(folder: Path, model: Model | None) -> bool:
    """Return whether a folder is new; make it if it does not exist.

    Raise LiveError if it is new and there is no model to begin with, or if it has one already.
    """
    exists = folder.is_dir()
    if folder.exists() and not exists:
        raise LiveError(f"{folder} is a file, not a folder")
    has_log = (folder / NAME).exists()
    has_checkpoints = exists and bool(checkpoints.events_of(folder))
    is_new = not has_checkpoints and not (has_log and _has_events(folder))
    if is_new and model is None:
        raise LiveError(f"{folder} has no live model yet: give the model to start with")
    if not is_new and model is not None:
        raise LiveError(
            f"{folder} has a live model already: open it without a model, or replace that one: "
            "LiveModel(folder).replace(model)"
        )
    if model is not None:
        if not isinstance(model, Model):
            raise ParameterError(f"{WHO}: model must be a thalweg.Model, got a {type(model).__name__}")
        if not model.can_be_saved:
            raise ParameterError(f"{WHO}: the model cannot be saved: it holds an object of another library")
    make_private_folder(folder)
    return is_new


def _has_events(folder: Path) -> bool:
    log = Log(folder)
    try:
        return log.span() is not None
    finally:
        log.close()


def first_engine(
    folder: Path, model: Model, max_waiting: int | None, max_known: int,
    label_budget: LabelBudget | float | None,
) -> None:
    """Write the checkpoint before the first event."""
    budget = None if label_budget is None else own_budget(label_budget)
    engine = Engine(with_max_waiting(model.copy(), max_waiting), max_known, budget)
    state, live = engine.state()
    log = Log(folder)
    log.set_all(note_of(model, time.time(), 0))
    log.close()
    checkpoints.write(folder, 0, state, packed(live))


def own_budget(given: LabelBudget | float) -> LabelBudget:
    """Return a label budget that nobody else has."""
    return given.copy() if isinstance(given, LabelBudget) else LabelBudget(given).reset()


def with_max_waiting(model: Model, max_waiting: int | None) -> Model:
    """Return a model after changing how many rows may wait; its learner must keep as many."""
    if max_waiting is not None and max_waiting != model.max_waiting:
        _check_learner_keeps(model, max_waiting)
        set_max_waiting(model, max_waiting)
    return model


def _check_learner_keeps(model: Model, max_waiting: int) -> None:
    kept = getattr(model.learner_, "max_waiting", None) if model._begun else None
    if kept is not None and model.learner_.observes and kept < max_waiting:
        problem = f"must be at most {kept:,}, as many as the learner keeps; make the model with more"
        raise ParameterError.of(WHO, "max_waiting", problem=problem)


def adopt_settings(
    engine: Engine, log: Log, max_waiting: int | None, max_known: int, budget: LabelBudget | float | None
) -> bool:
    """Change settings that differ from those in the folder; return whether there were any.

    They are in the log, so that a replay from an older checkpoint changes them at the same event.
    """
    change: dict[str, Any] = {}
    if max_waiting is not None and max_waiting != engine.model.max_waiting:
        _check_learner_keeps(engine.model, max_waiting)
        change["max_waiting"] = max_waiting
    if max_known != engine.done.capacity:
        change["max_known"] = max_known
    given = None if budget is None else own_budget(budget)
    if given is not None and _settings_of(given) != _settings_of(engine.budget):
        change["budget"] = given.state()
    if change:
        log.add_change(engine.event, change)
        engine.change(change)
    return bool(change)


def _settings_of(budget: LabelBudget | None) -> dict[str, Any] | None:
    return None if budget is None else budget.get_params() | {"random_state": None}

"""What a served model is and what it has seen, as plain data."""

from typing import Any

import numpy as np

from thalweg.live.follower import LiveFollower
from thalweg.live.watch.sources import snapshot_of
from thalweg.service.arrays import InputColumns


def describe(served: Any) -> dict[str, Any]:
    """Return what `/models/NAME` shows."""
    live = served.live
    found: dict[str, Any] = {
        "name": served.name, "state": served.state, "event": live.event, "waiting": live.n_waiting,
    }  # fmt: skip
    model = getattr(live, "model", None)
    if model is not None and is_begun(model):
        found |= about_model(model)
    found["is_read_only"] = isinstance(live, LiveFollower)
    snapshot = snapshot_of(live)
    if snapshot is not None:
        found["watch"] = plain(snapshot)
    return found


def about_model(model: Any) -> dict[str, Any]:
    """Return the learner, columns and labels of a model."""
    report, names = model.columns, {*input_columns(model).names}
    return {
        "learner": plain(str(model.learner_)).split("(")[0],
        "target": report.target,
        "columns": {name: str(kind) for name, kind in report.kinds.items() if name in names},
        "classes": plain(model.classes_.tolist()),
    }


def is_begun(model: Any) -> bool:
    """Return whether a model knows its columns."""
    return bool(model.__sklearn_is_fitted__())


def input_columns(model: Any) -> InputColumns:
    """Return the columns of a model that are inputs, in order, and its target."""
    names, report = [str(name) for name in model.feature_names_in_.tolist()], model.columns
    return InputColumns(names, report.target, all(report.kinds.get(name) == "number" for name in names))


def plain(value: Any) -> Any:
    """Return a value as JSON can have it: arrays as lists, NaN and infinity as null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)

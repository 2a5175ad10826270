"""Snapshots of live models, with what their learners show of themselves."""

from typing import Any


def snapshot_of(live: Any) -> dict[str, Any] | None:
    """Return the snapshot of a LiveModel's watch, as `LiveWatch.snapshot` does; None while it is recovering.

    The learner is read under its own lock, so the model goes on meanwhile.
    """
    watch = getattr(live, "watch", None)
    if watch is None or getattr(live, "is_recovering", False):
        return None
    model = live.model
    learner = getattr(model, "learner_", None)
    classes = None if learner is None else learner.classes_
    found: dict[str, Any] = watch.snapshot(learner, waiting=live.n_waiting, classes=classes)
    return found

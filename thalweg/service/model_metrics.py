"""What live models know of themselves, as Prometheus reads it."""

from collections.abc import Iterable, Iterator
from typing import Any

from thalweg.live.metrics import watch_samples
from thalweg.live.watch.sources import snapshot_of
from thalweg.service.metrics import about, sample

STATES = ("ready", "busy", "recovering", "stopped")


def model_lines(models: Iterable[Any]) -> list[str]:
    """Return the lines of all models: first what a metric is, then its value for each model."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for served in models:
        for name, kind, text, labels, value in _samples(served):
            lines = found.setdefault(name, (about(name, kind, text), []))
            lines[1].append(sample(name, {"model": served.name} | labels, value))
    return [line for head, values in found.values() for line in (*head, *values)]


def _samples(served: Any) -> Iterator[tuple[str, str, str, dict[str, Any], float]]:
    live = served.live
    now = served.state
    for state in STATES:
        yield ("thalweg_model_state", "gauge", "1 for the state that a model is in.", {"state": state},
               int(now == state))  # fmt: skip
    yield "thalweg_model_event", "counter", "Number of the latest event.", {}, live.event
    yield "thalweg_model_waiting_rows", "gauge", "Rows that wait for their labels.", {}, live.n_waiting
    yield (
        "thalweg_model_pending_rows",
        "gauge",
        "Rows that are asked for, not answered.",
        {},
        served.n_pending,
    )
    snapshot = snapshot_of(live) if now == "ready" else None
    if snapshot is not None:
        yield from watch_samples(snapshot)

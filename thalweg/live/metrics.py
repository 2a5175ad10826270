"""A snapshot of a LiveWatch as figures for Prometheus; never labelled by ids."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from thalweg.live.watch.known_answers import ANSWERERS

PREFIX = "thalweg_model_"
QUANTILES = {"median": "0.5", "p90": "0.9", "p99": "0.99"}
Figure: TypeAlias = tuple[str, str, str, dict[str, str], Any]
"""Name, "counter" or "gauge", what it is, labels, and value; None if that is not known."""


def watch_samples(snapshot: Mapping[str, Any]) -> Iterator[tuple[str, str, str, dict[str, str], float]]:
    """Yield name, kind, help, labels and value of each figure that a snapshot has."""
    for part in (_counts, _quality, _alarms, _delays, _members):
        for name, kind, about, labels, value in part(snapshot):
            if value is not None and math.isfinite(value):
                yield f"{PREFIX}{name}", kind, about, labels, float(value)


def _counts(found: Mapping[str, Any]) -> Iterator[Figure]:
    yield "rows_predicted_total", "counter", "Rows predicted with an id.", {}, found["rows"]
    yield "labels_learned_total", "counter", "Labels learned.", {}, found["labels"]
    about = "Retries, labels that could not be used, and rows that were dropped."
    for name, n in found["counts"].items():
        yield "outcomes_total", "counter", about, {"outcome": name}, n


def _quality(found: Mapping[str, Any]) -> Iterator[Figure]:
    now, estimate, coverage = found["accuracy"]["now"], found["estimate"]["now"], found["coverage"]
    about = "Share of right answers among the latest 1,000 labels, of the learner and of baselines."
    for name in ANSWERERS:
        yield "accuracy_known", "gauge", about, {"answerer": name}, now[name]
    about = "Estimated accuracy of the latest 1,000 rows, and the ends of its 95 % interval."
    for bound in ("estimate", "low", "high") if estimate is not None else ():
        yield "accuracy_estimated", "gauge", about, {"bound": bound}, estimate[bound]
    if coverage is not None:
        yield "set_coverage", "gauge", "Share of prediction sets with the label.", {}, coverage["coverage"]
        yield "set_size", "gauge", "Mean number of classes in a prediction set.", {}, coverage["size"]


def _alarms(found: Mapping[str, Any]) -> Iterator[Figure]:
    for name, state in (("inputs_changed", found["drift"]), ("accuracy_fell", found["alarm"])):
        yield "alarms_total", "counter", "Episodes so far.", {"alarm": name}, state["n_episodes"]
        yield "alarm_open", "gauge", "1 while an episode goes on.", {"alarm": name}, state["is_open"]


def _delays(found: Mapping[str, Any]) -> Iterator[Figure]:
    for unit in ("rows", "seconds"):
        late, about = found["delay"][unit], f"Delay of the latest 1,000 labels, in {unit}."
        for name, quantile in QUANTILES.items() if late is not None else ():
            yield f"label_delay_{unit}", "gauge", about, {"quantile": quantile}, late[name]
    silence = found["traffic"]["silence"]
    yield "label_silence_seconds", "gauge", "Time since the latest label.", {}, silence


def _members(found: Mapping[str, Any]) -> Iterator[Figure]:
    for each in (found["members"] or {"members": []})["members"]:
        about = "Share or weight of the learner's members."
        yield "member_share", "gauge", about, {"member": each["name"]}, each["value"]

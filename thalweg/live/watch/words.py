"""What a LiveWatch found, in sentences: for the page, the alerts and the terminal."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import all_of, count, percentage

COUNTED = {
    "already": "sent again",
    "unknown": "labels of unknown ids",
    "other_label": "second labels that differ",
    "unknown_label": "labels that are no class",
    "dropped": "rows dropped to make room",
    "expired": "rows that waited too long",
    "refused": "requests refused",
}
DURATIONS = ((1.0, 1000.0, "ms"), (60.0, 1.0, "s"), (3600.0, 1 / 60, "min"), (86_400.0, 1 / 3600, "h"))
FEWEST = 100  # labels before accuracies are compared in words
SAME = 0.0005  # accuracies that are shown as equal
LEFT_OUT = {"date": "dates", "text": "text", "many": "more than 500 inputs"}


def share(value: float | None) -> str:
    """Return a fraction of 1 as a percentage with one digit; a dash if it is not known."""
    return "–" if value is None else percentage(value, ".1f")


def duration(seconds: float | None) -> str:
    """Return a time span in words: "12 ms", "3.5 s", "4 min", "2.5 h", "3 days"."""
    if seconds is None:
        return "–"
    for most, factor, unit in DURATIONS:
        if seconds < most:
            return f"{factor * seconds:.3g} {unit}"
    return f"{seconds / 86_400:.3g} days"


def moment(at: float | None) -> str:
    """Return a time, in Unix seconds, as local date and time."""
    return "–" if at is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def short_moment(at: float | None) -> str:
    """Return a time as local month, day, hour and minute."""
    return "–" if at is None else time.strftime("%m-%d %H:%M", time.localtime(at))


def headline(found: Mapping[str, Any]) -> str:
    """Return how good the model is now, in a sentence."""
    now, estimate = found["accuracy"]["now"], found["estimate"]["now"]
    if not found["rows"]:
        return "No row has been predicted with an id yet."
    if not now["labels"]:
        return f"{count(found['rows'], 'row')} predicted; no label has come for them yet."
    said = f"Accuracy {share(now['learner'])} over the latest {count(now['labels'], 'label')}"
    if estimate is not None and estimate["known"] < estimate["stop"] - estimate["start"]:
        n = estimate["stop"] - estimate["start"]
        ends = f"{share(estimate['low'])} to {share(estimate['high'])}"
        said += f"; estimated {share(estimate['estimate'])} ({ends}) for the latest {count(n, 'row')}"
    return said + "."


def beside_baselines(found: Mapping[str, Any]) -> str:
    """Return whether the model is better than the best baseline, in a sentence; nothing without labels."""
    now = found["accuracy"]["now"]
    if not now["labels"]:
        return ""
    if now["labels"] < FEWEST:
        return f"It is compared with the baselines after {FEWEST} labels."
    best = max(BASELINES, key=lambda name: now[name])
    gap = now["learner"] - now[best]
    how = f"{100 * abs(gap):.1f} points {'better' if gap > 0 else 'worse'} than"
    how = "no better than" if abs(gap) < SAME else how
    return f"That is {how} {BASELINES[best].doing} ({share(now[best])})."


def delay(found: Mapping[str, Any]) -> str:
    """Return how late labels come."""
    late = found["delay"]
    if not late["labels"]:
        return "No label of a predicted row has come yet."
    rows, seconds = late["rows"], late["seconds"]
    return (
        f"Half of the latest {count(late['labels'], 'label')} came within {duration(seconds['median'])} "
        f"({count(round(rows['median']), 'row')}), 90 % within {duration(seconds['p90'])}, 99 % within "
        f"{duration(seconds['p99'])}."
    )


def drift(found: Mapping[str, Any]) -> str:
    """Return whether inputs have changed."""
    state = found["drift"]
    if not state["inputs"]:
        return "No input is watched for drift."
    if not state["has_reference"] and not state["episodes"]:
        missing = max(state["reference"] - state["rows"], 0)
        return f"The first {state['reference']:,} rows are the reference; {missing:,} are still to come."
    rate = f"false alarms in {percentage(state['false_alarms'], 'g')} of streams without change"
    if not state["episodes"]:
        return f"No input has changed in {state['rows']:,} rows ({rate})."
    last = state["episodes"][-1]
    when = "now" if last["ended"] is None else f"until {moment(last['ended'])}"
    names = changed_inputs(last)
    return f"{names} changed at row {last['row']:,} ({moment(last['began'])}, {when}; {rate})."


def changed_inputs(episode: Mapping[str, Any], most: int = 3) -> str:
    """Return the names of the inputs that changed most, and how many more there are."""
    names = [str(each["input"]) for each in episode["changes"][:most]]
    more = episode["inputs"] - len(names)
    return all_of([*names, f"{more} more"] if more > 0 else names)


def alarm(found: Mapping[str, Any]) -> str:
    """Return whether accuracy has fallen."""
    state = found["alarm"]
    drop = f"{100 * state['drop']:g} points"
    if state["episodes"]:
        return fall(state["episodes"][-1])
    if state["reference"] is None:
        return f"Whether accuracy falls by more than {drop} is watched after the first 2,000 labels."
    return f"No fall of accuracy by more than {drop} below {share(state['reference'])}."


def fall(episode: Mapping[str, Any]) -> str:
    """Return in a sentence how accuracy fell."""
    ended = "" if episode["ended"] is None else f" It was over at {moment(episode['ended'])}."
    return (
        f"Accuracy fell to {share(episode['accuracy'])} from {share(episode['reference'])}, since about "
        f"{moment(episode['began'])}.{ended}"
    )


def silence(found: Mapping[str, Any]) -> str:
    """Return how long no label has come."""
    traffic = found["traffic"]
    rows = count(traffic["rows_since_label"], "row")
    return f"No label for {duration(traffic['silence'])}, while {rows} were predicted."


def left_out(found: Mapping[str, str]) -> str:
    """Return which columns are not watched for drift; nothing if all are."""
    kinds: dict[str, list[str]] = {}
    for name, why in found.items():
        kinds.setdefault(why, []).append(name)
    said = [f"{LEFT_OUT.get(why, why)} ({_some(names)})" for why, names in kinds.items()]
    return f"Not watched for drift: {all_of(said)}." if said else ""


def _some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")

"""A page about a run by key: all keys together, the best and the worst, new ones and silent ones."""

from os import PathLike
from pathlib import Path
from time import strftime
from typing import Any

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.formatting import DATE, NOT_DEFINED, count, percentage
from thalweg.evaluation.pages.page import made_by, note, pairs, table, write_page
from thalweg.keyed.figures import LEAST_SCORED, KeyFigures
from thalweg.keyed.run_folder import KeyedRun

MOST_LETTERS = 40
MEANINGS = {
    "learned": "predicted, then learned",
    "predicted": "predicted; no label yet, or weight 0",
    "late": "labels of rows that had waited",
    "dropped": "not after the last event of their key",
    "unknown": "labels of rows that do not wait",
    "refused": "could not be read",
}
IS_ID = (
    "Nearly every event has a key of its own: this is an id of rows, and a model for each row learns "
    "nothing. Choose a column whose values come again."
)


def headline(run: KeyedRun, figures: KeyFigures) -> str:
    """Return a sentence about all keys together, beside the best baseline."""
    keys = " and ".join(run.operator.key_columns)
    said = f"{count(run.n_rows, 'event')} of {count(run.n_keys, 'key')} by {keys}"
    if not figures.n_scored.sum():
        return f"{said}; no event had a label."
    found = figures.overall()
    best = max(figures.baselines, key=lambda name: found[name])
    points = 100 * (found["accuracy"] - found[best])
    verdict = "more" if points >= 0 else "less"
    return (
        f"{said}: {percentage(found['accuracy'])} right, {abs(points):.2f} points {verdict} than "
        f"{BASELINES[best].doing} of each key ({percentage(found[best])})."
    )


def head_of(figures: KeyFigures) -> list[str]:
    """Return the names of the columns of `cells_of`."""
    return ["key", "events", "labels", "accuracy", *(BASELINES[name].title for name in figures.baselines)]


def cells_of(row: dict[str, Any], figures: KeyFigures) -> list[str]:
    """Return the figures of one key as cells of a table."""
    shares = [row.get(name) for name in ("accuracy", *figures.baselines)]
    shown = [NOT_DEFINED if share is None else percentage(share, ".1f") for share in shares]
    return [key_shown(row["key"]), f"{row['events']:,}", f"{row['labels']:,}", *shown]


def key_shown(key: Any) -> str:
    """Return a key for people: shortened, with the parts of several columns side by side."""
    if isinstance(key, tuple):
        return ", ".join(map(key_shown, key))
    text = "(missing)" if key is None else str(key) or "(empty)"
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def parts_of(figures: KeyFigures, n: int) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return the tables of keys: a title, a note, and rows."""
    n_new, new = figures.new(n)
    n_silent, silent = figures.silent(n)
    least = f"Of keys with {LEAST_SCORED} labels or more."
    return [
        ("Best keys", least, figures.best(n)),
        ("Worst keys", least, figures.worst(n)),
        (f"New keys: {n_new:,}", "Those that first came among the last tenth of all events.", new),
        (f"Silent keys: {n_silent:,}", "No event for ten times their mean gap, after five or more.", silent),
    ]


def write(
    run: KeyedRun, figures: KeyFigures, path: str | PathLike[str], source: str = "", command: str = ""
) -> Path:
    """Write one HTML page about a run; it needs no network and no script. Return its path."""
    found = figures.overall()
    rows: list[list[object]] = [["", "accuracy"], [_learner(run), percentage(found["accuracy"])]]
    rows += [[f"{BASELINES[name].title}, of each key", percentage(found[name])] for name in figures.baselines]
    parts = [note(headline(run, figures), "lead"), note(IS_ID, "warning") if figures.is_id else ""]
    parts += [note(f"Refused: {problem}", "warning") for problem in figures.problems]
    parts.append(f"<h2>All keys together</h2>{table(rows, kind='one')}")
    for title, about, keys in parts_of(figures, 20):
        lines = [head_of(figures), *(cells_of(row, figures) for row in keys)]
        parts.append(f"<h2>{title}</h2>{table(lines) if keys else note('None.')}{note(about)}")
    statuses = [(status, f"{n:,} {MEANINGS[status]}") for status, n in run.counts.items()]
    parts.append(f"<h2>Events</h2>{pairs(statuses)}")
    origin = [("source", source)] if source else []
    parts.append(f"<h2>Origin</h2>{pairs([*origin, *made_by(command, strftime(DATE))])}")
    return write_page(path, f"A model for every {' and '.join(run.operator.key_columns)}", "".join(parts))


def _learner(run: KeyedRun) -> str:
    return type(run.operator._like).__name__

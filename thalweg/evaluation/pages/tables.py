"""The tables of a page about runs: metrics, classes and settings."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import first_of
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.curves import names_of, style_of
from thalweg.evaluation.formatting import NOT_DEFINED, formatted, percentage
from thalweg.evaluation.pages.charts import named
from thalweg.evaluation.pages.page import Best, Markup, note, pairs, table, text, with_small_error
from thalweg.evaluation.run import Run, setting
from thalweg.evaluation.summary import (
    SUMMARY_METRICS,
    class_numbers,
    cost_in_words,
    rate,
    rate_error,
    shown,
    with_error,
)

MOST_CLASSES, MOST_INPUTS = 50, 20
_BREAK = re.compile("(?<=[a-z])(?=[A-Z])")
# A printed page has no room for more; recall and precision of each class are in a table of their own.
OF_SEVERAL = tuple(each for each in SUMMARY_METRICS if each.name not in ("f1", "average_precision"))
NOTE = (
    "Kappa: accuracy above guessing with the same class shares; kappa M: above the majority class; kappa "
    "temporal: above repeating the last label. The baselines learn the same labels at the same time and have "
    "no probabilities, so they have no log-loss. ±: standard error, which allows for errors "
    "that come in runs."
)


def in_words(run: Run) -> str:
    """Return a sentence that compares the learner with the best baseline."""
    reached = rate(run)
    if math.isnan(reached):
        return "No row was scored."
    rivals = {name: rate(run, name) for name in BASELINES}
    best = max(rivals, key=lambda name: rivals[name])
    points = 100 * (reached - rivals[best])
    verdict = "more" if points >= 0 else "less"
    return (
        f"{run.learner} answered {with_error(run)} of {run.n_scored:,} rows correctly: "
        f"{abs(points):.2f} points {verdict} than {BASELINES[best].doing} ({with_error(run, best)})."
    )


def best_of(runs: Sequence[Run]) -> Run:
    """Return the run with the highest accuracy."""
    return max(runs, key=lambda run: -1.0 if math.isnan(rate(run)) else rate(run))


def metrics(runs: Sequence[Run]) -> str:
    """Return the table of metrics: of several runs sorted by accuracy, with the best marked."""
    made = _metrics_of_one(runs[0]) if len(runs) == 1 else _metrics_of_several(runs)
    costs = [f"{name}: {said}" for run, name in zip(runs, names_of(runs), strict=True)
             if (said := cost_in_words(run))]
    return made + note(NOTE) + "".join(note(text) for text in costs)


def _metrics_of_one(run: Run) -> str:
    titles = [*(metric.title_of(run) for metric in SUMMARY_METRICS), "rows/s"]
    columns = [[*_shown(run), _speed(run)], *([*_shown(run, name), NOT_DEFINED] for name in BASELINES)]
    name = Markup(_BREAK.sub("<wbr/>", text(run.learner)))
    head = ["", named(name, style_of(0)), *(named(each.title, name) for name, each in BASELINES.items())]
    rows = [[title, *cells] for title, *cells in zip(titles, *columns, strict=True)]
    return table([head, *rows], kind="one")


def _metrics_of_several(runs: Sequence[Run]) -> str:
    of_runs = ([*(metric.of(run) for metric in OF_SEVERAL), run.rows_per_second] for run in runs)
    numbers = np.array(list(of_runs))
    lines: list[list[str]] = [[*_of_several(_shown(run)), _speed(run)] for run in runs]
    for j, name in enumerate([*(metric.name for metric in OF_SEVERAL), "rows_per_second"]):
        column = -numbers[:, j] if name == "log_loss" else numbers[:, j]
        if not np.isnan(column).all():
            for line in np.flatnonzero(column == np.nanmax(column)):
                lines[line][j] = Best(text(lines[line][j]))
    entries: list[tuple[float, list[Any]]] = []
    for i, (run, name) in enumerate(zip(runs, names_of(runs), strict=True)):
        entries.append((rate(run), [named(name, style_of(i)), *lines[i]]))
    for name, baseline in BASELINES.items():
        cells = [named(baseline.title, name), *_of_several(_shown(runs[0], name)), NOT_DEFINED]
        entries.append((rate(runs[0], name), cells))
    entries.sort(key=lambda entry: -math.inf if math.isnan(entry[0]) else entry[0], reverse=True)
    head = ["", *(metric.title for metric in OF_SEVERAL), "rows/s"]
    return table([head, *(cells for _, cells in entries)], kind="runs")


def _of_several(cells: list[str]) -> list[str]:
    return [cell for cell, metric in zip(cells, SUMMARY_METRICS, strict=True) if metric in OF_SEVERAL]


def classes(runs: Sequence[Run]) -> str:
    """Return the table of classes: rows, and recall and precision of each run."""
    first = runs[0]
    counts = [run.confusion() for run in runs]
    totals = counts[0].sum(axis=1)
    kept = np.sort(np.argsort(-totals, kind="stable")[:MOST_CLASSES])
    if len(runs) == 1:
        rows: list[list[object]] = [["class", "rows", "answered", "precision", "recall", "F1"]]
    else:
        heads = (named(name, style_of(i)) for i, name in enumerate(names_of(runs)))
        rows = [["class", "rows", *heads]]
    for k in kept:
        cells: list[object] = [first.classes[k], f"{totals[k]:,}"]
        for matrix in counts:
            answered = int(matrix[:, k].sum())
            numbers = class_numbers(matrix, k)
            if len(runs) == 1:
                cells += [f"{answered:,}", *map(percentage, numbers.values())]
            else:
                recall, precision = percentage(numbers["recall"]), percentage(numbers["precision"])
                cells.append(Markup(f"{recall} <small>/ {precision}</small>"))
        rows.append(cells)
    notes = ["Recall / precision of each learner."] if len(runs) > 1 else []
    if len(totals) > len(kept):
        notes.append(f"The {len(kept)} most frequent of {len(totals):,} classes.")
    return table(rows, kind="runs") + note(" ".join(notes))


def settings(runs: Sequence[Run]) -> str:
    """Return the settings; of several runs those in which each differs, then those that are the same."""
    entries = [_entries(run) for run in runs]
    for each in entries[1:]:
        each["date"] = entries[0]["date"]
    names = list(dict.fromkeys(name for each in entries for name in each))
    same = [name for name in names if len({each.get(name) for each in entries}) == 1]
    made = pairs((name, entries[0][name]) for name in same)
    if len(runs) == 1:
        return made
    different = []
    for i, (name, each) in enumerate(zip(names_of(runs), entries, strict=True)):
        own = "; ".join(f"{key} {value}" for key, value in each.items() if key not in same)
        different.append((named(name, style_of(i)), own))
    return pairs(different) + note("The same for all:") + made


def _entries(run: Run) -> dict[str, str]:
    entries = {"stream": run.stream, "rows": f"{run.n_rows:,}"}
    for kind, names in run.inputs.items() if run.columns is None else ():
        entries[f"inputs ({kind})"] = first_of(names, MOST_INPUTS)
    entries |= {name: setting(value) for name, value in run.settings.items()}
    for name, value in run.parameters.items():
        chosen = f" → {run.resolved_parameters[name]}" if name in run.resolved_parameters else ""
        entries[f"{run.learner}: {name}" if name in entries else name] = f"{value!r}{chosen}"
    entries["time"] = f"{run.seconds:.2f} s, of which the learner took {run.learner_seconds:.2f} s"
    more = f", more than the {run.data_bytes:,} of the rows" if run.outgrows_data else ""
    entries["memory"] = f"{run.memory:,} bytes at the end{more}"
    entries["known drifts"] = _rows_listed(run.drifts)
    entries["drifts found"] = _rows_listed(run.alarms)
    if run.unlabelled:
        entries["rows without a label"] = f"{run.unlabelled:,}"
    if run.skipped:
        entries["rows skipped"] = f"{run.skipped:,}"
    if run.command:
        entries["command"] = run.command
    return entries | {"date": run.date, "version": f"thalweg {run.version}"}


def _rows_listed(rows: NDArray[Any]) -> str:
    return f"row {first_of([f'{row:,}' for row in rows.tolist()], 20)}" if len(rows) else "none"


def _shown(run: Run, baseline: str | None = None) -> list[str]:
    """Return the metrics as cells; the standard error may stand on a line of its own."""
    accuracy, *others = shown(run, baseline)
    return [with_small_error(accuracy, rate_error(run, baseline)), *others]


def _speed(run: Run) -> str:
    return formatted(run.rows_per_second, ",.0f")

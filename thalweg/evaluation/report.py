"""A self-contained HTML page about runs: figures, accuracy over time, classes."""

import math
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats
from thalweg.evaluation import metrics
from thalweg.evaluation.chart import Line, line_chart
from thalweg.evaluation.figures import BASELINES, FIGURES, NOT_DEFINED, percentage, shown
from thalweg.evaluation.page import pairs, table, text, write_page
from thalweg.evaluation.run import Run
from thalweg.evaluation.totals import ratio

_POINTS = 800


def write(
    runs: Run | Iterable[Run], path: str | PathLike[str], window: int | None = None, title: str | None = None
) -> Path:
    """Write a self-contained HTML page about one or several Runs; return its path.

    Runs on the same stream with the same settings share a table and a chart.

    Parameters
    ----------
    runs : Run or sequence of Run
        The runs to show.
    path : str or Path
        The file to write.
    window : int or None
        Number of rows of the sliding window of the chart; by default about a fiftieth of the run.
    title : str or None
        Title of the page.
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    if not runs:
        raise ValueError("report: no run to write about, give at least one")
    groups: dict[tuple[str, bytes], list[Run]] = {}
    for run in runs:
        groups.setdefault((_circumstances(run), run.labels.tobytes()), []).append(run)
    title = title or " · ".join(dict.fromkeys(f"{run.learner} on {run.stream}" for run in runs))
    body = "".join(_section(group, window, named=len(groups) > 1) for group in groups.values())
    return write_page(path, title, body)


def picture(runs: Run | Iterable[Run], window: int | None = None) -> str:
    """Return the SVG of the accuracy over time of a Run, or of several Runs on one stream."""
    runs = [runs] if isinstance(runs, Run) else list(runs)
    first = runs[0]
    window = max(1, min(window or usual_window(len(first.labels)), len(first.labels)))
    lines = [
        Line(run.learner, f"line{i % 5}", *_curve(run, run.predicted, window)) for i, run in enumerate(runs)
    ]
    lines += [
        Line(BASELINES[name], name, *_curve(first, first.baselines[name], window))
        for name in ("no_change", "majority", "label_chain")
    ]
    alarms = np.unique(np.concatenate([run.alarms for run in runs]))
    title = "accuracy of each test" if _is_grouped(first) else f"accuracy over the last {window:,} rows"
    return line_chart(lines, first.n_rows, first.drifts, alarms, title)


def usual_window(n: int) -> int:
    """Return a round number near a fiftieth of `n` rows."""
    target = max(10, n / 50)
    power = 10 ** math.floor(math.log10(target))
    return int(min((power, 2 * power, 5 * power, 10 * power), key=lambda choice: abs(choice - target)))


def _section(runs: list[Run], window: int | None, named: bool) -> str:
    first = runs[0]
    parts = [f"<h2>{text(_circumstances(first))}</h2>"] if named else []
    parts += [f'<p class="lead">{text(_in_words(run))}</p>' for run in runs]
    if any(run.interrupted for run in runs):
        parts.append('<p class="warning">Stopped before the end: these are the results so far.</p>')
    if first.skipped:
        said = "".join(f"<br/>{text(message)}" for message in first.messages)
        parts.append(f'<p class="warning">{first.skipped:,} unreadable rows were skipped.{said}</p>')
    if first.columns is not None:
        parts += [f'<p class="warning">{text(warning)}</p>' for warning in first.columns.warnings]
    parts.append(f"<h3>Accuracy over time</h3><figure>{picture(runs, window)}</figure>")
    parts.append(f"<h3>Figures</h3>{_figures(runs)}")
    parts += [f"<h3>Classes, as {text(run.learner)} answered</h3>{_classes(run)}" for run in runs]
    if first.columns is not None:
        used = [("pipeline", str(run.pipeline)) for run in runs]
        parts.append(f"<h3>Columns</h3>{pairs([*first.columns.in_words(most=100), *used])}")
    parts += [f"<h3>Settings of {text(run.learner)}</h3>{_settings(run)}" for run in runs]
    return "".join(parts)


def _circumstances(run: Run) -> str:
    return ", ".join([run.stream, *(f"{name} {_setting(value)}" for name, value in run.settings.items())])


def _in_words(run: Run) -> str:
    """Return a sentence that compares the learner with the better baseline."""
    reached = metrics.accuracy(run)
    if math.isnan(reached):
        return "No row was scored."
    rivals = {name: metrics.agreement(run.labels, codes) for name, codes in run.baselines.items()}
    best = max(rivals, key=lambda name: rivals[name])
    points = 100 * (reached - rivals[best])
    verdict = "more" if points >= 0 else "less"
    name = {
        "majority": "always answering the majority class",
        "no_change": "repeating the last label",
        "label_chain": "answering what most often followed the last label",
    }[best]
    n_scored = np.count_nonzero(run.labels >= 0)
    return (
        f"{run.learner} answered {percentage(reached)} of {n_scored:,} rows correctly: "
        f"{abs(points):.2f} points {verdict} than {name} ({percentage(rivals[best])})."
    )


def _figures(runs: list[Run]) -> str:
    rows = [["", *(figure.title for figure in FIGURES), "rows/s"]]
    for run in runs:
        speed = NOT_DEFINED if math.isnan(run.rows_per_second) else f"{run.rows_per_second:,.0f}"
        rows.append([run.learner, *shown(run), speed])
    rows += [[title, *shown(runs[0], name), NOT_DEFINED] for name, title in BASELINES.items()]
    note = (
        "Kappa: accuracy above guessing with the same class shares; kappa M: above the majority class; kappa "
        "temporal: above repeating the last label. The baselines learn the same labels at the same time and "
        "have no probabilities, so they have no log-loss."
    )
    return f'{table(rows, n_bold=len(runs))}<p class="note">{note}</p>'


def _classes(run: Run) -> str:
    rows = [["class", "rows", "answered", "precision", "recall"]]
    scored = run.labels >= 0
    for k, label in enumerate(run.classes):
        true, answered = run.labels == k, (run.predicted == k) & scored
        n_true, n_answered, right = (np.count_nonzero(mask) for mask in (true, answered, true & answered))
        shares = [ratio(right, n_answered), ratio(right, n_true)]
        rows.append([label, f"{n_true:,}", f"{n_answered:,}", *map(percentage, shares)])
    return table(rows)


def _settings(run: Run) -> str:
    entries = {"stream": run.stream, "rows": f"{run.n_rows:,}"}
    entries |= {name: _setting(value) for name, value in run.settings.items()}
    entries["parameters"] = ", ".join(f"{name}={value!r}" for name, value in run.parameters.items()) or "none"
    entries["time"] = f"{run.seconds:.2f} s, of which the learner took {run.learner_seconds:.2f} s"
    entries["memory"] = f"{run.memory:,} bytes at the end"
    entries["known drifts"] = _rows_listed(run.drifts)
    entries["drifts found"] = _rows_listed(run.alarms)
    if run.skipped:
        entries["rows skipped"] = f"{run.skipped:,}"
    return pairs(entries.items())


def _setting(value: Any) -> str:
    """Return a setting as text; a frozen distribution by its name and parameters."""
    if not hasattr(value, "rvs") or not hasattr(value, "dist"):
        return str(value)
    parameters = [*map(str, value.args), *(f"{name}={number}" for name, number in value.kwds.items())]
    return f"{value.dist.name}({', '.join(parameters)})"


def _rows_listed(rows: NDArray[Any], most: int = 20) -> str:
    listed = ", ".join(f"{row:,}" for row in rows[:most].tolist())
    more = f" and {len(rows) - most:,} more" if len(rows) > most else ""
    return f"row {listed}{more}" if listed else "none"


def _curve(run: Run, answered: NDArray[Any], window: int) -> tuple[NDArray[Any], Floats]:
    """Return row numbers and sliding accuracies, thinned out; for a holdout, the accuracy of each test."""
    numbers = np.arange(len(run.labels)) if run.row_numbers is None else run.row_numbers
    if _is_grouped(run):
        x, start = np.unique(numbers, return_index=True)
        right = np.add.reduceat((run.labels == answered).astype(int), start)
        y: Any = ratio(right, np.add.reduceat((run.labels >= 0).astype(int), start))
    else:
        y = metrics.agreement(run.labels, answered, window=window)
        x, y = numbers[window - 1 :], y[window - 1 :]
    kept = np.unique(np.linspace(0, len(x) - 1, min(_POINTS, len(x))).round().astype(int))
    return x[kept], y[kept]


def _is_grouped(run: Run) -> bool:
    numbers = run.row_numbers
    return numbers is not None and len(numbers) > 1 and bool((numbers[1:] == numbers[:-1]).any())

"""A self-contained HTML page about a comparison."""

import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.comparison import words
from thalweg.evaluation.comparison.result import Comparison
from thalweg.evaluation.curves import Line, style_of
from thalweg.evaluation.formatting import count, formatted, points, without_label
from thalweg.evaluation.pages.charts import named
from thalweg.evaluation.pages.page import (
    Best,
    Markup,
    made_by,
    note,
    pairs,
    table,
    text,
    with_small_error,
    write_page,
)
from thalweg.evaluation.pages.rank_diagram import rank_diagram
from thalweg.evaluation.pages.svg import line_chart
from thalweg.evaluation.run import setting

TABLES = {
    "kappa_temporal": ("Kappa temporal, per cent", 100, ".1f"),
    "log_loss": ("Log-loss", 1, ".3f"),
    "recovery": ("Accuracy in the first 500 rows after a known drift, per cent", 100, ".1f"),
    "rows_per_second": ("Rows a second", 1, ",.0f"),
    "memory": ("Memory at the end, kB", 1e-3, ",.0f"),
}


def write(comparison: Comparison, path: str | PathLike[str]) -> Path:
    """Write the page of a comparison; return its path."""
    body = [note(words.verdict(comparison), "lead"), _failures(comparison)]
    body += ["<h2>Accuracy</h2>", _accuracies(comparison), note(_about(comparison))]
    tests = comparison.tests()
    if tests["critical_difference"] is not None:
        diagram = rank_diagram(comparison.learners, comparison.mean_ranks(), tests["critical_difference"])
        body += ["<h2>Mean ranks</h2>", f"<figure>{diagram}</figure>"]
        body += [note(_about_ranks(comparison, tests)), "<h3>Pairs</h3>"]
        body += [table(words.pair_rows(comparison, tests), "runs"), note(words.about_few_streams(comparison))]
    body += ["<h2>Accuracy over time</h2>", note("Of the first seed." if comparison.n_seeds > 1 else "")]
    body += [
        f"<h3>{text(stream)}</h3><figure>{_chart(comparison, stream)}</figure>"
        for stream in comparison.streams
    ]
    for metric, (title, scale, form) in TABLES.items():
        if np.isfinite(comparison.table(metric)).any():
            body += [f"<h2>{title}</h2>", table(_rows(comparison, metric, scale, form), kind="runs")]
            if metric == "rows_per_second":
                remedy = "--fresh" if comparison.command else "fresh=True"
                body.append(note(words.about_kept(comparison, remedy)))
    body += ["<h2>Settings</h2>", _settings(comparison)]
    title = f"{count(len(comparison.learners), 'learner')} on {count(len(comparison.streams), 'stream')}"
    return write_page(path, title, "".join(body))


def short(comparison: Comparison) -> str:
    """Return the HTML of a comparison for a notebook: the verdict and the table of accuracies."""
    return f"<p>{text(words.verdict(comparison))}</p>{table(words.accuracy_rows(comparison, _cell))}"


def _accuracies(comparison: Comparison) -> str:
    """Return the table of accuracies with a sample of each line, the best of a stream marked."""
    head, *rows = words.accuracy_rows(comparison, _cell)
    styles = [*(style_of(m) for m in words.best_first(comparison)), *BASELINES]
    made = ([named(row[0], style), *row[1:]] for row, style in zip(rows, styles, strict=True))
    return table([head, *made], kind="runs")


def _cell(accuracy: words.Accuracy) -> str:
    """Return an accuracy with its error in small print, marked if it is the best."""
    made = with_small_error(points(accuracy.value), accuracy.error)
    return Best(made) if accuracy.is_best else made


def _chart(comparison: Comparison, stream: str) -> str:
    longest = comparison.of_stream(stream)
    if longest is None:
        return "<p>No learner has a result.</p>"
    runs = [comparison.results[learner, stream, 0] for learner in comparison.learners]
    lines = [
        _line(learner, style_of(i), run["curve"])
        for i, (learner, run) in enumerate(zip(comparison.learners, runs, strict=True))
        if "error" not in run
    ]
    for name, baseline in BASELINES.items():
        lines.append(_line(baseline.title, name, longest["baselines"][name]["curve"]))
    return line_chart(lines, longest["rows"], longest["drifts"], (), longest["curve_title"])


def _line(name: str, style: str, curve: dict[str, Any]) -> Line:
    return Line(name, style, np.array(curve["x"]), np.array(curve["y"], dtype=np.float64))


def _settings(comparison: Comparison) -> str:
    """Return how the learners were evaluated, on what, and their parameters."""
    entries: list[tuple[str, str]] = []
    for m, learner in enumerate(comparison.learners):
        ran = (run for key, run in comparison.results.items() if key[0] == learner and "error" not in run)
        run = next(ran, None)
        parameters = {} if run is None else run["parameters"]
        listed = "; ".join(f"{name} {value}" for name, value in parameters.items())
        entries.append((named(learner, style_of(m)), listed or "no parameters"))
    for stream in comparison.streams:
        run = comparison.of_stream(stream)
        entries.append((stream, "no result" if run is None else _stream(run)))
    entries.append(("seeds", str(comparison.n_seeds)))
    given = comparison.settings.items()
    entries += [(name, setting(value)) for name, value in given if value is not None]
    return pairs([*entries, *made_by(comparison.command, comparison.date)])


def _stream(run: dict[str, Any]) -> str:
    said = [count(run["rows"], "row")]
    said += [without_label(run["unlabelled"])] if run["unlabelled"] else []
    said += [f"{run['skipped']:,} unreadable skipped"] if run["skipped"] else []
    said += [count(len(run["drifts"]), "known drift")] if run["drifts"] else []
    return ", ".join(said)


def _rows(comparison: Comparison, metric: str, scale: float, form: str) -> list[list[str]]:
    values = scale * comparison.table(metric)
    rows = [["", *comparison.streams]]
    for m in words.best_first(comparison):
        name = named(comparison.learners[m], style_of(m))
        cells = [formatted(value, form) for value in values[:, m]]
        if metric == "rows_per_second":
            marks = [f" {words.KEPT_MARK}" if kept else "" for kept in comparison.kept()[:, m]]
            cells = [cell + mark for cell, mark in zip(cells, marks, strict=True)]
        rows.append([name, *cells])
    return rows


def _about(comparison: Comparison) -> str:
    stopped = sorted(
        {key[0] + " on " + key[1] for key, run in comparison.results.items() if run.get("stopped")}
    )
    said = f"Per cent of rows predicted correctly before they were learned. {words.about_errors(comparison)}"
    return f"{said} Stopped by the limit of time: {', '.join(stopped)}." if stopped else said


def _about_ranks(comparison: Comparison, tests: dict[str, Any]) -> str:
    friedman = tests["friedman"]
    test = words.test_of_pairs(len(comparison.learners))
    said = f"Over {len(comparison.ranked)} streams. Learners under a bar differ no more than chance allows"
    said += f" ({test}, 5 %)."
    if friedman is not None:
        f = "∞" if math.isinf(friedman.f) else f"{friedman.f:.2f}"
        said += f" Friedman's test that all are alike: F = {f}, p = {friedman.p_value:.2g}."
    return f"{said} Below, Wilcoxon's signed-rank tests are adjusted by Holm's method."


def _failures(comparison: Comparison) -> str:
    errors = comparison.errors().items()
    lines = "<br/>".join(f"{text(name)}: {text(message)}" for name, message in errors)
    return note(Markup(lines), "warning")

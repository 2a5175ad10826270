"""A self-contained HTML page about a comparison."""

import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.evaluation.chart import Line, line_chart
from thalweg.evaluation.chart_style import N_STYLES
from thalweg.evaluation.comparison import LEVEL, Comparison
from thalweg.evaluation.figures import BASELINES, NOT_DEFINED
from thalweg.evaluation.page import table, text, write_page
from thalweg.evaluation.rank_diagram import rank_diagram

TABLES = {
    "kappa_temporal": ("Kappa temporal, per cent", 100, ".1f"),
    "log_loss": ("Log-loss", 1, ".3f"),
    "recovery": ("Accuracy in the first 500 rows after a known drift, per cent", 100, ".1f"),
    "rows_per_second": ("Rows a second", 1, ",.0f"),
    "memory": ("Memory at the end, kB", 1e-3, ",.0f"),
}


def write(comparison: Comparison, path: str | PathLike[str]) -> Path:
    """Write the page of a comparison; return its path."""
    body = [f'<p class="lead">{text(verdict(comparison))}</p>', _failures(comparison)]
    body += [
        "<h2>Accuracy</h2>",
        table(accuracy_rows(comparison)),
        f'<p class="note">{text(_about(comparison))}</p>',
    ]
    tests = comparison.tests()
    if tests["critical_difference"] is not None:
        diagram = rank_diagram(comparison.learners, comparison.mean_ranks(), tests["critical_difference"])
        body += ["<h2>Mean ranks</h2>", f"<figure>{diagram}</figure>"]
        body += [f'<p class="note">{text(_about_ranks(comparison, tests))}</p>']
        body += ["<h3>Pairs</h3>", table(pair_rows(comparison, tests), kind="words")]
    body += ["<h2>Accuracy over time</h2>"]
    body += [
        f"<h3>{text(stream)}</h3><figure>{_chart(comparison, stream)}</figure>"
        for stream in comparison.streams
    ]
    for metric, (title, scale, form) in TABLES.items():
        if np.isfinite(comparison.table(metric)).any():
            body += [f"<h2>{title}</h2>", table(_rows(comparison, metric, scale, form))]
    title = f"{len(comparison.learners)} learners on {len(comparison.streams)} streams"
    return write_page(path, title, "".join(body))


def verdict(comparison: Comparison) -> str:
    """Return in a sentence which learner is ahead, and whether the tests agree."""
    ranks = comparison.mean_ranks()
    if not np.isfinite(ranks).all():
        return "No stream was finished by all learners, so there are no ranks."
    best = int(np.argmin(ranks))
    tests, name = comparison.tests(), comparison.learners[best]
    if len(comparison.learners) == 1:
        return f"{name} alone was run: there is nothing to compare it with but the baselines."
    streams = f"over {len(comparison.ranked)} streams"
    said = f"{name} has the best mean rank, {ranks[best]:.2f} of {len(ranks)}, {streams}"
    if len(comparison.ranked) == 1:
        return _verdict_of_one_stream(comparison, best)
    alike = [
        other
        for m, other in enumerate(comparison.learners)
        if m != best and ranks[m] - ranks[best] <= tests["critical_difference"]
    ]
    friedman = tests["friedman"]
    if friedman is not None and friedman.p_value > LEVEL:
        p_value = f"p = {friedman.p_value:.2g}"
        return f"{said}, but the ranks differ no more than chance allows (Friedman's test, {p_value})."
    test = f"Nemenyi's test at {100 * LEVEL:.0f} %"
    if not alike:
        return f"{said}, significantly ahead of all others ({test})."
    return f"{said}; so few streams do not tell it from {_listed(alike)} ({test})."


def _verdict_of_one_stream(comparison: Comparison, best: int) -> str:
    stream, name = comparison.ranked[0], comparison.learners[best]
    scores = comparison.scores()[0]
    second = int(np.argsort(-scores, kind="stable")[1])
    found = comparison.paired(name, comparison.learners[second], stream)
    points = f"{100 * found.mean:.2f} ± {100 * found.standard_error:.2f} points"
    other = comparison.learners[second]
    return f"On {stream} {name} is ahead of {other} by {points}, {found.in_words(LEVEL)}."


def accuracy_rows(comparison: Comparison) -> list[list[str]]:
    """Return the table of accuracies in per cent: learners and baselines, the best of a stream marked."""
    values, errors, ranks = comparison.table(), comparison.spread(), comparison.mean_ranks()
    best = [np.nanmax(row) if np.isfinite(row).any() else math.nan for row in values]
    rows = [["", *comparison.streams, "mean rank"]]
    for m in best_first(comparison):
        cells = zip(values[:, m], errors[:, m], values[:, m] == best, strict=True)
        rows.append([comparison.learners[m], *(_accuracy(*cell) for cell in cells), _shown(ranks[m], ".2f")])
    for name, accuracies in comparison.baselines().items():
        rows.append([BASELINES[name], *map(_percent, accuracies), ""])
    return rows


def best_first(comparison: Comparison) -> list[int]:
    """Return the learners by mean rank, the best first."""
    return np.argsort(comparison.mean_ranks(), kind="stable").tolist()


def pair_rows(comparison: Comparison, tests: dict[str, Any]) -> list[list[str]]:
    """Return a line for each pair of learners: streams won, as good and lost, and Wilcoxon's p-value."""
    rows = [["", "better", "as good", "worse", "Wilcoxon, p"]]
    order = best_first(comparison)
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            won, tied, lost = tests["wins"][a, b]
            pair = f"{comparison.learners[a]} against {comparison.learners[b]}"
            rows.append([pair, str(won), str(tied), str(lost), f"{tests['wilcoxon'][a, b]:.2g}"])
    return rows


def _chart(comparison: Comparison, stream: str) -> str:
    lines, n_rows = [], 1
    for i, learner in enumerate(comparison.learners):
        result = comparison.results[learner, stream, 0]
        if "error" in result:
            continue
        n_rows = max(n_rows, result["rows"])
        middle = (np.arange(len(result["curve"])) + 0.5) / max(len(result["curve"]), 1) * result["rows"]
        lines.append(Line(learner, f"line{i % N_STYLES}", middle, np.array(result["curve"])))
    if not lines:
        return "<p>No learner has a result.</p>"
    drifts = next(
        run["drifts"] for key, run in comparison.results.items() if key[1] == stream and "error" not in run
    )
    return line_chart(lines, n_rows, drifts, (), "accuracy in parts of the stream")


def _rows(comparison: Comparison, metric: str, scale: float, form: str) -> list[list[str]]:
    values = scale * comparison.table(metric)
    rows = [["", *comparison.streams]]
    for m in best_first(comparison):
        rows.append([comparison.learners[m], *(_shown(value, form) for value in values[:, m])])
    return rows


def _about(comparison: Comparison) -> str:
    n = comparison.n_seeds
    seeds = f"Means over {n} seeds ± standard error" if n > 1 else "± standard error over parts of the stream"
    stopped = sorted(
        {key[0] + " on " + key[1] for key, run in comparison.results.items() if run.get("stopped")}
    )
    words = f"Per cent of rows predicted correctly before they were learned. {seeds}. * marks the best."
    return f"{words} Stopped by the limit of time: {', '.join(stopped)}." if stopped else words


def _about_ranks(comparison: Comparison, tests: dict[str, Any]) -> str:
    friedman = tests["friedman"]
    said = f"Over {len(comparison.ranked)} streams. Nemenyi's test (5 %) cannot tell those under a bar apart."
    if friedman is not None:
        said += f" Friedman's test that all are alike: F = {friedman.f:.2f}, p = {friedman.p_value:.2g}."
    return f"{said} Below, Wilcoxon's signed-rank tests are adjusted by Holm's method."


def _failures(comparison: Comparison) -> str:
    errors = comparison.errors()
    lines = "<br/>".join(f"{text(name)}: {text(message)}" for name, message in errors.items())
    return f'<p class="warning">{lines}</p>' if errors else ""


def _accuracy(value: float, error: float, is_best: bool) -> str:
    spread = "" if math.isnan(error) else f" ± {100 * error:.2f}"
    return f"{_percent(value)}{spread}{' *' if is_best else ''}"


def _percent(value: float) -> str:
    return _shown(100 * value, ".2f")


def _shown(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else NOT_DEFINED


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

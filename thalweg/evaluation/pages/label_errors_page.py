"""One self-contained page about labels that look wrong: how many, where, and the rows themselves."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from time import strftime

import numpy as np

from thalweg.evaluation.curves import Line
from thalweg.evaluation.formatting import DATE, percentage
from thalweg.evaluation.pages.page import Markup, made_by, note, pairs, table, text, write_page
from thalweg.evaluation.pages.svg import line_chart
from thalweg.evaluation.wrong_labels.find import LabelErrors
from thalweg.evaluation.wrong_labels.words import ASSUMPTION, Lines, headline

MOST_ROWS, MOST_COLUMNS, MOST_PAIRS, N_PARTS = 200, 12, 20, 100
LONG = 40  # characters of a cell that is broken into lines


def write(lines: Lines, source: str, path: str | PathLike[str], command: str = "") -> Path:
    """Write one HTML page about label errors; it needs no network and no script. Return its path."""
    found = lines.label_errors
    parts = [note(headline(found), "lead"), note(ASSUMPTION)]
    parts.append(f"<h2>Where they are</h2><figure>{_where(found)}</figure>")
    parts.append(note("Share of rows whose labels look wrong, listed or not, in the order of the rows."))
    if lines.rows:
        rows: list[Sequence[object]] = [["label", "believed", "rows"], *lines.confusions()[:MOST_PAIRS]]
        parts.append(f"<h2>What was taken for what</h2>{table(rows)}")
        parts.append(f"<h2>The likeliest label errors</h2>{_table(lines)}")
    parts.append(f"<h2>Models and their weights</h2>{_models(lines)}")
    if lines.columns is not None:
        parts += [note(warning, "warning") for warning in lines.columns.warnings]
        parts.append(f"<h2>Columns</h2>{pairs(lines.columns.in_words(most=100))}")
    parts.append(f"<h2>Origin</h2>{pairs(made_by(command, strftime(DATE)))}")
    return write_page(path, f"Label errors in {source}", "".join(parts))


def _where(found: LabelErrors) -> str:
    n = len(found.codes)
    edges = np.linspace(0, n, min(N_PARTS, n) + 1).round().astype(int)
    ahead = np.zeros(n)
    ahead[found.rows] = 1.0
    shares = np.add.reduceat(ahead, edges[:-1]) / np.diff(edges)
    return line_chart([Line("label errors", "line0", edges[1:], shares)], n, y_title="share of the rows")


def _table(lines: Lines) -> str:
    found, n_columns = lines.label_errors, max(MOST_COLUMNS, lines.n_kept)
    names = lines.shown_names[:n_columns]
    doubt, likelihood = found.doubt, found.likelihood
    rows: list[list[object]] = [["row", "doubt", "likelihood", "label", "believed", *names]]
    for i in lines.rows[:MOST_ROWS]:
        numbers = [f"{lines.numbers[i]:,}", f"{doubt[i]:.2f}", f"{likelihood[i]:.2g}"]
        cells = map(_broken, lines.texts(i)[:n_columns])
        rows.append([*numbers, lines.label(i), lines.believed(i), *cells])
    n_more = len(lines.rows) - MOST_ROWS
    more = f" {n_more:,} more are not listed." if n_more > 0 else ""
    about = (
        "Doubt: the probability that the label is wrong, given the estimated share of wrong labels. "
        f"Likelihood: the probability of the label as given. Rows are counted from 1.{more}"
    )
    return table(rows) + note(about)


def _broken(cell: str) -> str:
    return Markup(f'<div class="long">{text(cell)}</div>') if len(cell) > LONG else cell


def _models(lines: Lines) -> str:
    found = lines.label_errors
    rows: list[Sequence[object]] = [["model", "weight"]]
    rows += [[name, f"{weight:.2f}"] for name, weight in found.weights.items()]
    agreement = percentage(found.estimate.agreement, ".1f")
    time = f"{lines.counted} in {found.seconds:.2f} s"
    return table(rows) + note(f"Together they agree with {agreement} of the labels. {time}.")

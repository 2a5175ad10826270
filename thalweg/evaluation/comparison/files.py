"""A comparison as a file: a page, or a table for a spreadsheet, a text or a paper."""

import csv
import io
import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from thalweg._atomic_file import replacing_text
from thalweg._escaping import in_markdown, in_spreadsheet, printable
from thalweg.errors import ParameterError
from thalweg.evaluation.comparison.result import METRICS, Comparison
from thalweg.evaluation.comparison.words import Accuracy, accuracy_rows, verdict
from thalweg.evaluation.pages.comparison_page import write as write_html

OF_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}  # fmt: skip


def write(comparison: Comparison, path: str | PathLike[str], csv_safe: bool = False) -> Path:
    """Write a comparison in the format that the ending of the path names; return the path."""
    write_as = _FORMATS[check_ending(path)]
    if write_as is None:
        return write_html(comparison, path)
    text = as_csv(comparison, in_spreadsheet) if csv_safe and write_as is as_csv else write_as(comparison)
    with replacing_text(path) as file:
        file.write(text)
    return Path(path)


def check_ending(path: str | PathLike[str]) -> str:
    """Return the ending of a path; raise ParameterError if no format has it."""
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        endings = ", ".join(_FORMATS)
        raise ParameterError(f"{path}: the ending of the name must be one of {endings}, got {ending!r}")
    return ending


def as_csv(comparison: Comparison, escape: Callable[[str], str] = str) -> str:
    """Return a line for each run, with all metrics, and its names after `escape`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["learner", "stream", "seed", *METRICS, "positive", "error"])
    for (learner, stream, seed), run in comparison.results.items():
        names = escape(learner), escape(stream)
        last = escape(run.get("positive") or ""), escape(run.get("error", ""))
        writer.writerow([*names, seed, *map(run.get, METRICS), *last])
    return text.getvalue()


def as_markdown(comparison: Comparison) -> str:
    """Return the table of accuracies in Markdown, the best of a stream in bold, and the verdict."""

    def cell(accuracy: Accuracy) -> str:
        return f"**{accuracy}**" if accuracy.is_best else str(accuracy)

    head, *rows = accuracy_rows(comparison, cell, in_markdown)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"Accuracy, per cent:\n\n{table}\n{in_markdown(verdict(comparison))}\n"


def as_latex(comparison: Comparison) -> str:
    """Return the table of accuracies in LaTeX with the rules of booktabs, the best of a stream in bold."""

    def cell(accuracy: Accuracy) -> str:
        plain = _in_latex(str(accuracy))
        return rf"\textbf{{{plain}}}" if accuracy.is_best else plain

    head, *rows = accuracy_rows(comparison, cell, _in_latex)
    n_learners = len(comparison.learners)
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule", _latex_row(head), r"\midrule"]
    lines += [*map(_latex_row, rows[:n_learners]), r"\midrule", *map(_latex_row, rows[n_learners:])]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return f"% Accuracy, per cent. {printable(verdict(comparison))}\n" + "\n".join(lines) + "\n"


def _in_latex(words: str) -> str:
    return re.sub(r"[\\~^&%$#_{}±]", lambda found: OF_LATEX[found[0]], printable(words))


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


_FORMATS: dict[str, Callable[[Comparison], str] | None] = {
    ".html": None, ".htm": None, ".csv": as_csv, ".md": as_markdown, ".tex": as_latex,
}  # fmt: skip

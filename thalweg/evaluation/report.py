"""A self-contained HTML page about runs: metrics, accuracy over time, classes, calibration, settings."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from thalweg.evaluation import notable
from thalweg.evaluation.curves import names_of
from thalweg.evaluation.formatting import all_of, without_label
from thalweg.evaluation.pages import charts as pictures
from thalweg.evaluation.pages import estimate_page, tables
from thalweg.evaluation.pages.inputs import explanations
from thalweg.evaluation.pages.matrices import confusion, diagram
from thalweg.evaluation.pages.page import STOPPED, Markup, note, pairs, text, write_page
from thalweg.evaluation.pages.svg_style import CHART_STYLE
from thalweg.evaluation.run import Run, setting

__all__ = ["picture", "short", "write"]


def write(
    runs: Run | Iterable[Run],
    path: str | PathLike[str],
    *,
    window: int | None = None,
    title: str | None = None,
    cumulative: bool = False,
) -> Path:
    """Write a self-contained HTML page about one or several Runs; return its path.

    Runs on the same stream with the same settings share tables and a chart.

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
    cumulative : bool
        Show the accuracy over all rows so far at once; else it is folded away below the sliding one.
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    if not runs:
        raise ValueError("report: no run to write about, give at least one")
    groups: dict[tuple[str, bytes], list[Run]] = {}
    for run in runs:
        groups.setdefault((_circumstances(run), _codes_of(run)), []).append(run)
    title = title or " · ".join(dict.fromkeys(map(_title, groups.values())))
    body = "".join(_section(group, window, len(groups) > 1, cumulative) for group in groups.values())
    return write_page(path, title, body)


def picture(runs: Run | Iterable[Run], window: int | None = None, *, cumulative: bool = False) -> str:
    """Return the SVG of the accuracy over time of a Run, or of several Runs on one stream.

    Parameters
    ----------
    runs : Run or sequence of Run
        The runs to show.
    window : int or None
        Number of rows of the sliding window; by default about a fiftieth of the run.
    cumulative : bool
        Show the accuracy over all rows so far instead.
    """
    return pictures.accuracy_svg([runs] if isinstance(runs, Run) else list(runs), window, cumulative)


def short(run: Run) -> str:
    """Return the HTML of a Run for a notebook: a sentence, the chart and the metrics.

    Parameters
    ----------
    run : Run
        The run to show.
    """
    chart = f'<div style="max-width: 900px">{picture(run)}</div>'
    return f"<style>{CHART_STYLE}</style><p>{text(tables.in_words(run))}</p>{chart}{tables.metrics([run])}"


def _section(runs: list[Run], window: int | None, named: bool, cumulative: bool) -> str:
    first, level = runs[0], 3 if named else 2
    parts = [f"<h2>{text(_circumstances(first))}</h2>"] if named else []
    parts.append(note(tables.in_words(tables.best_of(runs)), "lead"))
    parts.append(note(STOPPED if any(run.interrupted for run in runs) else "", "warning"))
    if first.unlabelled:
        parts.append(note(f"{without_label(first.unlabelled)}, not scored.", "warning"))
    for run, name in zip(runs, names_of(runs), strict=True):
        if run.asked_labels is not None:
            parts.append(note((f"{name}: " if len(runs) > 1 else "") + run.asked_labels.in_words()))
    if first.skipped:
        said = "".join(f"<br/>{text(message)}" for message in first.messages)
        parts.append(note(Markup(f"{first.skipped:,} unreadable rows were skipped.{said}"), "warning"))
    if first.columns is not None:
        parts += [note(warning, "warning") for warning in first.columns.warnings]
    for run, name in zip(runs, names_of(runs), strict=True):
        start = f"{name}: " if len(runs) > 1 else ""
        parts += [note(start + said, "warning") for said in notable.in_words(run)]
    for title, content in _contents(runs, window, cumulative):
        if content:
            parts.append(f"<h{level}>{text(title)}</h{level}>{content}")
    return "".join(parts)


def _contents(runs: list[Run], window: int | None, cumulative: bool) -> Iterable[tuple[str, str]]:
    """Yield title and HTML of each part of a section."""
    first = runs[0]
    yield "Accuracy over time", _over_time(runs, window, cumulative)
    for run, name in zip(runs, names_of(runs), strict=True):
        several = f" of {name}" if len(runs) > 1 else ""
        yield f"Accuracy{several}, estimated", estimate_page.of_run(run)
        yield f"Prediction sets{several} over time", pictures.sets(run)
    yield "Metrics", tables.metrics(runs)
    yield "Classes", tables.classes(runs)
    if any(run.n_scored for run in runs):
        yield from _answers(runs)
    for run, name in zip(runs, names_of(runs), strict=True):
        yield f"Inputs of {name}" if len(runs) > 1 else "Which inputs count", explanations(run, runs)
    if first.columns is not None:
        used = [("pipeline", str(run.pipeline)) for run in runs[:1] if len(runs) == 1]
        yield "Columns", pairs([*first.columns.in_words(most=100), *used])
    yield "Settings", tables.settings(runs)


def _answers(runs: list[Run]) -> Iterable[tuple[str, str]]:
    """Yield title and HTML of what needs rows that were scored."""
    names, several = names_of(runs), len(runs) > 1
    matrices = [confusion(run, name if several else "") for run, name in zip(runs, names, strict=True)]
    yield "Confusion", f'<div class="pair">{"".join(matrices)}</div>'
    yield "Reliability", diagram(runs)
    yield "Labels over time", pictures.label_shares(runs[0])
    for run, name in zip(runs, names, strict=True):
        yield f"{name} over time" if several else "The learner over time", pictures.weights(run)


def _over_time(runs: list[Run], window: int | None, cumulative: bool) -> str:
    sliding, total = pictures.accuracy(runs, window), pictures.accuracy(runs, window, cumulative=True)
    if cumulative:
        return f"{total}<details><summary>Accuracy, sliding</summary>{sliding}</details>"
    return f"{sliding}<details><summary>Accuracy over all rows so far</summary>{total}</details>"


def _title(runs: list[Run]) -> str:
    return f"{all_of(list(dict.fromkeys(run.learner for run in runs)))} on {runs[0].stream}"


def _circumstances(run: Run) -> str:
    return ", ".join([run.stream, *(f"{name} {setting(value)}" for name, value in run.settings.items())])


def _codes_of(run: Run) -> bytes:
    """Return what two runs share that were tested on the same labels."""
    return run.codes.tobytes() if run.keeps_rows else run.tally.class_counts.tobytes()


def __dir__() -> list[str]:
    return __all__

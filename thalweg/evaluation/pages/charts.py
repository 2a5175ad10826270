"""The pictures of a page about runs: over time, confusion and reliability."""

from collections.abc import Sequence

from thalweg.evaluation import curves, set_metrics
from thalweg.evaluation.curves import Line, names_of
from thalweg.evaluation.pages.page import Markup, note, text
from thalweg.evaluation.pages.svg import Scale, both, css, draw, plain_scale, share_scale
from thalweg.evaluation.pages.svg_lanes import Lane
from thalweg.evaluation.run import Run


def swatch(style: str) -> Markup:
    """Return the HTML of a sample of a line."""
    return Markup(f'<svg class="swatch" viewBox="0 0 26 8"><path class="{css(style)}" d="M0 4H26"/></svg>')


def named(name: str, style: str) -> Markup:
    """Return the HTML of a name after a sample of its line."""
    return Markup(f"{swatch(style)}{text(name)}")


def accuracy(runs: Sequence[Run], window: int | None = None, cumulative: bool = False) -> str:
    """Return the HTML of the accuracy over time of runs on one stream, with baselines, drifts and alarms."""
    return _figure(both(*_accuracy(runs, window, cumulative)))


def accuracy_svg(runs: Sequence[Run], window: int | None = None, cumulative: bool = False) -> str:
    """Return the same as one SVG that can stand alone."""
    return draw(*_accuracy(runs, window, cumulative), standalone=True)


def _accuracy(
    runs: Sequence[Run], window: int | None, cumulative: bool
) -> tuple[list[Line], int, list[Lane], str, Scale]:
    """Return what `draw` takes: lines, rows, marks below them, the title and the scale."""
    lines = curves.accuracy_lines(runs, window, cumulative)
    lanes = [Lane("known drift", "drift", runs[0].drifts)]
    for run, name in zip(runs, names_of(runs), strict=True):
        lanes.append(Lane("drift", "alarm", run.alarms, f" found by {name}" if len(runs) > 1 else " found"))
    title = curves.title_over_time(runs[0], window, cumulative)
    return lines, runs[0].end_row, lanes, title, share_scale([line.y for line in lines])


def label_shares(run: Run) -> str:
    """Return the HTML of the share of each class over time."""
    lines = curves.lines_of(curves.label_shares(run))
    scale = share_scale([line.y for line in lines], low=0.0)
    return _figure(both(lines, run.end_row, [], "share of the labels", scale))


def sets(run: Run) -> str:
    """Return the HTML of coverage, single answers and size of prediction sets over time; nothing without."""
    found = curves.set_series(run)
    if not found:
        return ""
    names = {"covered": "coverage", "single": "one class"}
    lines = [Line(name, curves.style_of(i), *found[key]) for i, (key, name) in enumerate(names.items())]
    lanes = [Lane("known drift", "drift", run.drifts)]
    scale = share_scale([line.y for line in lines])
    shares = both(lines, run.end_row, lanes, "share of the sets that hold the label, or one class", scale)
    size = Line("classes", curves.style_of(2), *found["size"])
    sizes = both([size], run.end_row, lanes, "classes in a set", plain_scale(size.y))
    return _figure(shares) + _figure(sizes) + note(set_metrics.in_words(run))


def weights(run: Run) -> str:
    """Return the HTML of the weights of members, or of forgetting, over time; nothing if there are none."""
    if run.history is None:
        return ""
    kept = run.history.most_important(curves.MOST_LINES)
    lines = curves.lines_of(kept)
    n_rows = max(run.end_row, int(kept.rows.max()))
    picture = _figure(both(lines, n_rows, [], kept.title, plain_scale(kept.values)))
    n_all = len(run.history.names)
    about = f"The {len(lines)} largest of {n_all}. " if len(lines) < n_all else ""
    late = run.settings.get("delay", 0) != 0 or run.settings.get("label_share", 1) != 1
    if late or run.asked_labels is not None:
        about += "By rows learned, which are fewer than rows seen since labels are late or missing."
    return picture + note(about)


def _figure(picture: str) -> str:
    return f"<figure>{picture}</figure>"

"""The charts of the live page, from plain snapshots."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.curves import Line
from thalweg.evaluation.pages.heat_map import heat_map
from thalweg.evaluation.pages.svg import (
    NARROW,
    WIDE,
    Scale,
    Size,
    both,
    both_sizes,
    css,
    draw,
    label,
    legend,
    line,
    plain_scale,
    share_scale,
    svg,
)
from thalweg.evaluation.pages.svg_lanes import Lane
from thalweg.evaluation.pages.text_width import fitted

LOWEST = WIDE._replace(height=150), NARROW._replace(height=130)
BAR, NAMES = 22, 0.42


def accuracy(found: Mapping[str, Any]) -> str:
    """Return the HTML of accuracy over the rows: known, estimated, and that of the baselines."""
    return both(*_accuracy(found)) if found["accuracy"]["over_time"]["rows"] else ""


def accuracy_svg(found: Mapping[str, Any]) -> str:
    """Return the same as one SVG that can stand alone."""
    return draw(*_accuracy(found), standalone=True)


def _accuracy(found: Mapping[str, Any]) -> tuple[list[Line], int, list[Lane], str, Scale]:
    """Return what `draw` takes: lines, rows, marks below them, the title and the scale."""
    known, estimated = found["accuracy"]["over_time"], found["estimate"]["over_time"]
    rows = np.array(known["rows"])
    lines = [Line("labels that have come", "line0", rows, _numbers(known["learner"]))]
    if estimated["rows"]:
        at = np.array(estimated["rows"])
        for name, style in (("estimate", "line1"), ("low", "line7"), ("high", "line7")):
            lines.append(Line(name, style, at, _numbers(estimated[name])))
    lines += [Line(each.title, name, rows, _numbers(known[name])) for name, each in BASELINES.items()]
    scale = share_scale([each.y for each in lines if each.style != "line7"])
    for each in lines:
        each.y = np.clip(each.y, scale.low, scale.high)
    return lines, int(rows[-1]), [], "accuracy, by the row that was predicted", scale


def drift(found: Mapping[str, Any]) -> str:
    """Return the HTML of the distance of inputs from the reference; nothing before the first window."""
    windows = found["drift"]["windows"]
    if not windows["stops"]:
        return ""
    distances = np.array([_numbers(each) for each in windows["distances"]])
    changed = np.array(windows["changed"], dtype=bool)
    starts, stops = np.array(windows["starts"]), np.array(windows["stops"])
    return heat_map(windows["names"], distances, changed, starts, stops, "distance from the reference")


def throughput(found: Mapping[str, Any], span: str) -> str:
    """Return the HTML of rows and labels a second over time; `span` is the length of a part."""
    over_time = found["traffic"]["over_time"][span]
    seconds, start = over_time["seconds"], over_time["start"]
    series = {"rows predicted": over_time["rows"][:-1], "labels learned": over_time["labels"][:-1]}
    values = [np.array(each, dtype=np.float64) / seconds for each in series.values()]
    form = "%H:%M" if seconds < 3600 else "%a %H:%M"
    n = len(values[0])
    times = [(i, time.strftime(form, time.localtime(start + i * seconds))) for i in range(n + 1)]
    sizes = (_over_time(list(series), values, times, size) for size in LOWEST)
    return both_sizes(*sizes)


def shares(members: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return the HTML of horizontal bars, one for each member."""
    most = max([1e-12, *(abs(each["value"]) for each in members)])
    is_share = all(0 <= each["value"] <= 1 for each in members)

    def bars(size: Size) -> str:
        left = (NAMES if size == NARROW else 0.6 * NAMES) * size.width
        parts = []
        for i, each in enumerate(members):
            y, value = BAR * i, each["value"]
            wide = max(1.0, abs(value) / most * (size.width - left - 70))
            said = f"{100 * value:.1f} %" if is_share else f"{value:.3g}"
            parts.append(label(left - 8, y + 15, fitted(each["name"], left - 8), "end", "name"))
            place = f'x="{left:.1f}" y="{y + 4}" width="{wide:.1f}" height="{BAR - 8}"'
            parts.append(f'<rect class="bar" {place}/>')
            parts.append(label(left + wide + 6, y + 15, said))
        return svg("chart", size.width, BAR * len(members) + 4, title, parts)

    return both_sizes(bars(WIDE), bars(NARROW))


def _over_time(
    names: Sequence[str], values: Sequence[Floats], times: Sequence[tuple[int, str]], size: Size
) -> str:
    """Return the SVG of lines over time, the first of them filled."""
    above, top = legend([(name, f"line{i}") for i, name in enumerate(names)], size)
    scale = plain_scale(np.concatenate([*values, [0.0, 0.1]]))
    bottom, right = top + size.height, size.width - 20
    across, up = (right - size.left) / max(1, len(values[0])), size.height / (scale.high - scale.low)
    parts = [above, label(0, top - 12, "a second", kind="name")]
    for tick in np.arange(round(scale.low / scale.step), round(scale.high / scale.step) + 1) * scale.step:
        y = bottom - (tick - scale.low) * up
        parts += [line("grid", size.left, y, right, y), label(size.left - 7, y + 4, scale.text(tick), "end")]
    every = -(-len(times) // (size.n_ticks + 1))
    for i, said in times[::-1][::every]:
        x = size.left + i * across
        parts.append(line("axis", x, bottom, x, bottom + 5))
        parts.append(label(x, bottom + 19, said, "end" if i == len(times) - 1 else "middle"))
    for i, series in reversed(list(enumerate(values))):
        steps = "".join(f"V{bottom - (y - scale.low) * up:.1f}h{across:.2f}" for y in series.tolist())
        parts.append(f'<path class="{css(f"line{i}")}" d="M{size.left} {bottom:.1f}{steps}"/>')
    parts.append(line("axis", size.left, bottom, right, bottom))
    return svg("chart", size.width, bottom + 26, "rows and labels a second", parts)


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if each is None else each for each in values], dtype=np.float64)

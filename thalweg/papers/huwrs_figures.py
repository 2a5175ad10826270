"""Figures 1 to 3 of the paper on HUWRS."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.papers.figures import saved
from thalweg.papers.huwrs import ALL, FIRST, METHODS
from thalweg.papers.huwrs_runs import Runs, kinds_of, mean_of, places_of
from thalweg.papers.running import Results, by_setting


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    rbf, noise, real = kinds_of(runs)
    yield _figure(runs, [*rbf, *noise], ALL, folder / "figure_1.svg")
    if real:
        yield _figure(runs, real, ALL, folder / "figure_2.svg")
    yield _figure(runs, [*rbf, *noise], FIRST, folder / "figure_3.svg")


def _figure(runs: Runs, streams: Sequence[str], share: float, path: Path) -> Path:
    """Draw a panel for each stream: accuracy by the length of chunks, a line for each method."""
    from matplotlib.figure import Figure

    n_columns = min(len(streams), 4)
    n_lines = -(-len(streams) // n_columns)
    figure = Figure(figsize=(3.4 * n_columns, 3.0 * n_lines), layout="constrained")
    panels = figure.subplots(n_lines, n_columns, squeeze=False).ravel()
    for axes in panels[len(streams) :]:
        axes.set_axis_off()
    for axes, stream in zip(panels, streams, strict=False):
        for number, method in enumerate(METHODS):
            found = {
                chunk: mean
                for _, chunk in places_of(runs, [stream], share)
                if (mean := mean_of(runs.get((stream, chunk, share, method)))) is not None
            }
            if found:
                means, errors = zip(*found.values(), strict=True)
                style = {"color": f"C{number}", "linewidth": 1, "marker": ".", "capsize": 2}
                axes.errorbar(list(found), means, errors, label=method, **style)
        axes.set(title=stream, xlabel="rows of a chunk", ylabel="accuracy, %")
    named = {
        name: line for axes in panels for line, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(named.values(), named, loc="outside lower center", ncols=4, fontsize="small")
    return saved(figure, path)

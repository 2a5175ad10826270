"""Figures 1 to 3 of the paper on HUWRS."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.papers.figures import saved
from thalweg.papers.huwrs import ALL, FIRST, METHODS
from thalweg.papers.huwrs_tables import Runs, mean_of, places_of, rbf_and_real
from thalweg.papers.running import Results, by_setting


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw each figure into `folder`; yield the paths."""
    runs = by_setting(results)
    rbf, real = rbf_and_real(runs)
    yield _figure(runs, rbf, ALL, folder / "figure_1.svg")
    if real:
        yield _figure(runs, real, ALL, folder / "figure_2.svg")
    yield _figure(runs, rbf, FIRST, folder / "figure_3.svg")


def _figure(runs: Runs, streams: Sequence[str], share: float, path: Path) -> Path:
    """Draw a panel for each stream: accuracy by the length of chunks, a line for each method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 * min(len(streams), 3), 3.4 * -(-len(streams) // 3)), layout="constrained")
    panels = figure.subplots(-(-len(streams) // 3), min(len(streams), 3), squeeze=False).ravel()
    for axes in panels[len(streams) :]:
        axes.set_axis_off()
    for axes, stream in zip(panels, streams, strict=False):
        chunks = [chunk for _, chunk in places_of(runs, [stream], share)]
        for method in METHODS:
            found = [mean_of(runs.get((stream, chunk, share, method))) for chunk in chunks]
            if all(found):
                means, errors = zip(*found, strict=True)
                axes.errorbar(chunks, means, errors, label=method, linewidth=1, marker=".", capsize=2)
        axes.set(title=stream, xlabel="rows of a chunk", ylabel="accuracy, %")
    lines, names = panels[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside lower center", ncols=4, fontsize="small")
    return saved(figure, path)

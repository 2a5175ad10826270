"""Claims of the paper on HUWRS."""

from collections.abc import Sequence

import numpy as np

from thalweg.papers.huwrs import ALL, ALWAYS, FIRST, PAPER, STATIC, WITHOUT_PRICES
from thalweg.papers.huwrs_runs import Runs, differences, mean_of, places_of
from thalweg.papers.reports import Claim, averaged, is_positive
from thalweg.papers.running import Result

# What the axes of figure 2 span; those of usenet1 and usenet2 are told apart by their numbers.
REAL_AXES = dict.fromkeys(("elec2", WITHOUT_PRICES), "axis 63.5–66.5") | {
    "usenet1": "axis 40–75",
    "email list": "axis 50–75",
}


def claims(runs: Runs, rbf: Sequence[str], noise: Sequence[str], real: Sequence[str]) -> list[Claim]:
    """Return the paper's claims beside what was measured."""
    made = []
    for kind, streams in (("RBF", rbf), ("noise", noise)):
        for rival in ("AHOT", "DWM"):
            text = f"{kind}: HUWRS is more accurate than {rival} throughout"
            made.append(wins(runs, streams, rival, text, "up to about 20 points"))
        made += [gains_with_chunks(runs, streams, kind), faster_is_easier(runs, streams, kind)]
        made += [without_labels(runs, streams, kind, name) for name in (PAPER, "AHOT", "DWM")]
    for stream in real:
        for rival in ("AHOT", "DWM"):
            text = f"{stream}: HUWRS beats {rival} in most cases"
            made.append(wins(runs, [stream], rival, text, REAL_AXES.get(stream, ""), least=0.5))
    for kind, streams in (("RBF", rbf), ("noise", noise), ("real", real)):
        for rival in (STATIC, ALWAYS, "AHOT", "DWM") if streams else ():
            for name, which in ((PAPER, "HUWRS of the paper"), ("HUWRS", "HUWRS by default")):
                text = f"(ours) {kind}: {which} beats {rival} throughout"
                if name == "HUWRS" or rival in (STATIC, ALWAYS):
                    made.append(wins(runs, streams, rival, text, name=name))
    return made


def accuracy_of(runs: Sequence[Result]) -> float:
    """Return the mean accuracy over runs, in per cent."""
    return float(np.mean([100 * run["accuracy"] for run in runs]))


def sizes_of(runs: Runs, streams: Sequence[str]) -> list[int]:
    """Return the lengths of chunks of these streams."""
    return sorted({chunk for stream, chunk, *_ in runs if stream in streams})


def wins(
    runs: Runs, streams: Sequence[str], rival: str, text: str, paper: str = "", *, least: float = 1.0,
    name: str = PAPER,
) -> Claim:
    """Return the claim that HUWRS beats a rival in at least this share of settings, with all labels."""
    gaps = []
    for place in places_of(runs, streams, ALL):
        one, other = (mean_of(runs.get((*place, ALL, each))) for each in (name, rival))
        if one and other:
            gaps.append(one[0] - other[0])
    if not gaps:
        return Claim(text, "too few rows for a chunk", None, paper)
    n_won = sum(gap > 0 for gap in gaps)
    measured = f"{n_won} of {len(gaps)} settings, {np.mean(gaps):+.1f} points on average"
    return Claim(text, measured, bool(n_won >= least * len(gaps) and n_won > 0), paper)


def gains_with_chunks(runs: Runs, streams: Sequence[str], kind: str) -> Claim:
    """Return the claim that accuracy grows with the length of chunks, averaged over streams."""
    chunks = sizes_of(runs, streams)
    means = [np.mean([accuracy_of(runs[(s, chunk, ALL, PAPER)]) for s in streams]) for chunk in chunks]
    measured = ", ".join(f"{chunk}: {mean:.1f}" for chunk, mean in zip(chunks, means, strict=True))
    holds = bool(np.all(np.diff(means) > 0)) if len(means) > 1 else None
    return Claim(f"{kind}: it is better with longer chunks", measured, holds, "figure 1, no numbers")


def faster_is_easier(runs: Runs, streams: Sequence[str], kind: str) -> Claim:
    """Return the claim that fast drift suits HUWRS better than slow drift."""
    chunks = sizes_of(runs, streams)
    ends = streams[0], streams[-1]
    slow, fast = (np.mean([accuracy_of(runs[name, c, ALL, PAPER]) for c in chunks]) for name in ends)
    measured = f"{streams[0]}: {slow:.1f}, {streams[-1]}: {fast:.1f}"
    paper = "axes 60–76 at 0.5, 76–98 at 10"
    return Claim(f"{kind}: it is better at fast drift than at slow drift", measured, bool(fast > slow), paper)


def without_labels(runs: Runs, streams: Sequence[str], kind: str, name: str) -> Claim:
    """Return the claim on what a method loses, or HUWRS gains, with labels for the first chunk only."""
    places = places_of(runs, streams, FIRST)
    pairs = [(runs[(*place, FIRST, name)], runs[(*place, ALL, name)]) for place in places]
    gaps = [accuracy_of(first) - accuracy_of(all_) for first, all_ in pairs]
    measured = f"{min(gaps):+.1f} to {max(gaps):+.1f} points, {np.mean(gaps):+.1f} on average"
    if name != PAPER:
        text = f"{kind}: {name} loses 10 to 20 points without labels"
        return Claim(text, measured, bool(-20 <= np.mean(gaps) <= -10), "10 to 20 points")
    of_seeds = np.mean([differences(*pair) for pair in pairs], axis=0)
    text = f"{kind}: it is more accurate with labels for the first chunk than with all"
    error = averaged(of_seeds)[1]
    holds = is_positive(of_seeds) if len(of_seeds) > 1 else None
    return Claim(text, f"{measured} (± {error:.1f})", holds, "more, figure 3")

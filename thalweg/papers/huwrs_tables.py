"""Tables and claims of the paper on HUWRS."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from thalweg.papers.huwrs import ALL, FIRST, METHODS, RBF, REFERENCE, SHARED_CHUNK, SHARES, TITLE
from thalweg.papers.reports import Claim, Mean, Report, Table, averaged
from thalweg.papers.running import Result, Results, by_setting

Runs: TypeAlias = dict[tuple[str, int, float, str], list[Result]]  # by stream, chunk, label share, method
SHARE_NAMES = {ALL: "all", FIRST: "first"}

NOTES = [
    "± is a standard error over seeds: of the stream for RBF, of the subspaces for real ones, where AHOT and "
    "DWM draw nothing.",
    "Static forest: trained on the first chunk, never again. Retrain always: on every chunk, equal votes. "
    "Labels only: rows without labels are ignored.",
    "The paper has six inputs of elec2 and does not say which. Without the two prices six are left, and "
    "accuracies are of the size of its figure 2 (64 to 66 %).",
    "The paper's figures have no numbers to compare with, and spam and usenet2 are not at hand.",
]


def report(results: Results) -> Report:
    """Return the tables, and the paper's claims beside what was measured."""
    runs = by_setting(results)
    n_seeds = max(len(found) for found in runs.values())
    made = Report(TITLE, REFERENCE, {"seeds": n_seeds, "members": 100}, notes=list(NOTES))
    rbf, real = rbf_and_real(runs)
    made.tables.append(table_of(runs, rbf, ALL, "Figure 1, RBF with drift in 4 of 20 inputs: accuracy"))
    if real:
        made.tables.append(table_of(runs, real, ALL, "Figure 2, real streams: accuracy"))
    made.tables.append(table_of(runs, rbf, FIRST, "Figure 3, RBF, labels for the first chunk: accuracy"))
    made.tables += [shares_table(runs, rbf), retrained_table(runs, rbf + real)]
    made.claims = claims(runs, rbf, real)
    absent = [name for name in ("elec2", "usenet1", "email list") if name not in real]
    if absent:
        made.notes.append(f"{', '.join(absent)} left out: name the folder with --data.")
    return made


def rbf_and_real(runs: Runs) -> tuple[list[str], list[str]]:
    """Return the names of the generated streams, and of the others."""
    streams = dict.fromkeys(stream for stream, *_ in runs)
    return [name for name in streams if name in RBF], [name for name in streams if name not in RBF]


def mean_of(runs: Sequence[Result] | None, what: str = "accuracy") -> Mean | None:
    """Return mean and standard error over runs, in per cent; None without runs."""
    values = np.array([run[what] for run in runs or () if run[what] is not None]) * 100
    return averaged(values) if len(values) else None


def accuracy_of(runs: Sequence[Result]) -> float:
    """Return the mean accuracy over runs, in per cent."""
    return float(np.mean([100 * run["accuracy"] for run in runs]))


def places_of(runs: Runs, streams: Sequence[str], share: float) -> list[tuple[str, int]]:
    """Return the (stream, chunk) that were run with this share of labels, in order."""
    wanted = dict.fromkeys(key[:2] for key in runs if key[2] == share)
    return [place for stream in streams for place in sorted(wanted) if place[0] == stream]


def table_of(runs: Runs, streams: Sequence[str], share: float, title: str) -> Table:
    """Return accuracies: a line for each stream and chunk, a column for each method."""
    places = places_of(runs, streams, share)
    methods = [name for name in METHODS if any((*place, share, name) in runs for place in places)]
    rows = [
        [stream, str(chunk), *(mean_of(runs.get((stream, chunk, share, name))) for name in methods)]
        for stream, chunk in places
    ]
    return Table(title, ["", "chunk", *methods], rows)


def shares_table(runs: Runs, streams: Sequence[str]) -> Table:
    """Return what rows without labels bring: HUWRS against the same forest that ignores them."""
    rows = []
    for stream in streams:
        for share in (ALL, *SHARES):
            names = ("HUWRS", "HUWRS, labels only")
            one, other = (runs.get((stream, SHARED_CHUNK, share, name)) for name in names)
            if one and other:
                rows.append(
                    [
                        stream,
                        SHARE_NAMES.get(share, str(share)),
                        mean_of(one),
                        mean_of(other),
                        gain(one, other),
                    ]
                )
    title = f"Rows without labels, RBF, chunks of {SHARED_CHUNK}: accuracy with them, without, and the gain"
    return Table(title, ["", "chunks with labels", "HUWRS", "labels only", "gain"], rows)


def gain(one: Sequence[Result], other: Sequence[Result]) -> Mean:
    """Return mean and standard error of the differences within seeds, in percentage points."""
    return averaged([100 * (a["accuracy"] - b["accuracy"]) for a, b in zip(one, other, strict=True)])


def retrained_table(runs: Runs, streams: Sequence[str]) -> Table:
    """Return the share of members retrained at a chunk by both distances."""
    names = ("HUWRS", "HUWRS, plain distance")
    rows = [
        [*map(str, place), *(mean_of(runs.get((*place, ALL, name)), "retrained") for name in names)]
        for place in places_of(runs, streams, ALL)
    ]
    return Table("Members retrained at a chunk, per cent", ["", "chunk", *names], rows)


def claims(runs: Runs, rbf: Sequence[str], real: Sequence[str]) -> list[Claim]:
    """Return the paper's claims beside what was measured."""
    made = []
    for rival in ("AHOT", "DWM"):
        made.append(wins(runs, rbf, rival, f"RBF: HUWRS is more accurate than {rival} throughout"))
    made += [gains_with_chunks(runs, rbf), faster_is_easier(runs, rbf)]
    for stream in real:
        for rival in ("AHOT", "DWM"):
            made.append(wins(runs, [stream], rival, f"{stream}: it beats {rival} in most cases", 0.5))
    made += [without_labels(runs, rbf, name) for name in ("HUWRS", "AHOT", "DWM")]
    rivals = ("static forest", "retrain always")
    for kind, streams in (("RBF", rbf), ("real", real)):
        if streams:
            texts = [f"(not in the paper) {kind}: it beats {name} throughout" for name in rivals]
            pairs = zip(rivals, texts, strict=True)
            made += [wins(runs, streams, name, text) for name, text in pairs]
    return made


def sizes_of(runs: Runs, streams: Sequence[str]) -> list[int]:
    """Return the lengths of chunks of these streams."""
    return sorted({chunk for stream, chunk, *_ in runs if stream in streams})


def wins(runs: Runs, streams: Sequence[str], rival: str, text: str, least: float = 1.0) -> Claim:
    """Return the claim that HUWRS beats a rival in at least this share of settings, with all labels."""
    gaps = []
    for place in places_of(runs, streams, ALL):
        one, other = (mean_of(runs.get((*place, ALL, name))) for name in ("HUWRS", rival))
        if one and other:
            gaps.append(one[0] - other[0])
    if not gaps:
        return Claim(text, "too few rows for a chunk", None)
    n_won = sum(gap > 0 for gap in gaps)
    measured = f"{n_won} of {len(gaps)} settings, {np.mean(gaps):+.1f} points on average"
    return Claim(text, measured, bool(n_won >= least * len(gaps) and n_won > 0))


def gains_with_chunks(runs: Runs, streams: Sequence[str]) -> Claim:
    """Return the claim that accuracy grows with the length of chunks, averaged over streams."""
    chunks = sizes_of(runs, streams)
    means = [np.mean([accuracy_of(runs[(s, chunk, ALL, "HUWRS")]) for s in streams]) for chunk in chunks]
    measured = ", ".join(f"{chunk}: {mean:.1f}" for chunk, mean in zip(chunks, means, strict=True))
    holds = bool(np.all(np.diff(means) > 0)) if len(means) > 1 else None
    return Claim("RBF: it gains as chunks grow", measured, holds)


def faster_is_easier(runs: Runs, streams: Sequence[str]) -> Claim:
    """Return the claim that fast drift suits HUWRS better than slow drift."""
    chunks = sizes_of(runs, streams)
    first, *_, last = RBF
    slow, fast = (
        np.mean([accuracy_of(runs[name, c, ALL, "HUWRS"]) for c in chunks]) for name in (first, last)
    )
    measured = f"drift {RBF[first]}: {slow:.1f}, drift {RBF[last]}: {fast:.1f}"
    return Claim("RBF: it does better at fast drift than at slow", measured, bool(fast > slow))


def without_labels(runs: Runs, streams: Sequence[str], name: str) -> Claim:
    """Return the claim on what a method loses, or HUWRS gains, with labels for the first chunk only."""
    gaps = [
        accuracy_of(runs[(*place, FIRST, name)]) - accuracy_of(runs[(*place, ALL, name)])
        for place in places_of(runs, streams, FIRST)
    ]
    measured = f"{min(gaps):+.1f} to {max(gaps):+.1f} points, {np.mean(gaps):+.1f} on average"
    if name == "HUWRS":
        text = "RBF: it is more accurate with labels for the first chunk than with all"
        return Claim(text, measured, bool(np.mean(gaps) > 0))
    text = f"RBF: {name} loses 10 to 20 points without labels"
    return Claim(text, measured, bool(-20 <= np.mean(gaps) <= -10))

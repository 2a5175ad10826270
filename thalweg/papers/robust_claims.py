"""Claims of the paper on robust regression for noisy streams, beside what is measured here."""

from collections.abc import Iterator, Sequence

import numpy as np

from thalweg._types import Floats
from thalweg.papers.reports import Claim, averaged, is_positive
from thalweg.papers.robust import BAGGING, CHUNKS, LEAVES, LOANS, NOISE
from thalweg.papers.robust_results import (
    ONE_OF_LOANS,
    PAPERS,
    RIVAL,
    ROBUST,
    Runs,
    Settings,
    after_jumps,
    gap,
    outlier_counts,
    seconds,
    values,
)

SHOWN, JUMP = 60, 40  # chunks in figure 4, and the one among them that jumps


def claims(runs: Settings) -> list[Claim]:
    """Return the paper's claims; it has curves, and numbers only where they are given."""
    found = [*_of_shifts(runs), *_of_noise(runs), _of_outliers(runs), _of_jump(runs)]
    found += [*_of_leaves(runs), *_of_seconds(runs)]
    return [*found, *_of_loans(runs)] if ONE_OF_LOANS in runs else found


def decided(text: str, gaps: Floats, paper: str = "") -> Claim:
    """Return a claim that holds if the gaps are above 0."""
    return Claim(text, gap_text(gaps), is_positive(gaps), paper)


def gap_text(gaps: Floats) -> str:
    """Return a mean gap with its standard error."""
    mean, error = averaged(gaps)
    return f"{mean:+.2f} ± {error:.2f}"


def all_decided(text: str, gaps: Sequence[Floats], paper: str = "") -> Claim:
    """Return a claim that holds if it does in each of several cases, and does not if one is against it."""
    measured = ", ".join(f"{averaged(each)[0]:+.2f}" for each in gaps)
    return Claim(text, measured, verdict_of([is_positive(each) for each in gaps]), paper)


def verdict_of(verdicts: Sequence[bool | None]) -> bool | None:
    """Return the verdict on a claim of several parts: False if one is, None if it is undecided."""
    return False if False in verdicts else None if None in verdicts else True


def _of_shifts(runs: Settings) -> Iterator[Claim]:
    for figure, setting in ((1, ("abrupt", 0.1, 8)), (2, ("mixed", 0.1, 8))):
        chosen = runs[setting]
        for method in (PAPERS, ROBUST):
            yield decided(f"figure {figure}: {method} beats Weighted Bagging", gap(chosen, method, RIVAL))
        yield decided(f"figure {figure}: Weighted beats Bagging", gap(chosen, RIVAL, BAGGING))
        for method in (PAPERS, ROBUST):
            soon = [after_jumps(chosen, name, range(1, 6)) for name in (method, RIVAL)]
            text = f"figure {figure}: {method} is better than Weighted Bagging 1 to 5 chunks after a jump"
            yield decided(text, soon[0] - soon[1])


def _of_noise(runs: Settings) -> Iterator[Claim]:
    levels = "0, 5, 10, 15 and 20 %"
    for method in (PAPERS, ROBUST):
        for other in (RIVAL, BAGGING):
            gaps = [gap(runs["mixed", noise, 8], method, other) for noise in NOISE]
            yield all_decided(f"figure 3: {method} beats {other} at {levels} noise", gaps)
        for other in (RIVAL, BAGGING):
            clean, noisy = gaps_of_noise(runs, method, other)
            text = f"figure 3: 10, 15 and 20 % noise cost {method} less than {other}"
            yield all_decided(text, [each - clean for each in noisy], "p < 0.05")


def gaps_of_noise(runs: Settings, method: str, other: str) -> tuple[Floats, list[Floats]]:
    """Return the gaps without noise, and with 10, 15 and 20 % of it."""
    clean, *noisy = (gap(runs["mixed", noise, 8], method, other) for noise in (0.0, 0.1, 0.15, 0.2))
    return clean, noisy


def _shares_of_noise(runs: Settings) -> Floats:
    # [run, chunk]: of the outliers that are noise or of a new concept, the share of noise.
    counts = outlier_counts(runs["mixed", 0.1, 8], ROBUST)[:, :SHOWN]
    shares: Floats = counts[:, :, 1] / np.maximum(counts[:, :, 1] + counts[:, :, 2], 1)
    return shares


def _of_outliers(runs: Settings) -> Claim:
    least = 100 * _shares_of_noise(runs).mean(axis=0).min()
    text = "figure 4: in each of the first 60 chunks more outliers are noise than of a new concept"
    return Claim(text, f"at least {least:.0f} % noise", bool(least > 50))


def _of_jump(runs: Settings) -> Claim:
    shares = 100 * _shares_of_noise(runs)
    others = np.delete(shares, JUMP, axis=1).mean(axis=1)
    text = "figure 4: at the jump (chunk 40) more outliers are of the new concept than elsewhere"
    return decided(text, others - shares[:, JUMP])


def _of_leaves(runs: Settings) -> Iterator[Claim]:
    for method in (PAPERS, ROBUST):
        for other in (RIVAL, BAGGING):
            gaps = [gap(runs["mixed", 0.1, leaves], method, other) for leaves in LEAVES]
            yield all_decided(f"figure 5: {method} beats {other} with 8, 16, 32 leaves and full trees", gaps)
    full = runs["mixed", 0.1, None]
    for leaves in LEAVES[:-1]:
        for other in (RIVAL, BAGGING):
            text = f"figure 5: {ROBUST} with {leaves} leaves is no worse than {other} with full trees"
            small = values(runs["mixed", 0.1, leaves], ROBUST)[: len(full)]
            yield decided(text, small - values(full, other))


def _of_seconds(runs: Settings) -> Iterator[Claim]:
    full, small = runs["mixed", 0.1, None], runs["mixed", 0.1, 8]
    ratio = seconds(full, PAPERS) / seconds(full, RIVAL)
    yield ratio_claim(f"full trees: {PAPERS} takes at most 1.22 times as long as Weighted Bagging", ratio,
                      is_positive(199 / 163 - ratio), "199 / 163 s = 1.22")
    ratio = seconds(full, RIVAL) / seconds(full, BAGGING)
    yield ratio_claim("full trees: Weighted Bagging takes longer than Bagging", ratio,
                      is_positive(ratio - 1), "163 / 138 s = 1.18")
    ratio = seconds(small, PAPERS)[: len(full)] / seconds(full, BAGGING)
    yield ratio_claim(f"{PAPERS} with 8 leaves is faster than Bagging with full trees", ratio,
                      is_positive(1 - ratio))


def ratio_claim(text: str, ratio: Floats, holds: bool | None, paper: str = "") -> Claim:
    """Return a claim on a ratio of times."""
    mean, error = averaged(ratio)
    return Claim(text, f"{mean:.2f} ± {error:.2f} times", holds, paper)


def _of_loans(runs: Settings) -> Iterator[Claim]:
    chosen = runs[ONE_OF_LOANS]
    for method in (PAPERS, ROBUST):
        for other in (RIVAL, BAGGING):
            yield decided(f"figure 6, on loans: {method} beats {other}", gap(chosen, method, other))
    for other in (RIVAL, BAGGING):
        text = f"figure 6, on loans: accuracy falls less from chunk to chunk with {PAPERS} than with {other}"
        yield decided(text, falls(chosen, other) - falls(chosen, PAPERS))
    for other in (RIVAL, BAGGING):
        gaps = [gap(runs[LOANS, chunk, leaves], PAPERS, other) for chunk in CHUNKS for leaves in LEAVES]
        verdicts = [is_positive(each) for each in gaps]
        text = f"section 5.5, on loans: {PAPERS} beats {other} with all 16 sizes of chunks and trees"
        measured = f"better with {verdicts.count(True)}, worse with {verdicts.count(False)}"
        yield Claim(text, measured, verdict_of(verdicts))


def falls(runs: Runs, method: str) -> Floats:
    """Return by how many points accuracy falls from one chunk to the next, mean over all, of each run."""
    changes = np.diff([run[method]["curve"] for run in runs], axis=1)
    means: Floats = 100 * np.maximum(-changes, 0).mean(axis=1)
    return means

"""The claims of the paper on particle filters, its numbers beside ours."""

from typing import TypeAlias

import numpy as np

from thalweg._types import Floats
from thalweg.papers.particle_filter import CASES, Case
from thalweg.papers.reports import Claim, Verdict, averaged, is_positive

Accuracies: TypeAlias = dict[tuple[str, str], Floats]
Times: TypeAlias = dict[str, float]

WARM, PLAIN, DEFAULT = "PF-LR, warm-up 500", "PF-LR", "+ widening (default)"
# The claim, the stream, what is better and what is worse, and the paper's numbers of the two.
ORDERS = (
    ("PF-LR is better than DWM-NB", "SEA", WARM, "DWM-NB", "98.1 > 96.5"),
    ("PF-LR is better than DWM-NB", "CIRCLES", PLAIN, "DWM-NB", "79.1 > 50"),
    ("PF-LR is better than DWM-NB", "MANY", WARM, "DWM-NB", "89.1 > 85.6"),
    ("PF-LR is better than DWM-NB", "ELEC", "PF-LR, B = 10", "DWM-NB", "90.7 > 80.8"),
    ("PF-LR is better than LB-HT", "SEA", WARM, "LB-HT", "98.1 > 96.3"),
    ("PF-LR is better than LB-HT", "CIRCLES", PLAIN, "LB-HT", "79.1 > 63.1"),
    ("PF-LR is better than LB-HT", "MANY", WARM, "LB-HT", "89.1 > 86.4"),
    ("PF-LR is better than LB-HT", "ELEC", "PF-LR, B = 10", "LB-HT", "90.7 > 86.3"),
    ("PF-LR without modulo is better than LB-HT", "CIRCLES", "PF-LR, no modulo", "LB-HT", "70.6 > 63.1"),
    ("modulo helps", "CIRCLES", PLAIN, "PF-LR, no modulo", "79.1 > 70.6"),
    ("likelihood is worse", "SEA", WARM, "by likelihood", "figure 10"),
    ("likelihood is worse", "MANY", WARM, "by likelihood", "figure 10"),
    ("likelihood is worse", "CIRCLES", PLAIN, "by likelihood", "figure 10"),
    ("RegPF-LR is better than DWM-NB", "SEA", "RegPF-LR", "DWM-NB", "figure 7"),
    ("RegPF-LR is better than DWM-NB", "CIRCLES", "RegPF-LR", "DWM-NB", "figure 7"),
    ("RegPF-LR is better than DWM-NB", "MANY", "RegPF-LR", "DWM-NB", "88.1 > 85.6"),
    ("RegPF-LR is better than LB-HT", "SEA", "RegPF-LR", "LB-HT", "figure 7"),
    ("RegPF-LR is better than LB-HT", "CIRCLES", "RegPF-LR", "LB-HT", "figure 7"),
    ("RegPF-LR is better than LB-HT", "MANY", "RegPF-LR", "LB-HT", "88.1 > 86.4"),
    ("PF-LR is better than RegPF-LR", "SEA", WARM, "RegPF-LR", "figure 7"),
    ("PF-LR is better than RegPF-LR", "MANY", WARM, "RegPF-LR", "89.1 > 88.1"),
    ("PF-LR is better than RegPF-LR", "CIRCLES", PLAIN, "RegPF-LR", "figure 7"),
    ("detection and selection help", "HYPERPLANE", "PF-LR, refit below 0.75", WARM, "figure 11"),
    ("batches of 4 are worse than batches of 6", "ELEC", "PF-LR, B = 6", "PF-LR, B = 4", "91.5 > 88.3"),
)
# Ours: the same tests for all, the tracking form, and the options.
OURS = (
    ("tested throughout as DWM-NB is, PF-LR is better than it", "SEA", "PF-LR, throughout", "DWM-NB"),
    ("tested throughout as DWM-NB is, PF-LR is better than it", "CIRCLES", "PF-LR, throughout", "DWM-NB"),
    ("tested throughout as DWM-NB is, PF-LR is better than it", "MANY", "PF-LR, throughout", "DWM-NB"),
    ("tested after each batch as PF-LR is, DWM-NB is worse", "SEA", WARM, "DWM-NB, after each batch"),
    ("tested after each batch as PF-LR is, DWM-NB is worse", "CIRCLES", PLAIN, "DWM-NB, after each batch"),
    ("tested after each batch as PF-LR is, DWM-NB is worse", "MANY", WARM, "DWM-NB, after each batch"),
    ("tracking is better", "SEA", DEFAULT, WARM),
    ("tracking is better", "MANY", DEFAULT, WARM),
    ("tracking is better", "CIRCLES", "tracking (default)", PLAIN),
    ("tracking is better", "HYPERPLANE", DEFAULT, "PF-LR, N(0, 1) start"),
    ("the vote is better than the mean", "SEA", "PF-LR, vote", WARM),
    ("the vote is better than the mean", "MANY", "PF-LR, vote", WARM),
    ("the vote is better than the mean", "CIRCLES", "PF-LR, vote", PLAIN),
    ("the vote is better than the mean", "ELEC", "PF-LR, vote", "PF-LR, B = 10"),
    ("an adaptive spread helps", "SEA", "PF-LR, movement", WARM),
    ("an adaptive spread helps, no warm-up", "SEA", "PF-LR, no warm-up, movement", "PF-LR, no warm-up"),
    ("an adaptive spread helps", "MANY", "PF-LR, movement", WARM),
    ("an adaptive spread helps", "CIRCLES", "PF-LR, movement", PLAIN),
    ("an adaptive spread helps", "ELEC", "PF-LR, movement", "PF-LR, B = 10"),
    ("adaptive batches of up to 50 help", "SEA", "PF-LR, resizing", WARM),
    ("adaptive batches of up to 50 help", "MANY", "PF-LR, resizing", WARM),
    ("adaptive batches of up to 50 help", "CIRCLES", "PF-LR, resizing", PLAIN),
    ("adaptive batches of up to 50 help", "ELEC", "PF-LR, B = 50, resizing", "PF-LR, B = 50"),
    ("adaptive batches are better than batches of 6", "ELEC", "PF-LR, B = 50, resizing", "PF-LR, B = 6"),
)


def all_claims(runs: Accuracies, times: Times) -> list[Claim]:
    """Return the paper's claims and ours, those about accuracy from the runs of each case."""
    made = [*_figures_met(runs), *_particular(runs, times)]
    wanted = [*ORDERS, *((f"(ours) {text}", *rest, "") for text, *rest in OURS)]
    for text, stream, better, worse, paper in wanted:
        if (stream, better) in runs:
            made.append(Claim(f"{stream}: {text}", *_more(runs, stream, better, worse), paper))
    return made


def paper_text(case: Case) -> str:
    """Return the paper's number of a case, with its error if it gives one; "" if it has none."""
    if case.paper is None:
        return ""
    return f"{case.paper}" if case.paper_error is None else f"{case.paper} ± {case.paper_error}"


def mean_text(values: Floats) -> str:
    """Return mean ± standard error."""
    return "{:.2f} ± {:.2f}".format(*averaged(values))


def shared(runs: Accuracies, stream: str, one: str, other: str) -> tuple[Floats, Floats]:
    """Return the accuracies of two cases in the runs of the same seeds."""
    n = min(len(runs[stream, one]), len(runs[stream, other]))
    return runs[stream, one][:n], runs[stream, other][:n]


def difference(runs: Accuracies, stream: str, one: str, other: str) -> Floats:
    """Return by how much one case is better than another in the runs of the same seeds."""
    first, second = shared(runs, stream, one, other)
    return first - second


def _figures_met(runs: Accuracies) -> list[Claim]:
    claims = []
    for case in CASES:
        if case.paper is None or (case.stream, case.name) not in runs:
            continue
        values = runs[case.stream, case.name]
        mean, spread = averaged(values)
        if case.stream == "ELEC":
            spread = float(values.std(ddof=1))
        far = 2 * np.hypot(spread, case.paper_error or 0.0)
        met, measured = bool(abs(mean - case.paper) <= far), f"{mean:.2f} ± {spread:.2f}"
        claims.append(Claim(f"{case.stream}: {case.name}", measured, met, paper_text(case)))
    return claims


def _particular(runs: Accuracies, times: Times) -> list[Claim]:
    chance = runs["CIRCLES", "by likelihood"]
    text = "CIRCLES: likelihood is as good as guessing"
    made = [Claim(text, mean_text(chance), bool(chance.mean() < 55), "figure 10")]
    gap = difference(runs, "HYPERPLANE", "PF-LR, refit below 0.75", "DWM-NB")
    on_par = bool(abs(gap.mean()) < 1)
    text = "HYPERPLANE: with detection and selection PF-LR is within a point of DWM-NB"
    made.append(Claim(text, f"{mean_text(gap)} better", on_par, "figure 12"))
    if ("ELEC", "PF-LR, B = 4") in runs:
        four, six = (float(runs["ELEC", f"PF-LR, B = {size}"].std(ddof=1)) for size in (4, 6))
        text = "ELEC: the deviation between runs is larger for batches of 4 than of 6"
        made.append(Claim(text, f"{four:.2f} against {six:.2f}", four > six, "19.5 > 0.6"))
    if "ELEC" in times:
        ratio = times["ELEC"] / times["SEA"]
        text = "time is linear in the number of batches: ELEC, with 5.7 times as many, against SEA"
        made.append(Claim(text, f"{ratio:.1f} times", bool(abs(ratio / 5.66 - 1) < 0.25), "4.7 times"))
    return made


def _more(runs: Accuracies, stream: str, better: str, worse: str) -> Verdict:
    # By the differences between runs of the same seed; None within two standard errors.
    one, other = shared(runs, stream, better, worse)
    return f"{mean_text(one)} against {mean_text(other)}", is_positive(one - other)

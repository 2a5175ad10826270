"""Tables 3 to 5 of the paper on particle filters, filled from our runs, and what it has no table of."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from thalweg._types import Floats
from thalweg.evaluation.baselines import BASELINES
from thalweg.papers.particle_filter import (
    BATCHES,
    BOUNDARY,
    CASES,
    FIRST_SEED,
    OPTIONS,
    REAL,
    REAL_CASES,
    REFERENCE,
    RIVALS,
    STEPS,
    TABLE_3,
    TIME,
    TITLE,
    TRAINING_MS,
)
from thalweg.papers.particle_filter_claims import (
    Accuracies,
    all_claims,
    difference,
    mean_text,
    paper_text,
    shared,
)
from thalweg.papers.reports import Report, Table, averaged
from thalweg.papers.running import Results, by_setting

ByCase: TypeAlias = dict[tuple[str, str], list[Any]]

SHOWN_BASELINES = {name: BASELINES[name].title for name in ("majority", "no_change")}
SIZES = {"SEA": (40_000, 800), "CIRCLES": (40_000, 800), "MANY": (2000, 40), "ELEC": (45_312, 4531)}
# The published case, the tracking one, and the paper's figure.
OVERALL = {
    "SEA": ("PF-LR, warm-up 500", "+ widening (default)", "98.1"),
    "CIRCLES": ("PF-LR", "tracking (default)", "79.1"),
    "MANY": ("PF-LR, warm-up 500", "+ widening (default)", "89.1"),
    "ELEC": ("PF-LR, B = 10", "tracking, B = 10", "90.7"),
}
# The options beside what they are added to, which for ELEC depends on the option.
ADDED_TO = {
    "SEA": ("PF-LR, warm-up 500", "+ widening (default)"),
    "MANY": ("PF-LR, warm-up 500", "+ widening (default)"),
    "CIRCLES": ("PF-LR", "tracking (default)"),
    "HYPERPLANE": ("PF-LR, warm-up 500", "+ widening (default)"),
}
ELEC_OPTIONS = {
    "vote": (("PF-LR, vote", "PF-LR, B = 10"), ("tracking, vote", "tracking, B = 10")),
    "movement": (("PF-LR, movement", "PF-LR, B = 10"), ("tracking, movement", "tracking, B = 10")),
    "resizing": tuple((f"{name}, B = 50, resizing", f"{name}, B = 50") for name in ("PF-LR", "tracking")),
}
NOTES = [
    "± is a standard error over runs, for ELEC a standard deviation; a number is reproduced if it is "
    "within two.",
    "The paper tests DWM-NB on 20 rows after each row that it learns, and PF-LR and LB-HT on 1000 after "
    "each batch; so do we. In the table of both ways each method is tested both ways, on the same rows.",
    "Figures 1 to 7 and 10 to 12 are drawn. Left out: figures 8 and 9, drawings without data of why wrong "
    "labels far from the boundary mislead a likelihood; tables 1 and 2, the concepts, which are in the "
    "streams Circles and Many.",
    "Not run: a straight boundary on CIRCLES, which the paper calls no better than guessing, and all "
    "inputs of ELEC, which it says loses up to a few percent; it gives no numbers for them.",
    "ELEC is one data set: its runs differ only in the seed of the filter, and DWM-NB has no seed. The "
    "paper does not say how many runs it has there; its number for DWM-NB is from another paper, with all "
    "inputs.",
    "Two cases are compared on the seeds that both have.",
]


def accuracies(by_case: ByCase) -> Accuracies:
    """Return {(stream, case): accuracy of each run}."""
    runs = {key: part for key, part in by_case.items() if key[1] not in (TIME, BOUNDARY)}
    return {key: np.array([run["accuracy"] for run in part]) for key, part in runs.items()}


def courses(by_case: ByCase, stream: str, case: str) -> tuple[Floats, Floats]:
    """Return the mean accuracy over the batches, and its standard error over the runs."""
    runs = np.array([run["course"] for run in by_case[stream, case]])
    return runs.mean(axis=0), runs.std(axis=0) / max(1, len(runs) - 1) ** 0.5


def report(results: Results) -> Report:
    """Return the tables, and what the paper claims."""
    by_case = by_setting(results)
    runs = accuracies(by_case)
    times = {name: by_case[name, TIME][0] for name in TRAINING_MS if (name, TIME) in by_case}
    made = Report(
        TITLE,
        REFERENCE,
        {"particles": 100, "spread": 0.1, "batch": 50, "first seed": FIRST_SEED, "accuracy": "percent"},
        claims=all_claims(runs, times),
        notes=[*NOTES],
    )
    if ("ELEC", BOUNDARY) in by_case:
        made.tables.append(_by_batch_size(runs, by_case))
    else:
        made.notes.append("ELEC left out: elec2.arff was not found; name its folder with --data.")
    made.tables += [_training_times(by_case), _side_by_side(runs)]
    made.tables += [_by_stream(name, runs, by_case) for name in ("SEA", "MANY", "CIRCLES", "HYPERPLANE")]
    made.tables += [_steps(runs), _both_ways(runs), _options(runs)]
    if any((name, "tracking") in runs for name in REAL):
        made.tables.append(_real(runs, by_case))
    return made


def _deviation(values: Floats) -> str:
    return f"{values.std(ddof=1):.2f}" if len(values) > 1 else "–"


def _by_stream(stream: str, runs: Accuracies, by_case: ByCase) -> Table:
    rows = []
    for case in CASES:
        if case.stream == stream and not case.name.endswith((*OPTIONS, "throughout", "after each batch")):
            values = runs[stream, case.name]
            told = paper_text(case) or "–"
            rows.append([case.name, told, mean_text(values), _deviation(values), str(len(values))])
    first = next(part for (name, _), part in by_case.items() if name == stream)
    for key, name in SHOWN_BASELINES.items():
        rows.append([name, "–", mean_text(np.array([run["baselines"][key] for run in first])), "", ""])
    return Table(stream, ["", "paper", "ours", "deviation", "runs"], rows)


def _by_batch_size(runs: Accuracies, by_case: ByCase) -> Table:
    rows = []
    for size, (value, deviation) in zip(BATCHES, TABLE_3, strict=True):
        ours = [runs["ELEC", f"{name}, B = {size}"] for name in ("PF-LR", "tracking")]
        cells = [f"{values.mean():.2f} ± {_deviation(values)}" for values in ours]
        rows.append([f"B = {size}", f"{value} ± {deviation}", *cells])
    trivial = by_case["ELEC", "PF-LR, B = 4"][0]["baselines"]
    rows += [[name, "–", f"{trivial[key]:.2f}", ""] for key, name in SHOWN_BASELINES.items()]
    rule = by_case["ELEC", BOUNDARY][0]["above_own_mean"]
    rows.append(["price above the mean of the 48 before", "–", f"{rule:.2f}", ""])
    return Table("Table 3: ELEC, price alone", ["", "paper", "PF-LR", "tracking"], rows)


def _training_times(by_case: ByCase) -> Table:
    rows = []
    for name, paper in TRAINING_MS.items():
        for ours in by_case.get((name, TIME), []):
            sizes = [f"{size:,}" for size in SIZES[name]]
            rows.append([name, *sizes, str(paper), f"{ours:.2f}", f"{paper / ours:.0f}"])
    header = ["", "rows", "batches", "paper", "ours", "ratio"]
    return Table("Table 4: training, milliseconds of one processor", header, rows)


def _side_by_side(runs: Accuracies) -> Table:
    rows = []
    for stream, (published, tracking, paper) in OVERALL.items():
        if (stream, published) in runs:
            theirs = [case for case in CASES if case.stream == stream and case.name in RIVALS]
            pairs = [(str(case.paper), mean_text(runs[stream, case.name])) for case in theirs]
            rivals = [cell for pair in pairs for cell in pair]
            ours = [mean_text(runs[stream, case]) for case in (published, tracking)]
            rows.append([stream, paper, *ours, *rivals])
    header = ["", "PF-LR", "ours", "tracking", "DWM-NB", "ours", "LB-HT", "ours"]
    return Table("Table 5: overall accuracy, the paper's and ours", header, rows)


def _steps(runs: Accuracies) -> Table:
    streams = [name for name in ("SEA", "MANY", "ELEC", "HYPERPLANE") if (name, "+ scaled") in runs]
    rows = [[name, *(mean_text(runs[stream, name]) for stream in streams)] for name in STEPS]
    header = ["", *(f"{name}, B = 6" if name == "ELEC" else name for name in streams)]
    return Table("From the published to the tracking form", header, rows)


def _both_ways(runs: Accuracies) -> Table:
    rows = []
    for stream in ("SEA", "MANY", "CIRCLES", "HYPERPLANE"):
        published, tracking = ADDED_TO[stream]
        names = {
            "PF-LR": (published, "PF-LR, throughout"),
            "tracking": (tracking, "tracking, throughout"),
            "DWM-NB": ("DWM-NB, after each batch", "DWM-NB"),
            "LB-HT": ("LB-HT", "LB-HT, throughout"),
        }
        for name, both in names.items():
            rows.append([stream, name, *map(mean_text, shared(runs, stream, *both))])
    header = ["", "", "1000 rows after each batch", "20 rows after each row"]
    return Table("Both ways to test", header, rows)


def _options(runs: Accuracies) -> Table:
    # Each option, and what it adds in the runs of the same seed.
    rows = []
    for option in OPTIONS:
        for stream, bases in ADDED_TO.items():
            names = [f"{name}, {option}" for name in ("PF-LR", "tracking")]
            rows.append([option, stream, *_added(runs, stream, zip(names, bases, strict=True))])
        if ("ELEC", "PF-LR, vote") in runs:
            size = "B = 50" if option == "resizing" else "B = 10"
            rows.append([option, f"ELEC, {size}", *_added(runs, "ELEC", ELEC_OPTIONS[option])])
    return Table("The options", ["", "", "PF-LR", "added", "tracking", "added"], rows)


def _added(runs: Accuracies, stream: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    cells = []
    for name, base in pairs:
        gain = averaged(difference(runs, stream, name, base))
        cells += [mean_text(runs[stream, name]), "{:+.2f} ± {:.2f}".format(*gain)]
    return cells


def _real(runs: Accuracies, by_case: ByCase) -> Table:
    rows = []
    for stream in REAL:
        if (stream, "tracking") in runs:
            ours = [mean_text(runs[stream, case]) for case in REAL_CASES if case != "naive Bayes"]
            trivial = by_case[stream, "naive Bayes"][0]["baselines"]
            others = [float(runs[stream, "naive Bayes"][0]), *(trivial[name] for name in SHOWN_BASELINES)]
            rows.append([stream, *ours, *(f"{value:.2f}" for value in others)])
    return Table("Real streams, batches of 50", ["", *REAL_CASES, *SHOWN_BASELINES.values()], rows)

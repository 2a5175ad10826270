"""Temporally adaptive logistic classifiers (2009): fixed, adaptive and tuned forgetting.

The paper shows curves and no numbers. Errors are those of predictions made before a row is learned, from row
500 on; the paper draws fresh samples at every row instead, which has the same mean. What it does not say is
chosen by us: the length of the gradient's step, the range of λ, RPROP's bounds, P₀.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from thalweg._types import AnyArray, Floats, Ints, Mask
from thalweg.errors import StreamError
from thalweg.learners import AdaptiveLogistic, LogisticMixture, NoChange, WindowLogistic
from thalweg.papers.reports import Claim, Report, Table, Verdict, averaged, is_above_zero
from thalweg.papers.running import Results, Task
from thalweg.streams import DriftingGaussians, datasets

TITLE = "Temporally adaptive estimation of logistic classifiers on data streams"
REFERENCE = "Anagnostopoulos, Tasoulis, Adams, Hand. Advances in Data Analysis and Classification, 2009."

KINDS = ("static", "drift", "abrupt")
N_ROWS, FIRST, STEP = 5000, 500, 100
DECAYS = (0.98, 0.93, 0.88)
BANDWIDTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
AS_PUBLISHED = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}
GUARDED = {"step": "single", "prior": 10.0}

Errors: TypeAlias = dict[str, Floats]  # of each method, by simulations


def _methods(settings: dict[str, Any]) -> dict[str, AdaptiveLogistic]:
    def forgetting(kind: str, decay: float | None = None, bandwidth: float = 1.0) -> AdaptiveLogistic:
        return AdaptiveLogistic(kind, decay, bandwidth, **settings)

    return {
        "On-line": forgetting("none"),
        **{f"F-{decay:g}": forgetting("fixed", decay) for decay in DECAYS},
        "AF, RPROP": forgetting("rprop", 0.9),
        "AF, SGD": forgetting("adaptive", 0.9),
        **{f"TF-{decay:g}, h={h:g}": forgetting("tuned", decay, h) for decay in DECAYS for h in BANDWIDTHS},
    }


METHODS = _methods(AS_PUBLISHED)
OURS = {
    **{f"{name}, guarded": learner for name, learner in _methods(GUARDED).items()},
    "AdaptiveLogistic()": AdaptiveLogistic(),
    "LogisticMixture()": LogisticMixture(),
}
SHOWN = (
    "On-line", "F-0.98", "F-0.88", "AF, RPROP", "AF, SGD", "TF-0.88, h=1", "TF-0.98, h=100", "TF-0.88, h=0.01"
)


def tasks(quick: bool, data: str | Path | None) -> list[Task]:
    """Return the simulations, and the electricity data if it can be had."""
    drawn = [(kind, seed) for kind in KINDS for seed in range(5 if quick else 30)]
    made = [Task(f"{kind} {seed}", simulate, {"kind": kind, "seed": seed}) for kind, seed in drawn]
    try:
        datasets.elec2_raw(data=data)
    except StreamError:
        return made
    return [*made, Task("elec", electricity, {"data": None if data is None else str(data)})]


def simulate(kind: str, seed: int) -> Results:
    """Return each method's errors on one stream: their mean, and their curve in steps of 100 rows."""
    stream = DriftingGaussians(N_ROWS, kind, seed=seed)
    X, y = next(stream.blocks(N_ROWS))
    found = {"Bayes": _summed(_bayes(stream, X) != y), "Off-line": _summed(_offline(X, y) != y)}
    for name, learner in {**METHODS, **OURS}.items():
        learner.begin(X.shape[1], [0, 1])
        found[name] = _summed(learner.test_then_train(X, y).argmax(axis=1) != y)
        found[name]["restarts"] = getattr(learner, "n_restarts_", 0)
    return found


def electricity(data: str | None) -> Results:
    """Return each method's hits on the complete rows of the electricity data: three inputs, standardised."""
    stream = datasets.elec2_raw(data=data)
    X, codes = next(stream.coded_blocks(10**6))
    X = X[:, [stream.names.index(name) for name in ("nswdemand", "vicdemand", "transfer")]]
    complete = ~np.isnan(X).any(axis=1)
    X, y = X[complete], codes[complete]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = {"Off-line": _summed(_offline(X, y) == y)}
    windows = {f"window of {n}": WindowLogistic(n, period=100) for n in (100, 300)}
    for name, learner in {**METHODS, **OURS, **windows, "last label again": NoChange()}.items():
        found[name] = _summed(learner.begin(3, [0, 1]).test_then_train(X, y).argmax(axis=1) == y, 500)
    return found


def _summed(hits: Mask, step: int = STEP) -> dict[str, Any]:
    rest = len(hits) - len(hits) % step
    return {"mean": float(hits[FIRST:].mean()), "curve": hits[:rest].reshape(-1, step).mean(axis=1).tolist()}


def _offline(X: Floats, y: Ints) -> AnyArray:
    n = len(X)
    return WindowLogistic(window=n, period=n, prior=1e4).fit(X, y).predict(X)


def _bayes(stream: DriftingGaussians, X: Floats) -> Ints:
    rows = range(len(X))
    if stream.kind == "drift":
        means, covariances = (np.array(part) for part in zip(*map(stream.concept, rows), strict=True))
    else:
        spans = [stream.concept(t) for t in range(0, len(X), stream.period)]
        means, covariances = (np.repeat(part, stream.period, axis=0) for part in zip(*spans, strict=True))
    away = X[:, None, :] - means[: len(X)]
    covariances = covariances[: len(X)]
    distance = (away * np.linalg.solve(covariances, away[..., None])[..., 0]).sum(axis=2)
    return (distance + np.linalg.slogdet(covariances)[1]).argmin(axis=1)


def report(results: Results, quick: bool) -> Report:
    """Return the tables of mean errors and the paper's claims."""
    errors = {kind: _by_method(results, kind) for kind in KINDS}
    n = len(errors["static"]["Bayes"])
    made = Report(
        TITLE,
        REFERENCE,
        {"simulations": n, "seeds": f"0 to {n - 1}", "inputs": 5, "rows": N_ROWS, "rows left out": FIRST},
        tables=[_error_table(errors), _bandwidth_table(errors)],
        claims=_claims(errors),
        notes=["± is a standard error over simulations; a claim is undecided within two of them."],
    )
    if quick:
        made.notes.append("Quick: too few simulations for a result.")
    if "elec" in results:
        hits = {name: found["mean"] for name, found in results["elec"].items()}
        made.tables.append(_electricity_table(hits))
        made.claims.extend(_electricity_claims(hits))
    else:
        made.notes.append("Electricity left out: elec2-raw.arff was not found; name its folder with --data.")
    return made


def _by_method(results: Results, kind: str) -> Errors:
    runs = [found for name, found in results.items() if name.split()[0] == kind]
    return {name: np.array([run[name]["mean"] for run in runs]) for name in runs[0]}


def _error_table(errors: dict[str, Errors]) -> Table:
    rows = [[name, *(averaged(errors[kind][name]) for kind in KINDS), None] for name in ("Bayes", "Off-line")]
    for name in SHOWN:
        guarded = averaged(errors["abrupt"][f"{name}, guarded"])
        rows.append([name, *(averaged(errors[kind][name]) for kind in KINDS), guarded])
    for name in ("AdaptiveLogistic()", "LogisticMixture()"):
        rows.append([name, *(averaged(errors[kind][name]) for kind in KINDS), None])
    return Table("Error rate (the paper gives curves only)", ["", *KINDS, "abrupt, guarded"], rows)


def _bandwidth_table(errors: dict[str, Errors]) -> Table:
    rows = []
    for kind in ("drift", "abrupt"):
        for decay in DECAYS:
            found = [averaged(errors[kind][f"TF-{decay:g}, h={h:g}"]) for h in BANDWIDTHS]
            rows.append([kind, f"TF-{decay:g}", *found])
    return Table("Bandwidth of tuned forgetting", ["", "", *(f"h={h:g}" for h in BANDWIDTHS)], rows)


def _less(errors: Errors, better: str, worse: str) -> Verdict:
    # Whether `better` errs less, by the differences within simulations; None within two standard errors.
    gap = averaged(errors[worse] - errors[better])
    said = f"{better} {errors[better].mean():.3f}, {worse} {errors[worse].mean():.3f}"
    return said, is_above_zero(*gap)


def _all_less(errors: Errors, better: str, others: tuple[str, ...]) -> Verdict:
    found = [_less(errors, better, other) for other in others]
    said = "; ".join(f"{name} {errors[name].mean():.3f}" for name in (better, *others))
    verdicts = [holds for _, holds in found]
    return said, False if False in verdicts else (None if None in verdicts else True)


def _like(errors: Errors, one: str, other: str, within: float = 0.02) -> Verdict:
    gap = abs(errors[one].mean() - errors[other].mean())
    return f"{one} {errors[one].mean():.3f}, {other} {errors[other].mean():.3f}", bool(gap < within)


def _claims(errors: dict[str, Errors]) -> list[Claim]:
    static, drift, abrupt = (errors[kind] for kind in KINDS)
    rivals = ("Off-line", "On-line", "F-0.88", "AF, RPROP")
    poor = ("F-0.88", "On-line")
    found = [
        ("static: F-0.88 performs poorly", _less(static, "F-0.98", "F-0.88")),
        ("static: AF finds that nothing should be forgotten (RPROP)", _like(static, "AF, RPROP", "On-line")),
        ("the same with SGD, ours", _like(static, "AF, SGD", "On-line")),
        ("drift: F-0.98 is better than all others", _all_less(drift, "F-0.98", rivals)),
        ("abrupt: F-0.98 is better than all others", _all_less(abrupt, "F-0.98", rivals)),
        ("abrupt: F-0.88 improves on On-line", _less(abrupt, "F-0.88", "On-line")),
        ("drift: F-0.88 does not even improve on On-line", _less(drift, "On-line", "F-0.88")),
        ("drift: AF is better than F-0.88 and On-line", _all_less(drift, "AF, RPROP", poor)),
        ("the same with SGD, ours", _all_less(drift, "AF, SGD", poor)),
        ("abrupt: AF is better than F-0.88 and On-line", _all_less(abrupt, "AF, RPROP", poor)),
        ("the same with SGD, ours", _all_less(abrupt, "AF, SGD", poor)),
        ("drift: a tiny bandwidth is On-line", _like(drift, "TF-0.88, h=0.01", "On-line", 0.05)),
        ("abrupt: a tiny bandwidth is On-line", _like(abrupt, "TF-0.88, h=0.01", "On-line", 0.05)),
        ("drift: TF-0.98, h=100 is like TF-0.88, h=1", _like(drift, "TF-0.98, h=100", "TF-0.88, h=1")),
        ("abrupt: TF-0.98, h=100 is like TF-0.88, h=1", _like(abrupt, "TF-0.98, h=100", "TF-0.88, h=1")),
    ]
    return [Claim(text, said, holds) for text, (said, holds) in found]


def _electricity_table(hits: dict[str, float]) -> Table:
    rows = [["Off-line", hits["Off-line"], None]]
    rows += [[name, hits[name], hits[f"{name}, guarded"]] for name in METHODS]
    rest = [name for name in hits if name not in METHODS and "guarded" not in name and name != "Off-line"]
    rows += [[name, hits[name], None] for name in rest]
    return Table("Electricity: share of rows right (the paper gives curves only)", ["", "", "guarded"], rows)


def _electricity_claims(hits: dict[str, float]) -> list[Claim]:
    best = max(METHODS, key=hits.__getitem__)
    favourites = ("F-0.98", "TF-0.88, h=1", "TF-0.88, h=10", "TF-0.88, h=100")
    said = "; ".join(f"{name} {hits[name]:.3f}" for name in (best, *favourites))
    af = f"AF {hits['AF, RPROP']:.3f} (SGD {hits['AF, SGD']:.3f}), On-line {hits['On-line']:.3f}"
    again = f"{hits['last label again']:.3f}; the best of the paper's {hits[best]:.3f}"
    return [
        Claim("electricity: F-0.98 and TF-0.88 are best", f"best is {said}", best in favourites),
        Claim("electricity: AF is better than On-line", af, hits["AF, RPROP"] > hits["On-line"]),
        Claim("(unsaid) better than the last label again", again, hits[best] > hits["last label again"]),
    ]


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw the paper's figures 2 to 6; yield their paths."""
    from thalweg.papers.forgetting_figures import draw_all

    yield from draw_all(results, folder)

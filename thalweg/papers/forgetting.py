"""Temporally adaptive logistic classifiers (2009): fixed, adaptive and tuned forgetting.

The paper shows curves and no numbers. Errors are those of predictions made before a row is learned, from row
500 on; the paper draws fresh samples at every row instead, which has the same mean. What it does not say is
chosen by us: the length of the gradient's step, the range of λ, RPROP's bounds, P₀.
"""

from typing import Any

import numpy as np

from thalweg._types import AnyArray, Floats, Ints, Mask
from thalweg.learners import AdaptiveLogistic, LogisticMixture, NoChange, WindowLogistic
from thalweg.papers.running import Result, Task, has_dataset
from thalweg.streams import DriftingGaussians, datasets

TITLE = "Temporally adaptive estimation of logistic classifiers on data streams"
REFERENCE = "Anagnostopoulos, Tasoulis, Adams, Hand. Advances in Data Analysis and Classification, 2009."

KINDS, ELECTRICITY = ("static", "drift", "abrupt"), "electricity"
N_ROWS, FIRST, STEP, ELECTRICITY_STEP = 5000, 500, 100, 500
DECAYS = (0.98, 0.93, 0.88)
BANDWIDTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
AS_PUBLISHED = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}
GUARDED = {"step": "single", "prior": 10.0}


def _methods(settings: dict[str, Any]) -> dict[str, AdaptiveLogistic]:
    def forgetting(kind: str, decay: float | None = None, bandwidth: float = 1.0) -> AdaptiveLogistic:
        return AdaptiveLogistic(kind, decay, bandwidth=bandwidth, **settings)

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


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the simulations, and the electricity data if it can be had."""
    drawn = [(kind, seed) for kind in KINDS for seed in range(5 if quick else 30)]
    made = [Task((kind, seed), simulate, {"kind": kind, "seed": seed}) for kind, seed in drawn]
    if has_dataset("elec2_raw", data):
        made.append(Task((ELECTRICITY, 0), electricity, {"data": data}))
    return made


def simulate(kind: str, seed: int) -> dict[str, Result]:
    """Return each method's errors on one stream: their mean, and their curve in steps of 100 rows."""
    stream = DriftingGaussians(N_ROWS, kind, seed=seed)
    X, y = next(stream.blocks(N_ROWS))
    found = {"Bayes": _summed(_bayes(stream, X) != y), "Off-line": _summed(_offline(X, y) != y)}
    for name, learner in {**METHODS, **OURS}.items():
        learner.begin(X.shape[1], [0, 1])
        found[name] = _summed(learner.test_then_train(X, y).argmax(axis=1) != y)
        found[name]["restarts"] = getattr(learner, "n_restarts_", 0)
    return found


def electricity(data: str | None) -> dict[str, Result]:
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
        p = learner.begin(3, [0, 1]).test_then_train(X, y)
        found[name] = _summed(p.argmax(axis=1) == y, ELECTRICITY_STEP)
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

"""Temporally adaptive logistic classifiers (2009): fixed, adaptive and tuned forgetting.

The paper shows curves and no numbers. Errors are measured as it does: at every 50th row, on a fresh sample of
1,000 rows from the current distribution. What it does not say is chosen by us: the length of the gradient's
step, the range of λ, RPROP's bounds, P₀, the size of the samples.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.learners import AdaptiveLogistic, LogisticMixture, NoChange, WindowLogistic
from thalweg.learners.logistic.adaptive_logistic import LogisticFilters
from thalweg.papers.forgetting_windows import refitted, right_sides
from thalweg.papers.running import Result, Task, has_dataset
from thalweg.streams import DriftingGaussians, datasets

TITLE = "Temporally adaptive estimation of logistic classifiers on data streams"
REFERENCE = "Anagnostopoulos, Tasoulis, Adams, Hand. Advances in Data Analysis and Classification, 2009."

KINDS, ELECTRICITY, WINDOWED = ("static", "drift", "abrupt"), "electricity", "windows, "
N_ROWS, FIRST, STEP, ELECTRICITY_STEP = 5000, 500, 50, 500
N_RUNS, N_WINDOWED, N_QUICK, N_TESTED = 100, 25, 5, 1000
DECAYS = (0.98, 0.93, 0.88)
BANDWIDTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
WINDOWS = {"window of 100": 100, "window of 200": 200, "window of 300": 300}
AS_PUBLISHED = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}
GUARDED = {"step": "single", "prior": 10.0}
NO_PRIOR = 1e4  # a variance of the coefficients that leaves them to the rows
ADAPTIVE = ("AF, RPROP", "AF, SGD")


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
WITH_GUARD = {f"{name}, guarded": learner for name, learner in _methods(GUARDED).items()}
OURS = {"AdaptiveLogistic()": AdaptiveLogistic(), "LogisticMixture()": LogisticMixture()}


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the simulations, and the electricity data if its file is there."""
    seeds = range(N_QUICK if quick else N_RUNS)
    drawn = [(kind, seed) for kind in KINDS for seed in seeds]
    made = [Task((kind, seed), simulate, {"kind": kind, "seed": seed}) for kind, seed in drawn]
    some = list(seeds[:N_WINDOWED])
    made += [Task((WINDOWED + kind, 0), simulate_windows, {"kind": kind, "seeds": some}) for kind in KINDS]
    if has_dataset("elec2_raw", data):
        made.append(Task((ELECTRICITY, 0), electricity, {"data": data}))
    return made


def checkpoints() -> Ints:
    """Return the rows before which errors are measured: the middles of spans of 50 rows."""
    return np.arange(STEP // 2, N_ROWS, STEP)


def fresh_sample(stream: DriftingGaussians, t: int) -> tuple[Floats, Ints, Ints]:
    """Return rows from the distribution at row `t`, their labels, and those that Bayes' rule gives.

    The same stream and `t` give the same rows, which are no rows of the stream.
    """
    means, covariances = stream.concept(t)
    rng = np.random.default_rng([stream.seed, t, N_TESTED])
    y = rng.integers(2, size=N_TESTED)
    X = rng.normal(size=(N_TESTED, means.shape[1]))
    X = means[y] + np.einsum("nij,nj->ni", np.linalg.cholesky(covariances)[y], X)
    away = X[:, None, :] - means
    distance = np.einsum("nki,kij,nkj->nk", away, np.linalg.inv(covariances), away)
    return X, y, (distance + np.linalg.slogdet(covariances)[1]).argmin(axis=1)


def simulate(kind: str, seed: int) -> dict[str, Result]:
    """Return each method's errors on one stream: their mean from row 500 on, their curve, and AF's λ."""
    stream = DriftingGaussians(N_ROWS, kind, seed=seed)
    X, y = next(stream.blocks(N_ROWS))
    tests = [fresh_sample(stream, t) for t in checkpoints().tolist()]
    offline = WindowLogistic(window=N_ROWS, period=N_ROWS, prior=NO_PRIOR).fit(X, y)
    found = {
        "Bayes": _summed([float((bayes != labels).mean()) for _, labels, bayes in tests]),
        "Off-line": _summed([float((offline.predict(rows) != labels).mean()) for rows, labels, _ in tests]),
    }
    for name, learner in {**METHODS, **(WITH_GUARD if kind == "abrupt" else {}), **OURS}.items():
        found[name] = _tested(learner.begin(5, [0, 1]), X, y, tests)
    return found


def _tested(
    learner: LogisticFilters, X: Floats, y: Ints, tests: Sequence[tuple[Floats, Ints, Ints]]
) -> Result:
    errors, decays, start = [], [], 0
    for stop, (rows, labels, _) in zip(checkpoints().tolist(), tests, strict=True):
        learner.test_then_train(X[start:stop], y[start:stop])
        errors.append(float((learner.predict_proba_block(rows).argmax(axis=1) != labels).mean()))
        decays += _chosen(learner)
        start = stop
    return _summed(errors) | {"restarts": learner.n_restarts_, "decays": decays}


def _chosen(learner: object) -> list[float]:
    """Return the current λ, if the learner is one that chooses it."""
    if isinstance(learner, AdaptiveLogistic) and learner.forgetting in ("adaptive", "rprop"):
        return [round(float(learner.decay_[0]), 6)]
    return []


def _summed(errors: Sequence[float]) -> Result:
    return {
        "mean": float(np.asarray(errors)[checkpoints() >= FIRST].mean()),
        "curve": [round(error, 4) for error in errors],
    }


def simulate_windows(kind: str, seeds: Sequence[int]) -> dict[str, list[Result]]:
    """Return the errors of fits to rolling windows, made again at every row, for a stream of each seed."""
    streams = [DriftingGaussians(N_ROWS, kind, seed=seed) for seed in seeds]
    X, y = (np.stack(part) for part in zip(*(next(each.blocks(N_ROWS)) for each in streams), strict=True))
    found = {}
    for name, window in WINDOWS.items():
        errors: list[list[float]] = [[] for _ in seeds]
        for t, coefficients in refitted(X, y, window, NO_PRIOR, set(checkpoints().tolist())):
            for own, stream, each in zip(errors, streams, coefficients, strict=True):
                rows, labels, _ = fresh_sample(stream, t)
                own.append(float((right_sides(rows, each) != labels).mean()))
        found[name] = [_summed(own) for own in errors]
    return found


def electricity(data: str | None) -> dict[str, Result]:
    """Return each method's hits on the complete rows of the electricity data: three inputs, standardised."""
    stream = datasets.elec2_raw(data=data)
    X, codes = next(stream.coded_blocks(10**6))
    X = X[:, [stream.names.index(name) for name in ("nswdemand", "vicdemand", "transfer")]]
    complete = ~np.isnan(X).any(axis=1)
    X, y = X[complete], codes[complete]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n = len(X)
    found = {"Off-line": _hits(WindowLogistic(window=n, period=n, prior=NO_PRIOR).fit(X, y).predict(X) == y)}
    for name, learner in {**METHODS, **WITH_GUARD, **OURS, "last label again": NoChange()}.items():
        learner.begin(3, [0, 1])
        p, decays = [], []
        for start in range(0, n, ELECTRICITY_STEP):
            part = slice(start, start + ELECTRICITY_STEP)
            p.append(learner.test_then_train(X[part], y[part]))
            decays += _chosen(learner)
        found[name] = _hits(np.concatenate(p).argmax(axis=1) == y) | {"decays": decays}
    for name, window in WINDOWS.items():
        before = refitted(X[None], y[None], window, NO_PRIOR, set(range(n)))
        sides = [int(right_sides(X[t : t + 1], coefficients[0])[0]) for t, coefficients in before]
        found[name] = _hits(np.array(sides) == y)
    return found


def _hits(hits: Mask) -> Result:
    rest = len(hits) - len(hits) % ELECTRICITY_STEP
    curve = hits[:rest].reshape(-1, ELECTRICITY_STEP).mean(axis=1)
    return {"mean": float(hits[FIRST:].mean()), "curve": curve.tolist(), "n": len(hits)}

"""Incremental boosting (IBoost, 2011): weights moved by the exponential loss of a sliding window.

Accuracy is that on fresh rows of the concept in force, 2500 for SEA and 825 for Santa Fe, as in the paper,
but tested every 100 rows instead of after every row; recovery is the mean over the first 600 rows of a new
concept, tested every 20. Naive Bayes is the member from table 4 on. Times are seconds of our processor, while
as many runs as it has cores go on side by side.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.errors import StreamError
from thalweg.learners import (
    AdaBoostWindow,
    AdwinBagging,
    DecisionStump,
    DynamicWeightedMajority,
    FastLightBoost,
    FastLightClassifier,
    IBoost,
    NaiveBayes,
    NonstationaryOnlineBoost,
    OnlineBoost,
    OnlineCoordinateBoost,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.papers.reports import Report
from thalweg.papers.running import Results, Task
from thalweg.streams import LED, SEA, RandomRBF, datasets
from thalweg.streams.base import Stream

TITLE = "Tracking concept change with incremental boosting by minimization of the evolving exponential loss"
REFERENCE = "Grbovic, Vucetic. ECML PKDD 2011."

EVERY, FINE, FRESH = 100, 20, 600
MEMBERS, ROWS = (20, 50, 100, 200, 500), (100, 200, 500, 1000, 2000)
STEPS, PERIODS, ORDERS = (1, 5, 10), (10, 50, 100), (1, 5, 20)
LONG = {"quick": 20_000, "full": 1_000_000}
LONG_SEEDS = 3
STREAMS = {"LED": LED, "RBF": RandomRBF}


def stump_methods() -> dict[str, StreamClassifier]:
    """Return the settings of tables 2 and 3: {name: learner}."""
    made: dict[str, StreamClassifier] = {}
    for n_members, window in [(m, 200) for m in MEMBERS] + [(200, n) for n in ROWS if n != 200]:
        size: dict[str, Any] = {"n_members": n_members, "window": window}
        made[f"stochastic M={n_members} n={window}"] = IBoost(**size)
        made[f"batch M={n_members} n={window}"] = IBoost(update="batch", **size)
        made[f"AdaBoost M={n_members} n={window}"] = AdaBoostWindow(**size)
        for order in ORDERS:
            name = f"OCB o={order} M={n_members} n={window}"
            made[name] = OnlineCoordinateBoost(**size, order=order)
        made[f"FLB M={n_members} n={window}"] = FastLightBoost(
            DecisionStump(window=1), n_members=n_members, block_size=window, n_rounds=5
        )
    for update in ("stochastic", "batch"):
        for b in (1, 10):
            made[f"{update} b={b}"] = IBoost(update=update, n_updates=b)
        for p in PERIODS:
            made[f"{update} p={p}"] = IBoost(update=update, n_updates=1, period=p)
    return made


def bayes_methods(
    n_members: int, dwm_period: int, seed: int = 1, **settings: Any
) -> dict[str, StreamClassifier]:
    """Return table 4's methods, and those of figures 5 and 6, with naive Bayes as member: {name: learner}."""
    size: dict[str, Any] = {"member": NaiveBayes(), "n_members": n_members, "random_state": seed}
    return {
        "IBoost": IBoost(**size, **settings),
        "IBoost, cap 3": IBoost(**size, **settings, cap=3),
        "IBoost, cap auto": IBoost(**size, **settings, cap="auto"),
        "IBoost batch, cap 3": IBoost(**size, **settings, update="batch", cap=3),
        "OnlineBoost": OnlineBoost(**size),
        "NSOnlineBoost": NonstationaryOnlineBoost(**size),
        "FLC": FastLightClassifier(**size),
        "AdWin Bagging": AdwinBagging(**size),
        "OCB": OnlineCoordinateBoost(**size, window=2000),
        "DWM": DynamicWeightedMajority(
            NaiveBayes(), period=dwm_period, max_members=n_members, random_state=seed
        ),
        "FLB": FastLightBoost(**size),
    }


def tasks(quick: bool, data: str | Path | None) -> list[Task]:
    """Return the runs: ten seeds, three of a million rows; or two on a few settings if quick."""
    seeds = range(2) if quick else range(10)
    wanted = [name for name in stump_methods() if not quick or name.endswith(("M=200 n=200", "p=10"))]
    made = [
        Task(f"stumps/{name}/{seed}", run_stumps, {"name": name, "seed": seed})
        for name in wanted
        for seed in seeds
    ]
    names = bayes_methods(50, 50)
    made += [
        Task(f"SEA/{name}/{seed}", run_bayes, {"name": name, "seed": seed, "data": None})
        for name in names
        for seed in seeds
    ]
    n_rows = LONG["quick" if quick else "full"]
    made += [
        Task(f"{stream}/{name}/{s}", run_long, {"stream": stream, "name": name, "n_rows": n_rows, "seed": s})
        for stream in STREAMS
        for name in bayes_methods(20, 500)
        for s in seeds[:LONG_SEEDS]
    ]
    try:
        datasets.santa_fe(data=data)
    except StreamError:
        return made
    place = "" if data is None else str(data)
    return made + [
        Task(f"Santa Fe/{name}/{seed}", run_bayes, {"name": name, "seed": seed, "data": place})
        for name in names
        for seed in seeds
    ]


def run_stumps(name: str, seed: int) -> dict[str, Any]:
    """Return what one setting of tables 2 and 3 does on SEA without noise."""
    return tested(stump_methods()[name], SEA(noise=0, seed=seed), 2500)


def run_bayes(name: str, seed: int, data: str | None) -> dict[str, Any]:
    """Return what one method of table 4 does on SEA, or on Santa Fe if `data` is not None."""
    learner = bayes_methods(50, 50, seed)[name]
    if data is None:
        return tested(learner, SEA(noise=0, seed=seed), 2500)
    return tested(learner, datasets.santa_fe(data=data or None, seed=seed), 825)


def run_long(stream: str, name: str, n_rows: int, seed: int) -> dict[str, Any]:
    """Return the share of rows right before they are learned, in 100 parts of the stream, and the time."""
    settings = {"binary": True} if stream == "LED" else {}
    source = STREAMS[stream](n_rows=n_rows, seed=seed, **settings)
    learner = bayes_methods(20, 500, seed, period=10, n_updates=1)[name].begin(source.n_features, [0, 1])
    right, seconds = [], 0.0
    for X, y in source.blocks(n_rows // 100):
        started = time.process_time()
        p = learner.test_then_train(X, y)
        seconds += time.process_time() - started
        right.append(float((p.argmax(axis=1) == y).mean()))
    return {"accuracy": float(np.mean(right)), "seconds": seconds, "curve": right}


def tested(learner: StreamClassifier, stream: Stream, n_test: int) -> dict[str, Any]:
    """Return accuracy on fresh rows, its curve, recovery, and the time to learn, by the paper's protocol."""
    X, codes = next(stream.coded_blocks(10**6))
    learner.begin(stream.n_features, stream.classes)
    fine = {t + i for t in stream.drifts for i in range(FINE, FRESH + 1, FINE)}
    coarse = range(EVERY, len(X) + 1, EVERY)
    found, seconds, start = {}, 0.0, 0
    for stop in sorted(fine | set(coarse)):
        started = time.process_time()
        learner.test_then_train_coded(X[start:stop], codes[start:stop])
        seconds += time.process_time() - started
        test_X, test_y = stream.sample(stop - 1, n_test)
        found[stop] = float((learner.predict_block(test_X).argmax(axis=1) == test_y).mean())
        start = stop
    curve = [found[stop] for stop in coarse]
    recovery = float(np.mean([found[stop] for stop in fine])) if fine else None
    return {"accuracy": float(np.mean(curve)), "recovery": recovery, "seconds": seconds, "curve": curve}


def report(results: Results, quick: bool) -> Report:
    """Return the tables beside the paper's numbers, and the paper's claims."""
    from thalweg.papers.iboost_tables import report_of

    return report_of(results, quick, TITLE, REFERENCE)


def draw(results: Results, folder: Path) -> Iterator[Path]:
    """Draw the paper's figures 2 to 6; yield their paths."""
    from thalweg.papers.iboost_figures import draw_all

    yield from draw_all(results, folder)

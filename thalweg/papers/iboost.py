"""Incremental boosting (IBoost, 2011): weights moved by the exponential loss of a sliding window.

Accuracy is that on fresh rows of the concept in force, 2500 for SEA and 825 for Santa Fe, as in the paper,
but tested every 100 rows instead of after every row; recovery is the mean over the first 600 rows of a new
concept, tested every 20. Naive Bayes is the member from table 4 on. Times are seconds of our processor, while
as many runs as it has cores go on side by side.
"""

import time
from typing import Any, NamedTuple

import numpy as np

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
from thalweg.papers.running import Task, has_dataset
from thalweg.streams import LED, SEA, RandomRBF, datasets
from thalweg.streams.base import Stream

TITLE = "Tracking concept change with incremental boosting by minimization of the evolving exponential loss"
REFERENCE = "Grbovic, Vucetic. ECML PKDD 2011."

EVERY, FINE, FRESH = 100, 20, 600
METHODS = ("stochastic", "batch", "AdaBoost", "OCB", "FLB")
MEMBERS, ROWS = (20, 50, 100, 200, 500), (100, 200, 500, 1000, 2000)
SIZES = [*((n_members, 200) for n_members in MEMBERS), *((200, n) for n in ROWS if n != 200)]
STEPS, PERIODS, ORDERS = (1, 5, 10), (10, 50, 100), (1, 5, 20)
LONG = {"quick": 20_000, "full": 1_000_000}
LONG_SEEDS = 3
STREAMS = {"LED": LED, "RBF": RandomRBF}


class Stumps(NamedTuple):
    """A setting of tables 2 and 3: a method whose members are decision stumps, and its parameters."""

    method: str
    n_members: int = 200
    window: int = 200
    n_updates: int = 5
    period: int = 1
    order: int | None = None  # of OCB

    def learner(self) -> StreamClassifier:
        """Return the learner."""
        size: dict[str, Any] = {"n_members": self.n_members, "window": self.window}
        if self.method == "AdaBoost":
            return AdaBoostWindow(**size)
        if self.method == "OCB":
            return OnlineCoordinateBoost(**size, order=self.order or 1)
        if self.method == "FLB":
            stump = DecisionStump(window=1)
            return FastLightBoost(stump, n_members=self.n_members, chunk_size=self.window, n_rounds=5)
        return IBoost(**size, update=self.method, n_updates=self.n_updates, period=self.period)


def stump_settings() -> list[Stumps]:
    """Return the settings of tables 2 and 3."""
    made = []
    for size in SIZES:
        made += [Stumps(method, *size) for method in ("stochastic", "batch", "AdaBoost")]
        made += [Stumps("OCB", *size, order=order) for order in ORDERS]
        made.append(Stumps("FLB", *size))
    for update in ("stochastic", "batch"):
        made += [Stumps(update, n_updates=b) for b in STEPS if b != 5]
        made += [Stumps(update, n_updates=1, period=p) for p in PERIODS]
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


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the runs: ten seeds, three of a million rows; or two on a few settings if quick."""
    seeds = range(2) if quick else range(10)
    quick_settings = [*map(Stumps, METHODS), *(Stumps("OCB", order=order) for order in ORDERS)]
    quick_settings += [Stumps(update, n_updates=1, period=10) for update in ("stochastic", "batch")]
    made = [
        Task((("stumps", each), seed), run_stumps, {**each._asdict(), "seed": seed})
        for each in stump_settings()
        if not quick or each in quick_settings
        for seed in seeds
    ]
    names = bayes_methods(50, 50)
    made += [Task((("SEA", name), s), run_sea, {"name": name, "seed": s}) for name in names for s in seeds]
    n_rows = LONG["quick" if quick else "full"]
    made += [
        Task(((stream, name), s), run_long, {"stream": stream, "name": name, "n_rows": n_rows, "seed": s})
        for stream in STREAMS
        for name in bayes_methods(20, 500)
        for s in seeds[:LONG_SEEDS]
    ]
    if has_dataset("santa_fe", data):
        made += [
            Task((("Santa Fe", name), seed), run_santa_fe, {"name": name, "seed": seed, "data": data})
            for name in names
            for seed in seeds
        ]
    return made


def run_stumps(seed: int, **setting: Any) -> dict[str, Any]:
    """Return what one setting of tables 2 and 3 does on SEA without noise."""
    return tested(Stumps(**setting).learner(), SEA(noise=0, seed=seed), 2500)


def run_sea(name: str, seed: int) -> dict[str, Any]:
    """Return what one method of table 4 does on SEA."""
    return tested(bayes_methods(50, 50, seed)[name], SEA(noise=0, seed=seed), 2500)


def run_santa_fe(name: str, seed: int, data: str | None) -> dict[str, Any]:
    """Return what one method of table 4 does on Santa Fe."""
    return tested(bayes_methods(50, 50, seed)[name], datasets.santa_fe(data=data, seed=seed), 825)


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

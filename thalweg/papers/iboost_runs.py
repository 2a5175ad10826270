"""The runs of the paper on incremental boosting: its methods, its streams, and how they are tested.

Results are cached by the source of this module, so that other settings of the same runs cost only themselves.
"""

import time
from typing import Any, NamedTuple

import numpy as np

from thalweg.learners import (
    AdaBoostWindow,
    AdwinBagging,
    DecisionStump,
    DriftReset,
    DynamicWeightedMajority,
    FastLightBoost,
    FastLightClassifier,
    HoeffdingTree,
    IBoost,
    NaiveBayes,
    NonstationaryOnlineBoost,
    OnlineBagging,
    OnlineBoost,
    OnlineCoordinateBoost,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.streams import LED, SEA, RandomRBF, datasets
from thalweg.streams.base import Stream

EVERY, FINE, FRESH = 250, 50, 600
STREAMS = {"LED": LED, "RBF": RandomRBF}


class Stumps(NamedTuple):
    """A setting of tables 2 and 3: a method whose members are decision stumps, and its parameters."""

    method: str
    n_members: int = 200
    window: int | str = 200
    n_updates: int = 5  # of stochastic and batch
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
            return FastLightBoost(stump, n_members=self.n_members, chunk_size=int(self.window), n_rounds=5)
        moves: dict[str, Any] = {"update": self.method, "period": self.period, "cap": None}
        if self.method in ("implicit", "coordinate"):
            return IBoost(**size, **moves)
        return IBoost(**size, **moves, n_updates=self.n_updates)


def bayes_methods(
    n_members: int, dwm_period: int, seed: int = 1, **settings: Any
) -> dict[str, StreamClassifier]:
    """Return table 4's methods, and those of figures 5 and 6, with naive Bayes as member: {name: learner}."""
    size: dict[str, Any] = {"member": NaiveBayes(), "n_members": n_members, "random_state": seed}
    dwm: dict[str, Any] = {"period": dwm_period, "beta": 0.5, "max_members": n_members, "random_state": seed}
    return {
        "IBoost": IBoost(**size, **settings, cap=None),
        "IBoost, cap 3": IBoost(**size, **settings, cap=3),
        "IBoost, cap auto": IBoost(**size, **settings, cap="auto"),
        "IBoost batch, cap 3": IBoost(**size, **settings, update="batch", cap=3),
        "OnlineBoost": OnlineBoost(**size),
        "NSOnlineBoost": NonstationaryOnlineBoost(**size),
        "FLC": FastLightClassifier(**size),
        "AdWin Bagging": AdwinBagging(**size),
        "AdWin Bagging, each": OnlineBagging(**size | {"member": DriftReset(NaiveBayes())}),
        "OCB": OnlineCoordinateBoost(**size, window=2000),
        "DWM": DynamicWeightedMajority(NaiveBayes(), **dwm, reduce="always", window=200),
        "DWM of 2007": DynamicWeightedMajority(NaiveBayes(), **dwm, reduce="period"),
        "FLB": FastLightBoost(**size, chunk_size=200),
    }


def long_window_methods(seed: int = 1) -> dict[str, StreamClassifier]:
    """Return the forms of IBoost that the paper does not try, of 50 strong members: {name: learner}."""
    bayes: dict[str, Any] = {"member": NaiveBayes(), "n_members": 50, "random_state": seed}
    trees: dict[str, Any] = bayes | {"member": HoeffdingTree()}
    return {
        "naive Bayes, n = 2000": IBoost(**bayes, window=2000, cap=None),
        "naive Bayes, ADWIN, cap 3": IBoost(**bayes, window="adwin", cap=3),
        "naive Bayes, implicit": IBoost(**bayes, update="implicit", cap=None),
        "naive Bayes, coordinate": IBoost(**bayes, update="coordinate", cap=None),
        "naive Bayes, coordinate, cap 3": IBoost(**bayes, update="coordinate", cap=3),
        "Hoeffding trees": IBoost(**trees, cap=None),
        "Hoeffding trees, cap 3": IBoost(**trees, cap=3),
    }


def run_stumps(seed: int, **setting: Any) -> dict[str, Any]:
    """Return what one setting of tables 2 and 3 does on SEA without noise."""
    return tested(Stumps(**setting).learner(), SEA(noise=0, seed=seed), 2500)


def run_sea(name: str, seed: int) -> dict[str, Any]:
    """Return what one method with strong members does on SEA."""
    methods = bayes_methods(50, 50, seed) | long_window_methods(seed)
    return tested(methods[name], SEA(noise=0, seed=seed), 2500)


def run_santa_fe(name: str, seed: int, held_out: int, data: str | None) -> dict[str, Any]:
    """Return what one method of table 4 does on Santa Fe, where so many rows are tested and not learned."""
    stream = datasets.santa_fe(data=data, seed=seed, held_out=held_out)
    return tested(bayes_methods(50, 50, seed)[name], stream, 825)


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
        found[stop] = float((learner.predict_proba_block(test_X).argmax(axis=1) == test_y).mean())
        start = stop
    curve = [found[stop] for stop in coarse]
    recovery = float(np.mean([found[stop] for stop in fine])) if fine else None
    return {"accuracy": float(np.mean(curve)), "recovery": recovery, "seconds": seconds, "curve": curve}

"""Other forms of rivals in the paper on incremental boosting, and the baselines beside them."""

from typing import Any

import numpy as np

from thalweg._types import Floats, Mask
from thalweg.learners import (
    DecisionStump,
    FastLightBoost,
    LabelChain,
    MajorityClass,
    NaiveBayes,
    NoChange,
    OnlineCoordinateBoost,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.papers.iboost_runs import EVERY, STREAMS, tested
from thalweg.streams import SEA, datasets

FIRST, LEAST_SHARE = 2000, 1e-3
BASELINES: dict[str, type[StreamClassifier]] = {
    "majority class": MajorityClass,
    "last label": NoChange,
    "Markov chain of labels": LabelChain,
}


def run_baseline(
    stream: str, name: str, seed: int, n_rows: int, held_out: int, data: str | None
) -> dict[str, Any]:
    """Return what a learner that ignores the inputs does on one of the streams."""
    learner = BASELINES[name]()
    if stream == "SEA":
        return tested(learner, SEA(noise=0, seed=seed), 2500)
    if stream not in STREAMS:
        return tested(learner, datasets.santa_fe(data=data, seed=seed, held_out=held_out), 825)
    settings = {"binary": True} if stream == "LED" else {}
    X, y = next(STREAMS[stream](n_rows=n_rows, seed=seed, **settings).blocks(n_rows))
    right = learner.begin(X.shape[1], [0, 1]).test_then_train(X, y).argmax(axis=1) == y
    curve = right.reshape(100, -1).mean(axis=1)
    return {"accuracy": float(right.mean()), "recovery": None, "seconds": None, "curve": curve.tolist()}


def run_flb(n_members: int, window: int, seed: int) -> dict[str, Any]:
    """Return what FLB does on SEA if stumps answer by the distance from their split, as in the paper."""
    stump = DecisionStump(window=1, by_distance=True)
    learner = FastLightBoost(stump, n_members=n_members, chunk_size=window, n_rounds=5)
    return tested(learner, SEA(noise=0, seed=seed), 2500)


def run_exact_weights(seed: int) -> dict[str, Any]:
    """Return what OCB's members do on SEA with the weights that AdaBoost gives them on all rows so far.

    OCB's own weights approximate these without keeping rows.
    """
    stream = SEA(noise=0, seed=seed)
    X, codes = next(stream.coded_blocks(10**6))
    learner = OnlineCoordinateBoost(NaiveBayes(), 50, window=FIRST).begin(stream.n_features, stream.classes)
    learner.test_then_train_coded(X[:FIRST], codes[:FIRST])
    members = learner.members_
    right = np.array([each.predict_proba_block(X).argmax(axis=1) == codes for each in members])
    curve = []
    for stop in range(FIRST + EVERY, len(X) + 1, EVERY):
        alpha = adaboost_weights(right[:, :stop])
        test_X, test_y = stream.sample(stop - 1, 2500)
        votes = [2.0 * each.predict_proba_block(test_X).argmax(axis=1) - 1 for each in members]
        curve.append(float(((alpha @ np.array(votes) > 0) == test_y).mean()))
    return {"accuracy": float(np.mean(curve)), "recovery": None, "seconds": None, "curve": curve}


def adaboost_weights(right: Mask) -> Floats:
    """Return AdaBoost's weights of fixed members, one after another; `right` is [member, row]."""
    log_weight, alpha = np.zeros(right.shape[1]), np.zeros(len(right))
    for m, is_right in enumerate(right):
        weight = np.exp(log_weight - log_weight.max())
        share = np.clip(weight[is_right].sum() / weight.sum(), LEAST_SHARE, 1 - LEAST_SHARE)
        alpha[m] = 0.5 * np.log(share / (1 - share))
        log_weight -= np.where(is_right, alpha[m], -alpha[m])
    return alpha

"""Robust regression on noisy streams (2004): chunk ensembles weighed without the outliers.

The sphere of the paper: 160 chunks of 1,000 rows, jumps of 0.1 after chunks 40, 80 and 120, and small steps
of 0.005 to 0.03 between them where it says so. Half of a chunk grows a tree, half weighs the trees, which
are the same for all methods that weigh them. Robust by folds, AWE and SEA grow their trees on whole chunks.
Labels are flipped for learning only: a method is tested on the next chunk before its noise. Instead of the
credit-card data, which is not available, loans (gmsc.arff.gz) are sorted by the borrower's monthly income: an
amount, but neither a fraud nor a transaction. One loan in five has no income; these come last.
"""

import time
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.learners import (
    AccuracyWeightedEnsemble,
    DecisionTree,
    MajorityClass,
    NoChange,
    RobustEnsemble,
    SEAEnsemble,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.papers.running import Result, Task, has_dataset
from thalweg.streams import Sphere, datasets

TITLE = "An adaptive learning approach for noisy data streams"
REFERENCE = "Chu, Wang, Zaniolo. ICDM 2004, technical report TR040029."

CHUNK, N_CHUNKS = 1000, 160
CHUNKS = (1000, 2000, 3000, 4000)
NOISE = (0.0, 0.05, 0.1, 0.15, 0.2)
LEAVES: tuple[int | None, ...] = (8, 16, 32, None)
STEPS = {"abrupt": (0.0, 0.0), "mixed": (0.005, 0.03)}
AMOUNT = "MonthlyIncome"
BAGGING, LOANS = "Bagging", "loans"


def methods(
    leaves: int | None = 8, chunk: int = CHUNK, seed: int = 1, **settings: Any
) -> dict[str, StreamClassifier]:
    """Return the methods with trees on half chunks: {name: learner}. Bagging is to learn half of the rows."""
    tree = DecisionTree(max_leaves=leaves, window=1 if leaves else chunk)
    half: dict[str, Any] = {
        "member": tree, "n_members": 10, "chunk_size": chunk, "holdout": 0.5, "random_state": seed
    }
    settings = {"ridge": 1.0} | settings
    return {
        BAGGING: SEAEnsemble(tree, 10, chunk_size=chunk // 2, replacement="oldest", random_state=seed),
        "Weighted Bagging": AccuracyWeightedEnsemble(**half, replacement="oldest"),
        "logistic weights": RobustEnsemble(**half, penalty=None, **settings),
        "robust, e = 0.25": RobustEnsemble(**half, penalty=0.25, **settings),
        "robust, e = 1.5": RobustEnsemble(**half, penalty=1.5, **settings),
    }


def whole_chunk_methods(
    leaves: int | None = 8, chunk: int = CHUNK, seed: int = 1
) -> dict[str, StreamClassifier]:
    """Return the methods with trees on whole chunks, and baselines, which get each label at once."""
    tree = DecisionTree(max_leaves=leaves, window=1 if leaves else chunk)
    whole: dict[str, Any] = {"member": tree, "n_members": 10, "chunk_size": chunk, "random_state": seed}
    return {
        "robust by folds": RobustEnsemble(**whole, holdout=None, folds=10, penalty=1.5, ridge=1.0),
        "AWE": AccuracyWeightedEnsemble(**whole, folds=10),
        "SEA": SEAEnsemble(**whole),
        "majority class": MajorityClass(),
        "last label": NoChange(),
    }


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the runs: 100 seeds for figure 3, 20 for the others, 2 if quick; loans where their file is."""
    n_seeds, n_chunks = (2, 50) if quick else (20, N_CHUNKS)
    settings: list[tuple[str, float, int | None]] = [("abrupt", 0.1, 8)]
    settings += [("mixed", noise, 8) for noise in NOISE]
    settings += [("mixed", 0.1, leaves) for leaves in LEAVES if leaves != 8]
    made = [
        Task(
            ((kind, noise, leaves), seed),
            run_sphere,
            {"kind": kind, "noise": noise, "leaves": leaves, "seed": seed, "n_chunks": n_chunks,
             "whole": seed < n_seeds},
        )
        for kind, noise, leaves in settings
        for seed in range(100 if (kind, leaves) == ("mixed", 8) and not quick else n_seeds)
    ]
    if has_dataset("gmsc", data):
        made += [
            Task(
                ((LOANS, chunk, leaves), seed),
                run_loans,
                {"chunk": chunk, "leaves": leaves, "seed": seed, "n_chunks": n_chunks, "data": data},
            )
            for chunk in CHUNKS
            for leaves in LEAVES
            for seed in range(2 if quick else 5)
        ]
    return made


def run_sphere(
    kind: str, noise: float, leaves: int | None, seed: int, n_chunks: int, whole: bool
) -> dict[str, Any]:
    """Return {method: what `summary` has; of robust ones also what their outliers were}."""
    stream = Sphere(n_chunks * CHUNK, noise=0, step=STEPS[kind], seed=seed)
    flips = np.random.default_rng([seed, 1]).random((n_chunks, CHUNK)) < noise
    learners = methods(leaves) | (whole_chunk_methods(leaves) if whole else {})
    found: dict[str, Result] = {name: {"right": [], "seconds": 0.0} for name in learners}
    draw = np.random.default_rng([seed, 2])
    for learner in learners.values():
        learner.begin(3, [0, 1])
    rows_of = []
    for number, (X, clean) in enumerate(stream.coded_blocks(CHUNK)):
        flip = flips[number]
        learn_chunk(learners, found, X, np.where(flip, 1 - clean, clean), clean, draw)
        rows_of.append(np.bincount(clean, minlength=2))
        for name, learner in learners.items():
            if isinstance(learner, RobustEnsemble) and learner.penalty is not None:
                add_outliers(found[name], learner, number, flip, stream, X)
    return summary(found, rows_of)


def learn_chunk(
    learners: dict[str, StreamClassifier],
    found: dict[str, Result],
    X: Floats,
    codes: Ints,
    clean: Ints,
    draw: np.random.Generator,
) -> None:
    """Let each learner predict a chunk, then learn it; note how many rows of each class are right."""
    # Weight 0: only predicted. The last row is learned, for with it the members change.
    half = np.ones(len(X))
    half[draw.choice(len(X) - 1, len(X) // 2, replace=False)] = 0.0
    for name, learner in learners.items():
        started = time.process_time()
        p = learner.test_then_train_coded(X, codes, sample_weight=half if name == BAGGING else None)
        found[name]["seconds"] += time.process_time() - started
        right = p.argmax(axis=1) == clean
        found[name]["right"].append(np.bincount(clean[right], minlength=2))


def summary(found: dict[str, Result], rows_of: list[Ints]) -> dict[str, Result]:
    """Return the accuracy of each method, its mean over the classes, its curve; and seconds for a chunk.

    The first chunk is not tested: nothing was learned before.
    """
    n = np.array(rows_of)[1:]
    for result in found.values():
        right = np.array(result.pop("right"))[1:]
        result["seconds"] /= len(rows_of)
        result["accuracy"] = float(right.sum() / n.sum())
        result["balanced"] = float((right.sum(axis=0) / n.sum(axis=0)).mean())
        result["curve"] = (right.sum(axis=1) / n.sum(axis=1)).tolist()
    return found


def add_outliers(
    result: dict[str, Any], learner: RobustEnsemble, number: int, flip: Mask, stream: Sphere, X: Floats
) -> None:
    """Note of a chunk: its outliers, those flipped, those of a new concept; and how many flips there were.

    An outlier is of a new concept if it is not flipped and the chunk before would have had it otherwise.
    """
    rows = learner.outliers_["row"]
    rows = rows[rows >= number * CHUNK] - number * CHUNK
    noisy = flip[rows]
    labels = [inside(stream, chunk, X[rows]) for chunk in (max(number - 1, 0), number)]
    new = ~noisy & (labels[0] != labels[1])
    # Only rows that weigh members are looked at.
    looked_at = 1.0 if learner.holdout is None else learner.holdout
    counts = len(rows), int(noisy.sum()), int(new.sum()), int(flip.sum()) * looked_at
    result.setdefault("outliers", []).append(counts)


def inside(stream: Sphere, chunk: int, X: Floats) -> Mask:
    """Return whether rows are inside the ball as it is in a chunk."""
    return ((X - stream.centre(chunk * CHUNK)) ** 2).sum(axis=1) <= stream.radius**2


def run_loans(chunk: int, leaves: int | None, seed: int, n_chunks: int, data: str | None) -> dict[str, Any]:
    """Return {method: what `summary` has} on sorted loans; the seed orders those of the same income."""
    stream = datasets.gmsc(data=data)
    X, codes = next(stream.coded_blocks(10**7))
    draw = np.random.default_rng([seed, 3])
    order = draw.permutation(len(X))
    order = order[np.argsort(X[order, list(stream.names).index(AMOUNT)], kind="stable")]
    learners = methods(leaves, chunk, seed) | whole_chunk_methods(leaves, chunk, seed)
    balanced = methods(leaves, chunk, seed, class_weight="balanced")
    learners["robust, balanced"] = balanced["robust, e = 1.5"]
    found: dict[str, Result] = {name: {"right": [], "seconds": 0.0} for name in learners}
    for learner in learners.values():
        learner.begin(stream.n_features, stream.classes, n_categories=stream.n_categories)
    rows_of = []
    step = max(len(X) // chunk // n_chunks, 1)
    for start in range(0, len(X) - chunk + 1, step * chunk):
        rows = order[start : start + chunk]
        learn_chunk(learners, found, X[rows], codes[rows], codes[rows], draw)
        rows_of.append(np.bincount(codes[rows], minlength=2))
    return summary(found, rows_of)

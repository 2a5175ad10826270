"""Robust regression on noisy streams (2004): chunk ensembles weighed without the outliers.

The sphere of the paper: 160 chunks of 1,000 rows, jumps of 0.1 after chunks 40, 80 and 120, and small steps
of 0.005 to 0.03 between them where it says so. Half of a chunk grows a tree, half weighs the trees; the
same trees serve all methods but the last two, which have their own. Labels are flipped for learning only: a
method is tested on the next chunk before its noise. In place of the credit-card data, which cannot be had,
loans (gmsc.arff.gz) are sorted by the borrower's monthly income: an amount, but neither a fraud nor a
transaction.
"""

import time
from typing import Any

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.learners import (
    AccuracyWeightedEnsemble,
    DecisionTree,
    MajorityClass,
    RobustEnsemble,
    SEAEnsemble,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.chunk_ensembles.base import ChunkEnsemble
from thalweg.papers.running import Result, Task, has_dataset
from thalweg.streams import Sphere, datasets

TITLE = "An adaptive learning approach for noisy data streams"
REFERENCE = "Chu, Wang, Zaniolo. ICDM 2004, technical report TR040029."

CHUNK, N_CHUNKS = 1000, 160
NOISE = (0.0, 0.05, 0.1, 0.15, 0.2)
LEAVES: tuple[int | None, ...] = (8, 16, 32, None)
STEPS = {"abrupt": (0.0, 0.0), "mixed": (0.005, 0.03)}
AMOUNT = "MonthlyIncome"
BAGGING, LOANS = "Bagging", "loans"


def methods(leaves: int | None = 8, **settings: Any) -> dict[str, ChunkEnsemble]:
    """Return the methods that are learners: {name: learner}."""
    tree = DecisionTree(max_leaves=leaves, window=1 if leaves else CHUNK)
    half: dict[str, Any] = {"member": tree, "chunk_size": CHUNK, "holdout": 0.5}
    return {
        "Weighted Bagging": AccuracyWeightedEnsemble(**half, replacement="oldest"),
        "logistic weights": RobustEnsemble(**half, penalty=None, **settings),
        "robust, e = 0.25": RobustEnsemble(**half, penalty=0.25, **settings),
        "robust, e = 1.5": RobustEnsemble(**half, penalty=1.5, **settings),
        "AWE": AccuracyWeightedEnsemble(tree, chunk_size=CHUNK),
        "SEA": SEAEnsemble(tree, n_members=10, chunk_size=CHUNK),
    }


def tasks(quick: bool, data: str | None) -> list[Task]:
    """Return the runs: twenty seeds, or two if quick; loans where their file is."""
    seeds = range(2) if quick else range(20)
    n_chunks = 50 if quick else N_CHUNKS
    settings: list[tuple[str, float, int | None]] = [("abrupt", 0.1, 8)]
    settings += [("mixed", noise, 8) for noise in NOISE]
    settings += [("mixed", 0.1, leaves) for leaves in LEAVES if leaves != 8]
    made = [
        Task(
            ((kind, noise, leaves), seed),
            run_sphere,
            {"kind": kind, "noise": noise, "leaves": leaves, "seed": seed, "n_chunks": n_chunks},
        )
        for kind, noise, leaves in settings
        for seed in seeds
    ]
    if has_dataset("gmsc", data):
        made.append(Task((LOANS, 0), run_loans, {"data": data, "n_chunks": n_chunks}))
    return made


def run_sphere(kind: str, noise: float, leaves: int | None, seed: int, n_chunks: int) -> dict[str, Any]:
    """Return {method: accuracy, its curve, seconds; of robust ones what their outliers were}."""
    stream = Sphere(n_chunks * CHUNK, noise=0, step=STEPS[kind], seed=seed)
    chunks = list(stream.coded_blocks(CHUNK))
    flips = np.random.default_rng([seed, 1]).random((n_chunks, CHUNK)) < noise
    learners = methods(leaves)
    found: dict[str, Result] = {name: {"curve": [], "seconds": 0.0} for name in (BAGGING, *learners)}
    for learner in learners.values():
        learner.begin(3, [0, 1])
    for number, flip in enumerate(flips[:-1]):
        X, clean = chunks[number]
        for name, learner in learners.items():
            started = time.process_time()
            learner.test_then_train_coded(X, np.where(flip, 1 - clean, clean))
            found[name]["seconds"] += time.process_time() - started
            if isinstance(learner, RobustEnsemble) and learner.penalty is not None:
                add_outliers(found[name], learner, number, flip, stream, X)
        X, clean = chunks[number + 1]
        for name, learner in learners.items():
            found[name]["curve"].append(accuracy_of(learner.predict_block(X), clean))
        trees = learners["logistic weights"].members_
        votes = [tree.predict_block(X).argmax(axis=1) for tree in trees]
        found[BAGGING]["curve"].append(float(((np.mean(votes, axis=0) >= 0.5) == clean).mean()))
    for result in found.values():
        result["accuracy"] = float(np.mean(result["curve"]))
    return found


def accuracy_of(p: Floats, codes: Ints) -> float:
    """Return the share of rows that are right."""
    return float((p.argmax(axis=1) == codes).mean())


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
    # Only half of the rows are looked at.
    counts = len(rows), int(noisy.sum()), int(new.sum()), int(flip.sum()) / 2
    result.setdefault("outliers", []).append(counts)


def inside(stream: Sphere, chunk: int, X: Floats) -> Mask:
    """Return whether rows are inside the ball as it is in a chunk."""
    return ((X - stream.centre(chunk * CHUNK)) ** 2).sum(axis=1) <= stream.radius**2


def run_loans(data: str | None, n_chunks: int) -> dict[str, Any]:
    """Return {method: accuracy and balanced accuracy on the next chunk, their curves} on sorted loans."""
    stream = datasets.gmsc(data=data)
    X, codes = next(stream.coded_blocks(10**7))
    order = np.argsort(X[:, list(stream.names).index(AMOUNT)], kind="stable")
    X, codes = X[order], codes[order]
    step = max(len(X) // CHUNK // n_chunks, 1)
    learners: dict[str, StreamClassifier] = {
        **methods(16),
        "robust, balanced": methods(16, class_weight="balanced")["robust, e = 1.5"],
        "majority class": MajorityClass(),
    }
    found: dict[str, Result] = {name: {"curve": [], "hits": []} for name in learners}
    for name, learner in learners.items():
        learner.begin(stream.n_features, stream.classes, n_categories=stream.n_categories)
        for start in range(0, len(X) - (step + 1) * CHUNK + 1, step * CHUNK):
            part = slice(start, start + CHUNK)
            learner.test_then_train_coded(np.ascontiguousarray(X[part]), codes[part])
            after = slice(start + step * CHUNK, start + (step + 1) * CHUNK)
            said = learner.predict_block(np.ascontiguousarray(X[after])).argmax(axis=1)
            found[name]["curve"].append(float((said == codes[after]).mean()))
            found[name]["hits"] += [(int(a), int(b)) for a, b in zip(said, codes[after], strict=True)]
    for result in found.values():
        said, true = np.array(result.pop("hits")).T
        result["accuracy"] = float((said == true).mean())
        result["balanced"] = float(np.mean([(said == true)[true == k].mean() for k in np.unique(true)]))
    return found

"""Heuristic updatable weighted random subspaces (HUWRS, 2011): forests retrained where inputs have changed.

Chunks are tested whole and then learned; accuracy is the mean over chunks without the first. RBF is read in
two ways, both with 50 centroids, which is MOA's default; the paper does not say. "RBF" is MOA's generator:
all centroids move by the drift at every row and stop at the walls. "Noise" is what the paper's text says:
noise with a moving centre in 4 of 20 inputs; it has a twentieth of the paper's rows in a chunk, and twenty
times its drift a row.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.evaluation import chunked
from thalweg.evaluation.run import not_cut
from thalweg.learners import (
    HUWRS,
    AdaptiveHoeffdingOptionTree,
    DynamicWeightedMajority,
    HoeffdingTree,
    SlidingHUWRS,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.papers.running import Task, has_dataset
from thalweg.streams import RandomRBF, datasets, from_arrays
from thalweg.streams.base import Stream
from thalweg.streams.named import open_stream

TITLE = "Heuristic updatable weighted random subspaces for non-stationary environments"
REFERENCE = "Hoens, Chawla, Polikar. ICDM 2011."
TAKES_FILES = True

PAPER, LABELS_ONLY, UNCHANGING = "HUWRS, paper", "HUWRS, labels only", "SlidingHUWRS, Hoeffding trees"
SLIDING, ALWAYS, STATIC = "SlidingHUWRS", "retrain always", "static forest"
METHODS = (PAPER, "HUWRS", SLIDING, ALWAYS, STATIC, "AHOT", "DWM")
OF_PAPER = (PAPER, "AHOT", "DWM")
RBF = {f"RBF {drift}": drift for drift in (0.5, 1, 2, 5, 10)}
NOISE = {f"noise {drift}": drift for drift in (0.5, 2, 10)}
RBF_ROWS, RBF_CHUNKS = 20_000, (5000, 10_000)
NOISE_ROWS, NOISE_CHUNKS, SCALE = 20_000, (250, 500), 20
SHARED_CHUNK = 500
WITHOUT_PRICES = "elec2 without prices"
DATASETS = {
    "elec2": "elec2", WITHOUT_PRICES: "elec2", "usenet1": "usenet1", "usenet2": "usenet2",
    "email list": "email_list", "spam": "spam",
}  # fmt: skip
ELEC_CHUNKS, EMAIL_CHUNKS = (100, 300, 500, 700, 1000), (30, 50, 70, 100, 150)
CHUNKS = {name: ELEC_CHUNKS if data == "elec2" else EMAIL_CHUNKS for name, data in DATASETS.items()}
# SlidingHUWRS takes up to fifty times as long as HUWRS: on long and on wide streams only these chunks.
SLIDING_CHUNKS = {"elec2": (), WITHOUT_PRICES: (), "email list": (30, 100), "spam": ()}
FILE_CHUNKS = (100, 300, 1000)
PRICES = ("nswprice", "vicprice")
ALL, FIRST = 1.0, 0.0  # shares of the chunks after the first that have labels
SHARES = (FIRST, 0.1, 0.3)


def tasks(quick: bool, data: str | None, files: Sequence[str | Path] = ()) -> list[Task]:
    """Return the runs: five seeds, or one on a few settings if quick."""
    seeds = range(1) if quick else range(5)
    made = []
    for stream in list(RBF)[::4] if quick else RBF:
        more = {"n_rows": 15_000 if quick else RBF_ROWS}
        methods: Sequence[str] = METHODS if stream in list(RBF)[::2] else ("HUWRS", *OF_PAPER)
        made += _tasks(stream, RBF_CHUNKS[0], methods, seeds, ALL, more)
        made += _tasks(stream, RBF_CHUNKS[0], OF_PAPER, seeds, FIRST, more)
        if not quick:
            made += _tasks(stream, RBF_CHUNKS[1], OF_PAPER, seeds, ALL, more)
    for stream in list(NOISE)[::2] if quick else NOISE:
        more = {"n_rows": 10_000 if quick else NOISE_ROWS}
        for chunk in NOISE_CHUNKS[1:] if quick else NOISE_CHUNKS:
            methods = [each for each in METHODS if each != SLIDING or chunk == SHARED_CHUNK]
            made += _tasks(stream, chunk, methods, seeds, ALL, more)
            made += _tasks(stream, chunk, OF_PAPER, seeds, FIRST, more)
        made += _tasks(stream, SHARED_CHUNK, (LABELS_ONLY, UNCHANGING), seeds, ALL, more)
        for share in SHARES:
            made += _tasks(stream, SHARED_CHUNK, ("HUWRS", LABELS_ONLY), seeds, share, more)
    for name, sizes in CHUNKS.items():
        if has_dataset(DATASETS[name], data):
            made += _real(name, sizes[2:3] if quick else sizes, seeds, {"data": data})
    for file in files:
        made += _real(Path(file).name, FILE_CHUNKS, seeds, {"file": str(Path(file).resolve())})
    return made


def _real(name: str, sizes: Sequence[int], seeds: range, more: dict[str, Any]) -> list[Task]:
    made = []
    for chunk in sizes:
        for method in METHODS:
            if method != SLIDING or chunk in SLIDING_CHUNKS.get(name, sizes):
                drawn = seeds[:1] if method in ("AHOT", "DWM") else seeds
                made += _tasks(name, chunk, [method], drawn, ALL, more)
    return made


def _tasks(
    stream: str, chunk: int, methods: Sequence[str], seeds: range, share: float, more: dict[str, Any]
) -> list[Task]:
    settings = {"stream": stream, "chunk": chunk, "label_share": share} | more
    return [
        Task(((stream, chunk, share, method), seed), run_chunks, settings | {"method": method, "seed": seed})
        for method in methods
        for seed in seeds
    ]


def learner_of(method: str, chunk: int, seed: int) -> StreamClassifier:
    """Return the learner called `method`."""
    if method in (SLIDING, UNCHANGING):
        member = HoeffdingTree(grace_period=50, delta=0.01) if method == UNCHANGING else None
        return SlidingHUWRS(member, window=chunk, period=max(chunk // 10, 1), random_state=seed)
    if method == "AHOT":
        return AdaptiveHoeffdingOptionTree(delta=1e-7)
    if method == "DWM":
        return DynamicWeightedMajority(period=50, beta=0.5, reduce="period")
    settings: dict[str, Any] = {"chunk_size": chunk, "random_state": seed}
    if method == PAPER:
        settings |= {"distance": "plain", "threshold": 0.7}
    if method in (LABELS_ONLY, STATIC, ALWAYS):
        settings["unlabelled"] = False
    if method == ALWAYS:
        settings["threshold"] = 2
    return HUWRS(**settings)


def run_chunks(
    stream: str, chunk: int, method: str, seed: int, label_share: float, n_rows: int | None = None,
    data: str | None = None, file: str | None = None,
) -> dict[str, float | None]:
    """Return the mean accuracy of the chunks after the first, the share of members retrained, the time."""
    learner, source = learner_of(method, chunk, seed), opened(stream, seed, n_rows, data, file)
    started = time.process_time()
    share = FIRST if method == STATIC else label_share
    run = not_cut(chunked(source, learner, size=chunk, label_share=share, seed=seed))
    seconds = time.process_time() - started
    known = run.codes >= 0
    right = (run.predicted == run.codes)[known]
    starts = np.arange(chunk, len(right), chunk)
    sizes = np.diff(np.append(starts, len(right)))
    parts = np.add.reduceat(right, starts)[sizes == chunk] / chunk if len(starts) else []
    accuracy = float(np.mean(parts)) if len(parts) else None
    retrained = None
    if isinstance(learner, HUWRS) and learner.n_chunks_ > 1:
        retrained = learner.n_retrained_ / (learner.n_members * (learner.n_chunks_ - 1))
    return {"accuracy": accuracy, "retrained": retrained, "seconds": seconds}


def opened(name: str, seed: int, n_rows: int | None, data: str | None, file: str | None) -> Stream:
    """Return the stream of a task."""
    if file is not None:
        return open_stream(file)
    if n_rows is not None:
        return _rbf(name, seed, n_rows)
    stream = datasets.load(DATASETS[name], data=data)
    if name != WITHOUT_PRICES:
        return stream
    X, codes = next(stream.coded_blocks(stream.n_rows or 10**6))
    kept = [j for j, each in enumerate(stream.names) if each not in PRICES]
    return from_arrays(X[:, kept], codes, categorical=np.flatnonzero(stream.n_categories[kept]).tolist())


def _rbf(name: str, seed: int, n_rows: int) -> Stream:
    drift: dict[str, Any] = {"speed": RBF[name], "walls": "stop"} if name in RBF else {
        "speed": 0, "n_shifted": 4, "shift": SCALE * NOISE[name],
    }
    return RandomRBF(n_rows, n_features=20, n_centroids=50, seed=seed, **drift)

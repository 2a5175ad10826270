"""Heuristic updatable weighted random subspaces (HUWRS, 2011): forests retrained where inputs have changed.

Chunks are tested whole and then learned; accuracy is the mean over chunks without the first. RBF has a
twentieth of the paper's rows, in all and in a chunk, and twenty times its drift a row: as many chunks, as
much drift in each. It has 50 centroids, which is MOA's default; the paper does not say.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.evaluation import chunked
from thalweg.learners import HUWRS, AdaptiveHoeffdingOptionTree, DynamicWeightedMajority, SlidingHUWRS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.papers.running import Task, has_dataset
from thalweg.streams import RandomRBF, datasets, from_arrays
from thalweg.streams.base import Stream
from thalweg.streams.named import open_stream

TITLE = "Heuristic updatable weighted random subspaces for non-stationary environments"
REFERENCE = "Hoens, Chawla, Polikar. ICDM 2011."
TAKES_FILES = True

METHODS = (
    "HUWRS", "HUWRS, plain distance", "HUWRS, labels only", "SlidingHUWRS",
    "retrain always", "static forest", "AHOT", "DWM",
)
RBF = {f"RBF {drift}": drift for drift in (0.5, 1, 2, 5, 10)}
RBF_ROWS, RBF_CHUNKS, SCALE = 50_000, (250, 500, 2500), 20
SHARED_CHUNK = 500
WITHOUT_PRICES = "elec2 without prices"
DATASETS = {"elec2": "elec2", WITHOUT_PRICES: "elec2", "usenet1": "usenet1", "email list": "email_list"}
ELEC_CHUNKS, EMAIL_CHUNKS = (100, 300, 500, 700, 1000), (30, 50, 70, 100, 150)
CHUNKS = dict(zip(DATASETS, (ELEC_CHUNKS, ELEC_CHUNKS, EMAIL_CHUNKS, EMAIL_CHUNKS), strict=True))
FILE_CHUNKS = (100, 300, 1000)
PRICES = ("nswprice", "vicprice")
ALL, FIRST = 1.0, 0.0  # shares of the chunks after the first that have labels
SHARES = (FIRST, 0.1, 0.3)


def tasks(quick: bool, data: str | None, files: Sequence[str | Path] = ()) -> list[Task]:
    """Return the runs: three seeds, or one on a few settings if quick."""
    seeds = range(1) if quick else range(3)
    streams, chunks = (list(RBF)[::4], (SHARED_CHUNK,)) if quick else (list(RBF), RBF_CHUNKS)
    n_rows = 10_000 if quick else RBF_ROWS
    made = [
        _task(stream, chunk, method, seed, share, {"n_rows": n_rows})
        for stream in streams
        for chunk in chunks
        for share in (ALL, *(SHARES if chunk == SHARED_CHUNK else SHARES[:1]))
        for method in METHODS
        for seed in seeds
        if share == ALL or method not in ("HUWRS, plain distance", "SlidingHUWRS", "retrain always")
    ]
    for name, sizes in CHUNKS.items():
        if has_dataset(DATASETS[name], data):
            made += _real(name, sizes[2:3] if quick else sizes, seeds, {"data": data})
    for file in files:
        made += _real(Path(file).name, FILE_CHUNKS, seeds, {"file": str(Path(file).resolve())})
    return made


def _real(name: str, sizes: Sequence[int], seeds: range, more: dict[str, Any]) -> list[Task]:
    return [
        _task(name, chunk, method, seed, ALL, more)
        for chunk in sizes
        for method in METHODS
        for seed in seeds
        if seed == 0 or method not in ("AHOT", "DWM")
    ]


def _task(stream: str, chunk: int, method: str, seed: int, share: float, more: dict[str, Any]) -> Task:
    settings = {"stream": stream, "chunk": chunk, "method": method, "seed": seed, "label_share": share} | more
    return Task(((stream, chunk, share, method), seed), run_chunks, settings)


def learner_of(method: str, chunk: int, seed: int) -> StreamClassifier:
    """Return the learner called `method`."""
    if method == "SlidingHUWRS":
        return SlidingHUWRS(window=chunk, period=max(chunk // 10, 1), random_state=seed)
    if method == "AHOT":
        return AdaptiveHoeffdingOptionTree()
    if method == "DWM":
        return DynamicWeightedMajority()
    settings: dict[str, Any] = {"chunk_size": chunk, "random_state": seed}
    if method == "HUWRS, plain distance":
        settings["distance"] = "plain"
    if method in ("HUWRS, labels only", "static forest", "retrain always"):
        settings["unlabelled"] = False
    return HUWRS(**settings, threshold=2 if method == "retrain always" else 0.7)


def run_chunks(
    stream: str, chunk: int, method: str, seed: int, label_share: float, n_rows: int | None = None,
    data: str | None = None, file: str | None = None,
) -> dict[str, float | None]:
    """Return the mean accuracy of the chunks after the first, the share of members retrained, the time."""
    learner, source = learner_of(method, chunk, seed), opened(stream, seed, n_rows, data, file)
    started = time.process_time()
    share = FIRST if method == "static forest" else label_share
    run = chunked(source, learner, size=chunk, label_share=share, seed=seed)
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
        shift = SCALE * RBF[name]
        return RandomRBF(n_rows, n_features=20, n_centroids=50, speed=0, n_shifted=4, shift=shift, seed=seed)
    stream = datasets.load(DATASETS[name], data=data)
    if name != WITHOUT_PRICES:
        return stream
    X, codes = next(stream.coded_blocks(stream.n_rows or 10**6))
    kept = [j for j, each in enumerate(stream.names) if each not in PRICES]
    return from_arrays(X[:, kept], codes, categorical=np.flatnonzero(stream.n_categories[kept]).tolist())

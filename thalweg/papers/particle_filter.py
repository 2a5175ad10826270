"""Fok, An and Wang (2013), particle filters: its tables and figures, ours beside them."""

import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thalweg.evaluation import holdout, prequential
from thalweg.learners import ParticleFilter
from thalweg.streams import SEA, Circles, Hyperplane, Many, datasets, from_arrays

TITLE = "Mining evolving data streams with particle filters (2013)"
PUBLISHED = {"form": "published", "start": "zeros"}
WARM = PUBLISHED | {"n_warmup": 500}
PRIOR = {"spread_prior": (0.98, 0.02)}
LIKELIHOOD = {"scoring": "likelihood"}
MODULO = {"boundary": ("circle", 2.0), "start": "uniform"}
BATCHES = (4, 6, 8, 10, 15, 20)
STEPS = {
    "PF-LR, N(0, 1) start": (),
    "+ scaled": ("scaled",),
    "+ averages": ("scaled", "averages"),
    "+ widening (default)": ("scaled", "averages", "widening"),
}


class Case(NamedTuple):
    """One learner on one stream: how it is called, its parameters, the paper's figure (per cent) if any."""

    stream: str
    name: str
    parameters: dict
    paper: float | None = None
    paper_error: float | None = None  # standard error, from the paper's 95 % interval

    @property
    def batch(self):
        """Rows of a batch."""
        return self.parameters.get("batch_size", 50)


def _elec(name, parameters, figures):
    sizes = [parameters | {"batch_size": size} for size in BATCHES]
    return [
        Case("ELEC", f"{name}, B = {size['batch_size']}", size, *figure)
        for size, figure in zip(sizes, figures, strict=True)
    ]


def _parts(stream, **parameters):
    return [Case(stream, name, {"form": form} | parameters) for name, form in STEPS.items()]


# The paper's errors are halves of 95 % intervals; in table 3 they are taken for standard deviations.
TABLE_3 = ((88.3, 19.5), (91.5, 0.6), (90.7, 1.0), (90.5, 0.2), (89.1, 1.1), (87.9, 0.7))
CASES = (
    Case("SEA", "PF-LR, warm-up 500", WARM, 98.1, 0.05),
    Case("SEA", "PF-LR, no warm-up", PUBLISHED),
    Case("SEA", "RegPF-LR", WARM | PRIOR),
    Case("SEA", "by likelihood", WARM | LIKELIHOOD),
    *_parts("SEA"),
    Case("MANY", "PF-LR, warm-up 500", WARM, 89.1, 0.05),
    Case("MANY", "PF-LR, U(0, 1) start", PUBLISHED | {"start": "uniform"}),
    Case("MANY", "RegPF-LR", WARM | PRIOR, 88.1, None),
    Case("MANY", "by likelihood", WARM | LIKELIHOOD),
    *_parts("MANY"),
    Case("CIRCLES", "PF-LR", PUBLISHED | MODULO, 79.1, 0.56),
    Case("CIRCLES", "PF-LR, no modulo", PUBLISHED | {"boundary": "circle", "start": 2.0}, 70.6, 0.66),
    Case("CIRCLES", "RegPF-LR", PUBLISHED | MODULO | PRIOR),
    Case("CIRCLES", "by likelihood", PUBLISHED | MODULO | LIKELIHOOD, 50.0, None),
    Case("CIRCLES", "tracking (default)", MODULO),
    *_elec("PF-LR", PUBLISHED, TABLE_3),
    *_elec("tracking", {}, [(None, None)] * len(BATCHES)),
    *_parts("ELEC", batch_size=6),
    *_parts("HYPERPLANE"),
    Case("HYPERPLANE", "PF-LR, refit below 0.75", PUBLISHED | {"start": "normal", "refit_below": 0.75}),
    Case("HYPERPLANE", "tracking, refit below 0.75", {"refit_below": 0.75}),
)
RUNS = {"SEA": 50, "MANY": 200, "CIRCLES": 50, "ELEC": 20, "HYPERPLANE": 50}
QUICK_RUNS = {"SEA": 4, "MANY": 10, "CIRCLES": 4, "ELEC": 2, "HYPERPLANE": 4}
FIRST_SEED = 5000

TRAINING_MS = {"SEA": 404.7, "CIRCLES": 655.3, "MANY": 25.4, "ELEC": 1907.0}
RIVALS = {
    "SEA": ("96.5", "96.3"),
    "CIRCLES": ("50", "63.1"),
    "MANY": ("85.6", "86.4"),
    "ELEC": ("80.8", "86.3"),
}


def stream_of(name, seed, data=None):
    """Return a stream of the paper; ELEC is the price alone, as it is in the file (already within [0, 1])."""
    if name == "SEA":
        return SEA(40_000, period=10_000, scaled=True, seed=seed)
    if name == "MANY":
        return Many(seed=seed)
    if name == "CIRCLES":
        return Circles(balanced=True, seed=seed)
    if name == "HYPERPLANE":
        return Hyperplane(seed=seed)
    return from_arrays(*prices(data))


def prices(data=None):
    """Return the prices, rows × 1, and whether each is above the mean of the last day (the label)."""
    stream = datasets.elec2(data=data)
    X, y = next(iter(stream.blocks(45_312)))
    return X[:, [stream.names.index("nswprice")]], (y == "UP").astype(int)


def jobs(quick=False):
    """Return what is to be run: one dict a run of a case, and one for each training time."""
    runs = QUICK_RUNS if quick else RUNS
    cases = [
        {"stream": case.stream, "case": case.name, "seed": FIRST_SEED + number}
        for case in CASES
        for number in range(runs[case.stream])
    ]
    return cases + [{"stream": name, "case": "training time"} for name in TRAINING_MS]


def run(job, data=None):
    """Run a job; return plain numbers and lists."""
    if job["case"] == "training time":
        return {"milliseconds": training_milliseconds(job["stream"], data=data)}
    case = next(case for case in CASES if (case.stream, case.name) == (job["stream"], job["case"]))
    return run_case(case, job["seed"], data)


def reproduce(quick=False, data=None, figures=None, n_jobs=2):
    """Run all jobs on `n_jobs` processes, draw the figures into the folder `figures`, return the tables."""
    from thalweg.papers import particle_filter_tables as tables

    todo = jobs(quick)
    with ProcessPoolExecutor(n_jobs) as pool:
        results = list(pool.map(run, todo, [data] * len(todo), chunksize=4))
    found = tables.gathered(todo, results)
    if figures is not None:
        from thalweg.papers.particle_filter_figures import draw

        draw(tables.courses(found), tables.accuracies(found), Path(figures), data)
    return tables.tables(found, prices(data))


def run_case(case, seed, data=None):
    """Run one case once: accuracy in per cent, its course over the batches, what trivial baselines get."""
    learner = ParticleFilter(random_state=seed, **case.parameters)
    stream = stream_of(case.stream, seed, data)
    if case.stream == "ELEC":
        run, each = prequential(stream, learner), case.batch
    else:
        run, each = holdout(stream, learner, every=case.batch, n=1000, seed=seed), 1000
    right = run.predicted == run.labels
    course = right[: len(right) // each * each].reshape(-1, each).mean(axis=1)
    trivial = {name: 100 * float((codes == run.labels).mean()) for name, codes in run.baselines.items()}
    return {"accuracy": 100 * float(right.mean()), "course": (100 * course).tolist(), "baselines": trivial}


def above_own_mean(X, y, window=48):
    """Return the accuracy (per cent) of "price above the mean of the last 48": the label is nearly that."""
    sums = np.cumsum(np.r_[0.0, X[:, 0]])
    i = np.arange(1, len(X))
    start = np.maximum(i - window, 0)
    above = X[1:, 0] > (sums[i] - sums[start]) / (i - start)
    return 100 * float((above == y[1:]).mean())


def training_milliseconds(name, repeats=5, data=None):
    """Return the least processor time that learning a stream once took, predictions for all rows included."""
    stream = stream_of(name, FIRST_SEED, data)
    X, codes = next(iter(stream.coded_blocks(stream.n_rows)))
    parameters = PUBLISHED | {"CIRCLES": MODULO, "ELEC": {"batch_size": 10}}.get(name, {})
    least = np.inf
    for _ in range(repeats):
        learner = ParticleFilter(**parameters).begin(stream.n_features, stream.classes)
        begin = time.process_time()
        learner.test_then_train_coded(X, codes)
        least = min(least, time.process_time() - begin)
    return 1000 * least

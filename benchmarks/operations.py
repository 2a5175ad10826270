"""The operations whose cost must not grow faster than is stated, each against one size.

A function that makes an operation takes a size, prepares what is not measured, and returns a function without
arguments that is. `stated` is the exponent of its processor time, or with `each` of that of one row or run.
Not here, since they need servers or minutes: the HTTP service, Kafka, keyed operators, files of millions of
rows.
"""

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import thalweg
from thalweg import drift, evaluation, learners, preprocessing, streams, trust
from thalweg.evaluation import metrics
from thalweg.keyed import Bank
from thalweg.live import LiveModel

FOLDER = Path(tempfile.gettempdir()) / "thalweg-growth"
FEW = (500, 1000, 2000)
CLASSES = (16, 32, 64, 128)
COLUMNS = (10, 30, 100, 300)


class Operation(NamedTuple):
    """An operation, the size it is measured against, and how it may grow with that."""

    name: str
    dimension: str
    sizes: tuple[int, ...]
    stated: float
    make: Callable[[int], Callable[[], Any]]
    each: bool = False


OPERATIONS: list[Operation] = []


def operation(name, dimension, sizes, stated, each=False):
    """Return a decorator that adds a function which makes an operation."""

    def add(make):
        OPERATIONS.append(Operation(name, dimension, sizes, stated, make, each))
        return make

    return add


def rows_of(n, inputs=5, classes=2):
    """Return rows, and labels that come in turn, so that all are there at any size."""
    return np.random.default_rng(1).normal(size=(n, inputs)), np.arange(n) % classes


def records(n, columns=3):
    """Return records with numbers, and the label y."""
    X, y = rows_of(n, columns)
    names = [f"c{j}" for j in range(columns)]
    return [dict(zip(names, x, strict=True)) | {"y": "ab"[k]} for x, k in zip(X.tolist(), y, strict=True)]


def model(rows, **settings):
    """Return a model that has learned records; one of naive Bayes, which costs little itself."""
    return thalweg.Model(target="y", learner="NaiveBayes", **settings).learn(rows)


def written(name, lines):
    """Return the path of a file with these lines."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / name
    path.write_text("\n".join(lines) + "\n")
    return path


def table(n, columns):
    """Return the path of a CSV file."""
    rows = records(n, columns)
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    return str(written(f"{n}x{columns}.csv", lines))


# Records, files and models.


@operation("learn records each with an own key", "rows", FEW, 1)
def own_keys(n):
    rows = [{f"k{i}": i % 7, "y": i % 2} for i in range(n)]
    return lambda: model(rows)


@operation("learn JSON lines each with an own key", "rows", FEW, 1)
def own_keys_in_json(n):
    path = written(f"own{n}.jsonl", (json.dumps({f"k{i}": i % 7, "y": i % 2}) for i in range(n)))
    return lambda: model(str(path))


@operation("predict records each with an unknown key", "rows", FEW, 1)
def unknown_keys(n):
    known = model(records(100))
    rows = [{"c0": 1.0, f"k{i}": 1} for i in range(n)]
    return lambda: known.predict(rows)


@operation("predict_one of a cell in another form", "columns", COLUMNS, 1)
def unusual_cell(n):
    known, row = model(records(200, n)), records(1, n)[0] | {"c0": "1,5"}
    return lambda: known.predict_one(row)


@operation("predict a list of one record", "columns", COLUMNS, 1)
def one_record(n):
    known, row = model(records(200, n)), records(1, n)
    return lambda: known.predict(row)


@operation("read a CSV file", "rows", (20_000, 40_000, 80_000), 0, each=True)
def csv_rows(n):
    path = table(n, 5)
    return lambda: model(path)


@operation("read a wide CSV file", "columns", (10, 100, 1000), 1)
def csv_columns(n):
    path = table(400, n)
    return lambda: model(path)


@operation("label rows that wait", "waiting rows", (1000, 10_000, 100_000), 0.3)
def label_waiting(n):
    known, rows = model(records(100), max_waiting=n + 1), records(1000)
    for start in range(0, n, 1000):
        known.predict(rows, ids=range(start, start + 1000))
    state = iter(range(n))
    return lambda: known.label([next(state) for _ in range(10)], ["a"] * 10)


@operation("save and load a model", "waiting rows", (1000, 10_000, 100_000), 1)
def save_waiting(n):
    known, rows = model(records(100), max_waiting=n + 1), records(1000)
    for start in range(0, n, 1000):
        known.predict(rows, ids=range(start, start + 1000))
    FOLDER.mkdir(exist_ok=True)

    def run():
        known.save(FOLDER / "model.tw")
        thalweg.load(FOLDER / "model.tw")

    return run


@operation("LiveModel predicts", "waiting rows", (1000, 10_000, 50_000), 0.6)
def live(n):
    known, rows = model(records(100), max_waiting=n + 5000), records(1000)
    service = LiveModel(tempfile.mkdtemp(dir=written("x", []).parent), known, survive="process")
    for start in range(0, n, 1000):
        service.predict(rows, ids=range(start, start + 1000))
    state = iter(range(n, n + 10**9))
    return lambda: service.predict(rows[:1], ids=[next(state)])


# Evaluation.


@operation("prequential", "rows", (50_000, 100_000, 200_000), 0, each=True)
def prequential_rows(n):
    return lambda: evaluation.prequential(streams.SEA(n, seed=1), learners.NaiveBayes())


@operation("prequential", "delay", (10, 1000, 30_000), 0)
def prequential_delay(n):
    return lambda: evaluation.prequential(streams.SEA(60_000, seed=1), learners.NaiveBayes(), delay=n)


@operation("prequential of sparse rows", "inputs", (1000, 10_000, 100_000), 0.75)
def prequential_sparse(n):
    import scipy.sparse

    X = scipy.sparse.random(1000, n, density=30 / n, format="csr", random_state=1)
    rows = X, np.arange(1000) % 2
    return lambda: evaluation.prequential(rows, learners.LinearLogistic())


def tested(n, **settings):
    """Return a run of rows of n classes."""
    return evaluation.prequential(rows_of(4000, 3, n), learners.MajorityClass(), **settings)


@operation("prequential", "classes", CLASSES, 1.2)
def prequential_classes(n):
    return lambda: tested(n)


@operation("summary of a run", "classes", CLASSES, 1.2)
def summary_classes(n):
    run = tested(n)
    return run.summary


@operation("kappa over a window", "classes", CLASSES, 1.2)
def kappa_classes(n):
    run = tested(n)
    return lambda: metrics.kappa(run, window=500)


@operation("page of a run", "rows", (20_000, 80_000, 320_000), 1.15)
def page_rows(n):
    run = evaluation.prequential(streams.SEA(n, seed=1), learners.NaiveBayes())
    path = written("page.html", [])
    return lambda: evaluation.report.write(run, path)


@operation("compare", "learners", (4, 8, 16), 0, each=True)
def compare_learners(n):
    chosen = {f"n{i}": learners.NaiveBayes() for i in range(n)}
    return lambda: evaluation.compare(chosen, [streams.SEA(2000, seed=1)], n_jobs=1, fresh=True)


@operation("label_errors", "rows", (500, 1000, 2000), 1.1)
def label_errors_rows(n):
    return lambda: evaluation.label_errors(*rows_of(n), learners=[learners.NaiveBayes()])


@operation("label_errors", "columns", (5, 20, 80), 1.2)
def label_errors_columns(n):
    return lambda: evaluation.label_errors(*rows_of(1000, n), learners=[learners.NaiveBayes()])


@operation("PermutationImportance", "columns", (5, 20, 80), 1.8)
def importance_columns(n):
    rows = rows_of(3000, n)

    def run():
        importance = evaluation.PermutationImportance()
        evaluation.prequential(rows, learners.NaiveBayes(), observers=importance)

    return run


# Drift.


@operation("detect_drift with labels", "classes", (64, 256, 1024), 1)
def drift_classes(n):
    rows = rows_of(20_000, 5, n)
    return lambda: evaluation.detect_drift(rows, with_labels=True)


@operation("detect_drift", "columns", (10, 100, 1000), 1.2)
def drift_columns(n):
    rows = rows_of(6000, n)
    return lambda: evaluation.detect_drift(rows)


@operation("detect_drift", "rows", (20_000, 80_000, 320_000), 1.2)
def drift_rows(n):
    rows = rows_of(n, 3)
    return lambda: evaluation.detect_drift(rows)


@operation("ADWIN", "losses", (20_000, 80_000, 320_000), 0, each=True)
def adwin_losses(n):
    losses = (np.random.default_rng(1).random(n) < 0.2).astype(float)
    return lambda: drift.ADWIN().update_many(losses)


@operation("KSWIN", "window", (100, 200, 400), 1.04)
def kswin_window(n):
    values = np.random.default_rng(1).random(5000)
    return lambda: drift.KSWIN(window=n).update_many(values)


# Trust.


@operation("AccuracyEstimate beyond its bound of waiting rows", "times the bound", (2, 4, 6), 0, each=True)
def estimate_past_the_bound(n):
    p = np.tile([0.3, 0.7], (20_000, 1))

    def run():
        estimate = trust.AccuracyEstimate(max_waiting=20_000)
        for turn in range(n):
            estimate.predict(p, range(20_000 * turn, 20_000 * (turn + 1)))

    return run


def wrapped(around, n):
    """Return an operation that learns rows of n classes."""
    X, y = rows_of(2000, 3, n)

    def run():
        around(learners.NaiveBayes()).begin(3, range(n)).test_then_train_coded(X, y)

    return run


@operation("Calibrated", "classes", CLASSES, 1)
def calibrated_classes(n):
    return wrapped(trust.Calibrated, n)


@operation("PredictionSets", "classes", CLASSES, 1)
def sets_classes(n):
    return wrapped(trust.PredictionSets, n)


@operation("LabelBudget", "window", (100, 1000, 10_000), 0.4)
def budget_window(n):
    p = np.random.default_rng(1).dirichlet(np.ones(2), 4000)

    def run():
        budget = trust.LabelBudget(0.1, window=n).reset()
        for row in p:
            budget.ask_one(row)

    return run


# Banks and preprocessing.


@operation("save and load a Bank", "keys", (1000, 4000, 16_000), 1)
def bank_keys(n):
    bank, (X, y) = Bank(learners.NaiveBayes()).begin(2, [0, 1]), rows_of(n, 2)
    bank.test_then_train([f"k{i}" for i in range(n)], X, y)
    return lambda: Bank(learners.NaiveBayes()).restore(bank.state())


@operation("Bank", "keys", (1000, 10_000, 100_000), 0.25)
def bank_rows(n):
    bank, (X, y) = Bank(learners.NaiveBayes()).begin(2, [0, 1]), rows_of(n, 2)
    names = [f"k{i}" for i in range(n)]
    bank.test_then_train(names, X, y)
    return lambda: bank.test_then_train(names[:1000], X[:1000], y[:1000])


@operation("StandardScaler", "columns", COLUMNS, 1)
def scaler_columns(n):
    X, _ = rows_of(2000, n)
    return lambda: preprocessing.StandardScaler().fit(X).transform(X)


@operation("OneHotEncoder", "rows", (2000, 8000, 32_000), 0, each=True)
def encoder_rows(n):
    X = (np.arange(n) % 20).astype(float)[:, None]
    return lambda: preprocessing.OneHotEncoder().fit(X).transform(X)


# Learners: what `growth.py` does not measure of them, at sizes where it shows.


def learned(make, n_rows, inputs=5, classes=2):
    """Return an operation in which a fresh learner learns rows."""
    X, y = rows_of(n_rows, inputs, classes)
    return lambda: make().begin(inputs, range(classes)).test_then_train_coded(X, y)


@operation("AdaptiveStacking, large", "classes", (32, 64, 128, 256), 1)
def stacking_classes(n):
    return learned(lambda: learners.AdaptiveStacking(size="large"), 300, classes=n)


@operation("WindowLogistic", "classes", CLASSES, 1)
def window_logistic_classes(n):
    return learned(learners.WindowLogistic, 600, classes=n)


@operation("LogisticMixture", "inputs", (32, 128, 512), 2)
def mixture_inputs(n):
    return learned(learners.LogisticMixture, 300, inputs=n)


@operation("RefittingParticleFilter", "inputs", (8, 32, 128), 1)
def particles_inputs(n):
    return learned(learners.RefittingParticleFilter, 300, inputs=n)


@operation("NearestNeighbours", "neighbours", (5, 20, 80), 1.25)
def neighbours(n):
    return learned(lambda: learners.NearestNeighbours(n_neighbours=n), 3000)


@operation("LeveragingBagging", "members", (10, 40, 160), 1.05)
def members(n):
    return learned(lambda: learners.LeveragingBagging(n_members=n), 600)


def new_labels(make, n):
    """Return an operation in which each row has a new label."""
    X, _ = rows_of(n, 2)

    def run():
        learner = make().begin(2)
        for i in range(n):
            learner.learn_one(X[i], i)

    return run


@operation("NaiveBayes, new labels one by one", "labels", (50, 100, 200, 400), 1)
def naive_bayes_labels(n):
    return new_labels(learners.NaiveBayes, n)


@operation("AdaptiveStacking, new labels one by one", "labels", (10, 20, 40), 1)
def stacking_labels(n):
    return new_labels(learners.AdaptiveStacking, n)


@contextlib.contextmanager
def quiet():
    """Hide what operations print and warn of."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield

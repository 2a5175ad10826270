"""Ctrl-C at a random moment of a long operation: how it ends, what is kept, and what works afterwards.

The moments are by the clock, so that a case of the same seed may end otherwise: try it several times.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from support.timed_interrupts import without_gc_callbacks

import thalweg
from random_use.tables import assert_same_models
from thalweg.evaluation import compare, detect_drift, label_errors, tune
from thalweg.keyed import Bank
from thalweg.keyed import run as keyed_run
from thalweg.learners import HoeffdingTree, LinearLogistic, NaiveBayes, OnlineBagging
from thalweg.live import LiveModel
from thalweg.streams import SEA

LEARNERS = (
    "NaiveBayes",
    "LinearLogistic",
    "LogisticMixture",
    "HoeffdingTree(grace_period=20)",
    "OnlineBagging(n_members=5)",
    "NearestNeighbours(window=50)",
    "AdaptiveStacking",
)
COMMAND = Path(sys.executable).with_name("thalweg")


def run(seed):
    """Try the case of this seed; return "agreed", or raise AssertionError with what is wrong."""
    rng = np.random.default_rng(seed)
    operation = OPERATIONS[rng.integers(len(OPERATIONS))]
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory() as folder:
            operation(rng, Path(folder))
    finally:
        signal.signal(signal.SIGINT, previous)
    return "agreed"


def cut(function, seconds):
    """Send Ctrl-C after seconds; return what the function returns, and the KeyboardInterrupt it raises."""
    previous = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    with without_gc_callbacks():
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-4))
                return function(), None
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)  # it may come just before
        except KeyboardInterrupt as error:
            return None, error
        finally:
            signal.signal(signal.SIGALRM, previous)


def timed(function):
    """Return what a function returns, and the seconds it takes."""
    begun = time.perf_counter()
    return function(), time.perf_counter() - begun


def table(rng, most=20_000):
    """Return a frame of rows whose labels depend on them."""
    n = int(rng.choice([300, 3000, most]))
    price, shop = rng.gamma(2.0, 20.0, n).round(2), rng.integers(0, 8, n)
    is_paid = price + 10 * shop + rng.normal(0, 20, n) > 70
    frame = pd.DataFrame({"price": price, "shop": [f"shop {i}" for i in shop], "weight": rng.normal(size=n)})
    frame.loc[rng.random(n) < 0.1, "weight"] = np.nan
    return frame.assign(paid=np.where(is_paid, "yes", "no"))


def learning(rng, folder):
    """`Model.learn` of a frame or a file: the rows before Ctrl-C are learned, those after it are not."""
    rows = table(rng)
    source, by = rows, str(rng.choice(["frame", "file"]))
    if by == "file":
        source = folder / "rows.csv"
        rows.to_csv(source, index=False)
    model = thalweg.Model("paid", str(rng.choice(LEARNERS)))
    if has_begun := rng.random() < 0.5:
        model.learn(rows[:200])
    whole = model.copy()
    _, seconds = timed(lambda: whole.learn(source))
    _, error = cut(lambda: model.learn(source), seconds * rng.uniform(0, 1.1))
    n = len(rows) if error is None else getattr(error, "rows_learned", None) or 0
    what = f"{model.learner} begun: {has_begun}, {by}, Ctrl-C after {n} of {len(rows)} rows"
    if n < len(rows):
        kinds_known = has_begun or n > 0
        model.learn(rows[n:] if kinds_known else source)
    assert_same_models(model, whole, what)


def evaluating(rng, folder):
    """An interrupted run is the beginning of the whole one, and its model has learned these rows."""
    # A signal between the moment at which a block is learned and that at which it is recorded, some
    # microseconds later, is the one that may lose it: it does not come three times.
    rows, delay = table(rng), int(rng.choice([0, 0, 30]))
    model = thalweg.Model("paid", str(rng.choice(LEARNERS))).learn(rows[:100])
    whole = model.copy()
    expected, seconds = timed(lambda: whole.prequential(rows, delay=delay))
    run, error = cut(lambda: model.prequential(rows, delay=delay), seconds * rng.uniform(0, 1.1))
    what = f"{model.learner}, delay {delay}"
    if error is not None:  # Ctrl-C came before the first row or after the last one
        n = getattr(error, "rows_learned", None) or 0
    else:
        n = run.n_rows
        assert run.interrupted or n == len(rows), f"{what}: {n} rows"
        for name in ("codes", "probabilities"):
            found, wanted = getattr(run, name), getattr(expected, name)
            assert np.array_equal(found, wanted[:n], equal_nan=True), f"{what}: other {name} in {n} rows"
    if delay == 0:
        model.learn(rows[n:])
        probes = rows[:50]
        same = np.array_equal(model.predict_proba(probes), whole.predict_proba(probes))
        how = "raised" if run is None else f"{run.interrupted}"
        assert same, f"{what}: another model after {n} rows and the rest; interrupted: {how}"


def comparing(rng, folder):
    """A comparison or a search that is cut raises; the next one has the results of an undisturbed one."""
    n, jobs = int(rng.choice([500, 5000])), int(rng.choice([1, 1, 2]))
    learners = {"bayes": NaiveBayes(), "bagging": OnlineBagging(HoeffdingTree(), n_members=3)}
    streams = {"sea": SEA(n, seed=1), "other": SEA(n, seed=2)}
    if rng.random() < 0.5:
        name, call = "compare", lambda: compare(learners, streams, n_jobs=jobs, seeds=2).table().tolist()
    else:
        name, call = "tune", lambda: tune(LinearLogistic(), SEA(n, seed=1), n_jobs=jobs, n=4).tried
    with cache(folder / "whole"):
        expected, seconds = timed(call)
    with cache(folder / "cut"):
        for _ in range(2):
            cut(call, seconds * rng.uniform(0, 1.0))
        found = call()
    assert repr(found) == repr(expected), f"{name} after Ctrl-C: {found}, not {expected}"


def cache(folder):
    """Let results be kept in a folder."""
    return mock.patch.dict(os.environ, {"THALWEG_CACHE": str(folder)})


def looking(rng, folder):
    """A search for drift or for label errors that is cut does not change the next one."""
    rows = table(rng, 4000)
    if rng.random() < 0.5:
        name, call = "detect_drift", lambda: detect_drift(rows, target="paid")
        figures = "n_rows", "findings", "alarms"
    else:
        X, y = rows[["price", "weight"]].fillna(0.0).to_numpy(), rows["paid"].to_numpy()
        name, call = "label_errors", lambda: label_errors(X, y)
        figures = "rows", "doubt", "n_wrong"

    def digest(found):
        return [repr(getattr(found, figure)) for figure in figures]

    expected, seconds = timed(call)
    found, error = cut(call, seconds * rng.uniform(0, 1.1))
    if error is None and not getattr(found, "interrupted", False):
        assert digest(found) == digest(expected), f"{name}: Ctrl-C was lost, and the result is another"
    elif error is None:
        assert found.n_rows <= expected.n_rows, f"{name}: {found.n_rows} rows"
    assert digest(call()) == digest(expected), f"{name}: another result after Ctrl-C"


def saving(rng, folder):
    """A file is whole: the old one or the new one, and nothing lies beside it."""
    rows, path = table(rng), folder / "model.tw"
    model = thalweg.Model("paid", str(rng.choice(LEARNERS))).learn(rows[:150])
    model.save(path)
    before = model.copy()
    model.learn(rows)
    _, seconds = timed(lambda: model.save(folder / "other.tw"))
    _, error = cut(lambda: model.save(path), seconds * rng.uniform(0, 1.1))
    digest = thalweg.load(path).digest()
    wanted = [model.digest()] if error is None else [model.digest(), before.digest()]
    assert digest in wanted, f"{model.learner}: the file has neither the old nor the new model"
    left = {each.name for each in folder.iterdir()} - {"model.tw", "other.tw"}
    assert not left, f"{model.learner}: Ctrl-C leaves {left}"
    model.save(path)
    assert thalweg.load(path).digest() == model.digest()


def living(rng, folder):
    """A caller of a live model that is interrupted sends the same again: each row is learned once."""
    rows = table(rng, 3000)
    first = thalweg.Model("paid", str(rng.choice(LEARNERS))).learn(rows[:100])
    inputs, labels = rows.drop(columns="paid").to_dict("records"), rows["paid"].tolist()
    ids = [f"r{i}" for i in range(len(rows))]
    with LiveModel(folder / "whole", first, watch=False) as live:
        _, seconds = timed(lambda: live.learn(inputs, labels, ids=ids))
        expected = live.predict(inputs[:20]).probabilities
    with LiveModel(folder / "cut", first, watch=False) as live:
        for _ in range(3):
            cut(lambda: live.learn(inputs, labels, ids=ids), seconds * rng.uniform(0, 1.1))
        statuses = {*live.learn(inputs, labels, ids=ids).statuses}
        assert statuses <= {"learned", "already"}, f"{first.learner}: {statuses}"
        found = live.predict(inputs[:20]).probabilities
        assert np.array_equal(found, expected), f"{first.learner}: rows were learned twice, or never"
        digest = live.digest()
    with LiveModel(folder / "cut", watch=False) as live:
        assert live.digest() == digest, f"{first.learner}: another state after it was opened again"


def keeping(rng, folder):
    """A bank has learned the rows before Ctrl-C, and learns the others afterwards."""
    n = int(rng.choice([500, 20_000]))
    keys, X, y = rng.integers(0, 50, n), rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    make = (NaiveBayes, LinearLogistic, lambda: HoeffdingTree(grace_period=20))[rng.integers(3)]
    bank, whole = (Bank(make()).begin(2, [0, 1]) for _ in range(2))
    _, seconds = timed(lambda: whole.test_then_train(keys, X, y))
    _, error = cut(lambda: bank.test_then_train(keys, X, y), seconds * rng.uniform(0, 1.1))
    # Where it comes after the last row, the error is not that of the call.
    done = n if error is None else getattr(error, "rows_learned", bank.n_rows_)
    if done < n:
        bank.test_then_train(keys[done:], X[done:], y[done:])
    found, expected = (each.predict_proba_block(keys[:300], X[:300]) for each in (bank, whole))
    assert np.array_equal(found, expected), f"{type(make()).__name__}: other answers, Ctrl-C at {done} of {n}"


def reading_by_key(rng, folder):
    """A run by key that is cut goes on with the same call, to the same outputs."""
    rows, path = table(rng), folder / "rows.csv"
    rows.to_csv(path, index=False)
    learner = str(rng.choice(["NaiveBayes", "LogisticMixture"]))
    settings = {"learner": learner, "key": "shop", "target": "paid", "n_jobs": int(rng.choice([1, 1, 2]))}
    outs = folder / "whole.csv", folder / "cut.csv"
    _, seconds = timed(lambda: keyed_run(path, outs[0], folder=folder / "whole", **settings))
    again = partial(keyed_run, path, outs[1], folder=folder / "cut", **settings)
    for _ in range(int(rng.integers(1, 4))):
        cut(again, seconds * rng.uniform(0, 1.1))
    done = again()
    assert sum(done.counts.values()) == len(rows), f"{settings}: {done.counts} of {len(rows)} rows"
    assert outs[1].read_bytes() == outs[0].read_bytes(), f"{settings}: other outputs after Ctrl-C"


def commanding(rng, folder):
    """A command that is cut says so and ends with status 130; its files are whole, and it works again."""
    rows, path, model = table(rng), folder / "rows.csv", folder / "model.tw"
    rows.to_csv(path, index=False)
    thalweg.Model("paid", str(rng.choice(LEARNERS))).learn(rows[:200]).save(model)
    learner = str(rng.choice(["NaiveBayes", "AdaptiveStacking"]))
    form = str(rng.choice([".csv", ".jsonl", ".parquet"]))
    arguments, outs = {
        "predict": (["predict", "kept.tw", path, "--out", f"out{form}"], [f"out{form}"]),
        "run": (["run", path, "--target", "paid", "--learner", learner, "--save", "new.tw"], ["new.tw"]),
        "continue": (["continue", "kept.tw", path], ["kept.tw"]),
        "label-errors": (["label-errors", path, "--target", "paid", "--save", "doubts.csv"], ["doubts.csv"]),
        "drift": (["drift", path, "--target", "paid", "--json"], []),
        "compare": (["compare", "NaiveBayes", learner, "--on", path, "--target", "paid", "--json"], []),
        "keyed": (
            ["keyed", path, "--key", "shop", "--target", "paid", "--folder", "k", "--out", "out.csv"],
            ["out.csv"],
        ),
    }[what := str(rng.choice(["predict", "run", "continue", "label-errors", "drift", "compare", "keyed"]))]
    places = [folder / "whole", folder / "cut"]
    for place in places:
        place.mkdir()
        shutil.copy(model, place / "kept.tw")
    ended, seconds = timed(lambda: command(arguments, places[0]))
    assert ended[0] == 0, f"{what}: {ended}"
    status, said = command(arguments, places[1], after=rng.uniform(0.3, max(1.1 * seconds, 0.4)))
    # Before Python handles signals and after it does, Ctrl-C ends the process itself.
    assert status in (0, 130, -signal.SIGINT), f"{what}: {status}: {said}"
    assert status != 130 or "interrupted" in said, f"{what}: {said!r}"
    assert "mistake" not in said and "Traceback" not in said, f"{what}: {said}"
    strange = {each.name for each in places[1].iterdir()} - {each.name for each in places[0].iterdir()}
    assert not strange, f"{what}: Ctrl-C leaves {strange}"
    for name in outs:
        if name.endswith(".tw") and (places[1] / name).exists():
            thalweg.load(places[1] / name)
        elif what != "keyed" and (places[1] / name).exists():
            same = (places[1] / name).read_bytes() == (places[0] / name).read_bytes()
            assert same, f"{what}: {name} is another after status {status}"
    if what == "continue":
        shutil.copy(model, places[1] / "kept.tw")
    if status or what != "keyed":
        ended = command(arguments, places[1])
        assert ended[0] == 0, f"{what} again: {ended}"
    for name in outs:
        found, expected = (place / name for place in places)
        if name.endswith(".tw"):
            assert_same_models(thalweg.load(found), thalweg.load(expected), f"{what} again: {name}")
        elif name.endswith((".csv", ".jsonl")):
            assert found.read_bytes() == expected.read_bytes(), f"{what} again: {name} is another"


def command(arguments, folder, after=None):
    """Run a command in a folder, and send Ctrl-C after seconds; return its status and what it said."""
    running = subprocess.Popen(
        [COMMAND, *map(str, arguments)], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "THALWEG_CACHE": str(folder / "cache")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        if after is not None:
            try:
                running.wait(after)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    return running.returncode, said


OPERATIONS = (
    learning, evaluating, comparing, looking, saving, living, keeping, reading_by_key, commanding, commanding,
)  # fmt: skip

"""LiveWatch at real shapes, on real streams, and fed by live models."""

import time

import numpy as np
import pytest
from support.places import data_file

import thalweg
from thalweg.learners import LogisticMixture
from thalweg.live import LiveModel
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.live.watch.sources import snapshot_of
from thalweg.live.watch.watched_inputs import WatchedInputs
from thalweg.streams import from_file


def test_many_inputs_categories_classes_and_few_late_labels():
    n, n_classes, delay = 100_000, 12, 1000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 139)).astype(np.float32).astype(np.float64)
    X[:, 0] = rng.integers(0, 500, n)
    p = rng.dirichlet(np.full(n_classes, 0.3), size=n)
    answers = p.argmax(axis=1)
    codes = (rng.random((n, 1)) > np.cumsum(p, axis=1)).sum(axis=1).clip(0, n_classes - 1)
    labelled = np.flatnonzero(rng.random(n) < 0.1)
    X[60_000:, 0] = X[60_000:, 0] // 3
    watch, started = LiveWatch(139, categorical=[0]), time.process_time()
    for start in range(0, n, 500):
        stop = start + 500
        watch.predicted(float(start), X[start:stop], p[start:stop], answers[start:stop])
        late = labelled[slice(*np.searchsorted(labelled, [start - delay, stop - delay]))]
        watch.learned(float(start), answers[late], codes[late], stop - 1 - late, float(delay))
    found = watch.snapshot(now=float(n))
    cost = time.process_time() - started
    learner = LogisticMixture().begin(139, list(range(n_classes)))
    started = time.process_time()
    learner.test_then_train_coded(X[:2000], codes[:2000])
    assert cost / n < 0.1 * (time.process_time() - started) / 2000  # measured: 0.013
    truth = np.mean(answers == codes)
    assert found["rows"] == n and abs(found["labels"] - 0.099 * n) < 500
    assert found["accuracy"]["all"]["learner"] == pytest.approx(truth, abs=0.02)
    assert found["estimate"]["now"]["low"] < truth < found["estimate"]["now"]["high"]
    assert found["delay"]["rows"]["median"] == pytest.approx(1250, abs=30)
    [episode] = found["drift"]["episodes"]
    assert episode["row"] == 60_000 and episode["changes"][0]["input"] == "x0"


def test_the_drift_of_the_insects_is_found():
    stream = from_file(data_file("insects-gradual.csv.gz"))
    X, codes = next(stream.blocks(24_000))
    learner = LogisticMixture().begin(X.shape[1], stream.classes)
    p = learner.test_then_train(X, codes)
    watch = LiveWatch(X.shape[1])
    answers = p.argmax(axis=1)
    numbers = np.searchsorted(stream.classes, codes)
    for start in range(0, len(X), 3000):
        part = slice(start, start + 3000)
        watch.predicted(float(start), X[part], p[part], answers[part])
        watch.learned(float(start), answers[part], numbers[part], np.arange(len(X[part]))[::-1], 0.0)
    found = watch.snapshot(now=0.0)
    right = np.mean(answers == numbers)
    assert found["accuracy"]["all"]["learner"] == pytest.approx(right)
    assert found["accuracy"]["all"]["majority"] < right
    assert found["drift"]["n_episodes"] >= 1


def records(n):
    rng = np.random.default_rng(3)
    price, shop = rng.normal(10, 3, n), rng.choice(["north", "south", "west"], n)
    day = np.datetime64("2026-01-01") + np.arange(n) // 50
    columns = zip(price, shop, day, strict=True)
    rows = [{"price": float(a), "shop": str(b), "day": str(c)} for a, b, c in columns]
    paid = np.where(rng.random(n) < 0.9, price > 10, rng.random(n) < 0.5)
    return rows, ["yes" if each else "no" for each in paid]


def fed(folder, size, stop=None):
    """Return the snapshot after 3,000 rows in groups, with a restart in between."""
    rows, labels = records(3400)
    first = [row | {"paid": label} for row, label in zip(rows[:400], labels[:400], strict=True)]
    model = thalweg.Model(target="paid", learner="LogisticMixture", max_waiting=800).learn(first)
    rows, labels = rows[400:], labels[400:]
    live = LiveModel(folder, model, survive="process")
    for start in range(0, 3000, size):
        if stop is not None and start >= stop:
            live.close()
            live, stop = LiveModel(folder, survive="process"), None
        ids = list(range(start, min(3000, start + size)))
        live.predict([rows[i] for i in ids], ids=ids)
        late = [i - 300 for i in ids if i >= 300 and i % 3]
        if late:
            live.label(late, [labels[i] for i in late])
    found = snapshot_of(live)
    live.close()
    return found


def without_times(found):
    keys = ("rows", "labels", "labels_of_rows", "waiting", "estimate", "classes", "counts", "left_out")
    kept = {key: found[key] for key in keys}
    kept["accuracy"] = {key: found["accuracy"][key] for key in ("now", "all")}
    kept["surprises"] = [(each["row"], each["p_label"]) for each in found["surprises"]["labels"]]
    kept["windows"] = found["drift"]["windows"]
    return kept


def test_a_live_model_feeds_its_watch_and_keeps_it_over_a_restart(tmp_path):
    whole, cut = fed(tmp_path / "a", 300), fed(tmp_path / "b", 300, stop=1200)
    assert without_times(whole) == without_times(cut)
    assert whole["rows"] == 3000 and whole["labels_of_rows"] == whole["labels"] == 1800
    assert whole["classes"] == ["no", "yes"] and whole["left_out"] == {"day": "date"}
    assert whole["accuracy"]["all"]["learner"] > whole["accuracy"]["all"]["majority"] + 0.2
    assert whole["counts"]["dropped"] == 3000 - 1800 - whole["waiting"] > 0
    assert whole["drift"]["inputs"] == 2 and whole["drift"]["n_episodes"] == 0
    assert whole["members"]["members"]


def test_dates_and_texts_are_not_watched():
    schema = {"columns": [
        {"name": "price", "kind": "number"},
        {"name": "day", "kind": "date", "parts": ["weekday", "month"], "origin": 0.0},
        {"name": "note", "kind": "text", "n_words": 8},
        {"name": "shop", "kind": "category", "values": ["a", "b"]},
    ]}  # fmt: skip
    watched = WatchedInputs.of_schema(schema)
    assert watched.names == ["price", "shop"] and watched.categorical == [1]
    assert watched.left_out == {"day": "date", "note": "text"}
    last = int(watched.positions[1])
    X = np.arange(2.0 * (last + 1)).reshape(2, last + 1)
    assert watched.rows(X).tolist() == [[0.0, last], [last + 1, 2 * last + 1]]
    assert np.isnan(watched.rows(X[:, :5])[:, 1]).all()
    many = WatchedInputs(range(600), [f"x{j}" for j in range(600)], [3, 599])
    assert len(many) == 500 and many.categorical == [3] and len(many.left_out) == 100

"""The estimated accuracy of a model whose labels come late."""

import pickle

import numpy as np
import pytest

import thalweg
from thalweg.model import Model


def rows_of(n, seed=1):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    paid = np.where(a + b + rng.normal(size=n) > 0, "yes", "no")
    return [{"a": x, "b": y} for x, y in zip(a, b, strict=True)], paid.tolist()


@pytest.fixture
def model():
    rows, paid = rows_of(500, seed=2)
    made = Model(target="paid", learner="NaiveBayes", max_waiting=3000)
    return made.learn([row | {"paid": label} for row, label in zip(rows, paid, strict=True)])


def test_rows_predicted_with_ids_and_their_labels_give_an_estimate(model):
    rows, paid = rows_of(4000)
    answers = []
    for start in range(0, 4000, 100):
        ids = [f"order {i}" for i in range(start, start + 100)]
        answers += model.predict(rows[start : start + 100], ids=ids).tolist()
        if start >= 1000:
            late = range(start - 1000, start - 900)
            model.label([f"order {i}" for i in late], [paid[i] for i in late])
    estimate = model.accuracy_estimate()
    now = estimate.now()
    truth = np.mean(np.array(answers[-1000:]) == paid[-1000:])
    assert (estimate.n_rows_, estimate.n_labels_, now.known) == (4000, 3000, 0)
    assert now.low <= truth <= now.high
    assert now.estimate == pytest.approx(truth, abs=0.05)
    known = np.mean(np.array(answers[:1000]) == paid[:1000])
    assert estimate.estimates().settled[0] == pytest.approx(known)
    assert 0 < estimate.now("recall", "yes").estimate < 1


def test_labels_that_come_with_their_rows_count_too(model):
    rows, paid = rows_of(50)
    model.predict(rows, ids=range(50))
    model.learn([row | {"paid": label} for row, label in zip(rows, paid, strict=True)], ids=range(50))
    assert model.accuracy_estimate().n_waiting_ == 0
    assert model.accuracy_estimate().n_labels_ == 50


@pytest.mark.parametrize("how", ["file", "pickle", "copy"])
def test_it_is_saved_with_the_model(model, how, tmp_path):
    rows, paid = rows_of(300)
    model.predict(rows, ids=range(300))
    model.label(range(200), paid[:200])
    if how == "file":
        model.save(tmp_path / "model.tw")
    again = {"file": lambda: thalweg.load(tmp_path / "model.tw"),
             "pickle": lambda: pickle.loads(pickle.dumps(model)), "copy": model.copy}[how]()
    for each in (model, again):
        each.label(range(200, 300), paid[200:])
    assert again.accuracy_estimate().now() == model.accuracy_estimate().now()
    assert np.array_equal(again.accuracy_estimate().weights_, model.accuracy_estimate().weights_)


def test_ids_may_be_used_again_after_their_row_was_dropped():
    rows, paid = rows_of(200)
    made = Model(target="paid", learner="NaiveBayes", max_waiting=20)
    made.learn([row | {"paid": label} for row, label in zip(rows, paid, strict=True)])
    for _ in range(5):
        made.predict(rows[:20], ids=range(20))
        made.predict(rows[20:40], ids=range(20, 40))
    made.label([21], ["yes"])
    assert made.accuracy_estimate().n_labels_ == 1


def test_a_model_that_predicted_nothing_with_ids_says_so(model):
    with pytest.raises(ValueError, match="with an id"):
        model.accuracy_estimate()

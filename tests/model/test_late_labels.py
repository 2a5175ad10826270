"""Rows that are predicted now and get their labels later, by id."""

import sys
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from support.order_rows import orders, without

import thalweg
from thalweg.errors import ParameterError, StreamError, WaitingError
from thalweg.learners import NaiveBayes

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
LEARNERS = [
    "LabelChain(order=2)", "LastLabels(NaiveBayes())", "NeighbourMixture", "NaiveBayes",
    "make_pipeline(StandardScaler(), LogisticMixture())", "LinearLogistic",
    "AdaptiveStacking([NaiveBayes(), LabelChain(), NeighbourMixture()])",
    "OnlineBagging(LabelChain(), n_members=3)",
]  # fmt: skip


def begun(learner="NaiveBayes", **settings):
    return thalweg.Model("paid", learner, **settings).learn(orders(300))


def late_rows(n=200, seed=2):
    """Return rows without labels, their ids and labels, and an order in which the labels come."""
    rows = orders(n, seed=seed, first=300)
    order = np.random.default_rng(seed).permutation(n)
    return without(rows, "paid"), [row["id"] for row in rows], [row["paid"] for row in rows], order


@pytest.mark.parametrize("learner", LEARNERS)
def test_by_ids_or_by_the_rows_again_the_model_is_the_same(learner):
    rows, ids, labels, order = late_rows()
    by_id, again, by_both = (begun(learner) for _ in range(3))
    for start in range(0, 200, 40):
        part = slice(start, start + 40)
        by_id.predict(rows[part], ids=ids[part])
        again.observe(rows[part])
        by_both.predict(pd.DataFrame(rows[part]), ids=ids[part])
        come = [i for i in order if start <= i < start + 40 and i % 3]
        by_id.label([ids[i] for i in come], [labels[i] for i in come])
        again.learn([rows[i] | {"paid": labels[i]} for i in come])
        by_both.learn([rows[i] | {"paid": labels[i]} for i in come], ids=[ids[i] for i in come])
        one = by_id.copy()
        assert one.digest() == by_id.digest() and one.n_waiting_ == by_id.n_waiting_
    X, _ = next(by_id.stream(orders(60, seed=9)).coded_blocks(60))
    for other in (again, by_both):
        assert np.array_equal(by_id.learner_.predict_proba_block(X), other.learner_.predict_proba_block(X))
    assert by_id.n_waiting_ == by_both.n_waiting_ == sum(i % 3 == 0 for i in range(200))


def test_equal_rows_meet_what_was_said_about_them():
    row = without(orders(1, seed=5), "paid", "id")[0]
    twins = [begun("LabelChain(order=1)") for _ in range(2)]
    other = orders(1, seed=6)[0]
    for model in twins:  # the same row is predicted twice: after a yes, and after a no
        model.learn(other | {"paid": "yes"})
        model.predict([row], ids=["first"])
        model.learn(other | {"paid": "no"})
        model.predict([row], ids=["second"])
    twins[0].label(["first"], ["yes"])
    twins[1].label(["second"], ["yes"])
    counts = np.array([model.learner_.state()["memory"]["counts"] for model in twins])
    after_no, after_yes = counts[:, 1:, 1].T
    assert after_yes[0] > after_yes[1] and after_no[0] < after_no[1]  # what follows each is counted there


@pytest.mark.parametrize("form", [lambda rows: rows, pd.DataFrame, lambda rows: rows[0]])
def test_without_ids_a_prediction_changes_nothing(form):
    rows, *_ = late_rows(3)
    rows[0]["shop"] = "elsewhere"
    model = begun("AdaptiveStacking", random_state=1)
    before = model.digest(), model.state()["schema"]
    model.predict(form(rows))
    assert (model.digest(), model.state()["schema"]) == before
    model.predict(form(rows), ids=[0] if isinstance(form(rows), dict) else [0, 1, 2])
    assert "elsewhere" in model.schema()["columns"][2]["values"]


def test_what_waits_is_bounded_and_counted():
    rows, ids, labels, _ = late_rows(50)
    model = begun(max_waiting=20)
    model.predict(rows, ids=ids)
    assert (model.n_waiting_, model.n_dropped_) == (20, 30)
    with pytest.raises(WaitingError, match="no row is waiting with the id 'A00300'"):
        model.label(ids, labels)
    assert model.n_waiting_ == 20
    assert model.label(ids, labels, ignore_unknown=True) == 20
    assert model.n_waiting_ == 0


def test_what_waits_is_saved_with_the_model(tmp_path):
    rows, ids, labels, order = late_rows(60)
    for learner in ("LinearLogistic", "AdaptiveStacking([NaiveBayes(), LabelChain()])"):
        model = begun(learner)
        model.predict(rows[:30], ids=ids[:30])
        model.save(tmp_path / "model.tw")
        loaded = thalweg.load(tmp_path / "model.tw")
        assert loaded.n_waiting_ == 30
        for each in (model, loaded):
            each.predict(rows[30:], ids=ids[30:])
            each.label([ids[i] for i in order], [labels[i] for i in order])
        assert loaded.digest() == model.digest()


def test_a_wrong_label_or_id_loses_nothing():
    rows, ids, labels, _ = late_rows(5)
    model = begun(classes=["no", "yes"])
    model.predict(rows, ids=ids)
    before = model.digest()
    for given, words in ((["maybe"] * 5, "'maybe' is not one of"), ([None, *labels[1:]], "None is missing")):
        with pytest.raises(StreamError, match=words):
            model.label(ids, given)
    with pytest.raises(WaitingError, match="twice"):
        model.label([ids[0], ids[0]], labels[:2])
    with pytest.raises(ValueError, match="5 ids and 1 labels"):
        model.label(ids, ["yes"])
    with pytest.raises(WaitingError, match="waiting already"):
        model.predict(rows, ids=ids)
    with pytest.raises(ValueError, match="3 ids for 5 rows"):
        model.predict(rows, ids=["a", "b", "c"])
    assert model.digest() == before and model.n_waiting_ == 5
    model.label(ids, labels)


@pytest.mark.parametrize("form", [np.array, pd.Series, tuple])
def test_ids_may_be_arrays(form):
    rows, ids, labels, _ = late_rows(5)
    model = begun()
    model.predict(rows, ids=form(ids))
    assert model.label(form(ids[:2]), labels[:2]) == 2
    labelled = [row | {"paid": label} for row, label in zip(rows, labels, strict=True)]
    model.learn(labelled[2:], ids=form(ids[2:]))
    assert model.n_waiting_ == 0


def test_rows_that_cannot_be_learned_go_on_waiting():
    rows, ids, labels, _ = late_rows(5)
    labelled = [row | {"paid": label} for row, label in zip(rows, labels, strict=True)]
    model, same = begun(), begun()
    for each in (model, same):
        each.predict(rows, ids=ids)
    before = model.digest()
    with pytest.raises(StreamError, match="data row 4, column 'price'"):
        model.learn([*labelled[:3], labelled[3] | {"price": "dear"}, labelled[4]], ids=ids)
    for given, n in ((ids[:3], 5), (ids, 3)):
        with pytest.raises(ValueError, match=f"got {len(given)} ids for {n} rows"):
            model.learn(labelled[:n], ids=given)
    with pytest.raises(ParameterError, match="on_error must be 'raise': each row has an id"):
        model.learn(labelled, ids=ids, on_error="skip")
    assert model.n_waiting_ == 5 and model.digest() == before
    for each in (model, same):
        each.label(ids, labels)
    assert model.digest() == same.digest()


def test_ids_are_checked_before_the_first_block_is_observed():
    rows, *_ = late_rows(2500)
    model = begun("LabelChain(order=1)")
    model.predict(rows[:1], ids=[0])
    before = model.digest()
    for ids, words in ((range(2500), "the id 0 is waiting"), ([*range(1, 2500), 1], "an id occurs twice")):
        with pytest.raises(WaitingError, match=words):
            model.predict(rows, ids=ids)
    assert model.n_waiting_ == 1 and model.digest() == before


class FailsOnce(NaiveBayes):
    """Fails when it first observes."""

    observes = True
    has_failed = False

    def predict_then_observe(self, X, **keywords):
        if not FailsOnce.has_failed:
            FailsOnce.has_failed = True
            raise KeyboardInterrupt
        return super().predict_then_observe(X, **keywords)


def test_rows_that_were_not_observed_do_not_wait():
    rows, ids, labels, _ = late_rows(5)
    model = begun(FailsOnce())
    with pytest.raises(KeyboardInterrupt):
        model.predict(rows, ids=ids)
    assert model.n_waiting_ == 0
    model.predict(rows, ids=ids)
    assert model.label(ids, labels) == 5


def test_a_new_label_becomes_a_class_when_it_comes_late():
    rows, ids, *_ = late_rows(3)
    model = begun()
    model.predict(rows, ids=ids)
    model.label(ids, ["yes", "refunded", "no"])
    assert model.classes_.tolist() == ["no", "refunded", "yes"]
    assert model.predict_proba(rows).shape == (3, 3)


def test_one_record_waits_as_a_block_does():
    rows, ids, labels, _ = late_rows(40)
    one, block = (begun("AdaptiveStacking([NaiveBayes(), LabelChain()])") for _ in range(2))
    p = np.array([one.predict_proba(row, ids=[each])[0] for row, each in zip(rows, ids, strict=True)])
    assert np.array_equal(p, block.predict_proba(rows, ids=ids))
    for each, label in zip(ids, labels, strict=True):
        one.label([each], [label])
    block.label(ids, labels)
    assert one.digest() == block.digest()


def test_threads_predict_while_labels_come():
    rows, ids, labels, _ = late_rows(400)
    model, failures = begun("HoeffdingTree"), []

    def predict():
        try:
            for row in rows * 3:
                model.predict_one(row)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for start in range(0, 400, 20):
        part = slice(start, start + 20)
        model.predict(rows[part], ids=ids[part])
        model.label(ids[part], labels[part])
    for thread in threads:
        thread.join()
    assert not failures
    alone = begun("HoeffdingTree")
    for start in range(0, 400, 20):
        part = slice(start, start + 20)
        alone.predict(rows[part], ids=ids[part])
        alone.label(ids[part], labels[part])
    assert alone.digest() == model.digest()


def test_threads_predict_while_classes_come(request):
    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(1e-6)
    rows, failures = without(orders(50, seed=4), "paid"), []
    model, done = begun(), threading.Event()

    def predict():
        try:
            while not done.is_set():
                assert len(model.predict_proba_one(rows[0])) >= 2
                assert model.predict_table(rows[:2])[0].keys() >= {"p_no", "p_yes"}
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(300):
        model.learn(rows[i % 50] | {"paid": f"class {i}"})
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("learner", LEARNERS)
def test_when_all_labels_have_come_ids_and_rows_leave_one_digest(learner):
    rows, ids, labels, order = late_rows(60)
    by_id, again, by_both = (begun(learner) for _ in range(3))
    for i in range(60):
        p = by_id.predict_proba(rows[i], ids=ids[i])
        assert np.array_equal(p, again.predict_proba(rows[i]))
        again.observe(rows[i])
        by_both.observe([rows[i]], ids=[ids[i]])
    for i in order:
        by_id.label(ids[i], labels[i])
        again.learn(rows[i] | {"paid": labels[i]})
        by_both.learn(rows[i], labels[i], ids=ids[i])
    assert by_id.digest() == again.digest() == by_both.digest()
    assert by_id.n_waiting_ == by_both.n_waiting_ == by_id.learner_.n_waiting_ == 0


@pytest.mark.parametrize("learner", LEARNERS)
def test_late_labels_by_id_are_those_of_an_evaluation(learner):
    rows, ids, labels, _ = late_rows(80)
    tested, live = begun(learner), begun(learner)
    labelled = [row | {"paid": label} for row, label in zip(rows, labels, strict=True)]
    run = tested.prequential(labelled, delay=7)
    for i in range(80):
        assert np.array_equal(live.predict_proba(rows[i], ids=ids[i])[0], run.probabilities[i])
        if i >= 7:
            live.label(ids[i - 7], labels[i - 7])

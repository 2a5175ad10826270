"""Banks of models: raw records, whose key is a column."""

import numpy as np
import pandas as pd
import pytest

import thalweg
from thalweg.errors import ParameterError, StateError, StreamError
from thalweg.evaluation import metrics
from thalweg.keyed import Bank
from thalweg.learners import HoeffdingTree, LogisticMixture

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")


def frame(n=600, seed=1):
    rng = np.random.default_rng(seed)
    shop, customer = rng.choice(["north", "south", "web"], n), rng.integers(7, size=n) * 11
    price = rng.normal(50, 20, n).round(2)
    paid = np.where((price > 50) ^ (customer % 2 == 0), "yes", "no")
    return pd.DataFrame({"customer": customer, "price": price, "shop": shop, "paid": paid})


def bank_of(learner="LogisticMixture", key="customer", **parameters):
    columns = {"customer": "ignore", "price": "number", "shop": "category"}
    return Bank(thalweg.Model("paid", learner, columns=columns, classes=["no", "yes"]), key=key, **parameters)


def separate(rows, learner="LogisticMixture"):
    """Return what a model for each customer answers, all with the coding of all rows."""
    model = bank_of(learner).learner
    stream = model.learn(rows).stream(rows)
    X, codes = next(stream.coded_blocks(len(rows)))
    like, learners, p = model.learner_, {}, np.empty((len(rows), 2))
    for i, key in enumerate(rows["customer"].tolist()):
        if key not in learners:
            learners[key] = type(like)().begin(X.shape[1], like.classes_, n_categories=like.n_categories_)
        p[i] = learners[key].test_then_train_coded(X[i : i + 1], codes[i : i + 1])[0]
    return p


@pytest.mark.parametrize("learner", ["LogisticMixture", "NaiveBayes", "HoeffdingTree"])
def test_records_are_learned_by_the_learner_of_their_key(learner):
    rows = frame()
    run = bank_of(learner).prequential(rows)
    np.testing.assert_array_equal(run.probabilities, separate(rows, learner))
    assert metrics.accuracy(run) > 0.7


def test_any_form_of_the_rows_gives_the_same_bank(tmp_path):
    rows = frame()
    rows.to_csv(tmp_path / "rows.csv", index=False)
    banks = [bank_of().learn(each) for each in (rows, rows.to_dict("records"), tmp_path / "rows.csv")]
    assert banks[0].keys() == [str(key) for key in dict.fromkeys(rows["customer"].tolist())]
    for bank in banks[1:]:
        assert bank.keys() == banks[0].keys()
        np.testing.assert_array_equal(bank.predict_proba(rows), banks[0].predict_proba(rows))
    assert banks[0][11].n_features_in_ == banks[0]["11"].n_features_in_ and 11 in banks[0]


def test_several_columns_are_the_key():
    rows = frame()
    bank = bank_of(key=["customer", "shop"]).learn(rows)
    assert len(bank) == 21 and (11, "web") in bank and ("11", "web") in bank
    assert (bank.predict(rows) == rows["paid"]).mean() > 0.6


def test_records_wait_for_their_labels():
    rows = frame()
    bank, other = bank_of().learn(rows[:300]), bank_of().learn(rows[:300])
    bank.predict(rows[300:].drop(columns="paid"), ids=range(300))
    assert bank.n_waiting_ == 300
    bank.label(range(300), rows["paid"][300:])
    other.learn(rows[300:])
    np.testing.assert_array_equal(bank.predict_proba(rows), other.predict_proba(rows))


def test_a_bank_of_models_goes_on_after_saving(tmp_path):
    rows = frame()
    bank = bank_of().learn(rows[:300])
    bank.save(tmp_path / "bank.tw")
    loaded = thalweg.load(tmp_path / "bank.tw")
    np.testing.assert_array_equal(
        loaded.prequential(rows[300:]).probabilities, bank.prequential(rows[300:]).probabilities
    )


def test_rows_without_a_label_or_a_key():
    rows = frame()
    rows.loc[5:9, "paid"] = None
    rows["customer"] = rows["customer"].astype("Int64")
    rows.loc[20:40, "customer"] = pd.NA
    bank = bank_of().learn(rows)
    assert None in bank and bank.n_rows_ == 595


@pytest.mark.parametrize("learner", [LogisticMixture(), HoeffdingTree()], ids=repr)
def test_a_label_that_comes_later_becomes_a_class_of_all_keys(learner):
    rows = frame()
    late = rows[300:].copy()
    late.loc[late.index[::5], "paid"] = "later"
    bank = Bank(thalweg.Model("paid", learner), key="customer").learn(rows[:300])
    before = bank.predict_proba(rows[:5])
    bank.learn(late)
    assert bank.classes_.tolist() == ["no", "yes", "later"] and before.shape == (5, 2)
    p = bank.predict_proba(rows)
    assert p.shape == (600, 3) and np.allclose(p.sum(axis=1), 1.0) and (p[:, 2] > 0.02).any()
    assert bank[11].classes_.tolist() == ["no", "yes", "later"]


@pytest.mark.parametrize("learner", [LogisticMixture(), HoeffdingTree()], ids=repr)
def test_a_late_label_that_is_new_becomes_a_class_of_all_keys(learner):
    rows = frame()
    bank = Bank(thalweg.Model("paid", learner), key="customer").learn(rows[:300])
    other = bank.copy()
    bank.predict(rows[300:310].drop(columns="paid"), ids=range(10))
    labels = ["later", "yes", " no", *["later"] * 7]
    assert bank.label(range(10), labels) == 10
    other.learn(rows[300:310].assign(paid=labels))
    assert bank.classes_.tolist() == ["no", "yes", "later"]
    np.testing.assert_array_equal(bank.predict_proba(rows), other.predict_proba(rows))
    bank.predict(rows[310:312].drop(columns="paid"), ids=[10, 11])
    with pytest.raises(ValueError, match="missing"):
        bank.label([10, 11], ["newest", None])
    assert bank.classes_.tolist() == ["no", "yes", "later"] and bank.n_waiting_ == 2
    bank.learn(rows[312:320])  # the coding and the bank know the same labels
    skipping = Bank(thalweg.Model("paid", learner), key="customer", on_error="skip").learn(rows[:300])
    skipping.predict(rows[300:302].drop(columns="paid"), ids=[0, 1])
    assert skipping.label([0, 1], [None, "new"]) == 1 and "new" in skipping.classes_
    listed = bank_of().learn(rows[:300])
    listed.predict(rows[300:301].drop(columns="paid"), ids=[0])
    with pytest.raises(ValueError, match="'later' is not one of no, yes"):
        listed.label([0], ["later"])
    assert listed.n_waiting_ == 1


def test_errors_say_what_is_wrong():
    rows = frame()
    with pytest.raises(ParameterError, match="learner must be a Model to read records"):
        Bank(LogisticMixture()).learn(rows)
    with pytest.raises(ParameterError, match="key must be the name of a column"):
        Bank(thalweg.Model("paid")).learn(rows)
    with pytest.raises(StreamError, match="no column 'client'; it has customer, price"):
        bank_of(key="client").learn(rows)
    with pytest.raises(StreamError, match="price"):
        bank_of().learn(rows).learn(rows.assign(price="dear"))
    some = rows.assign(price=[*rows["price"][:-2], "dear", "cheap"])
    assert bank_of().learn(rows).learn(some, on_error="skip").n_rows_ == 1198


def test_only_a_model_reads_the_rows_of_a_state():
    bank = Bank(thalweg.Model("y", "NaiveBayes"), key="who")
    bank.learn([{"who": "ab"[i % 2], "x": i % 5, "y": "no" if i % 5 < 3 else "yes"} for i in range(20)])
    state = bank.state()
    state["columns"] = "text"
    with pytest.raises(StateError, match="no Model"):
        Bank(thalweg.Model("y", "NaiveBayes"), key="who").restore(state)

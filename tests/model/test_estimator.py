"""A model is an estimator of scikit-learn, on frames."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from support.order_rows import orders

import thalweg
from thalweg.errors import ParameterError, StreamError
from thalweg.learners import HoeffdingTree

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")


@pytest.fixture
def frame():
    return pd.DataFrame(orders(900))


def test_it_is_cloned_scored_and_searched(frame):
    X, y = frame.drop(columns="paid"), frame["paid"]
    model = thalweg.Model(learner=HoeffdingTree(), columns={"id": "ignore"})
    assert is_classifier(model)
    scores = cross_val_score(model, X, y, cv=3, error_score="raise")
    assert scores.mean() > 0.6
    grid = {"learner__grace_period": [50, 200], "n_words": [0, 16]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_estimator_.learner_.grace_period == search.best_params_["learner__grace_period"]
    assert search.best_score_ > 0.6
    model.fit(X, y)
    copy = clone(model)
    assert copy.get_params()["columns"] == {"id": "ignore"} and not hasattr(copy, "learner_")
    with pytest.raises(NotFittedError, match="learned nothing yet"):
        copy.predict(X)


def test_labels_may_be_a_column_of_the_frame_that_is_scored_and_searched(frame, tmp_path):
    X, y, cuts = frame.drop(columns="paid"), frame["paid"], TimeSeriesSplit(3)
    model = thalweg.Model("paid", "NaiveBayes")
    scores = cross_val_score(model, frame, cv=cuts, error_score="raise")
    assert np.array_equal(scores, cross_val_score(model, X, y, cv=cuts, error_score="raise"))
    search = GridSearchCV(model, {"learner": ["NaiveBayes", "MajorityClass"]}, cv=cuts).fit(frame)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(scores.mean(), rel=1e-12)
    model.fit(frame)
    expected, weights = model.score(X, y), np.arange(len(y))
    frame.to_json(tmp_path / "orders.jsonl", orient="records", lines=True)
    for form in (frame, frame.to_dict("records"), tmp_path / "orders.jsonl"):
        assert model.score(form) == expected
    assert model.score(frame, sample_weight=weights) == pytest.approx(model.score(X, y, weights), rel=1e-12)
    known = frame.assign(paid=[label if i % 3 else None for i, label in enumerate(y)])
    labelled = known["paid"].notna()
    assert model.score(known) == model.score(X[labelled], y[labelled])
    assert model.score(frame.assign(paid="never seen")) == 0
    for without in (X, frame.assign(paid=None)):
        with pytest.raises(StreamError, match="no label in the column 'paid'; pass y"):
            model.score(without)


def test_fit_forgets_and_learn_goes_on(frame):
    first, second = frame[:450], frame[450:]
    model = thalweg.Model("paid", "NaiveBayes").learn(first)
    both = model.copy().learn(second).digest()
    assert model.copy().partial_fit(second).digest() == both
    fresh = thalweg.Model("paid", "NaiveBayes").fit(second).digest()
    assert model.copy().fit(second).digest() == fresh != both
    assert not hasattr(model.learner, "classes_")


def test_labels_beside_rows_replace_the_target_among_them(frame):
    labels = frame["paid"].to_numpy()
    beside = thalweg.Model("paid", "NaiveBayes").fit(frame, labels)
    assert "paid" not in beside.feature_names_in_
    assert beside.digest() == thalweg.Model("paid", "NaiveBayes").fit(frame).digest()


def test_the_learner_given_is_copied(frame):
    learner = HoeffdingTree(grace_period=60)
    model = thalweg.Model("paid", learner).learn(frame)
    assert not hasattr(learner, "classes_") and model.learner_.grace_period == 60
    assert model.learner is learner


def test_learners_of_other_libraries_learn_too(frame):
    from sklearn.naive_bayes import GaussianNB

    numbers = frame[["weight", "paid"]].fillna(5.0)
    model = thalweg.Model("paid", GaussianNB(), classes=["no", "yes"]).learn(numbers)
    assert set(model.predict(numbers)) <= {"no", "yes"}
    with pytest.raises(TypeError, match="cannot be saved"):
        thalweg.to_bytes(model)


def test_explanations_are_about_columns(frame):
    model = thalweg.Model("paid", "HoeffdingTree(grace_period=50, tie=0.9)").learn(frame)
    found = model.explanation()
    assert {"price", "when", "shop", "weight", "gift", "note"} <= set(found)
    assert sum(found[name] for name in model.feature_names_in_) == pytest.approx(1.0)
    assert thalweg.Model("paid", "MajorityClass").learn(frame).explanation() is None


def test_parameters_that_are_wrong_are_named(frame):
    wrong = {
        "columns": ({"shop": "words"}, r"columns\['shop'\] must be one of"),
        "decimal": (";", "decimal must be"),
        "max_waiting": (0, "max_waiting must be"),
        "learner": ("HoefdingTree", "did you mean HoeffdingTree"),
        "date_parts": (["year"], "date_parts must be"),
    }
    for name, (value, words) in wrong.items():
        with pytest.raises((ParameterError, ValueError), match=words):
            thalweg.Model("paid", **{name: value}).learn(frame)
    with pytest.raises(TypeError, match="did you mean columns"):
        thalweg.Model(colums={})
    with pytest.raises(ValueError, match="there is no column 'piad'; did you mean 'paid'"):
        thalweg.Model("piad").learn(frame)


def test_the_table_is_of_the_kind_given(frame):
    import polars as pl
    import pyarrow as pa

    model = thalweg.Model("paid", "NaiveBayes").learn(frame)
    odd = frame.iloc[[5, 3]].set_index(pd.Index([50, 30]))
    table = model.predict_table(odd)
    assert list(table.index) == [50, 30]
    assert list(table.columns) == ["prediction", "probability", "p_no", "p_yes"]
    p = model.predict_proba(odd)
    assert np.array_equal(table[["p_no", "p_yes"]].to_numpy(), p)
    assert isinstance(model.predict_table(pl.DataFrame(frame[:2].to_dict("records"))), pl.DataFrame)
    assert isinstance(model.predict_table(pa.Table.from_pandas(frame[:2])), pa.Table)
    records = model.predict_table(frame[:2].to_dict("records"))
    assert [row["prediction"] for row in records] == model.predict(frame[:2]).tolist()
    assert model.predict_table(frame[:1].to_dict("records")[0]) == records[0]

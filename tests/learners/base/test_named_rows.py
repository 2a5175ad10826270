"""Lists of dict rows and data frames: the same as one dict row after another."""

import random
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from thalweg import learners
from thalweg.learners import LinearLogistic, NaiveBayes

SOME = ("NaiveBayes", "HoeffdingTree", "LogisticMixture", "AdaptiveRandomForest", "LinearLogistic")


def rows(n=300):
    """Return rows and labels with a late input, late categories, late classes and gaps."""
    draw = random.Random(1)
    X, y = [], []
    for i in range(n):
        x = {"a": draw.random(), "colour": draw.choice(["red", "blue", f"c{draw.randrange(i // 10 + 1)}"])}
        if i > 50:
            x["late"] = draw.random()
        if draw.random() < 0.1:
            del x["a"]
        X.append(x)
        y.append("new" if i > 150 and draw.random() < 0.1 else "high" if x.get("a", 0.5) > 0.5 else "low")
    return X, y


@pytest.mark.parametrize("name", SOME)
def test_a_block_of_dicts_is_learned_as_one_dict_after_another(name):
    X, y = rows()
    one, many = (getattr(learners, name)().begin() for _ in range(2))
    found = []
    for x, label in zip(X, y, strict=True):
        found.append(one.predict_proba_one(x))
        one.learn_one(x, label)
    for start in range(0, len(X), 37):
        part = slice(start, start + 37)
        p = many.test_then_train(X[part], y[part])
        for line, expected in zip(p.tolist(), found[part], strict=True):
            given = dict(zip(many.classes_.tolist(), line, strict=True))
            assert {label: given[label] for label in expected} == expected
            assert all(given[label] == 0 for label in given.keys() - expected.keys())
    assert one.classes_.tolist() == many.classes_.tolist()
    assert np.array_equal(one.predict_proba_block(X), many.predict_proba_block(X))
    assert list(one._names) == list(many._names) and one._names.texts == many._names.texts


def test_weights_and_masks_apply_to_dict_rows():
    X, y = rows(60)
    once, twice = NaiveBayes().begin(), NaiveBayes().begin()
    once.test_then_train(X[:30], y[:30])
    codes = [once.classes_.tolist().index(label) if label in once.classes_ else 0 for label in y]
    twice.begin(classes=once.classes_, more_classes=True)
    twice.test_then_train_coded(X, codes, sample_weight=np.arange(60) < 30, tested=np.arange(60) % 2 == 0)
    assert list(once._names) == list(twice._names)
    assert np.array_equal(once.predict_proba_block(X), twice.predict_proba_block(X))


def test_a_learner_of_dicts_predicts_lists_of_dicts_and_frames():
    X, y = rows()
    learner = NaiveBayes().begin()
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    expected = [learner.predict_one(x) for x in X]
    assert learner.predict(X).tolist() == expected
    assert learner.predict(pd.DataFrame(X)).tolist() == expected
    assert learner.predict(pd.DataFrame(X)[["late", "colour", "a"]].assign(more=1.0)).tolist() == expected
    assert np.array_equal(learner.predict_proba(X), learner.predict_proba_block(pd.DataFrame(X)))


def test_fit_and_partial_fit_take_dicts():
    X, y = rows()
    fitted = NaiveBayes().fit(X, y)
    parts = NaiveBayes().partial_fit(X[:100], y[:100]).partial_fit(pd.DataFrame(X[100:]), y[100:])
    assert fitted.score(X, y) > 0.8 and parts.score(X, y) > 0.8
    assert parts.n_features_in_ == 3


def test_a_bad_row_among_dicts_is_named_and_nothing_is_learned():
    X, y = rows(40)
    learner = NaiveBayes().begin()
    learner.test_then_train(X[:20], y[:20])
    before = learner.predict_proba_block(X)
    refused = [({"a": "high"}, "row 3: a is 'high'"), ({"a": np.inf}, "row 3"), (3, "row 3 is a int")]
    for bad, message in refused:
        with pytest.raises(ValueError, match=message):
            learner.test_then_train([*X[20:23], bad, *X[23:]], [*y[20:23], "low", *y[23:]])
    assert np.array_equal(learner.predict_proba_block(X), before)
    assert list(learner._names) == ["a", "colour"]


def test_the_first_dict_rows_need_no_begin():
    X, y = rows(60)
    at_once, begun = NaiveBayes(), NaiveBayes().begin()
    assert at_once.test_then_train(X, y).tolist() == begun.test_then_train(X, y).tolist()


@pytest.mark.parametrize("as_row", [pd.Series, MappingProxyType])
def test_rows_with_names_are_dicts(as_row):
    X, y = [{"a": 1.0, "b": -9.0}, {"a": 2.0, "b": 9.0}, {"b": 8.0, "a": None}], ["u", "v", "v"]
    named, plain = NaiveBayes(), NaiveBayes()
    for x, label in zip(X, y, strict=True):
        named.learn_one(as_row(x), label)
        plain.learn_one(x, label)
    turned = {"b": -9.0, "a": 1.0}
    assert named.input_names_ == ["a", "b"]
    assert named.predict_proba_one(as_row(turned)) == plain.predict_proba_one(turned)
    assert named.predict_one(as_row(turned)) == "u"


def test_a_series_without_names_is_an_array():
    learner = NaiveBayes().begin(2, ["u", "v"])
    learner.learn_one(pd.Series([1.0, None], dtype=object), "v")
    assert learner.predict_one(pd.Series([1.0, 2.0])) == "v"


def test_swapped_arguments_are_told():
    with pytest.raises(ValueError, match="a row is a dict of named inputs or a sequence of numbers, got 'u'"):
        NaiveBayes().begin(1, ["u"]).learn_one("u", {"a": 1.0})
    with pytest.raises(ValueError, match="classes must be a list of labels, got 2"):
        NaiveBayes().begin(["u", "v"], 2)
    with pytest.raises(ValueError, match="classes must be a list of labels, got 'uv'"):
        NaiveBayes().begin(2, "uv")
    with pytest.raises(ValueError, match="NaiveBayes: classes must be a list of labels, got the text 'uv'"):
        NaiveBayes().partial_fit([[1.0], [2.0]], ["u", "v"], classes="uv")
    with pytest.raises(ValueError, match="n_features must be a whole number of at least 1, got 'ab'"):
        NaiveBayes().begin("ab", ["u", "v"])


ROWS = [[1.0, -9.0], [2.0, 9.0], [0.0, 8.0]]


@pytest.mark.parametrize("form", [list, np.array, np.float32, pd.DataFrame, csr_matrix])
def test_the_first_rows_of_any_form_begin(form):
    learner = LinearLogistic()
    learner.test_then_train(form(ROWS), ["u", "v", "v"])
    expected = LinearLogistic().begin(2)
    expected.test_then_train(ROWS, ["u", "v", "v"])
    assert learner.n_features_in_ == 2 and learner.classes_.tolist() == ["u", "v"]
    assert np.array_equal(learner.predict_proba_block(ROWS), expected.predict_proba_block(ROWS))


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda row: np.array([row]), pd.Series])
def test_the_first_row_of_any_form_begins(form):
    learner, expected = NaiveBayes(), NaiveBayes().begin(2)
    first = form(ROWS[0])
    assert learner.predict_one(first) is None and learner.predict_proba_one(first).shape == (0,)
    for row, label in zip(ROWS, "uvv", strict=True):
        learner.learn_one(form(row), label)
        expected.learn_one(row, label)
    assert np.array_equal(learner.predict_proba_one(ROWS[0]), expected.predict_proba_one(ROWS[0]))


def test_a_frame_that_begins_names_the_inputs():
    learner = NaiveBayes()
    learner.test_then_train(pd.DataFrame(ROWS, columns=["a", "b"]), ["u", "v", "v"])
    assert learner.input_names_ == ["a", "b"]
    assert learner.predict_one({"b": -9.0, "a": 1.0}) == "u"


@pytest.mark.parametrize("learn", [
    lambda learner: learner.learn_one([1.0, 2.0, np.inf], "u"),
    lambda learner: learner.learn_one([1.0, 2.0, 3.0], None),
    lambda learner: learner.learn_one([1.0, "red", 3.0], "u"),
    lambda learner: learner.learn_one([], "u"),
    lambda learner: learner.learn_one(1.0, "u"),
    lambda learner: learner.learn_one(np.zeros((2, 3)), "u"),
    lambda learner: learner.learn_one("u", {"a": 1.0}),
    lambda learner: learner.test_then_train([[1.0, 2.0, np.inf]], ["u"]),
    lambda learner: learner.test_then_train([[1.0, "red", 3.0]], ["u"]),
    lambda learner: learner.test_then_train([1.0, 2.0, 3.0], ["u"]),
    lambda learner: learner.test_then_train(np.zeros((1, 0)), ["u"]),
])
def test_rows_that_are_refused_begin_nothing(learn):
    learner = NaiveBayes()
    with pytest.raises(ValueError, match=r"^NaiveBayes: "):
        learn(learner)
    with pytest.raises(NotFittedError):
        learner.predict_proba_block(ROWS)
    learner.learn_one(ROWS[0], "u")
    assert learner.n_features_in_ == 2


def test_threads_that_begin_at_once_learn_all_rows():
    learner = NaiveBayes()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: learner.learn_one([float(i), 1.0], "uv"[i % 2]), range(200)))
    assert sorted(learner.classes_) == ["u", "v"]
    assert learner.state()["memory"]["weight"].tolist() == [100.0, 100.0]

"""Metrics of labels and predictions in arrays: those of scikit-learn, and those of a Run."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

from thalweg.errors import ParameterError
from thalweg.evaluation import metric_registry, metrics, prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import LED, SEA, from_arrays

NEED_PROBABILITIES = ("auc", "brier", "log_loss")


def predictions(n_classes, seed=1, n=400):
    """Return labels of a type of their own, and probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    p = rng.dirichlet(np.ones(n_classes), n)
    p[np.arange(n), y] += 0.3
    return np.array(["ant", "bee", "cat", "dog"])[y], p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_values_are_those_of_scikit_learn(n_classes):
    y, p = predictions(n_classes)
    guess = np.unique(y)[p.argmax(axis=1)]
    many = {"average": "macro"} if n_classes > 2 else {"pos_label": min(set(y), key=y.tolist().count)}
    expected = {
        "accuracy": sklearn_metrics.accuracy_score(y, guess),
        "balanced_accuracy": sklearn_metrics.balanced_accuracy_score(y, guess),
        "kappa": sklearn_metrics.cohen_kappa_score(y, guess),
        "f1": sklearn_metrics.f1_score(y, guess, **many),
        "log_loss": sklearn_metrics.log_loss(y, p),
        "auc": sklearn_metrics.roc_auc_score(y, p[:, 1] if n_classes == 2 else p, multi_class="ovr"),
    }
    if n_classes == 2:
        expected["brier"] = sklearn_metrics.brier_score_loss(y == "bee", p[:, 1])
    for name, value in expected.items():
        found = getattr(metrics, name)(y, p)
        assert found == pytest.approx(value, abs=1e-12) and type(found) is float, name
        assert getattr(metrics, name)(y.tolist(), p.tolist()) == found
        if name not in NEED_PROBABILITIES:
            assert getattr(metrics, name)(y, guess) == found
            assert getattr(metrics, name)(y, guess.tolist()) == found


def test_predicted_labels_may_be_others_than_the_true_ones():
    assert metrics.f1([0, 0, 1], [0, 2, 1]) == pytest.approx(
        sklearn_metrics.f1_score([0, 0, 1], [0, 2, 1], average="macro")
    )
    assert metrics.accuracy([True, False], [True, True]) == 0.5
    assert metrics.accuracy([1.0, 2.0, 2.0], [1.0, 2.0, 1.0]) == pytest.approx(2 / 3)


def test_one_column_is_the_probability_of_the_second_class():
    y, p = predictions(2)
    for name in ("accuracy", *NEED_PROBABILITIES):
        assert getattr(metrics, name)(y, p[:, 1]) == getattr(metrics, name)(y, p)
    assert metrics.brier([0.0, 1.0], [0.0, 1.0]) == 0


@pytest.mark.parametrize("stream", [SEA(3000, seed=1), LED(1000, seed=1)])
def test_values_are_those_of_the_run(stream):
    run = prequential(stream, NaiveBayes())
    y = run.classes[run.codes]
    for name in metric_registry:
        given = {"drifts": run.drifts} if name == "recovery" else {}
        metric = getattr(metrics, name)
        np.testing.assert_equal(metric(y, run.probabilities, **given), metric(run))
        faded = metric(y, run.probabilities, fade=0.99, **given)
        np.testing.assert_equal(faded, metric(run, fade=0.99))


def test_rows_without_a_label_are_not_scored_and_classes_name_the_columns():
    run = prequential(from_arrays([[0.0], [1.0], [2.0]], ["b", None, "a"]), NaiveBayes())
    assert metrics.log_loss(["b", None, "a"], run.probabilities) == metrics.log_loss(run)
    p = [[0.1, 0.9, 0.0], [0.5, 0.3, 0.2]]
    assert metrics.accuracy(["b", "b"], p, classes=["a", "b", "c"]) == 0.5
    assert np.isnan(metrics.accuracy([], []))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.accuracy([0, 1]), r"pass a Run, or labels and predictions, accuracy\(y, p\)"),
        (lambda: metrics.accuracy([0, 1], [0, 1, 1]), r"2 labels, but predictions of shape \(3,\)"),
        (lambda: metrics.accuracy([0, 1], [[0.2, 0.5, 0.3]] * 2), r"3 columns, but y has 2 .*classes="),
        (lambda: metrics.log_loss(["a", "b"], ["a", "b"]), "log_loss needs probabilities"),
        (lambda: metrics.accuracy(["a", "b"], ["a", "c"], classes=["a", "b"]), "p has 'c', which is not"),
        (lambda: metrics.accuracy(["a", "b"], ["a", None]), "a prediction is missing, at row 1"),
        (lambda: metrics.accuracy([["a"]], ["a"]), "y needs one dimension"),
        (lambda: metrics.accuracy([0, 1], ["0", "1"]), "the labels in p are text, those in y are not"),
    ],
)
def test_what_does_not_fit_is_said(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_numbers_between_the_labels_are_no_labels():
    for y, p in (([1, 1, 1], [0.9, 0.8, 0.7]), ([0, 1, 2], [0.1, 0.9, 2]), ([0, 1], [1.5, 0.5])):
        with pytest.raises(ParameterError, match=r"pass classes=\[…\], both labels"):
            metrics.accuracy(y, p)
    assert metrics.accuracy([1, 1, 1], [0.9, 0.8, 0.3], classes=[0, 1]) == pytest.approx(2 / 3)
    assert metrics.accuracy([0.5, 1.5], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize("metric", [metrics.log_loss, metrics.brier])
@pytest.mark.parametrize("p", [[[3, 5], [2, 1]], [-0.5, 1.5], [[0.5, 0.5], [np.nan, 1]], [0.5, np.nan]])
def test_what_is_no_probability_is_refused(metric, p):
    with pytest.raises(ParameterError, match="p must have probabilities from 0 to 1; row"):
        metric([0, 1], p)


def test_scores_have_an_order():
    y, p = [0, 1, 1, 0], [[3, 5], [2, 1], [0, 9], [4, -2]]
    assert metrics.auc(y, p) == sklearn_metrics.roc_auc_score(y, np.array(p)[:, 1])
    with pytest.raises(ParameterError, match="p must have numbers; row 1"):
        metrics.auc([0, 1], [[0.5, 0.5], [np.nan, 1]])


def test_numbers_beside_texts_stay_numbers():
    assert metrics.accuracy([1, "1", "a"], [1, "1", "a"]) == 1
    assert metrics.accuracy([1, "1", "a"], ["1", "1", "a"]) == pytest.approx(2 / 3)


def test_a_missing_label_of_pandas_is_not_scored():
    y = pd.Series([1, 0, pd.NA], dtype="Int64")
    assert metrics.accuracy(y, [1, 1, 1]) == 0.5
    with pytest.raises(ParameterError, match="a prediction is missing, at row 2"):
        metrics.accuracy([1, 1, 1], y)


@pytest.mark.parametrize("labels", [([0, 0], [0, 0]), ([0, 0], [1, 0]), ([0, 1], [0, 0]), ([1, 1], [1, 1])])
@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_without_rows_of_class_1_they_are_those_of_scikit_learn(name, labels):
    expected = getattr(sklearn_metrics, f"{name}_score")(*labels)
    assert getattr(metrics, name)(*labels) == expected
    assert np.isnan(getattr(metrics, name)([], []))

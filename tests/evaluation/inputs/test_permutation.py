"""Permutation importance over time: as by hand, the same for any blocks, in bounded memory."""

import pickle

import numpy as np
import pytest

from thalweg.errors import ParameterError
from thalweg.evaluation import PermutationImportance, chunked, holdout, prequential
from thalweg.evaluation.inputs.permutation import MOST_KEPT
from thalweg.learners import HoeffdingTree, LogisticMixture, MajorityClass, NaiveBayes, NearestNeighbours
from thalweg.streams import SEA, from_arrays
from thalweg.trust import Calibrated


def assert_same_history(one, other):
    assert one.history_.keys() == other.history_.keys()
    for name, values in one.history_.items():
        np.testing.assert_array_equal(values, other.history_[name])


def by_hand(learner, X, y, window, period, seed):
    rows, found = [], []
    for number, start in enumerate(range(period, len(X) - window + 1, period)):
        learner.begin(X.shape[1], [0, 1]).test_then_train(X[:start], y[:start])
        A, b = X[start : start + window], y[start : start + window]
        rng, right = np.random.default_rng([seed, number]), (learner.predict(A) == b).mean()
        shuffled = []
        for j in range(X.shape[1]):
            B = A.copy()
            B[:, j] = rng.permutation(B[:, j])
            shuffled.append(right - (learner.predict(B) == b).mean())
        rows.append(start + window)
        found.append(shuffled)
    return np.array(rows), np.array(found)


def test_it_is_what_a_copy_loses_on_rows_it_has_not_learned():
    X, y = next(SEA(seed=2).blocks(3300))
    importance = PermutationImportance(window=200, period=700, seed=5)
    prequential(from_arrays(X, y), NaiveBayes(), observers=importance)
    rows, found = by_hand(NaiveBayes(), X, y, 200, 700, 5)
    np.testing.assert_array_equal(importance.history_["row"], rows)
    np.testing.assert_allclose(importance.history_["importance"], found, atol=1e-12)
    np.testing.assert_array_equal(importance.importance_, importance.history_["importance"][-1])
    assert importance.names == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    "settings", [{}, {"delay": 30}, {"label_share": 0.5}, {"delay": 7, "label_share": 0.7}]
)
def test_blocks_make_no_difference(settings):
    expected = PermutationImportance(100, 150)
    plain = prequential(SEA(2000, seed=1), HoeffdingTree(delta=0.1), **settings)
    for block in (1, 37, 150, 2000):
        importance = PermutationImportance(100, 150)
        learner = HoeffdingTree(delta=0.1)
        run = prequential(SEA(2000, seed=1), learner, block=block, observers=importance, **settings)
        np.testing.assert_array_equal(run.probabilities, plain.probabilities)
        if block == 1:
            expected = importance
        assert_same_history(importance, expected)
    assert len(expected.history_["row"]) >= 5


def test_other_protocols_give_the_same_runs_with_it():
    for protocol, settings in ((chunked, {"size": 130}), (holdout, {"every": 400, "n": 50})):
        importance = PermutationImportance(100, 150)
        plain = protocol(SEA(2000, seed=1), NaiveBayes(), **settings)
        run = protocol(SEA(2000, seed=1), NaiveBayes(), observers=importance, **settings)
        np.testing.assert_array_equal(run.probabilities, plain.probabilities)
        assert run.n_rows == plain.n_rows == 2000
        if plain.row_numbers is not None:
            np.testing.assert_array_equal(run.row_numbers, plain.row_numbers)
        assert len(importance.history_["row"]) == 12


def test_a_loop_of_ones_own_can_use_it():
    X, y = next(SEA(seed=1).blocks(2000))
    labels = np.array(["no", "yes"])[y]
    learner, importance = NaiveBayes().begin(3, ["no", "yes"]), PermutationImportance(100, 200)
    for start in range(0, 2000, 200):
        part = slice(start, start + 200)
        learner.test_then_train(X[part], labels[part])
        importance.update(learner, X[part], labels[part])
    expected = PermutationImportance(100, 200)
    prequential(from_arrays(X, labels), NaiveBayes(), observers=expected)
    assert_same_history(importance, expected)


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
@pytest.mark.parametrize("learner", [LogisticMixture(), NearestNeighbours(), HoeffdingTree()])
def test_noise_counts_nothing(learner, metric):
    importance = PermutationImportance(metric=metric)
    prequential(SEA(8000, seed=1), learner, observers=importance)
    found = importance.history_["importance"]
    mean, error = found.mean(axis=0), found.std(axis=0) / np.sqrt(len(found))
    assert mean[2] < mean[:2].min() / 10
    assert (mean[:2] > 3 * error[:2]).all()


def test_categories_and_missing_values_are_shuffled():
    rng = np.random.default_rng(1)
    X = np.column_stack([*rng.integers(5, size=(2, 4000)), rng.random(4000)])
    y = np.where(np.isin(X[:, 1], [0, 3]), "a", "b")
    X[rng.random(X.shape) < 0.1] = np.nan
    importance = PermutationImportance()
    prequential(from_arrays(X, y, categorical=[0, 1]), NaiveBayes(), observers=importance)
    first, second, third = importance.history_["importance"].mean(axis=0)
    assert second > 0.3 and max(abs(first), abs(third)) < 0.02


def test_a_learner_that_uses_no_input_loses_nothing():
    importance = PermutationImportance()
    prequential(SEA(3000, seed=1), MajorityClass(), observers=importance)
    assert importance.history_["importance"].shape == (2, 3)
    assert not importance.history_["importance"].any()


def test_a_label_that_the_copy_does_not_know_is_wrong():
    X = np.random.default_rng(1).random((400, 2))
    y = np.where(np.arange(400) < 200, "a", "b")
    for metric, score in (("accuracy", 0.0), ("log_loss", -np.log(1e-6))):
        learner, importance = NaiveBayes().begin(2), PermutationImportance(100, 200, metric=metric)
        for part in (slice(200), slice(200, 400)):
            learner.test_then_train(X[part], y[part])
            importance.update(learner, X[part], y[part])
        np.testing.assert_allclose(importance.history_["score"], [score])


def test_results_are_bounded_and_spread_over_the_run():
    importance = PermutationImportance(2, 2)
    prequential(SEA(2000, seed=1), MajorityClass(), observers=importance)
    rows = importance.history_["row"]
    assert MOST_KEPT / 2 <= len(rows) < MOST_KEPT
    assert len(set(np.diff(rows))) == 1 and rows[0] < 50 and rows[-1] > 1950


def test_a_second_run_begins_again():
    importance = PermutationImportance()
    histories = []
    for _ in range(2):
        prequential(SEA(3000, seed=1), NaiveBayes(), observers=importance)
        histories.append(importance.history_["importance"])
    np.testing.assert_array_equal(*histories)
    assert len(PermutationImportance().history_["row"]) == 0


@pytest.mark.parametrize(
    "settings", [{"window": 1}, {"period": 100}, {"repeats": 0}, {"metric": "kappa"}, {"seed": -1}]
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ParameterError, match=next(iter(settings))):
        PermutationImportance(**settings)


@pytest.mark.parametrize("learner", [NaiveBayes(), Calibrated(NaiveBayes(), costs={1: 1e6})])
def test_what_is_lost_is_accuracy_of_the_answers_by_cost(learner):
    importance = PermutationImportance(repeats=3)
    prequential(SEA(4000, seed=1), learner, observers=importance, costs={1: 1e6})
    assert (importance.history_["importance"] == 0).all()  # it answers 1 whatever the inputs are
    pickle.loads(pickle.dumps(importance))
    assert "_answers" not in vars(importance)

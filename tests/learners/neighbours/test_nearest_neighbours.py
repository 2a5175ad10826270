"""Nearest neighbours is its twin, and MOA's kNN on the same rows."""

import csv

import numpy as np
import pytest
from support.places import SHARED, data_file
from twins.learners.neighbours import nearest_neighbours as twin

from thalweg.evaluation import metrics, prequential
from thalweg.learners import NearestNeighbours
from thalweg.streams import from_file


def rows(n, gaps, seed=1):
    rng = np.random.default_rng(seed)
    walk = np.cumsum(rng.normal(size=n))
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), walk, np.ones(n)])
    y = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 1] == 2)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("categorical", [(), (1,)])
@pytest.mark.parametrize(("k", "window"), [(1, 1), (3, 20), (10, 50), (7, 400), (2, 99), (40, 99)])
def test_is_its_twin(gaps, categorical, k, window):
    X, y = rows(250, gaps)
    w = np.random.default_rng(2).integers(1, 4, len(X)).astype(float)
    learner = NearestNeighbours(k, window, categorical=categorical).begin(4, [0, 1, 2])
    is_category = np.isin(np.arange(4), categorical)
    expected = twin.run(X, y, w, 3, k, window, is_category)
    np.testing.assert_allclose(learner.test_then_train(X, y, sample_weight=w), expected, rtol=0, atol=1e-12)


def test_one_neighbour_of_a_row_seen_is_the_row():
    X, y = rows(200, gaps=False)
    learner = NearestNeighbours(1, 200).begin(4, [0, 1, 2])
    learner.test_then_train(X, y)
    assert (learner.predict_proba_block(X).argmax(axis=1) == y).all()


def test_rows_beyond_the_window_are_forgotten():
    learner = NearestNeighbours(1, 3).begin(1, ["a", "b"])
    learner.test_then_train(np.array([[0.0], [5.0], [6.0], [7.0]]), ["a", "b", "b", "b"])
    assert learner.predict_one([0.0]) == "b"


@pytest.mark.parametrize("name", ["elec2", "usenet1"])
def test_accuracy_is_that_of_moa(name):
    reference = SHARED / "reference" / "moa.csv"
    if not reference.exists():
        pytest.skip("moa.csv is not beside the checkout (../shared/reference)")
    with reference.open(newline="") as file:
        found = {(row["dataset"], row["name"]): float(row["accuracy_pct"]) for row in csv.DictReader(file)}
    run = prequential(from_file(data_file(f"{name}.arff")), NearestNeighbours())
    assert 100 * metrics.accuracy(run) == pytest.approx(found[name, "kNN10"], abs=0.2)


@pytest.mark.parametrize("settings", [{"n_neighbours": 0}, {"window": 2.5}, {"categorical": [4]}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        NearestNeighbours(**settings).begin(4, [0, 1])

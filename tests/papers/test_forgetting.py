"""The paper on forgetting, run again: how errors are measured, fits to windows, the order of the methods."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, ndtr
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from thalweg import papers
from thalweg.learners import AdaptiveLogistic, WindowLogistic
from thalweg.papers import forgetting
from thalweg.papers.forgetting import fresh_sample
from thalweg.papers.forgetting_windows import refitted, right_sides
from thalweg.papers.running import Task
from thalweg.streams import DriftingGaussians


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("THALWEG_DATA", raising=False)


def stream(kind="drift", n_rows=600):
    return DriftingGaussians(n_rows, kind, seed=3)


@pytest.mark.parametrize("kind", forgetting.KINDS)
def test_errors_on_fresh_rows_are_those_of_the_distribution(kind):
    # A boundary cuts two Gaussians in a way that can be computed.
    rows = stream(kind, 3000)
    learner = AdaptiveLogistic().begin(5, [0, 1])
    learner.test_then_train(*next(rows.blocks(900)))
    beta, constant = learner.coef_[0], learner.intercept_[0]
    for t in (500, 1000, 1700):
        means, covariances = rows.concept(t)
        far = (means @ beta + constant) / np.sqrt(np.einsum("i,kij,j->k", beta, covariances, beta))
        exact = (ndtr(far[0]) + ndtr(-far[1])) / 2
        X, y, bayes = fresh_sample(rows, t)
        found = (learner.predict_proba_block(X).argmax(axis=1) != y).mean()
        assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / len(y)) + 0.003)
        assert (bayes != y).mean() < found + 0.02


def test_fresh_rows_are_the_same_again_and_none_of_the_stream():
    X, y, _ = fresh_sample(stream(), 100)
    again, labels, _ = fresh_sample(stream(), 100)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.isin(X, next(stream().blocks(600))[0]).any()
    assert not np.isin(X, fresh_sample(stream(), 101)[0]).any()


@pytest.mark.parametrize("kind", ["static", "drift"])
@pytest.mark.parametrize("prior", [1.0, 1e4])
def test_windows_are_fitted_as_the_learner_and_scikit_learn_do(kind, prior):
    # The learner stops a little before the maximum.
    (X, y), other = (next(DriftingGaussians(200, kind, seed=seed).blocks(200)) for seed in (3, 4))
    learner = WindowLogistic(100, period=1, prior=prior).begin(5, [0, 1])
    p = learner.test_then_train(X, y)[:, 1]
    both = np.stack([X, other[0]]), np.stack([y, other[1]])
    found = np.array([beta[0] for _, beta in refitted(*both, 100, prior, set(range(200)))])
    own = expit((X * found[:, :-1]).sum(axis=1) + found[:, -1])
    np.testing.assert_allclose(own[50:], p[50:], atol=0.02)
    for t in (120, 199):
        scaler = StandardScaler().fit(X[t - 100 : t])
        peer = LogisticRegression(C=2 * prior, tol=1e-10, solver="newton-cholesky", max_iter=1000)
        peer.fit(scaler.transform(X[t - 100 : t]), y[t - 100 : t])
        assert own[t] == pytest.approx(peer.predict_proba(scaler.transform(X[t : t + 1]))[0, 1], abs=1e-4)
        assert right_sides(X[t : t + 1], found[t])[0] == (own[t] > 0.5)


def test_a_window_of_one_class_has_finite_coefficients():
    X, _ = next(stream(n_rows=60).blocks(60))
    for t, beta in refitted(X[None], np.ones((1, 60), dtype=int), 30, 1e4, {20, 50}):
        assert np.isfinite(beta).all() and right_sides(X[t : t + 1], beta[0])[0] == 1


def test_forgetting_keeps_its_order(tmp_path, monkeypatch):
    tasks = [Task((kind, 1), forgetting.simulate, {"kind": kind, "seed": 1}) for kind in forgetting.KINDS]
    monkeypatch.setattr(forgetting, "tasks", lambda quick, data: tasks)
    report = papers.reproduce("forgetting", quick=True, n_jobs=1, figures=tmp_path)
    errors = {row[0]: [mean for mean, _ in row[1:4]] for row in report.tables[0].rows}
    static, drift, abrupt = 0, 1, 2
    assert errors["Bayes"][static] < errors["On-line"][static] < errors["F-0.88"][static]
    assert errors["TF-0.88, h=1"][drift] < errors["F-0.88"][drift] < errors["On-line"][drift]
    assert errors["Bayes"][drift] < 0.17 < errors["TF-0.88, h=1"][drift] < 0.25
    assert 0.38 < errors["On-line"][drift] < 0.5
    assert errors["LogisticMixture()"][abrupt] < errors["F-0.98"][abrupt] < errors["F-0.88"][abrupt]
    guarded = next(row[4] for row in report.tables[0].rows if row[0] == "F-0.88")
    assert guarded[0] < errors["F-0.88"][abrupt] / 2
    chosen = {row[0]: row[1:] for row in report.tables[2].rows}
    assert chosen["AF, SGD"][drift] < 0.99 < chosen["AF, SGD"][static] <= 1
    assert "not found" in report.notes[-2] and "Quick" in report.notes[-1]
    assert json.loads(report.to_json())["settings"]["simulations"] == 1
    drawn = [Path(path) for path in report.figures]
    numbered = [f"figure_{number}.svg" for number in (1, 2, 3, 4, 5)]
    assert [path.name for path in drawn] == [*numbered, "forgetting_factor.svg"]
    assert all(path.stat().st_size > 10_000 for path in drawn)


def test_windows_are_reported_beside_the_same_simulations(monkeypatch):
    monkeypatch.setattr(forgetting, "N_ROWS", 800)
    monkeypatch.setattr(forgetting, "WINDOWS", {"window of 200": 200})
    found = forgetting.simulate_windows("static", [1, 2])["window of 200"]
    simulated = [forgetting.simulate("static", seed) for seed in (1, 2)]
    for windows, run in zip(found, simulated, strict=True):
        assert len(windows["curve"]) == len(run["Bayes"]["curve"]) == 16
        assert run["Bayes"]["mean"] - 0.01 < windows["mean"] < run["Bayes"]["mean"] + 0.06

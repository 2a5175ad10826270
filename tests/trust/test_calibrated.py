"""Calibrated probabilities: those of the twin, right in the long run, and answers that stay."""

import numpy as np
import pytest
from sklearn.base import clone
from support.counting import NearestMean
from twins.trust.calibrated import Calibration

from thalweg.checks.rows import rows
from thalweg.evaluation import prequential
from thalweg.learners import AdaptiveRandomForest, HoeffdingTree, NaiveBayes
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.preprocessing import StandardScaler, make_pipeline
from thalweg.streams import SEA, from_arrays
from thalweg.trust import Calibrated


class AsGiven(StreamClassifier):
    """Says that the probabilities of a row are its values."""

    def _begin(self, n_features, n_classes):
        pass

    def _learn(self, X, y, w, p):
        p[:] = X

    def _predict(self, X, p):
        p[:] = X


def overconfident(n, n_classes=3, power=3.0, seed=1):
    """Return probabilities that are too sure, and labels drawn from what they should be."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet(np.ones(n_classes), n)
    y = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, n_classes - 1)
    said = true**power
    return said / said.sum(axis=1, keepdims=True), y


def calibration_error(p, y):
    """Return the mean difference of sureness and accuracy over 15 bins, in per cent."""
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    places = np.minimum((15 * sure).astype(int), 14)
    return 100 * np.abs(np.bincount(places, sure - right)).sum() / len(y)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("keep_answers", [True, False])
def test_it_says_what_the_twin_says(keep_answers, n_classes):
    P, y = overconfident(600, n_classes)
    twin, expected = Calibration(n_classes, keep_answers), []
    for said, label in zip(P, y, strict=True):
        answer, kept = twin.say(said)
        expected.append(answer)
        twin.learn(kept, label)
    learner = Calibrated(AsGiven(), keep_answers=keep_answers).begin(n_classes, range(n_classes))
    np.testing.assert_allclose(learner.test_then_train(P, y), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("keep_answers", [True, False])
def test_late_labels_are_learned_with_what_was_said_then(keep_answers):
    P, y = overconfident(400)
    twin, expected, waiting = Calibration(3, keep_answers), [], []
    for said in P:
        answer, kept = twin.say(said)
        expected.append(answer)
        waiting.append(kept)
        if (j := len(waiting) - 1 - 25) >= 0:
            twin.learn(waiting[j], y[j], age=25)
    run = prequential(from_arrays(P, y), Calibrated(AsGiven(), keep_answers=keep_answers), delay=25)
    np.testing.assert_allclose(run.probabilities, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("power", "n_classes"), [(3.0, 2), (3.0, 6), (0.4, 3)])
def test_probabilities_become_right(power, n_classes):
    P, y = overconfident(6000, n_classes, power)
    learner = Calibrated(AsGiven()).begin(n_classes, range(n_classes))
    p = learner.test_then_train(P, y)
    assert calibration_error(P[1000:], y[1000:]) > 8
    assert calibration_error(p[1000:], y[1000:]) < 2.5
    assert learner.slope_ == pytest.approx(1 / power, rel=0.2)


def test_it_follows_a_change():
    # The same probabilities become too modest where they were too sure.
    P, y = overconfident(4000, 3, 3.0)
    Q, z = overconfident(4000, 3, 0.4, seed=2)
    learner = Calibrated(AsGiven()).begin(3, range(3))
    learner.test_then_train(P, y)
    assert learner.slope_ < 0.5
    p = learner.test_then_train(Q, z)
    assert learner.slope_ > 1.5
    assert calibration_error(p[1000:], z[1000:]) < 4
    assert calibration_error(Q[1000:], z[1000:]) > 12


def test_what_was_right_stays_right():
    P, y = overconfident(6000, 4, 1.0)
    p = Calibrated(AsGiven()).begin(4, range(4)).test_then_train(P, y)
    loss, before = (-np.log(each[np.arange(len(y)), y].clip(1e-6)).mean() for each in (p, P))
    assert loss < before + 0.003
    assert calibration_error(p, y) < calibration_error(P, y) + 0.5


@pytest.mark.parametrize("delay", [0, 30])
@pytest.mark.parametrize("member", [NaiveBayes(), HoeffdingTree(), AdaptiveRandomForest(n_members=3)])
def test_answers_stay_those_of_the_learner(member, delay):
    stream = SEA(2000, seed=3)
    alone = prequential(stream, clone(member), delay=delay)
    run = prequential(stream, Calibrated(member), delay=delay)
    np.testing.assert_array_equal(run.probabilities.argmax(axis=1), alone.probabilities.argmax(axis=1))
    assert np.abs(run.probabilities - alone.probabilities).mean() > 0.001


def test_ties_and_last_digits_change_no_answer():
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(4), 2000).round(1) + 1e-300
    P /= P.sum(axis=1, keepdims=True)
    close = 0.5 + np.spacing(0.5) * rng.integers(-2, 3, 2000)
    P[::3, :2], P[::3, 2:] = np.column_stack([close, 1 - close])[::3], 0.0
    learner = Calibrated(AsGiven()).begin(4, range(4))
    p = learner.test_then_train(P, rng.integers(0, 4, 2000))
    np.testing.assert_array_equal(p.argmax(axis=1), P.argmax(axis=1))
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


def test_biases_follow_the_classes():
    rng = np.random.default_rng(1)
    P = np.full((1000, 2), 0.5)
    y = (rng.random(1000) < 0.9).astype(int)
    kept, free = (
        Calibrated(AsGiven(), keep_answers=keep).begin(2, [0, 1]).test_then_train(P, y)
        for keep in (True, False)
    )
    assert (kept.argmax(axis=1) == 0).all()
    assert (free[500:].argmax(axis=1) == 1).mean() > 0.95
    assert abs(free[500:, 1].mean() - 0.9) < 0.05


@pytest.mark.parametrize("keep_answers", [True, False])
def test_a_learner_that_is_always_sure_is_survived(keep_answers):
    rng = np.random.default_rng(1)
    P, y = np.eye(3)[rng.integers(0, 3, 500)], rng.integers(0, 3, 500)
    p = Calibrated(AsGiven(), keep_answers=keep_answers).begin(3, range(3)).test_then_train(P, y)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert p[100:].max() < 0.6


def test_rows_that_wait_are_kept_when_a_class_comes():
    X, y = rows(200)
    learner = Calibrated().begin(3, [0, 1], more_classes=True)
    learner.test_then_train(X[:50], y[:50] % 2)
    learner.observe(X[50:60])
    learner.learn_one(X[70], 2)
    assert learner.n_waiting_ == 10
    kept = learner._kernel.state()
    assert (kept["kept_number"] > 0).sum() == 10
    places = kept["kept_number"] > 0
    assert np.allclose(kept["kept_values"][places, -1], np.log(1e-4))
    for i in range(50, 60):
        learner.learn_one(X[i], y[i])
    assert learner.n_waiting_ == 0
    assert not (learner._kernel.state()["kept_number"] > 0).any()


def test_costs_change_answers_and_nothing_else():
    X, y = next(SEA(1500, seed=1).blocks(1500))
    plain = Calibrated().begin(3, ["low", "high"])
    dear = Calibrated(costs={"high": 20}).begin(3, ["low", "high"])
    labels = np.array(["low", "high"])[y]
    for learner in (plain, dear):
        learner.test_then_train(X, labels)
    p = dear.predict_proba(X)
    np.testing.assert_array_equal(p, plain.predict_proba(X))
    np.testing.assert_array_equal(dear.predict(X) == "high", 20 * p[:, 1] > p[:, 0])
    assert (dear.predict(X) == "high").mean() > (plain.predict(X) == "high").mean()
    assert [dear.predict_one(x) for x in X[:50]] == dear.predict(X[:50]).tolist()
    assert dear.predict_one(dict(enumerate(X[0]))) == dear.predict(X[:1])[0]
    dear.set_params(costs=[1, 1])
    np.testing.assert_array_equal(dear.predict(X), plain.predict(X))


def test_costs_are_kept_by_a_pipeline_and_in_a_file():
    X, y = next(SEA(500, seed=1).blocks(500))
    learner = Calibrated(costs=[[0, 1], [30, 0]])
    behind = make_pipeline(StandardScaler(), learner).begin(3, [0, 1])
    behind.test_then_train(X, y)
    p = behind.predict_proba(X)
    np.testing.assert_array_equal(behind.predict(X), 30 * p[:, 1] > p[:, 0])
    assert [behind.predict_one(x) for x in X[:20]] == behind.predict(X[:20]).tolist()
    again = behind.copy()
    np.testing.assert_array_equal(again.predict(X), behind.predict(X))


def test_a_learner_in_python_is_a_member():
    X, y = rows(300)
    p = Calibrated(NearestMean()).begin(3, range(3)).test_then_train(X, y)
    assert (p[100:].argmax(axis=1) == y[100:]).mean() > 0.8


def test_heavy_rows_of_one_kind_leave_a_state_that_can_be_restored():
    P, y = np.tile([0.9999, 0.0001], (3000, 1)), np.zeros(3000, dtype=int)
    learner = Calibrated(AsGiven()).begin(2, [0, 1])
    learner.test_then_train(P, y, sample_weight=np.full(3000, 1e6))
    kernel = Calibrated(AsGiven()).begin(2, [0, 1])._kernel
    kernel.restore(learner._kernel.state())
    np.testing.assert_array_equal(kernel.arrays["line"], learner._kernel.arrays["line"])

"""Answers by cost: in runs of rows and of totals, in metrics, comparisons and models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score

import thalweg
from thalweg.errors import ParameterError
from thalweg.evaluation import chunked, compare, metrics, prequential, report, tune
from thalweg.evaluation.summary import by_class, cost_in_words, rare_in_words
from thalweg.learners import HoeffdingTree, NaiveBayes
from thalweg.trust import Calibrated

COSTS = {"fraud": 20}


def claims(n=3000, seed=0):
    """Return rows with few frauds."""
    rng = np.random.default_rng(seed)
    is_fraud = rng.random(n) < 0.05
    return rng.normal(size=(n, 3)) + 1.2 * is_fraud[:, None], np.where(is_fraud, "fraud", "fine")


def mean_cost(run):
    """Return the mean cost of the answers, row by row."""
    wrong = run.codes != run.predicted
    return np.where(run.codes == 1, 20.0, 1.0)[wrong].sum() / len(wrong)


@pytest.mark.parametrize("costs", [COSTS, {"fraud": {"fine": 20}}, [1, 20], [[0, 1], [20, 0]]])
def test_answers_are_those_of_the_least_expected_cost(costs):
    X, y = claims()
    run = prequential((X, y), NaiveBayes(), costs=costs)
    p = run.probabilities[:, 1]
    np.testing.assert_array_equal(run.predicted == 1, 20 * p > 1 - p)
    assert metrics.cost(run) == pytest.approx(mean_cost(run))
    plain = prequential((X, y), NaiveBayes())
    np.testing.assert_array_equal(plain.probabilities, run.probabilities)
    assert metrics.cost(plain) == pytest.approx(1 - metrics.accuracy(plain))
    assert metrics.cost(plain, costs=costs) > 1.5 * metrics.cost(run)


def test_the_costs_of_a_learner_are_those_of_its_run():
    X, y = claims()
    by_learner = prequential((X, y), Calibrated(NaiveBayes(), costs=COSTS))
    by_run = prequential((X, y), Calibrated(NaiveBayes()), costs=COSTS)
    np.testing.assert_array_equal(by_learner.costs, by_run.costs)
    assert metrics.cost(by_learner) == metrics.cost(by_run) < metrics.cost(by_learner.of_baseline("majority"))
    learner = Calibrated(NaiveBayes(), costs=COSTS).begin(3, ["fine", "fraud"])
    answers = []
    for x, label in zip(X, y, strict=True):
        answers.append(learner.predict_one(x))
        learner.learn_one(x, label)
    np.testing.assert_array_equal(by_learner.classes[by_learner.predicted], answers)


def test_totals_and_chunks_agree_with_rows():
    X, y = claims()
    rows, totals = (prequential((X, y), NaiveBayes(), costs=COSTS, keep=keep) for keep in ("rows", "totals"))
    np.testing.assert_array_equal(rows.confusion(), totals.confusion())
    for name in ("cost", "precision", "recall", "f1", "accuracy"):
        assert getattr(metrics, name)(totals) == pytest.approx(getattr(metrics, name)(rows))
    baseline = rows.of_baseline("no_change")
    assert metrics.cost(baseline) == pytest.approx(metrics.cost(totals.of_baseline("no_change")))
    np.testing.assert_array_equal(baseline.predicted, rows.baselines["no_change"])
    run = chunked((X, y), NaiveBayes(), size=500, costs=COSTS)
    assert metrics.cost(run) == pytest.approx(mean_cost(run))
    assert metrics.cost(run, window=700)[-1] == pytest.approx(mean_cost(run.part(len(y) - 700)))


def test_a_baseline_answers_whatever_that_costs():
    # To call anything fraud is free: by cost every answer would be fraud.
    costs = {"fine": {"fine": 1, "fraud": 0}, "fraud": {"fine": 20, "fraud": 0}}
    run = prequential(claims(), NaiveBayes(), costs=costs)
    assert (run.predicted == 1).all()
    baseline = run.of_baseline("no_change")
    np.testing.assert_array_equal(baseline.predicted, run.baselines["no_change"])
    assert baseline.confusion()[0, 0] > 0 and metrics.accuracy(baseline) > metrics.accuracy(run)


def test_the_accuracy_so_far_is_that_of_the_answers():
    seen = []
    run = prequential(
        claims(), NaiveBayes(), costs=COSTS, progress=lambda done, total, accuracy: seen.append(accuracy)
    )
    assert seen[-1] == pytest.approx(metrics.accuracy(run))


def test_classes_that_come_later_have_their_costs():
    X, y = claims()

    def stream():
        yield from zip(({"a": row[0], "b": row[1]} for row in X), y.tolist(), strict=True)

    for keep in ("rows", "totals"):
        run = prequential(stream(), NaiveBayes(), costs=COSTS, keep=keep)
        assert run.costs.tolist() == [[0, 1], [20, 0]]
        assert run.confusion()[1, 1] > 0
    with pytest.raises(ParameterError, match="dict by labels"):
        prequential(stream(), NaiveBayes(), costs=[1, 20])
    with pytest.raises(ParameterError, match="costs"):
        prequential((X, y), NaiveBayes(), costs={"theft": 2})


def test_metrics_of_classes_agree_with_scikit_learn():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 500)
    p = rng.dirichlet(np.ones(3), 500).round(1)
    p /= p.sum(axis=1, keepdims=True)
    answers = p.argmax(axis=1)
    for ours, theirs in ((metrics.precision, precision_score), (metrics.recall, recall_score),
                         (metrics.f1, f1_score)):
        assert ours(y, p) == pytest.approx(theirs(y, answers, average="macro"))
        for k in range(3):
            assert ours(y, p, label=k) == pytest.approx(theirs(y == k, answers == k))
    each = [average_precision_score(y == k, p[:, k]) for k in range(3)]
    assert metrics.average_precision(y, p) == pytest.approx(np.mean(each))
    assert metrics.average_precision(y, p, label=2) == pytest.approx(each[2])
    last = metrics.average_precision(y, p, window=200, label=1)[-1]
    assert last == pytest.approx(average_precision_score(y[-200:] == 1, p[-200:, 1]))
    with pytest.raises(ParameterError, match="label must be one of"):
        metrics.recall(y, p, label=7)


def test_what_is_said_of_rare_classes_and_costs(tmp_path):
    run = prequential(claims(), NaiveBayes(), costs=COSTS)
    assert rare_in_words(run).startswith("Rarest class fraud (")
    assert cost_in_words(run).startswith(f"Mean cost of an answer: {metrics.cost(run):.4g};")
    found = by_class(run)["fraud"]
    assert found["recall"] == pytest.approx(metrics.recall(run))
    assert found["average_precision"] == pytest.approx(metrics.average_precision(run))
    summary = run.summary()
    assert summary["costs"] == [[0, 1], [20, 0]] and summary["cost"] == pytest.approx(metrics.cost(run))
    assert "Mean cost of an answer" in report.write(run, tmp_path / "page.html").read_text()
    balanced = prequential((np.arange(100.0)[:, None] % 2, np.arange(100) % 2), NaiveBayes())
    assert rare_in_words(balanced) is None and cost_in_words(balanced) is None


def test_comparisons_and_searches_go_by_costs():
    X, y = claims(1500)
    found = compare([NaiveBayes(), HoeffdingTree()], {"claims": (X, y)}, n_jobs=1, costs=COSTS)
    alone = prequential((X, y), NaiveBayes(), costs=COSTS)
    assert found.table("cost")[0, 0] == pytest.approx(metrics.cost(alone))
    assert found.table("average_precision")[0, 0] == pytest.approx(metrics.average_precision(alone))
    tuned = tune(
        HoeffdingTree(), (X, y), grid={"leaf": ["majority", "bayes"]}, metric="cost", costs=COSTS, n_jobs=1
    )
    scores = [score for _, score in tuned.tried]
    assert scores == sorted(scores)


def test_a_model_answers_by_cost(tmp_path):
    X, y = claims()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y)
    given = Calibrated(NaiveBayes(), costs=COSTS)
    for costs, classes in ((COSTS, None), ([1, 20], ["fine", "fraud"])):
        model = thalweg.Model("kind", "NaiveBayes", costs=costs, classes=classes).learn(frame[:2000])
        rest = frame[2000:].drop(columns="kind")
        p, answers = model.predict_proba(rest), model.predict(rest)
        np.testing.assert_array_equal(answers == "fraud", 20 * p[:, 1] > p[:, 0])
        same = thalweg.Model("kind", given).learn(frame[:2000])
        np.testing.assert_array_equal(same.predict(rest), answers)
        model.save(tmp_path / "model.tw")
        np.testing.assert_array_equal(thalweg.load(tmp_path / "model.tw").predict(rest), answers)
        assert (model.predict_table(rest)["prediction"] == answers).all()
        assert [model.predict_one(record) for record in rest.to_dict("records")[:50]] == answers[:50].tolist()
        assert model.score(frame[2000:]) == pytest.approx((answers == y[2000:]).mean())
    with pytest.raises(ParameterError, match="dict by labels"):
        thalweg.Model("kind", costs=[1, 20]).learn(frame)

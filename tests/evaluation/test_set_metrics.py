"""What a run keeps of prediction sets is what `predict_set` would have said row by row."""

import numpy as np
import pytest
from scipy import stats

from thalweg.evaluation import chunked, holdout, prequential, report, set_metrics
from thalweg.learners import HoeffdingTree, NaiveBayes
from thalweg.streams import SEA, from_arrays
from thalweg.trust import Calibrated, LabelBudget, PredictionSets


def overlapping(n=1500, n_classes=4, seed=2):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    return codes[:, None] + rng.normal(0, 0.8, (n, 2)), np.array(["a", "b", "c", "d"])[codes]


def sets_by_hand(X, y, delay, comes=None):
    """Return the mask of the set of each row, by calling the learner row by row."""
    learner = PredictionSets(NaiveBayes()).begin(2, np.unique(y))
    masks = []
    for i in range(len(X)):
        masks.append(learner.predict_set_mask(X[i : i + 1])[0])
        if delay:
            learner.observe(X[i : i + 1], ids=[i])
        if i >= delay:
            learner.learn_one(X[i - delay], y[i - delay], **({"id": i - delay} if delay else {}))
    return np.array(masks), learner


@pytest.mark.parametrize("delay", [0, 1, 60])
@pytest.mark.parametrize("block", [1000, 7])
def test_a_run_knows_the_sets_that_were_given(delay, block):
    X, y = overlapping()
    run = prequential(from_arrays(X, y), PredictionSets(NaiveBayes()), delay=delay, block=block)
    masks, learner = sets_by_hand(X, y, delay)
    in_set = masks[np.arange(len(y)), run.codes]
    assert set_metrics.coverage(run) == pytest.approx(in_set.mean())
    assert set_metrics.set_size(run) == pytest.approx(masks.sum(axis=1).mean())
    assert set_metrics.single_share(run) == pytest.approx((masks.sum(axis=1) == 1).mean())
    if not delay:
        assert set_metrics.raw_coverage(run) == pytest.approx(learner.raw_coverage_)


def test_totals_windows_and_parts_agree():
    X, y = overlapping()
    run = prequential(from_arrays(X, y), PredictionSets(), delay=stats.poisson(9), label_share=0.5)
    totals = prequential(
        from_arrays(X, y), PredictionSets(), delay=stats.poisson(9), label_share=0.5, keep="totals"
    )
    for metric in set_metrics.SET_METRICS.values():
        assert metric(run) == metric(totals) == pytest.approx(metric(run, window=len(y))[-1])
        assert metric(run, window=100)[700] == pytest.approx(metric(run.part(601, 701)))
    assert run.summary()["sets"] == totals.summary()["sets"]
    assert run.to_frame()["classes in the set"].mean() == pytest.approx(set_metrics.set_size(run))


def test_a_class_that_was_not_known_is_in_no_set():
    X, y = overlapping(300)
    y[:100] = "a"
    y[100:200] = "b"
    run = prequential(list(zip(X, y, strict=True)), PredictionSets(NaiveBayes()))
    firsts = [int(np.flatnonzero(y == label)[0]) for label in "bcd"]
    assert not run.sets[firsts, 1].any()
    assert (run.sets[1:100, 0] <= 1).all()
    assert run.sets[:, 0].max() <= 4


def test_chunks_and_holdouts_have_sets_too():
    X, y = overlapping()
    run = chunked(from_arrays(X, y), PredictionSets(), size=100)
    assert 0.8 < set_metrics.coverage(run.part(500)) <= 1
    run = holdout(SEA(n_rows=3000), PredictionSets(HoeffdingTree()), every=500, n=200)
    assert 0.8 < set_metrics.coverage(run) <= 1
    assert len(run.sets) == len(run.codes) == 6 * 200


def test_other_learners_have_none():
    X, y = overlapping(200)
    run = prequential(from_arrays(X, y), NaiveBayes())
    assert run.sets is None
    assert run.summary()["sets"] is None
    assert np.isnan(set_metrics.coverage(run))
    assert np.isnan(set_metrics.coverage(run, window=10)).all()


def test_a_run_records_no_longer_than_it_lasts():
    X, y = overlapping(200)
    learner = PredictionSets()
    prequential(from_arrays(X, y), learner)
    assert learner._thresholds is None
    assert learner._kernel.record is None


def test_the_page_shows_coverage_size_and_single_answers(tmp_path):
    X, y = overlapping()
    for keep in ("rows", "totals"):
        run = prequential(from_arrays(X, y), PredictionSets(), keep=keep)
        text = report.write(run, tmp_path / "page.html").read_text()
        assert "Prediction sets" in text
        for line in ("coverage", "one class", "classes in a set"):
            assert line in text
    text = report.write(prequential(from_arrays(X, y), NaiveBayes()), tmp_path / "page.html").read_text()
    assert "Prediction sets" not in text


@pytest.mark.parametrize("delay", [0, 30])
def test_sets_are_known_when_labels_are_asked_for(delay):
    X, codes = next(SEA(2000, seed=2).blocks(2000))
    learner = PredictionSets(NaiveBayes())
    budget = LabelBudget(0.3, random_state=1)
    run = prequential((X, codes), learner, label_budget=budget, delay=delay, block=170)
    other, waiting = PredictionSets(NaiveBayes()).begin(3, [0, 1]), []
    for i in range(2000):
        mask = other.predict_set_mask(X[i : i + 1])[0]
        assert max(run.sets[i, 0], 1) == mask.sum()
        if not run.asked[i] or delay:
            other.observe(X[i : i + 1], [i])
        waiting += [i] if run.asked[i] else []
        while waiting and waiting[0] <= i - delay:
            j = waiting.pop(0)
            other.test_then_train(X[j : j + 1], codes[j : j + 1], ids=[j])


def test_an_empty_set_gets_the_likeliest_class_also_if_answers_are_by_cost():
    def tested(**settings):
        learner = PredictionSets(Calibrated(NaiveBayes(), costs={1: 20}), coverage=0.5)
        return prequential(SEA(3000, seed=1), learner, **settings), learner

    run, learner = tested()
    assert set_metrics.coverage(run) == pytest.approx(learner.coverage_)
    assert run.to_frame()["label in the set"].mean() == set_metrics.coverage(run)
    assert set_metrics.coverage(run, window=3000)[-1] == pytest.approx(learner.coverage_)
    assert set_metrics.coverage(tested(keep="totals")[0]) == set_metrics.coverage(run)

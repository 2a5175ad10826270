"""Accuracy estimated during a run, beside what was known later."""

import pickle

import numpy as np
import pytest

from thalweg.errors import ParameterError
from thalweg.evaluation import prequential, report
from thalweg.evaluation.estimating import judged
from thalweg.learners import HoeffdingTree, NaiveBayes
from thalweg.streams import SEA
from thalweg.trust import AccuracyEstimate


def run_of(**settings):
    return prequential(SEA(seed=1), NaiveBayes(), rows=6500, **({"estimate": True} | settings))


def test_labels_at_once_leave_nothing_to_estimate():
    run = run_of()
    assert len(run.estimates) == 7
    assert judged(run).error == 0
    assert judged(run).covered.all()


@pytest.mark.parametrize("keep", ["rows", "totals"])
@pytest.mark.parametrize("block", [64, 1000])
def test_blocks_and_totals_change_nothing(keep, block):
    first, run = run_of(delay=300), run_of(delay=300, keep=keep, block=block)
    for a, b in zip(first.estimates.columns.values(), run.estimates.columns.values(), strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_the_estimate_knows_only_labels_that_had_come():
    late, never = run_of(delay=700), run_of(label_share=0.0)
    assert late.estimates.known.tolist() == [1000] * 5 + [800, 0]
    assert judged(late).error < 0.1
    assert not never.estimates.known.any()
    assert (never.estimates.low == 0).all()


def test_a_learner_that_observes_gives_the_same_rows():
    one = prequential(SEA(seed=1), HoeffdingTree(), rows=3000, delay=50, estimate=True)
    assert one.estimates.known.sum() == 2950


def test_an_estimate_may_be_given_and_keeps_what_it_found():
    estimate = AccuracyEstimate(window=500)
    run = run_of(estimate=estimate, delay=100)
    assert len(run.estimates) == 13
    assert estimate.n_rows_ == 6500
    assert estimate.now().known == 400


def test_answers_by_cost_are_those_that_are_judged():
    run = run_of(delay=100, costs={1: 20})
    right = (run.predicted == run.codes)[:1000].mean()
    assert run.estimates.settled[0] == pytest.approx(right)
    assert right != pytest.approx((run.probabilities.argmax(axis=1) == run.codes)[:1000].mean())


def test_other_things_are_refused():
    with pytest.raises(ParameterError, match="estimate"):
        run_of(estimate="yes")


def test_the_page_shows_it_and_runs_are_pickled(tmp_path):
    run = pickle.loads(pickle.dumps(run_of(delay=700)))
    page = report.write(run, tmp_path / "run.html").read_text()
    assert "Accuracy, estimated" in page
    assert 'data-name="known later"' in page
    plain = report.write(run_of(estimate=False), tmp_path / "plain.html").read_text()
    assert "Accuracy, estimated" not in plain


def test_the_command_estimates_if_labels_are_late(thalweg, tmp_path):
    for delay, expected in (("0", False), ("200", True)):
        page = tmp_path / f"{delay}.html"
        code, _, _ = thalweg("run", "sea", "--rows", 3000, "--learner", "NaiveBayes", "--delay", delay,
                             "--report", page)
        assert code == 0
        assert ("Accuracy, estimated" in page.read_text()) == expected

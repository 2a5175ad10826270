"""A Run: how it shows itself, its table and confusion; and a Run that keeps totals only."""

import itertools
import json
import sys
import tracemalloc

import numpy as np
import pytest
import sklearn.metrics
from support.late_classes import Late

from thalweg.drift import ADWIN
from thalweg.errors import ParameterError
from thalweg.evaluation import Explanations, chunked, curves, metrics, prequential, report
from thalweg.evaluation.summary import rate_error, with_error
from thalweg.evaluation.tally import Tally
from thalweg.learners import DriftReset, HoeffdingTree, NaiveBayes
from thalweg.streams import LED, SEA

FIGURES = ("accuracy", "balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "f1", "g_mean")


@pytest.fixture(scope="module")
def run():
    return prequential(SEA(4000, period=1000), NaiveBayes())


@pytest.fixture(scope="module")
def totals():
    return prequential(SEA(4000, period=1000), NaiveBayes(), keep="totals")


def test_a_run_shows_itself_in_one_line(run, totals):
    assert repr(run).startswith(f"<NaiveBayes on SEA: accuracy {with_error(run)}, 4,000 rows, ")
    assert len(repr(run)) < 100
    assert repr(totals).startswith("<NaiveBayes on SEA: accuracy ")


def test_a_notebook_shows_chart_and_figures(run, totals):
    for each in (run, totals):
        text = each._repr_html_()
        assert text.count("<svg class=\"chart\"") == 1
        assert f"{100 * metrics.kappa(each):.2f} %" in text


def test_confusion_is_that_of_scikit_learn(run):
    expected = sklearn.metrics.confusion_matrix(run.codes, run.predicted)
    np.testing.assert_array_equal(run.confusion(), expected)


def test_a_frame_has_a_line_for_each_row(run):
    frame = run.to_frame()
    assert len(frame) == 4000
    assert frame["correct"].mean() == metrics.accuracy(run)
    assert list(frame["row"]) == list(range(4000))
    assert (frame["label"] == frame["majority"]).mean() == run.summary()["baselines"]["majority"]
    assert list(frame["probability of 1"]) == list(run.probabilities[:, 1])
    part = run.part(1000, 1500).to_frame()
    assert part["row"].iloc[0] == 1000 and len(part) == 500


def test_a_frame_has_none_where_there_is_no_label(run):
    part = run.part(0, 10)
    part.codes = part.codes.copy()
    part.codes[3] = -1
    frame = part.to_frame()
    assert frame["label"][3] is None and not frame["correct"][3]


def test_without_pandas_an_error_says_what_to_do(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        run.to_frame()


@pytest.mark.parametrize("settings", [{}, {"delay": 30}, {"label_share": 0.5}, {"rows": 3}])
@pytest.mark.parametrize("stream", [SEA(3000, period=700), LED(3000)])
def test_totals_give_the_same_figures(stream, settings):
    rows = prequential(stream, HoeffdingTree(), **settings)
    totals = prequential(stream, HoeffdingTree(), keep="totals", **settings)
    for name in FIGURES:
        expected = getattr(metrics, name)(rows)
        assert getattr(metrics, name)(totals) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    for name in ("log_loss", "brier"):
        assert getattr(metrics, name)(totals) == pytest.approx(getattr(metrics, name)(rows), rel=1e-10)
    np.testing.assert_array_equal(totals.confusion(), rows.confusion())
    assert totals.class_shares == rows.class_shares
    a, b = rows.summary(), totals.summary()
    assert b["auc"] is None
    assert b["baselines"] == a["baselines"]
    assert json.loads(json.dumps(b)).keys() == a.keys()


def test_totals_give_nearly_the_same_standard_error(run, totals):
    assert rate_error(totals) == pytest.approx(rate_error(run), rel=0.3)
    assert rate_error(totals, "majority") == pytest.approx(rate_error(run, "majority"), rel=0.3)


def test_totals_of_chunks_and_of_classes_that_turn_up_later():
    rows, totals = (chunked(Late(), NaiveBayes(), size=500, keep=keep) for keep in ("rows", "totals"))
    assert totals.classes.tolist() == rows.classes.tolist()
    np.testing.assert_array_equal(totals.confusion(), rows.confusion())
    assert metrics.log_loss(totals) == pytest.approx(metrics.log_loss(rows), rel=1e-10)
    assert totals.summary()["baselines"] == rows.summary()["baselines"]


def test_what_needs_rows_says_so(totals):
    for ask in (
        lambda: totals.codes,
        lambda: totals.predicted,
        lambda: metrics.auc(totals),
        lambda: metrics.accuracy(totals, window=10),
        lambda: metrics.recovery(totals),
        lambda: totals.part(10),
        totals.to_frame,
    ):
        with pytest.raises(AttributeError, match=r'keeps totals only.*keep="rows"'):
            ask()
    assert not hasattr(totals, "no_such_name")
    with pytest.raises(ParameterError, match='"rows" or "totals"'):
        prequential(SEA(10), NaiveBayes(), keep="nothing")


def test_totals_have_a_page(totals, tmp_path):
    text = report.write(totals, tmp_path / "page.html").read_text()
    assert "accuracy of each 16 rows" in text
    assert f"{100 * totals.summary()['accuracy']:.2f} %" in text


def test_totals_need_constant_memory():
    def peak(n):
        tracemalloc.start()
        prequential(SEA(n), NaiveBayes(), keep="totals")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1000)
    few, many = peak(50_000), peak(400_000)
    assert many < 1.1 * few + 100_000


def test_how_rows_are_cut_makes_no_difference_to_a_tally():
    random = np.random.default_rng(0)
    n = 5000
    labels, p = random.integers(-1, 3, n), random.dirichlet(np.ones(3), n)
    answers = {name: random.integers(0, 3, n) for name in ("no_change", "majority", "label_chain")}
    whole, pieces = Tally(3), Tally(3)
    whole.add(labels, p, answers)
    cuts = [0, 1, 2, 300, 1027, 3333, n]
    for start, stop in itertools.pairwise(cuts):
        rows = slice(start, stop)
        pieces.add(labels[rows], p[rows], {name: codes[rows] for name, codes in answers.items()})
    assert whole.part_size == pieces.part_size == 32
    for name in ("class_counts", "right"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pieces, name))
    np.testing.assert_allclose(whole.bins, pieces.bins, rtol=1e-12)
    np.testing.assert_array_equal(
        whole.class_counts[0], np.bincount(labels[:32][labels[:32] >= 0], minlength=3)
    )
    assert whole.brier == pytest.approx(((p - np.eye(3)[labels])[labels >= 0] ** 2).sum())


def test_a_part_is_about_its_rows_which_keep_their_numbers(tmp_path):
    X = np.random.default_rng(1).normal(size=(9000, 3))
    y = np.where(np.arange(9000) < 6000, X[:, 0] > 0, X[:, 0] < 0).astype(object)
    y[100:9000:10] = None
    run = prequential((X, y), DriftReset(HoeffdingTree(), ADWIN()), observers=Explanations(), rows=8900)
    run.drifts = np.array([10, 6000])
    for part, rows in ((run.part(5000, 7000), range(5000, 7000)), (run.part(8000), range(8000, 8900))):
        assert (part.n_rows, part.end_row) == (len(rows), rows.stop)
        assert part.unlabelled == sum(y[i] is None for i in rows) == part.summary()["unlabelled"]
        assert part.drifts.tolist() == [i for i in run.drifts.tolist() if i in rows]
        assert part.alarms.tolist() == [i for i in run.alarms.tolist() if i in rows]
        assert all(rows.start < row <= rows.stop for each in part.explanations for row in each.rows)
        assert part.rows_per_second == pytest.approx(run.rows_per_second)
        assert not part.outgrows_data
        for ends in (curves.label_shares(part).rows, curves.over_time(part).rows + 1):
            assert rows.start < ends.min() and ends.max() == rows.stop
        assert f"{rows.stop:,} rows" in report.write(part, tmp_path / "page.html").read_text()
    part = run.part(5000, 7000)
    assert len(part.alarms) and part.explanations
    assert run.part(4, 4).n_rows == 0

"""Rows that are sorted by label are pointed out; streams in which labels come in runs are not."""

import html

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from support.places import data_file

import thalweg
from thalweg.errors import RowWarning
from thalweg.evaluation import chunked, compare, prequential, report, tune
from thalweg.evaluation.stretches import Stretches
from thalweg.learners import HoeffdingTree, MajorityClass, NaiveBayes
from thalweg.streams import from_file

SORTED = "rows are sorted by label"


def of(codes, size=None):
    found = Stretches()
    for part in np.array_split(np.asarray(codes), size or 1):
        found.add(part)
    return found


@given(st.lists(st.integers(-1, 3), max_size=60), st.integers(1, 7))
def test_the_longest_stretches_are_those_of_a_loop_however_rows_are_cut(codes, n_parts):
    rows, longest, last, length = [0] * 4, [0] * 4, None, 0
    for k in codes:
        if k >= 0:
            length = length + 1 if k == last else 1
            rows[k], longest[k], last = rows[k] + 1, max(longest[k], length), k
    found = of(codes, n_parts)
    n = len(found.n_rows)
    assert (found.n_rows.tolist(), found.longest.tolist()) == (rows[:n], longest[:n]) and not sum(rows[n:])


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_data_for_learning_by_heart_are_sorted(load):
    y = load(return_X_y=True)[1]
    assert of(y).are_sorted and not of(np.random.default_rng(0).permutation(y)).are_sorted


def test_a_file_sorted_by_stage_is_sorted_with_a_stray_row_at_an_end_and_rows_without_a_label():
    codes = np.repeat([3, 0, 2, 1], [4000, 2500, 700, 1800])
    assert of(codes).are_sorted
    codes[[17, 5000, 8000]] = 1, -1, -1
    assert of(codes).are_sorted


@pytest.mark.parametrize(
    "name",
    ["elec2.arff", "covertype-100k.csv.gz", "powersupply.csv", "insects-gradual.csv.gz", "keystroke.arff",
     "weather.arff", "usenet1.arff", "gmsc.arff.gz"],
)  # fmt: skip
def test_real_streams_are_not_sorted(name):
    found = Stretches()
    for _, codes in from_file(data_file(name)).coded_blocks(10_000):
        found.add(codes)
    assert not found.are_sorted and (found.longest < 0.6 * found.n_rows).any()


@pytest.mark.parametrize(
    "codes",
    [
        [0] * 500, [0] * 999 + [1], [1, *[0] * 999], [0] * 5 + [1] * 5, [*range(30)], [],
        [0] * 900 + [1] * 50 + [0] * 900,  # a fault that ended
        ([0] * 300 + [1] * 300) * 4,  # day and night
    ],
)  # fmt: skip
def test_few_labels_and_stretches_that_come_again_are_no_sorted_rows(codes):
    assert not of(codes).are_sorted


def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("keep", ["rows", "totals"])
def test_an_evaluation_of_sorted_rows_warns_and_says_so_in_its_page_and_summary(keep, tmp_path):
    for run_one in (prequential, lambda *given, **more: chunked(*given, size=10, **more)):
        with pytest.warns(RowWarning, match=f"{SORTED}: this accuracy does not carry over") as caught:
            run = run_one(iris(), NaiveBayes(), keep=keep)
        assert caught[0].filename == __file__ and len(caught) == 1
        assert run.summary()["sorted_by_label"]
        assert "Rows are sorted by label" in report.write(run, tmp_path / "page.html").read_text()
    order = np.random.default_rng(0).permutation(150)
    X, y = iris()
    assert not prequential((X[order], y[order]), NaiveBayes(), keep=keep).summary()["sorted_by_label"]


def test_a_model_that_learns_sorted_rows_warns_and_shuffled_ones_do_not():
    X, y = iris()
    with pytest.warns(RowWarning, match=f"{SORTED}: what was learned does not carry over.*shuffle=True"):
        model = thalweg.Model(learner="NaiveBayes", new_labels="add").learn(X, y)
    with pytest.warns(RowWarning, match=f"{SORTED}: this accuracy"):
        thalweg.Model(learner="NaiveBayes").prequential(X, y)
    model.learn(X, y, shuffle=True)
    assert model.prequential(X, y, shuffle=True, seed=1).n_rows == 150
    assert model.learner_._n_learned == 450


@pytest.mark.filterwarnings("error::thalweg.errors.RowWarning")
def test_the_warning_as_an_error_leaves_a_whole_model():
    X, y = iris()
    for verb in ("learn", "prequential"):
        model = thalweg.Model(learner="NaiveBayes")
        with pytest.raises(RowWarning) as caught:
            getattr(model, verb)(X, y)
        assert caught.value.rows_learned == 150
        assert model.learner_._n_learned == 150 and model.predict(X[:1]).tolist() == [0]


@pytest.mark.usefixtures("own_cache")
def test_compare_and_tune_name_the_streams_that_are_sorted():
    X, y = iris()
    with pytest.warns(RowWarning, match=f"by label: {SORTED}"):
        found = compare([MajorityClass()], {"by label": (X, y), "sea": "sea"}, rows=150, n_jobs=1)
    assert found.summary()["sorted_by_label"] == found.sorted_by_label() == ["by label"]
    with pytest.warns(RowWarning, match=SORTED):
        assert tune(HoeffdingTree(), (X, y), grid={"grace_period": [20]}, n_jobs=1).sorted_by_label


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))


@pytest.mark.parametrize("keep", ["rows", "totals"])
def test_labels_that_are_new_after_many_rows_are_named(keep, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 2))
    y = np.where(X[:, 0] > 0, "Yes", "No").astype(object)
    y[50], y[2500], y[2700] = "early", "Yess", "other"
    run = prequential((X, y), NaiveBayes(), keep=keep)
    assert run.summary()["new_labels"] == {"Yess": 2500, "other": 2700}
    page = html.unescape(report.write(run, tmp_path / "page.html").read_text())
    assert "The label 'Yess' is new after 2,500 rows; did you mean 'Yes'?" in page


def test_the_first_labels_are_counted_in_any_blocks():
    codes = np.repeat([0, 1, 0, 2], [5, 150, 20, 9])
    codes[[3, 170]] = -1
    whole, parts = Stretches(), Stretches()
    whole.add(codes)
    for start in range(0, len(codes), 7):
        parts.add(codes[start : start + 7])
    assert whole.first.tolist() == parts.first.tolist() == [0, 4, 173]
    assert parts.late == [(2, 173)]

"""Which labels look wrong, how many, and how that is said."""

import json

import numpy as np
import pytest
from support.flipped_rows import flipped_rows

from thalweg.evaluation import label_errors
from thalweg.evaluation.wrong_labels.all_rows import all_rows
from thalweg.evaluation.wrong_labels.find import label_errors_in_stream
from thalweg.evaluation.wrong_labels.out_of_sample import forest_of_others, read_both_ways
from thalweg.evaluation.wrong_labels.words import Lines, headline
from thalweg.learners import MajorityClass, NaiveBayes
from thalweg.streams import SEA, Sphere, from_arrays, from_file


@pytest.fixture(scope="module")
def found():
    X, y, _wrong = flipped_rows()
    return label_errors(X, y)


def test_flipped_labels_come_first(found):
    _X, y, wrong = flipped_rows()
    assert wrong[found.rows[: wrong.sum()]].mean() > 0.9
    assert (np.diff(found.doubt[found.rows]) <= 1e-12).all()
    assert found.doubt.sum() == pytest.approx(wrong.sum(), rel=0.25)
    assert found.doubt.sum() == pytest.approx(found.share * len(y), rel=1e-3)
    doubtful = found.doubt > 0.5
    assert wrong[doubtful].mean() > 0.8 and doubtful[wrong].mean() > 0.6
    worst = found.rows[0]
    assert found.believed[worst] == 1 - y[worst] and found.likelihood[worst] < 0.2
    np.testing.assert_allclose(found.p.sum(axis=1), 1)


@pytest.mark.parametrize("share", [0.0, 0.06, 0.2])
def test_the_number_of_wrong_labels_is_estimated(share):
    X, y, wrong = flipped_rows(share=share, seed=4)
    found = label_errors(X, y)
    assert found.share_low <= wrong.mean() <= found.share_high
    assert found.share_low <= found.share <= found.share_high < found.share_low + 0.13
    assert found.n_wrong == pytest.approx(wrong.sum(), rel=0.3, abs=20)


def test_reading_from_both_sides_beats_reading_from_one():
    stream = Sphere(12_000, period=500, jump_every=4, noise=0, seed=2)
    X, y = next(stream.blocks(12_000))
    wrong = np.random.default_rng(3).random(len(X)) < 0.05
    y = np.where(wrong, 1 - y, y)
    answers = dict(read_both_ways(NaiveBayes(), X, y, np.array([0, 1]), np.zeros(3, dtype=int)))
    forwards, backwards = (answers[name][np.arange(len(y)), y] for name in ("forwards", "backwards"))
    k = wrong.sum()
    alone, both = np.argsort(forwards)[:k], np.argsort(forwards * backwards)[:k]
    assert wrong[both].mean() > wrong[alone].mean() + 0.02


def test_forests_have_not_seen_the_rows_they_are_asked_about():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(600, 4)), rng.integers(0, 2, 600)
    p = forest_of_others(X, y, 2, np.zeros(4, dtype=int), seed=0)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == y).mean() == pytest.approx(0.5, abs=0.07)


def test_labels_of_any_kind_gaps_and_rows_without_a_label():
    X, y, wrong = flipped_rows(1500)
    X[::7, 1] = np.nan
    y = np.where(y == 1, "good", "bad").astype(object)
    y[::10] = None
    found = label_errors_in_stream(from_arrays(X, y))
    assert np.isnan(found.likelihood[::10]).all() and np.isnan(found.doubt[::10]).all()
    assert not set(found.rows) & set(range(0, 1500, 10))
    k = wrong[[label is not None for label in y]].sum()
    assert wrong[found.rows[:k]].mean() > 0.7


def test_one_class_cannot_be_compared():
    with pytest.raises(ValueError, match="two different labels"):
        label_errors(np.ones((10, 2)), ["a"] * 10)


def test_a_learner_that_knows_nothing_does_no_harm():
    X, y, wrong = flipped_rows(2000)
    found = label_errors(X, y, learners=[MajorityClass()])
    assert found.weights["forest of other rows"] > 3 * abs(found.weights["MajorityClass forwards"])
    assert wrong[found.rows[: wrong.sum()]].mean() > 0.8


def test_words(found):
    assert headline(found).startswith(f"About {found.n_wrong:,} of 3,000 labels look wrong: ")
    clean = label_errors(*next(SEA(2000, noise=0, seed=1).blocks(2000)))
    assert headline(clean).startswith(("None of 2,000 labels looks wrong", "About "))
    lines = Lines(found, SEA(3000), top=7)
    assert len(lines.rows) == 7 and sum(n for *_, n in lines.confusions()) == 7


def test_ten_rows_are_judged_and_said_to_be_few():
    few = label_errors([[i] for i in range(10)], ["x"] * 5 + ["y"] * 5)
    assert few.share is None and few.n_wrong is None and few.share_low == 0
    assert headline(few).startswith("Between 0.0 % and ")
    assert " of 10 labels are wrong: with fewer than 500 labels there is too little" in headline(few)


def test_rows_beyond_those_asked_for_are_not_read(tmp_path):
    good = [f"{i};{i % 7}.5;{'yes' if i % 3 else 'no'}" for i in range(120_000)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["n;a;ok", *good, "not a row"]) + "\n")
    X, codes, cells = all_rows(from_file(path), 700)
    assert len(X) == len(codes) == 700 and cells.of([699]) == [["699", "6.5", "no"]]


def test_cells_of_frames_are_shown_as_they_are():
    pandas = pytest.importorskip("pandas")
    X, y, _ = flipped_rows(1200)
    when = pandas.date_range("2024-01-01", periods=len(X), freq="h")
    frame = pandas.DataFrame({"a": X[:, 0], "n": np.arange(len(X)), "when": when, "way": ["up", None] * 600})
    found = label_errors(frame, y, learners=[NaiveBayes()])
    lines = Lines(found, from_arrays(frame, y), top=2)
    i = lines.rows[0]
    assert lines.names == ["a", "n", "when", "way"]
    assert lines.texts(i) == [f"{X[i, 0]:.10g}", str(i), str(when[i]), "up" if i % 2 == 0 else ""]
    json.dumps(lines.to_plain())


def rare_rows(n=6000, seed=0, strength=1.0):
    """Return rows of which one in twenty is of a class that is hard to tell, 2 % of the labels swapped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    right = rng.random(n) < 1 / (1 + np.exp(3.2 - strength * X.sum(axis=1) / 2))
    return X, np.where(rng.random(n) < 0.02, ~right, right).astype(int), right.astype(int)


def test_a_rare_class_is_not_listed_as_a_whole():
    X, y, _ = rare_rows()
    found = label_errors(X, y)
    listed = found.rows[: found.n_listed]
    assert 0.03 < y.mean() < 0.1 and (found.likelihood[y == 1] < 0.5).mean() > 0.9
    assert (y[found.rows] == 1).sum() <= (y == 1).sum() / 2 + 1
    assert (y[listed] == 1).sum() <= (y == 1).sum() / 2 + 1


def test_a_poor_learner_gets_a_range_and_no_estimate():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 5))
    right = rng.random(4000) < 1 / (1 + np.exp(-1.3 * X.sum(axis=1) / 5**0.5))
    wrong = rng.random(4000) < 0.02
    found = label_errors(X, np.where(wrong, ~right, right))
    assert found.estimate.agreement < 0.75
    assert found.share is None and found.n_wrong is None
    assert found.share_low <= wrong.mean() <= found.share_high
    assert f"right on {100 * found.estimate.agreement:.1f} % of the rows only" in headline(found)
    plain = Lines(found, SEA(4000), top=1).to_plain()
    assert plain["share"] is None and plain["estimated_wrong"] is None
    assert [plain["share_low"], plain["share_high"]] == [found.share_low, found.share_high]


def test_classes_whose_labels_are_wrong_more_often_are_found():
    rng = np.random.default_rng(2)
    y = rng.choice(6, 3000, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    X = rng.normal(size=(6, 4))[y] * 1.3 + rng.normal(size=(3000, 4))
    wrong = (y == 1) & (rng.random(3000) < 0.2)
    found = label_errors(X, np.where(wrong, 2, y))
    first = np.argsort(-found.doubt)[: wrong.sum()]
    plain = np.argsort(found.likelihood)[: wrong.sum()]
    assert wrong[first].mean() > wrong[plain].mean() + 0.1
    assert found.share_low <= wrong.mean() <= found.share_high

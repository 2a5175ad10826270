"""Prediction sets are those of their definition, whatever comes late, is cut, saved, or new."""

import numpy as np
import pytest
from twins.trust.prediction_sets import Twin

from thalweg.checks.rows import rows
from thalweg.errors import ParameterError, StateError
from thalweg.learners import HoeffdingTree, NaiveBayes, NoChange
from thalweg.trust import PredictionSets

NUMBERS = ("level_", "n_sets_", "coverage_", "raw_coverage_", "set_size_", "single_share_")


def hard_rows(n, seed=1, n_classes=3, noise=0.9):
    """Return rows whose classes overlap and move, and their codes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    place = codes + 2.0 * (np.arange(n) > n // 2) * (codes == 0)
    return place[:, None] + rng.normal(0, noise, (n, 2)), codes


def begun(learner=None, n_classes=3, **parameters):
    return PredictionSets(learner, **parameters).begin(2, np.arange(n_classes))


def numbers_of(learner):
    return [getattr(learner, name) for name in NUMBERS]


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("window", [7, 100, 1000])
def test_sets_and_level_are_those_of_the_twin(coverage, window):
    X, codes = hard_rows(600)
    learner, twin = begun(coverage=coverage, window=window), Twin(coverage, window)
    for i in range(600):
        p = learner.predict_proba_block(X[i : i + 1])[0]
        np.testing.assert_array_equal(learner.predict_set_mask(X[i : i + 1])[0], twin.predict_set(p))
        learner.learn_one(X[i], codes[i])
        twin.learn(p, codes[i])
        assert learner.level_ == pytest.approx(twin.level, abs=1e-12)


def test_rows_that_wait_are_judged_by_what_was_said_as_the_twin_does():
    X, codes = hard_rows(900)
    learner, twin = begun(NaiveBayes()), Twin()
    rng = np.random.default_rng(3)
    comes = np.where(rng.random(900) < 0.7, np.arange(900) + rng.integers(0, 60, 900), 10_000)
    for i in range(900):
        p = learner.predict_then_observe(X[i : i + 1], ids=[i])[0]
        twin.observe(i, p)
        for j in np.flatnonzero(comes == i):
            learner.learn_one(X[j], codes[j], id=j)
            twin.learn(None, codes[j], row=j)
        assert learner.level_ == pytest.approx(twin.level, abs=1e-12)
    p = learner.predict_proba_block(X)
    expected = [twin.predict_set(each) for each in p]
    np.testing.assert_array_equal(learner.predict_set_mask(X), expected)
    assert learner.n_sets_ == twin.n_labels < 900


@pytest.mark.parametrize("member", [NaiveBayes(), HoeffdingTree(), NoChange()])
def test_answers_are_the_learners(member):
    X, y = rows(500)
    p = PredictionSets(member).begin(3, [0, 1, 2]).test_then_train(X, y)
    np.testing.assert_array_equal(p, member.begin(3, [0, 1, 2]).test_then_train(X, y))


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_coverage_before_the_rule_is_the_one_wanted(coverage):
    X, codes = hard_rows(8000)
    learner = begun(coverage=coverage)
    learner.test_then_train_coded(X, codes)
    assert learner.raw_coverage_ == pytest.approx(coverage, abs=0.005)
    assert learner.coverage_ >= learner.raw_coverage_


def test_the_coverage_is_held_when_labels_are_late():
    X, codes = hard_rows(8000)
    learner = begun()
    for i in range(8000):
        learner.predict_then_observe(X[i : i + 1], ids=[i])
        if i >= 48:
            learner.learn_one(X[i - 48], codes[i - 48], id=i - 48)
    assert learner.raw_coverage_ == pytest.approx(0.9, abs=0.01)


def test_sets_are_never_empty_though_the_learner_is_always_right():
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 500, axis=0)[np.random.default_rng(1).permutation(1000)]
    codes = (X[:, 0] > 5).astype(int)
    learner = begun(n_classes=2)
    learner.test_then_train_coded(X, codes)
    assert learner.coverage_ > 0.99
    assert learner.raw_coverage_ == pytest.approx(0.9, abs=0.01)
    assert learner.predict_set_mask(X).any(axis=1).all()
    assert learner.single_share_ > 0.9


def test_before_there_are_labels_sets_follow_the_probabilities():
    X, codes = hard_rows(40)
    learner = begun()
    assert [each.tolist() for each in learner.predict_set(X[:1])] == [[0, 1, 2]]
    learner.test_then_train_coded(X, codes)
    p, mask = learner.predict_proba_block(X), learner.predict_set_mask(X)
    assert ((p * mask).sum(axis=1) >= 0.9).all()
    least = np.where(mask, p, 2).min(axis=1)
    assert ((p * (p > least[:, None])).sum(axis=1) < 0.9).all()


def test_the_counts_are_those_of_the_sets_given_before():
    X, codes = hard_rows(700)
    learner, sets = begun(), []
    for i in range(700):
        sets.append(learner.predict_set_mask(X[i : i + 1])[0])
        learner.learn_one(X[i], codes[i])
    sets = np.array(sets)
    assert learner.n_sets_ == 700
    assert learner.coverage_ == pytest.approx(sets[np.arange(700), codes].mean())
    assert learner.set_size_ == pytest.approx(sets.sum(axis=1).mean())
    assert learner.single_share_ == pytest.approx((sets.sum(axis=1) == 1).mean())


def test_blocks_rows_copies_and_compiled_calls_give_the_same_numbers():
    X, codes = hard_rows(900)
    whole, by_row, cut = begun(), begun(), begun()
    whole.test_then_train_coded(X, codes)
    for i in range(900):
        by_row.learn_one(X[i], codes[i])
    for start in range(0, 900, 77):
        cut.test_then_train_coded(X[start : start + 77], codes[start : start + 77])
        cut = PredictionSets().restore(cut.state())
    assert numbers_of(whole) == numbers_of(by_row) == numbers_of(cut)
    np.testing.assert_array_equal(whole.predict_set_mask(X), cut.predict_set_mask(X))


def test_rows_that_wait_go_on_when_saved_and_when_a_class_is_new():
    X, codes = hard_rows(400)
    made = []
    for is_saved in (False, True):
        learner = PredictionSets(window=50).begin(2, [0, 1], more_classes=True)
        for i in range(400):
            learner.predict_then_observe(X[i : i + 1], ids=[i])
            if i >= 30:
                late = codes[i - 30] if i > 200 else codes[i - 30] % 2
                learner.learn_one(X[i - 30], late, id=i - 30)
            if is_saved and i % 50 == 49:
                learner = PredictionSets().restore(learner.state())
        made.append(learner)
    assert numbers_of(made[0]) == numbers_of(made[1])
    assert made[0].n_sets_ == 370
    assert made[0]._kernel.arrays["sets"][1] == pytest.approx(30, abs=1)  # labels late, also after the class


def test_observing_after_predicting_keeps_what_predict_then_observe_keeps():
    X, codes = hard_rows(300)
    one, other = begun(), begun()
    for i in range(300):
        one.predict_then_observe(X[i : i + 1], ids=[i])
        other.observe(X[i : i + 1], ids=[i])
        if i >= 20:
            for learner in (one, other):
                learner.learn_one(X[i - 20], codes[i - 20], id=i - 20)
    assert numbers_of(one) == numbers_of(other)


def test_the_step_falls_with_the_labels_that_come_late():
    X, codes = hard_rows(3000)
    delays = {}
    for share in (1.0, 0.1):
        learner = begun()
        comes = np.random.default_rng(1).random(3000) < share
        for i in range(3000):
            learner.observe(X[i : i + 1], ids=[i])
            if i >= 200 and comes[i - 200]:
                learner.learn_one(X[i - 200], codes[i - 200], id=i - 200)
        delays[share] = learner._kernel.arrays["sets"][1]
    assert delays[1.0] == pytest.approx(200, rel=0.02)
    assert delays[0.1] == pytest.approx(20, rel=0.3)


def test_sets_are_labels_of_any_kind():
    X, codes = hard_rows(300)
    names = np.array(["low", "middle", "high"])
    learner = PredictionSets().begin(2)
    learner.test_then_train(X, names[codes])
    found = learner.predict_set(X[:20])
    mask = learner.predict_set_mask(X[:20])
    assert [set(each) for each in found] == [set(learner.classes_[row]) for row in mask]
    assert learner.predict_set_one(X[0]) == found[0].tolist()
    learner = PredictionSets()
    for x, label in zip(X, names[codes], strict=True):
        learner.learn_one({"a": x[0], "b": x[1]}, str(label))
    assert learner.predict_set_one({"a": X[0, 0], "b": X[0, 1]}) == found[0].tolist()


def test_there_are_no_labels_before_the_first():
    assert PredictionSets().predict_set_one([1.0]) == []
    learner = PredictionSets().begin(2)
    assert [each.tolist() for each in learner.predict_set([[1.0, 2.0]])] == [[]]
    assert np.isnan(learner.coverage_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("coverage", 0), ("coverage", 1.0), ("window", 0), ("max_waiting", 0), ("coverage", "high")],
)
def test_wrong_parameters_are_refused(parameter, value):
    with pytest.raises(ParameterError, match=parameter):
        PredictionSets(**{parameter: value}).begin(2, [0, 1])


@pytest.mark.parametrize(
    ("array", "place", "value", "found"),
    [("sets", 2, 3.0, "more than 3 labels"), ("sets", 4, 399.5, "n_held"), ("arrival", 5, 1.5, "arrival")],
)
def test_damaged_states_are_refused(array, place, value, found):
    X, codes = hard_rows(400)
    learner = begun()
    learner.test_then_train_coded(X, codes)
    state = learner.state()
    state["memory"][array][place] = value
    with pytest.raises(StateError, match=found):
        PredictionSets().restore(state)


def test_the_ordered_window_holds_the_latest_probabilities():
    X, codes = hard_rows(777)
    learner = begun(window=60)
    p = learner.test_then_train_coded(X, codes)
    given = p[np.arange(777), codes]
    np.testing.assert_array_equal(learner._kernel.arrays["ordered"], np.sort(given[-60:]))

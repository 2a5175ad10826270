"""A learner that sees effects instead of categories is that learner on rows encoded by them."""

import numpy as np
import pytest
from twins.learners.baselines.category_effects import encoded

from thalweg.learners import AdaptiveStacking, CategoryEffects, HoeffdingTree, LastLabels, NaiveBayes

N_CATEGORIES = [0, 40, 3, 60]


def matches(n=600, n_classes=3, seed=1):
    """Return rows of a number, and of 40, 3 and 60 categories, that the labels depend on."""
    rng = np.random.default_rng(seed)
    X = np.c_[rng.normal(size=n), rng.integers([40, 3, 60], size=(n, 3))]
    one, other = rng.normal(size=40), rng.normal(size=60)
    score = one[X[:, 1].astype(int)] - other[X[:, 3].astype(int)] + X[:, 0] + rng.logistic(size=n) / 2
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def begun(n_classes=3, member=None, **parameters):
    learner = CategoryEffects(NaiveBayes() if member is None else member, **parameters)
    return learner.begin(4, range(n_classes), n_categories=N_CATEGORIES)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(("prior", "decay"), [(4.0, 0.995), (1.0, 1.0)])
def test_it_is_its_member_on_encoded_rows(n_classes, prior, decay):
    X, y = matches(n_classes=n_classes)
    X[::17, 3] = np.nan
    wide = encoded(X, y, [1, 3], n_classes, prior, decay)
    n_categories = np.pad([0, 3], (0, wide.shape[1] - 2))
    member = NaiveBayes().begin(wide.shape[1], range(n_classes), n_categories=n_categories)
    learner = begun(n_classes, prior=prior, decay=decay)
    np.testing.assert_allclose(learner.test_then_train(X, y), member.test_then_train(wide, y), rtol=1e-9)
    assert learner.member_.n_features_in_ == 2 + 2 * (n_classes - 1)
    assert learner.encoded_.tolist() == [1, 3]


def test_without_large_inputs_it_is_its_member():
    X, y = matches()
    p = begun(min_categories=100, member=HoeffdingTree()).test_then_train(X, y)
    alone = HoeffdingTree().begin(4, range(3), n_categories=N_CATEGORIES)
    np.testing.assert_array_equal(p, alone.test_then_train(X, y))


def test_blocks_of_any_size_and_saved_models_give_the_same():
    X, y = matches(900)
    X[700:, 1] += 300  # categories that begin() did not know
    X[800:, 3] = 1e12 + np.arange(100)
    learner, parts = begun(max_categories=200), begun(max_categories=200)
    p = learner.test_then_train(X, y)
    for start, stop in [(0, 1), (1, 300), (300, 301), (301, 750), (750, 900)]:
        np.testing.assert_array_equal(parts.test_then_train(X[start:stop], y[start:stop]), p[start:stop])
        parts = CategoryEffects().restore(parts.state())
    np.testing.assert_array_equal(parts.predict_proba_block(X), learner.predict_proba_block(X))
    assert len(learner.effects_) == 200


def test_memory_is_bounded_by_max_categories():
    X, y = matches(3000)
    X[:, 1] = np.arange(3000)
    learner = begun(max_categories=100)
    learner.test_then_train(X, y)
    assert learner.effects_.shape == (100, 2, 3)


def test_a_category_never_seen_has_no_effect_and_a_prediction_makes_no_room():
    X, y = matches()
    learner = begun()
    learner.test_then_train(X, y)
    row = np.array([[0.0, 1e6, 1.0, 1e9]])
    before = learner.effects_
    assert np.isfinite(learner.predict_proba_block(row)).all()
    np.testing.assert_array_equal(learner.effects_, before)


def test_rows_are_learned_with_the_effects_known_when_they_were_observed():
    X, y = matches(400)
    late = begun()
    late.test_then_train(X[:200], y[:200])
    now = late.copy()
    late.observe(X[200:300], np.arange(100))
    member = now.member_.copy()
    effects = now.effects_[X[200:300, [1, 3]].astype(int), [0, 1]]
    wide = np.hstack([X[200:300, [0, 2]], (effects[..., 1:] - effects[..., :1]).reshape(100, -1)])
    late.test_then_train(X[200:300], y[200:300], ids=np.arange(100))
    member.test_then_train(wide, y[200:300])
    np.testing.assert_allclose(
        late.member_.predict_proba_block(wide), member.predict_proba_block(wide), rtol=1e-12
    )


def test_a_late_class_leaves_the_other_effects_where_they_are():
    X, y = matches(n_classes=2)
    learner = CategoryEffects(NaiveBayes()).begin(4, [0, 1], n_categories=N_CATEGORIES, more_classes=True)
    learner.test_then_train(X, y)
    before = learner.effects_
    learner.learn_one(X[0], 2)
    assert learner._kernel.arrays["value_place"].tolist() == [[2, 4], [3, 5]]
    far = np.delete(np.arange(40), int(X[0, 1]))
    np.testing.assert_array_equal(learner.effects_[far, 0, :2], before[far, 0])
    assert (learner.effects_[far, 0, 2] == 0).all()
    assert (learner.copy().predict_proba_block(X) == learner.predict_proba_block(X)).all()


def test_a_team_is_judged_by_whom_it_plays_against():
    rng = np.random.default_rng(1)
    strength = np.repeat([0.0, 3.0], 30)
    X = rng.integers(60, size=(8000, 2))
    X[X[:, 0] == 0, 1] = 30 + rng.integers(30, size=(X[:, 0] == 0).sum())  # it meets the strong ones alone
    y = strength[X[:, 0]] - strength[X[:, 1]] + rng.logistic(size=8000) > 0
    learner = CategoryEffects().begin(2, [False, True], n_categories=[60, 60])
    learner.test_then_train(X, y)
    home = learner.effects_[:, 0, 1] - learner.effects_[:, 0, 0]
    assert y[X[:, 0] == 0].mean() < 0.1 < y[(X[:, 0] > 0) & (X[:, 0] < 30)].mean() - 0.1
    assert home[1:30].mean() - home[0] < 1 < home[30:].mean() - home[1:30].mean()


def test_huge_weights_leave_finite_effects():
    X, y = matches(100)
    learner = begun()
    p = learner.test_then_train(X, y, sample_weight=np.tile([1e100, 1e-100, 1.0, 0.0], 25))
    assert np.isfinite(p).all()
    assert np.abs(learner.effects_).max() <= 20
    CategoryEffects().restore(learner.state())


def test_importance_and_names_are_those_of_the_inputs():
    X, y = matches(6000)
    learner = CategoryEffects(LastLabels(HoeffdingTree(grace_period=50, tie=0.5))).begin(
        4, range(3), names=["x", "home", "day", "away"], n_categories=N_CATEGORIES
    )
    learner.test_then_train(X, y)
    assert learner.importance_[[1, 3]].min() > learner.importance_[2]
    assert learner.member_input_names() == ["x", "day", "home", "home", "away", "away"]


def test_it_is_a_member_of_a_stack_that_is_saved():
    X, y = matches(300)
    stack = AdaptiveStacking([CategoryEffects(LastLabels(NaiveBayes())), NaiveBayes()])
    stack.begin(4, range(3), n_categories=N_CATEGORIES).test_then_train(X[:200], y[:200])
    again = AdaptiveStacking().restore(stack.state())
    np.testing.assert_array_equal(
        again.test_then_train(X[200:], y[200:]), stack.test_then_train(X[200:], y[200:])
    )


def test_text_of_dict_rows_that_comes_late_is_encoded():
    learner = CategoryEffects(NaiveBayes(), min_categories=5).begin()
    for i in range(300):
        row = {"team": f"t{i % 40}", "x": float(i % 7)}
        learner.learn_one(row if i < 100 else row | {"city": f"c{i % 50}"}, "win" if i % 40 < 20 else "loss")
    assert learner.encoded_.tolist() == [0, 2]
    assert learner._kernel.arrays["value_place"].tolist() == [[1], [2]]
    assert learner.predict_one({"team": "t3", "x": 1.0, "city": "c3"}) == "win"
    assert learner.predict_one({"team": "t33", "x": 1.0}) == "loss"
    again = CategoryEffects().restore(learner.state())
    row = {"team": "t33", "x": 1.0, "city": "c9"}
    assert again.predict_proba_one(row) == learner.predict_proba_one(row)

"""Categories in learners that can only use numbers: as if each were an input of its own, 0 or 1."""

import numpy as np
import pytest
from sklearn.base import clone

from thalweg.checks.running import assert_same
from thalweg.learners import (
    AdaptiveLogistic,
    AdaptiveStacking,
    LikelihoodParticleFilter,
    LinearLogistic,
    LogisticMixture,
    NaiveBayes,
    OnlineBagging,
    ParticleFilter,
    RefittingParticleFilter,
    RegularisedParticleFilter,
    WindowLogistic,
)
from thalweg.learners.base.one_hot import own_places

LEARNERS = [
    AdaptiveLogistic(),
    LogisticMixture(),
    WindowLogistic(),
    LinearLogistic(),
    ParticleFilter(),
    ParticleFilter(n_jobs=2, n_particles=3000),
    RegularisedParticleFilter(),
    LikelihoodParticleFilter(),
    RefittingParticleFilter(),
]
N_CATEGORIES = [0, 4, 2, 3]


def coloured_rows(n, with_gaps=True, seed=1):
    """Return a number, a colour of four or, late, more, a flag, and a size of three; the colour decides."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(0, 4, n)
    X = np.column_stack([rng.normal(size=n), colour, rng.integers(0, 2, n), rng.integers(0, 3, n)])
    y = np.array([0, 2, 1, 0])[colour]
    X[n // 2 :: 7, 1] = rng.integers(4, 6, len(X[n // 2 :: 7]))
    if with_gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def by_hand(X):
    """Return the rows with an input for each colour and size."""
    colours = [X[:, 1] == code for code in range(4)] + [X[:, 1] >= 4]
    sizes = [X[:, 3] == code for code in range(3)] + [X[:, 3] >= 3]
    return np.column_stack([X[:, 0], *colours, X[:, 2], *sizes]).astype(float)


def begun(learner, n_categories=N_CATEGORIES, classes=(0, 1, 2)):
    fresh = type(learner)(**learner.get_params(deep=False))
    return fresh.begin(len(n_categories), list(classes), n_categories=n_categories)


def as_given(learner):
    """Return a learner that does not standardise: by default it would do so with rows made by hand."""
    return learner.set_params(standardise=False) if "standardise" in learner.get_params() else learner


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rows_are_those_widened_by_hand(learner):
    X, y = coloured_rows(400)
    learner = as_given(clone(learner))
    wide = by_hand(X)
    given, other = begun(learner), begun(learner, [0] * wide.shape[1])
    p = given.test_then_train(X[:300], y[:300])
    assert np.array_equal(p, other.test_then_train(wide[:300], y[:300]))
    assert np.array_equal(given.predict_proba_block(X), other.predict_proba_block(wide))
    for i in range(300, 400):
        answer = given.predict_proba_one(X[i])
        assert np.array_equal(answer, other.predict_proba_one(wide[i]))
        given.learn_one(X[i], y[i])
        other.learn_one(wide[i], y[i])
    assert np.array_equal(given.predict_proba_block(X), other.predict_proba_block(wide))
    one, two = given.state()["memory"], other.state()["memory"]
    for unused in ("mean", "variance") if "standardise" in learner.get_params() else ():
        del one[unused], two[unused]
    assert_same(one, two)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_members_of_ensembles_see_widened_rows(learner):
    X, y = coloured_rows(300, with_gaps=False)
    wide = by_hand(X)
    learner = as_given(clone(learner))
    given = begun(OnlineBagging(learner, n_members=2))
    other = begun(OnlineBagging(learner, n_members=2), [0] * wide.shape[1])
    assert np.array_equal(given.test_then_train(X, y), other.test_then_train(wide, y))
    assert np.array_equal(given.copy().predict_proba_block(X), other.predict_proba_block(wide))


@pytest.mark.parametrize("learner", [AdaptiveLogistic(), LogisticMixture()], ids=str)
def test_categories_are_not_standardised(learner):
    X, y = coloured_rows(300)
    given, other = begun(learner, N_CATEGORIES[1:2]), begun(as_given(clone(learner)), [0] * 5)
    p = given.test_then_train(X[:, 1:2], y)
    assert np.array_equal(p, other.test_then_train(by_hand(X)[:, 1:6], y))
    assert np.array_equal(
        given.copy().predict_proba_block(X[:, 1:2]), other.predict_proba_block(by_hand(X)[:, 1:6])
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_colour_that_decides_is_learned(learner):
    rng = np.random.default_rng(2)
    colour = rng.integers(0, 6, 4000)
    X = np.column_stack([rng.normal(size=4000), colour])
    y = np.array([0, 1, 0, 0, 1, 1])[colour] ^ (rng.random(4000) < 0.02)
    for each, least in ((NaiveBayes(), 0.95), (learner, 0.95)):
        p = begun(each, [0, 6], (0, 1)).test_then_train(X, y)
        assert (p.argmax(axis=1) == y).mean() >= least, each
    p = begun(learner, [0, 0], (0, 1)).test_then_train(X, y)
    assert (p.argmax(axis=1) == y).mean() < 0.87  # as a number it says less


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_two_categories_are_a_number(learner):
    X, y = coloured_rows(300, with_gaps=False)
    X = np.column_stack([X[:, 0], X[:, 1] % 2, X[:, 2]])
    given, other = begun(learner, [0, 2, 1]), begun(learner, [0, 0, 0])
    assert np.array_equal(given.test_then_train(X, y), other.test_then_train(X, y))
    third = X.copy()
    third[:, 1] = np.where(X[:, 1] == 1, 5, 0)
    assert np.array_equal(given.predict_proba_block(third), other.predict_proba_block(X))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_states_carry_on_and_new_classes_come(learner):
    X, y = coloured_rows(300)
    known = begun(learner)
    known.test_then_train(X[:200], y[:200])
    copied = known.copy()
    assert np.array_equal(copied.test_then_train(X[200:], y[200:]), known.test_then_train(X[200:], y[200:]))
    open_ = type(learner)(**learner.get_params(deep=False)).begin(4, n_categories=N_CATEGORIES)
    late = np.where(np.arange(300) < 150, y % 2, y)
    p = open_.test_then_train(X, late)
    assert np.allclose(p[1:].sum(axis=1), 1.0) and len(open_.classes_) == 3


def test_inputs_may_follow_categories():
    X, y = coloured_rows(300)
    known = LogisticMixture().begin(names=["size"], n_categories=[3])
    for i in range(300):
        row = {"size": X[i, 3]} if i < 150 else {"size": X[i, 3], "number": X[i, 0]}
        known.learn_one(row, y[i])
    assert known.input_names_ == ["size=0", "size=1", "size=2", "size=other", "number"]
    assert np.isfinite(known.predict_proba_block(X[:, [3, 0]])).all()


def test_coefficients_have_names():
    X, y = coloured_rows(500)
    given = ["n", "colour", "flag", "size"]
    learner = AdaptiveLogistic().begin(4, [0, 1, 2], names=given, n_categories=N_CATEGORIES)
    learner.test_then_train(X, y)
    names = learner.input_names_
    assert names[:7] == ["n", "colour=0", "colour=1", "colour=2", "colour=3", "colour=other", "flag"]
    assert learner.coef_.shape == (3, len(names))
    assert learner.coef_[2].argmax() == names.index("colour=1")
    assert LinearLogistic().begin(2, [0, 1]).input_names_ == ["x0", "x1"]
    particles = begun(ParticleFilter())
    particles.test_then_train(X, y)
    assert particles.coefficients_.shape == (3, 1 + len(particles.input_names_))


@pytest.mark.parametrize(
    ("n_categories", "most", "expected"),
    [
        ([0, 1, 2, 3, 10], 256, [0, -1, -1, 3, 10]),
        ([300, 3], 256, [251, 3]),
        ([100, 100, 100, 20], 256, [77, 77, 77, 20]),
        ([10**9], 16, [15]),
        ([5] * 20, 10, [1] * 20),
    ],
)
def test_places_are_bounded(n_categories, most, expected):
    own = own_places(np.array(n_categories), most)
    assert own.tolist() == expected


def test_categories_beyond_the_bound_share_a_place():
    learner = begun(LogisticMixture(), [1000], (0, 1))
    assert len(learner.input_names_) == 256
    assert np.array_equal(learner.predict_proba_block([[255.0]]), learner.predict_proba_block([[999.0]]))


def test_a_function_of_the_inputs_gets_them_as_they_are():
    X, y = coloured_rows(200, with_gaps=False)
    seen = []

    def boundary(rows):
        seen.append(rows.shape[1])
        return np.column_stack([rows, rows[:, 1] == 1])

    begun(ParticleFilter(boundary=boundary)).test_then_train(X, y)
    assert set(seen) == {4}


def test_large_blocks_are_widened_in_parts(monkeypatch):
    X, y = coloured_rows(300)
    whole = begun(LogisticMixture())
    expected = whole.test_then_train(X, y)
    monkeypatch.setattr("thalweg.learners.base.one_hot.PART", 100)
    parts = begun(LogisticMixture())
    assert np.array_equal(parts.test_then_train(X, y), expected)
    assert_same(parts.state(), whole.state())


def test_the_stack_counts_categories_as_inputs():
    # Inputs with more categories than these are as many inputs as `CategoryEffects` makes of them.
    few, many = (
        AdaptiveStacking().begin(n + 1, [0, 1], n_categories=[0] + n * [16]) for n in (5, 6)
    )
    assert "LogisticMixture" in few.member_names_
    assert "LinearLogistic" in many.member_names_ and "LogisticMixture" not in many.member_names_

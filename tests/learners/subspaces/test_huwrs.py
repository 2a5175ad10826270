"""HUWRS: the twin, the distance under chance, retraining, rows without labels, memory, parameters."""

import time

import numpy as np
import pytest
from support.subspace_rows import rows
from twins.learners.subspaces import huwrs as twin

from thalweg.checks.faults import SECONDS, can_interrupt, interrupted
from thalweg.checks.running import assert_same
from thalweg.errors import ParameterError
from thalweg.learners import HUWRS, DecisionStump, DecisionTree, NaiveBayes


def slow_twin(learner, n_categories, n_classes):
    """Return the twin of a learner that has begun, with DecisionTree as its tree."""

    def make_tree(X, y, columns):
        tree = DecisionTree(window=len(X)).begin(
            X.shape[1], np.arange(n_classes), n_categories=n_categories[columns]
        )
        tree._fit_block(np.ascontiguousarray(X), y.astype(np.intp), np.ones(len(X)))
        return tree.predict_proba_block

    return twin.HUWRS(
        n_classes, learner.subspaces_, make_tree, learner.chunk_size, learner.threshold,
        window=max(30, learner.chunk_size // 10), n_bins=learner.n_bins, n_categories=n_categories,
        corrected=learner.distance == "corrected",
    )


@pytest.mark.parametrize("distance", ["corrected", "plain"])
@pytest.mark.parametrize("threshold", ["auto", 0.7])
@pytest.mark.parametrize(("n_classes", "n_categorical"), [(2, 0), (3, 2)])
def test_kernel_is_its_twin(distance, threshold, n_classes, n_categorical):
    X, y = rows(260, 5, n_classes, with_gaps=n_classes == 3)
    X[150:, 1] += 2.0
    n_categories = np.array([4] * n_categorical + [0] * (5 - n_categorical))
    X[:, :n_categorical] = np.clip(np.round(X[:, :n_categorical]), 0, 5)
    fast = HUWRS(n_members=8, chunk_size=60, n_bins=10, threshold=threshold, distance=distance)
    fast.begin(5, np.arange(n_classes), n_categories=n_categories)
    slow = slow_twin(fast, n_categories, n_classes)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if i % 3 == 0:
            slow.observe(x)
            fast.observe(x[None])
        p = fast.test_then_train(x[None], [label])[0]
        np.testing.assert_allclose(p, slow.learn(x, label), rtol=0, atol=1e-12)
        votes = [member.labelled + member.unlabelled for member in slow.members]
        np.testing.assert_allclose(fast.weights_, votes, rtol=0, atol=1e-12)
    first = 7  # trained after 1, 2, 4, …, 32 rows and with the first chunk
    assert fast.n_retrained_ == sum(member.n_trained - first for member in slow.members) > 0
    assert fast.n_chunks_ == slow.n_chunks == 4


@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_members_are_retrained_at_the_levels_of_the_twin(kind):
    # At many levels, so that the chances themselves must agree; class shares change, so that no slope is 0.
    rng = np.random.default_rng(4)
    y = np.r_[rng.random(90) < 0.7, rng.random(90) < 0.3].astype(int)
    X = rng.normal(size=(180, 9)) + 0.3 * (np.arange(180) >= 90)[:, None]
    X = X if kind == "numbers" else (X > 1.3).astype(float)
    fast = HUWRS(n_members=40, chunk_size=90, n_bins=8).begin(9, [0, 1])
    slow = slow_twin(fast, np.zeros(9, dtype=int), 2)
    for x, label in zip(X[:90], y[:90], strict=True):
        slow.learn(x, label)
    chances = np.array([member.chance(X[90:], y[90:]) for member in slow.members])
    levels = np.sort(np.r_[chances * (1 - 1e-9), chances * (1 + 1e-9)])
    assert len(set(chances.round(9).tolist())) > 15
    for level in levels[levels > 0]:
        learner = HUWRS(n_members=40, chunk_size=90, n_bins=8)
        learner._level = level
        learner.begin(9, [0, 1]).test_then_train(X, y)
        retrained = learner.history_["event_member"][learner.history_["event_row"] == 180]
        assert sorted(retrained.tolist()) == np.flatnonzero(chances < level).tolist()


def test_the_distance_under_chance_is_what_theory_says():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(10, 20.0))
    for n_a, n_b in ((500, 500), (2000, 300)):
        pairs = [(rng.multinomial(n_a, shares), rng.multinomial(n_b, shares)) for _ in range(400)]
        squares = np.array([twin.distance(a, b, corrected=False) ** 2 for a, b in pairs])
        theory = (10 - 1) / 4 * (1 / n_a + 1 / n_b)
        assert squares.mean() == pytest.approx(theory, rel=0.1)
        expected = np.array([twin.by_chance(a, b) for a, b in pairs])
        error = (squares - expected).std() / np.sqrt(len(pairs))
        assert abs((squares - expected).mean()) < 3 * error


def test_nothing_is_retrained_by_chance_in_small_chunks():
    shares = {}
    for distance in ("corrected", "plain"):
        X, y = rows(6000, 10, seed=2)
        learner = HUWRS(n_members=20, chunk_size=150, threshold=0.7, distance=distance).begin(10, [0, 1])
        learner.test_then_train(X, y)
        shares[distance] = learner.n_retrained_ / (20 * (learner.n_chunks_ - 1))
    assert shares["plain"] > 0.9
    assert shares["corrected"] < 0.05


@pytest.mark.parametrize("chunk", [40, 150, 600])
@pytest.mark.parametrize("kind", ["numbers", "rare words"])
def test_about_one_member_in_five_is_retrained_by_chance_whatever_the_chunk(chunk, kind):
    rng = np.random.default_rng(chunk)
    n_chunks, y = 41, rng.integers(0, 2, 41 * chunk)
    X = rng.normal(size=(len(y), 12)) if kind == "numbers" else rng.random((len(y), 12)) < 0.05
    learner = HUWRS(n_members=25, chunk_size=chunk).begin(12, [0, 1])
    learner.test_then_train(X.astype(float), y)
    assert 0.02 < learner.n_retrained_ / (25 * (n_chunks - 1)) < 0.3


@pytest.mark.parametrize("chunk", [100, 300])
def test_members_are_retrained_when_labels_turn_around_though_inputs_stay(chunk):
    rng = np.random.default_rng(2)
    liked = rng.integers(0, 2, 4 * chunk)
    rates = np.where(liked[:, None] == np.arange(40) % 2, 0.2, 0.05)
    X = (rng.random(rates.shape) < rates).astype(float)
    y = np.where(np.arange(4 * chunk) < 2 * chunk, liked, 1 - liked)
    found = {}
    for threshold in ("auto", 0.7):
        learner = HUWRS(n_members=30, chunk_size=chunk, threshold=threshold).begin(40, [0, 1])
        learner.test_then_train(X, y)
        found[threshold] = (learner.history_["event_row"] == 3 * chunk).sum() / 30
    assert found["auto"] > 0.9
    assert found[0.7] < 0.5  # else nothing is shown


def test_the_statistic_of_a_change_has_the_stated_mean_and_variance():
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.full(8, 0.5))
    for n_a, n_b in ((60, 60), (40, 200)):
        found = np.array([
            twin.moments(rng.multinomial(n_a, shares), rng.multinomial(n_b, shares)) for _ in range(3000)
        ])
        statistic, mean, variance = found.T
        assert statistic.mean() == pytest.approx(mean.mean(), rel=0.05)
        assert (statistic - mean).var() == pytest.approx(variance.mean(), rel=0.12)
        false_alarms = np.mean([twin.p_value(*each) < 0.05 for each in found])
        assert 0.03 < false_alarms < 0.07


def test_only_members_that_see_the_changed_input_are_retrained():
    X, y = rows(1000, 8, seed=3)
    X[500:, 2] += 3.0
    learner = HUWRS(n_members=30, chunk_size=250, threshold=0.7).begin(8, [0, 1])
    learner.test_then_train(X, y)
    events = learner.history_
    seeing = {m for m, columns in enumerate(learner.subspaces_) if 2 in columns}
    assert set(events["event_member"].tolist()) == seeing
    assert set(events["event_row"].tolist()) == {750}
    assert 0 < len(seeing) < 30


@pytest.mark.parametrize("change", ["a category", "missing values", "a constant"])
def test_what_is_no_number_in_a_range_is_compared_too(change):
    X, y = rows(400, 3, seed=4)
    X[:, 1] = 1.0
    if change == "a category":
        X[:, 1] = np.random.default_rng(5).integers(0, 3, 400)
        X[200:, 1] = 2.0
    elif change == "missing values":
        X[200:, 1] = np.nan
    else:
        X[200:, 1] = 1.5
    learner = HUWRS(n_members=20, chunk_size=200, threshold=0.7)
    learner.begin(3, [0, 1], n_categories=[0, 3 * (change == "a category"), 0]).test_then_train(X, y)
    seeing = {m for m, columns in enumerate(learner.subspaces_) if 1 in columns}
    assert set(learner.history_["event_member"].tolist()) == seeing != set()


def test_a_threshold_of_zero_never_retrains_and_one_of_two_always():
    X, y = rows(800)
    y[400:] = 1 - y[400:]
    for threshold, n_retrained in ((0.0, 0), (2.0, 3 * 10)):
        learner = HUWRS(n_members=10, chunk_size=200, threshold=threshold).begin(4, [0, 1])
        learner.test_then_train(X, y)
        assert learner.n_retrained_ == n_retrained


def test_rows_without_labels_lower_the_votes_of_members_that_see_the_change():
    X, y = rows(300, 6, seed=6)
    learner = HUWRS(n_members=40, chunk_size=300).begin(6, [0, 1])
    learner.test_then_train(X, y)
    X = rows(60, 6, seed=7)[0]
    X[:, 0] += 4.0
    before = learner.n_retrained_
    learner.observe(X[:29])
    assert (learner.weights_ == 1).all()
    learner.observe(X[29:])
    votes = learner.weights_
    seeing = np.array([0 in columns for columns in learner.subspaces_])
    assert (votes <= 2).all() and votes[seeing].mean() < votes[~seeing].mean() - 0.1
    assert learner.n_retrained_ == before
    learner.test_then_train(*rows(300, 6, seed=8))
    assert (learner.weights_ <= 1).all()


def test_observed_rows_may_come_in_any_blocks():
    X, y = rows(900, 5, seed=9)
    one, other = (HUWRS(n_members=10, chunk_size=300).begin(5, [0, 1]) for _ in range(2))
    for learner in (one, other):
        learner.test_then_train(X[:300], y[:300])
    one.observe(X[300:])
    for start in range(300, 900, 7):
        other.observe(X[start : min(start + 7, 900)])
    assert np.array_equal(one.weights_, other.weights_) and (one.weights_ > 1).all()


def test_a_chunk_may_have_fewer_rows_than_are_observed_before_the_votes_change():
    X, y = rows(2000, 5, seed=9)
    expected = None
    for _ in range(20):  # memory that is overwritten shows sooner or later
        learner = HUWRS(n_members=5, chunk_size=2, n_bins=3).begin(5, [0, 1])
        learner.test_then_train(X[:2], y[:2])
        learner.observe(X)
        assert expected is None or np.array_equal(learner.weights_, expected)
        expected = learner.weights_


def test_it_can_ignore_rows_without_labels():
    X, y = rows(300)
    learner = HUWRS(n_members=5, chunk_size=100, unlabelled=False).begin(4, [0, 1])
    learner.test_then_train(X, y)
    before = learner.state()
    learner.observe(X)
    assert not learner.observes
    assert (learner.weights_ == (HUWRS().restore(before)).weights_).all()


def test_a_member_may_be_any_learner():
    X, y = rows(240, 5, seed=10)
    learner = HUWRS(NaiveBayes(), n_members=6, chunk_size=120, threshold=2).begin(5, [0, 1])
    learner.test_then_train(X, y)
    answers = []
    for columns, member in zip(learner.subspaces_, learner.members_, strict=True):
        alone = NaiveBayes().begin(len(columns), [0, 1])
        alone.test_then_train(X[120:, columns], y[120:])
        answers.append(alone.predict_proba_block(X[:, columns]))
        assert np.array_equal(answers[-1], member.predict_proba_block(X[:, columns]))
    np.testing.assert_allclose(learner.predict_proba_block(X), np.mean(answers, axis=0), atol=1e-12)


def test_trees_see_their_subspace_alone():
    X, y = rows(400, 10, seed=11)
    learner = HUWRS(DecisionTree(max_leaves=9), n_members=15, chunk_size=200).begin(10, [0, 1])
    learner.test_then_train(X, y)
    for columns, tree in zip(learner.subspaces_, learner.trees_, strict=True):
        assert 1 <= len(columns) <= 9
        assert set(tree["feature"][tree["feature"] >= 0].tolist()) <= set(columns.tolist())
        assert (tree["feature"] < 0).sum() <= 9


def test_fit_learns_rows_that_are_no_whole_chunk():
    X, y = rows(150, seed=12)
    assert HUWRS().fit(X, y).score(X, y) > 0.95


def test_memory_stays_within_its_bound():
    rng = np.random.default_rng(13)
    n_members, chunk, d, n_bins = 20, 100, 6, 30
    learner = HUWRS(n_members=n_members, chunk_size=chunk, n_bins=n_bins).begin(d, [0, 1])
    for i in range(60):
        y = rng.integers(0, 2, chunk)
        learner.test_then_train(rng.normal(size=(chunk, d)) + y[:, None] + i * rng.random(d), y)
    histograms = n_members * 4 * 2 * d * (n_bins + 1) + n_members * 16 * d
    trees = n_members * (2 * chunk) * 8 * (4 + 2)
    arrays = learner.state()["memory"]
    kept = sum(array.nbytes for name, array in arrays.items() if name in ("counts", "low", "scale"))
    grown = sum(array.nbytes for tree in arrays["members"] for array in tree.values())
    held = sum(arrays[name].nbytes for name in ("X", "y", "w", "observed"))
    assert kept <= histograms and grown <= trees + 8 * n_members
    assert held == 8 * (d + 2) * chunk + 8 * d * 30
    assert learner.n_retrained_ > 300


@pytest.mark.skipif(not can_interrupt(), reason="no signals here")
def test_a_row_whose_chunk_is_interrupted_was_not_learned():
    X, y = rows(4000, 20, seed=14)
    learner = HUWRS(chunk_size=4000).begin(20, [0, 1])
    learner.test_then_train(X[:-1], y[:-1])
    before, whole = learner.state(), learner.copy()
    start = time.process_time()
    whole.test_then_train(X[-1:], y[-1:])
    seconds = time.process_time() - start
    late = interrupted(lambda: learner.test_then_train(X[-1:], y[-1:]), seconds / 3)
    assert late is not None, "the interrupt came too late"
    assert late[0].rows_learned == 0 and late[1] < SECONDS
    assert_same(learner.predict_proba_block(X[:50]), HUWRS().restore(before).predict_proba_block(X[:50]))
    learner.test_then_train(X[-1:], y[-1:])
    assert_same(learner.state(), whole.state())


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_members": 0}, {"chunk_size": 1}, {"n_bins": 1}, {"n_bins": "many"}, {"threshold": -0.1},
        {"threshold": "none"}, {"distance": "euclid"}, {"subspace": (0.5, 0.2)}, {"subspace": 0.5},
        {"subspace": (0, 1.5)}, {"unlabelled": "yes"}, {"member": "tree"},
    ],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        HUWRS(**wrong).begin(3, [0, 1])


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "n_features"), [(100, 2, 5), (900, 3, 5), (3000, 2, 5), (200, 2, 1100)]
)
def test_rows_predicted_together_get_what_each_gets_alone(n_rows, n_classes, n_features):
    # Trees of few and of many nodes, narrow and wide rows, gaps in some of the rows.
    X, y = rows(n_rows, n_features, n_classes)
    y = np.where(np.random.default_rng(1).random(n_rows) < 0.4, 0, y)
    learner = HUWRS(n_members=5, chunk_size=n_rows).begin(n_features, np.arange(n_classes))
    learner.test_then_train(X, y)
    asked = rows(230, n_features, n_classes, seed=2)[0]
    asked[-30:] = rows(30, n_features, n_classes, seed=3, with_gaps=True)[0]
    alone = np.concatenate([learner.predict_proba_block(x[None]) for x in asked])
    for size in (7, 17, 36, 64, 230):
        parts = [learner.predict_proba_block(asked[start : start + size]) for start in range(0, 230, size)]
        np.testing.assert_array_equal(np.concatenate(parts), alone)


def test_stumps_that_answer_by_distance_are_members_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] > 0).astype(int)
    found = {}
    for by_distance in (False, True):
        learner = HUWRS(DecisionStump(by_distance=by_distance), n_members=3, chunk_size=100).begin(4, [0, 1])
        found[by_distance] = learner.test_then_train(X, y)
        assert bool(learner.trees_) != by_distance and bool(learner.members_) == by_distance
    assert not np.allclose(found[False], found[True])

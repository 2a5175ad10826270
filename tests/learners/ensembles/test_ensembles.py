"""Ensembles are their loops by hand, whatever their members are written in, on any number of threads."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from ensemble_rows import ALL, BAGS, FORESTS, Failing, begun, drifting_rows
from sklearn.linear_model import SGDClassifier

from thalweg.checks.running import assert_same
from thalweg.drift import ADWIN
from thalweg.learners import (
    BOLE,
    AdaptiveRandomForest,
    AdwinBagging,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingTree,
    LeveragingBagging,
    MajorityClass,
    NaiveBayes,
    OnlineBagging,
    OnlineBoost,
    StreamingRandomPatches,
)
from thalweg.learners.base.stream_classifier import StreamClassifier


class SlowBayes(StreamClassifier):
    """Naive Bayes as a learner written in Python, which the ensemble calls through the trampoline."""

    takes_missing = True

    def _begin(self, n_features, n_classes):
        self._inner = NaiveBayes().begin(n_features, range(n_classes))

    def _learn(self, X, y, w, p):
        self._inner._learn(X, y, w, p)

    def _predict(self, X, p):
        self._inner._predict(X, p)


@pytest.mark.parametrize("kind", ALL)
def test_a_python_member_and_its_native_twin_give_the_same_run(kind):
    X, y = drifting_rows()
    slow, native = begun(kind(SlowBayes())), begun(kind(NaiveBayes()))
    np.testing.assert_array_equal(slow.test_then_train(X, y), native.test_then_train(X, y))
    for name in ("event_row", "event_member"):
        np.testing.assert_array_equal(slow.history_[name], native.history_[name])


class Wrapped(StreamClassifier):
    """A scikit-learn model as a learner."""

    def _begin(self, n_features, n_classes):
        self._classes, self._model = np.arange(n_classes), SGDClassifier(loss="log_loss", random_state=1)

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._model.partial_fit(X[i : i + 1], y[i : i + 1], self._classes, w[i : i + 1])

    def _predict(self, X, p):
        p[:] = self._model.predict_proba(X) if hasattr(self._model, "coef_") else 1 / p.shape[1]


class Means:
    """A model with River's verbs: rows are dicts, a row is learned as often as it weighs."""

    def __init__(self):
        self.means = {}

    def learn_one(self, x, y):
        n, mean = self.means.get(y, (0, dict.fromkeys(x, 0.0)))
        self.means[y] = n + 1, {j: mean[j] + (x[j] - mean[j]) / (n + 1) for j in x}

    def predict_proba_one(self, x):
        near = {y: np.exp(-sum((x[j] - m[j]) ** 2 for j in x)) for y, (_, m) in self.means.items()}
        return {y: value / sum(near.values()) for y, value in near.items()}


class RiverLike(StreamClassifier):
    """Such a model as a learner."""

    def _begin(self, n_features, n_classes):
        self._model = Means()

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            for _ in range(int(w[i])):
                self._model.learn_one(dict(enumerate(X[i].tolist())), int(y[i]))

    def _predict(self, X, p):
        for i, x in enumerate(X.tolist()):
            found = self._model.predict_proba_one(dict(enumerate(x)))
            p[i] = [found.get(k, 0.0) for k in range(p.shape[1])] if found else 1 / p.shape[1]


@pytest.mark.parametrize("model", [Wrapped, RiverLike])
@pytest.mark.parametrize("kind", [LeveragingBagging, BOLE, DynamicWeightedMajority])
def test_a_wrapped_model_works_as_a_member(kind, model):
    X, y = drifting_rows(300)
    y[150:] = 1 - y[150:]
    learner = kind(model(), **({} if kind is DynamicWeightedMajority else {"n_members": 3}))
    p = begun(learner).test_then_train(X, y)
    assert (p.argmax(axis=1) == y)[150:].mean() > 0.65  # at best 0.82


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("member", [NaiveBayes(), HoeffdingTree(grace_period=50), SlowBayes()])
def test_reloading_half_way_changes_nothing(kind, member):
    X, y = drifting_rows()
    half = 1600
    original = begun(kind(member))
    original.test_then_train(X[:half], y[:half])
    other = pickle.loads(pickle.dumps(original))
    expected = original.test_then_train(X[half:], y[half:])
    np.testing.assert_array_equal(other.test_then_train(X[half:], y[half:]), expected)
    assert_same(other.state(), original.state())
    assert_same(other.history_, original.history_)


@pytest.mark.parametrize("kind", BAGS + FORESTS)
@pytest.mark.parametrize("member", [HoeffdingTree(grace_period=50, max_features=2), SlowBayes()])
def test_threads_change_nothing(kind, member):
    X, y = drifting_rows()
    one, three = begun(kind(member)), begun(kind(member).set_params(n_jobs=3))
    expected = one.test_then_train(X, y)
    np.testing.assert_array_equal(three.test_then_train(X, y), expected)
    np.testing.assert_array_equal(three.predict_block(X), one.predict_block(X))
    assert_same(three.state()["memory"], one.state()["memory"])


@pytest.mark.parametrize("kind", BAGS + FORESTS)
def test_a_block_is_its_rows_one_by_one(kind):
    X, y = drifting_rows(1700)
    whole, single = begun(kind()), begun(kind())
    expected = whole.test_then_train(X, y)
    assert kind is OnlineBagging or whole.n_replaced_ >= 3
    p = [single.test_then_train(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X))]
    np.testing.assert_array_equal(p, expected)
    assert_same(single.state(), whole.state())


def leveraging_by_hand(X, y, w):
    """The rule in plain Python, row by row, with the weights the learner draws."""
    n, m = len(X), len(w[0])
    members, watches, replaced = [begun(NaiveBayes()) for _ in range(m)], [ADWIN() for _ in range(m)], []
    p = np.empty((n, 2))
    for i in range(n):
        votes = [member.predict_proba_one(X[i]) for member in members]
        p[i] = sum(votes) / m
        alarm = False
        for k, (member, watch) in enumerate(zip(members, watches, strict=True)):
            if w[i][k]:
                member.test_then_train(X[i : i + 1], y[i : i + 1], [w[i][k]])
            answer = member.predict_proba_one(X[i]).argmax()
            alarm = watch.update(float(answer != y[i])) or alarm
        if alarm:
            worst = int(np.argmax([watch.mean for watch in watches]))
            members[worst], watches[worst] = begun(NaiveBayes()), ADWIN()
            replaced.append((i, worst))
    return p, replaced


def drawn_weights(n, n_members, rate):
    """Return what the members of leveraging bagging are given: seen by members that keep their weight."""
    w = np.zeros((n, n_members))
    learner = LeveragingBagging(MajorityClass(), n_members, rate, delta=1e-300).begin(1, [0, 1])
    for i in range(n):
        before = [member._kernel.arrays["counts"].sum() for member in learner.members_]
        learner.test_then_train(np.zeros((1, 1)), [0])
        w[i] = [member._kernel.arrays["counts"].sum() for member in learner.members_]
        w[i] -= before
    return w


def test_leveraging_bagging_is_the_loop_by_hand():
    X, y = drifting_rows(1200)
    learner = begun(LeveragingBagging(NaiveBayes(), n_members=3))
    p, replaced = leveraging_by_hand(X, y, drawn_weights(1200, 3, 6.0))
    np.testing.assert_allclose(learner.test_then_train(X, y), p, rtol=0, atol=1e-12)
    history = learner.history_
    assert list(zip(history["event_row"], history["event_member"], strict=True)) == replaced != []


@pytest.mark.parametrize("rate", [1.0, 6.0])
def test_weights_are_poisson_numbers_and_members_draw_their_own(rate):
    w = drawn_weights(4000, 3, rate)
    assert abs(w.mean() - rate) < 4 * np.sqrt(rate / w.size)
    assert abs(w.var() - rate) < 0.08 * rate + 4 * rate / np.sqrt(w.size)
    assert np.abs(np.corrcoef(w.T) - np.eye(3)).max() < 0.06
    assert (w == np.round(w)).all()


def test_one_member_that_never_loses_its_vote_is_the_member():
    X, y = drifting_rows()
    alone = begun(NaiveBayes()).test_then_train(X, y).argmax(axis=1)
    lone = begun(DynamicWeightedMajority(NaiveBayes(), period=10**9)).test_then_train(X, y)
    np.testing.assert_array_equal(lone.argmax(axis=1), alone)


def test_one_member_of_weight_one_is_the_member():
    X, y = drifting_rows()
    w = drawn_weights(len(X), 1, 1.0)[:, 0]
    member = begun(NaiveBayes())
    expected = member.test_then_train(X, y, w)
    np.testing.assert_array_equal(begun(OnlineBagging(NaiveBayes(), 1)).test_then_train(X, y), expected)


def majority_by_hand(X, y, period=50, beta=0.5, theta=0.01):
    """The paper's algorithm in plain Python."""
    members, weights, answers = [begun(NaiveBayes())], [1.0], []
    for i in range(len(X)):
        votes, due = np.zeros(2), (i + 1) % period == 0
        chosen = [int(member.predict_proba_one(X[i]).argmax()) for member in members]
        for k, weight in zip(chosen, weights, strict=True):
            votes[k] += weight
        answers.append(votes / votes.sum())
        if due:
            weights = [w * (beta if k != y[i] else 1) for w, k in zip(weights, chosen, strict=True)]
            weights = [w / max(weights) for w in weights]
            kept = [m for m, w in enumerate(weights) if w >= theta]
            members, weights = [members[m] for m in kept], [weights[m] for m in kept]
            if votes.argmax() != y[i]:
                members.append(begun(NaiveBayes()))
                weights.append(1.0)
        for member in members:
            member.learn_one(X[i], y[i])
    return np.array(answers), weights


@pytest.mark.parametrize("period", [1, 7, 50])
def test_dynamic_weighted_majority_is_the_paper(period):
    X, y = drifting_rows(1500)
    y = np.where(np.random.default_rng(3).random(len(y)) < 0.2, 1 - y, y)
    learner = begun(DynamicWeightedMajority(period=period))
    p, weights = majority_by_hand(X, y, period)
    np.testing.assert_allclose(learner.test_then_train(X, y), p, rtol=0, atol=1e-12)
    np.testing.assert_allclose(learner.weights_, weights, rtol=1e-12)
    assert {"came", "went"} <= set(learner.history_["event"])


def test_when_there_is_no_room_the_lightest_member_goes():
    X, y = drifting_rows(600)
    y = np.random.default_rng(3).integers(0, 2, len(y))
    learner = begun(DynamicWeightedMajority(period=1, theta=1e-9, max_members=4))
    learner.test_then_train(X, y)
    assert len(learner.members_) == len(learner.weights_) <= 4
    assert learner.weights_.max() == 1.0


def forest_by_hand(X, y, w):
    """The rule of adaptive random forests in plain Python, with naive Bayes in the place of trees."""
    n, m = len(X), len(w[0])
    trees, nexts = [begun(NaiveBayes()) for _ in range(m)], [None] * m
    warnings, drifts = [ADWIN(0.01) for _ in range(m)], [ADWIN(0.001) for _ in range(m)]
    right, seen, events, p = np.zeros(m), np.zeros(m), [], np.empty((n, 2))
    for i in range(n):
        votes = np.array([tree.predict_proba_one(X[i]) for tree in trees])
        weights = np.array([100 * right[k] / seen[k] if right[k] else 1.0 for k in range(m)])
        p[i] = weights @ votes / weights.sum()
        seen += 1
        right += votes.argmax(axis=1) == y[i]
        for k in np.flatnonzero(w[i]):
            for tree in (trees[k], nexts[k]):
                if tree is not None:
                    tree.test_then_train(X[i : i + 1], y[i : i + 1], [w[i][k]])
            wrong = float(trees[k].predict_proba_one(X[i]).argmax() != y[i])
            if warnings[k].update(wrong):
                nexts[k], warnings[k] = begun(NaiveBayes()), ADWIN(0.01)
                events.append((i, k, "warned"))
            if drifts[k].update(wrong):
                if nexts[k] is not None:
                    trees[k], nexts[k], warnings[k] = nexts[k], None, ADWIN(0.01)
                else:
                    trees[k] = begun(NaiveBayes())
                drifts[k], right[k], seen[k] = ADWIN(0.001), 0, 0
                events.append((i, k, "replaced"))
    return p, events


def test_an_adaptive_random_forest_is_the_loop_by_hand():
    X, y = drifting_rows(2000)
    learner = begun(AdaptiveRandomForest(NaiveBayes(), n_members=3))
    p, events = forest_by_hand(X, y, drawn_weights(2000, 3, 6.0))
    np.testing.assert_allclose(learner.test_then_train(X, y), p, rtol=0, atol=1e-12)
    history = learner.history_
    found = [history[name] for name in ("event_row", "event_member", "event")]
    assert list(zip(*found, strict=True)) == events
    assert {"warned", "replaced"} <= set(history["event"])


def test_patches_have_inputs_of_their_own():
    X, y = drifting_rows()
    learner = begun(StreamingRandomPatches(NaiveBayes(), max_features=2))
    first = np.array([adapter.arrays["columns"] for adapter in learner._kernel.adapters()])
    learner.test_then_train(X, y)
    later = np.array([adapter.arrays["columns"] for adapter in learner._kernel.adapters()])
    assert all(len(set(columns)) == 2 for columns in later.tolist())
    assert len(np.unique(first, axis=0)) == 3 and (first != later).any()
    assert all(member.n_features_in_ == 2 for member in learner.members_)


def test_patches_of_all_inputs_are_a_forest():
    X, y = drifting_rows()
    settings = {"member": NaiveBayes(), "warning_delta": 0.01, "drift_delta": 0.001}
    patches = begun(StreamingRandomPatches(max_features=None, **settings)).test_then_train(X, y)
    np.testing.assert_array_equal(patches, begun(AdaptiveRandomForest(**settings)).test_then_train(X, y))


@pytest.mark.parametrize("kind", [OnlineBoost, BOLE])
def test_boosting_keeps_its_books(kind):
    X, y = drifting_rows()
    learner = begun(kind(DriftReset(NaiveBayes()), n_members=4))
    learner.test_then_train(X, y)
    arrays = learner._kernel.arrays
    assert arrays["total"][0] == len(X)
    # Each member's rows weigh about as much as all rows: (1) and (2) keep the halves at N/2 each.
    share = (arrays["right"] + arrays["wrong"]) / len(X)
    assert share[0] == pytest.approx(1.0, abs=0.5) and (share > 0.3).all() and (share < 3).all()
    assert sorted(arrays["order"]) == [0, 1, 2, 3]
    error = arrays["wrong"] / (arrays["right"] + arrays["wrong"])
    expected = np.where(error <= 0.5, np.log((1 - error) / error), 0)
    np.testing.assert_allclose(learner._kernel.numbers(), expected)


def test_ensembles_at_work_in_several_threads_share_the_pool():
    X, y = drifting_rows()
    alone = begun(LeveragingBagging(n_jobs=1)).test_then_train(X, y)
    with ThreadPoolExecutor(4) as pool:
        learners = [begun(LeveragingBagging(n_jobs=2)) for _ in range(4)]
        jobs = [pool.submit(learner.test_then_train, X, y) for learner in learners]
    for job in jobs:
        assert np.array_equal(job.result(timeout=60), alone)


@pytest.mark.parametrize("kind", ALL)
def test_what_a_member_raises_comes_out(kind):
    with pytest.raises(RuntimeError, match="the member failed"):
        begun(kind(Failing())).test_then_train(np.zeros((20, 3)), [0] * 20)


@pytest.mark.parametrize("kind", ALL)
def test_an_ensemble_may_be_a_member(kind):
    X, y = drifting_rows(600)
    learner = begun(OnlineBagging(kind(NaiveBayes()), 2))
    p = learner.test_then_train(X, y)
    assert (p.argmax(axis=1) == y)[:300].mean() > 0.7  # at best 0.82
    seeds = {member.random_state for member in learner.members_}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (OnlineBagging(n_members=0), "n_members must be a whole number of at least 1, got 0"),
        (LeveragingBagging(rate=60), "rate must be a number above 0 and at most 50, got 60"),
        (AdwinBagging(delta=0), "delta must be a number above 0"),
        (DynamicWeightedMajority(max_members=1), "max_members must be a whole number of at least 2"),
        (OnlineBoost(random_state="x"), "random_state must be a whole number"),
    ],
)
def test_bad_settings_are_refused(learner, message):
    with pytest.raises(ValueError, match=message):
        begun(learner)


@pytest.mark.parametrize("member", [SGDClassifier(), "tree", HoeffdingTree])
@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_a_member_that_is_no_learner_is_refused(kind, member):
    with pytest.raises(TypeError, match="member must be a learner such as HoeffdingTree"):
        begun(kind(member))

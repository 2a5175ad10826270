"""Members of ensembles may be any learners: written in Python, wrapped, ensembles; some are refused."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from support.ensemble_rows import ALL, BAGS, FORESTS, Failing, begun, drifting_rows

from thalweg.checks.running import assert_same
from thalweg.learners import (
    BOLE,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingTree,
    LeveragingBagging,
    NaiveBayes,
    OnlineBagging,
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
    np.testing.assert_array_equal(three.predict_proba_block(X), one.predict_proba_block(X))
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


@pytest.mark.parametrize("member", [SGDClassifier(), "tree", HoeffdingTree])
@pytest.mark.parametrize("kind", [*ALL, DriftReset])
def test_a_member_that_is_no_learner_is_refused(kind, member):
    with pytest.raises(TypeError, match="member must be a learner such as HoeffdingTree"):
        begun(kind(member))

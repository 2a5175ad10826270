"""How new keys begin."""

import numpy as np
import pytest

import thalweg
from thalweg.errors import ParameterError
from thalweg.keyed import Bank
from thalweg.learners import AdaptiveLogistic, HoeffdingTree, LogisticMixture, NaiveBayes

LEARNERS = [LogisticMixture(), AdaptiveLogistic(), AdaptiveLogistic(forgetting="adaptive"), NaiveBayes()]


def rules(own, n_keys, n_rows, seed):
    """Return keys, rows and labels, row after row of all keys; each adds its own rule to the shared one."""
    rng = np.random.default_rng(seed)
    shared = np.random.default_rng(99).normal(size=10)
    rule = shared + own * rng.normal(size=(n_keys, 10))
    rule *= 4.0 / np.linalg.norm(rule, axis=1, keepdims=True)
    X = rng.normal(size=(n_rows, n_keys, 10))
    y = rng.random((n_rows, n_keys)) < 1.0 / (1.0 + np.exp(-(X * rule).sum(axis=2)))
    return np.tile(np.arange(n_keys), n_rows), X.reshape(-1, 10), y.ravel().astype(int)


def shared_learner(learner, own):
    _, X, y = rules(own, 200, 20, seed=1)
    found = learner.__class__(**learner.get_params()).begin(10, [0, 1])
    found.test_then_train(X, y)
    return found


def accuracy(learner, start, own, n_rows=50):
    keys, X, y = rules(own, 60, n_rows, seed=2)
    shared = None if start == "cold" else shared_learner(learner, own)
    p = Bank(learner, start=start, shared=shared).begin(10, [0, 1]).test_then_train(keys, X, y)
    return (p.argmax(axis=1) == y).mean()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("start", ["copy", "mix"])
def test_a_shared_start_helps_keys_that_are_alike_and_harms_no_others(learner, start):
    assert accuracy(learner, start, 0.3) > accuracy(learner, "cold", 0.3) + 0.03
    assert accuracy(learner, start, 3.0) > accuracy(learner, "cold", 3.0) - 0.005


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_copy_answers_as_the_shared_model_until_it_learns(learner):
    shared = shared_learner(learner, 0.3)
    bank = Bank(learner, start="copy", shared=shared).begin(10, [0, 1])
    _, X, _ = rules(0.3, 10, 20, seed=3)
    p, q = bank.predict_proba_block(["new"] * len(X), X), shared.predict_proba_block(X)
    assert (p.argmax(axis=1) == q.argmax(axis=1)).mean() > 0.97
    assert np.abs(p - q).mean() < 0.05


def test_a_mix_trusts_what_was_right_for_the_key():
    keys, X, y = rules(0.0, 2, 300, seed=4)
    y = np.where(keys == 1, 1 - y, y)  # the second key does the opposite
    bank = Bank(NaiveBayes(), start="mix", shared=shared_learner(NaiveBayes(), 0.0)).begin(10, [0, 1])
    bank.test_then_train(keys, X, y)
    assert bank.shared_weight(0) > 0.2 and bank.shared_weight(1) < 0.01
    with pytest.raises(KeyError):
        bank.shared_weight(7)


@pytest.mark.parametrize("learner", [LogisticMixture(), HoeffdingTree()], ids=repr)
def test_a_mix_is_saved_cut_and_spilled_without_a_difference(learner, tmp_path):
    keys, X, y = rules(1.0, 12, 40, seed=5)
    shared = shared_learner(learner, 1.0)
    whole = Bank(learner, start="mix", shared=shared).begin(10, [0, 1])
    expected = whole.test_then_train(keys, X, y)
    bank = Bank(learner, start="mix", shared=shared, max_bytes=5 * whole.bytes_per_key_).begin(10, [0, 1])
    p = bank.test_then_train(keys[:111], X[:111], y[:111])
    shared.test_then_train(X, 1 - y)  # the bank has its own
    bank.save(tmp_path / "bank.tw")
    bank = thalweg.load(tmp_path / "bank.tw")
    q = bank.test_then_train(keys[111:], X[111:], y[111:])
    np.testing.assert_array_equal(np.concatenate([p, q]), expected)
    assert bank.shared_weight(3) == whole.shared_weight(3)


def test_a_learner_that_cannot_be_less_sure_can_be_mixed():
    shared = shared_learner(HoeffdingTree(), 0.3)
    with pytest.raises(ParameterError, match=r'shared is of HoeffdingTree, which cannot.*use start="mix"'):
        Bank(HoeffdingTree(), start="copy", shared=shared).begin(10, [0, 1])
    assert accuracy(HoeffdingTree(), "mix", 0.3) > accuracy(HoeffdingTree(), "cold", 0.3) + 0.02


@pytest.mark.parametrize("shared, message", [
    (LogisticMixture(), "must be a NaiveBayes"), (NaiveBayes(), "must know the classes"),
    (NaiveBayes().begin(10, [1, 0]), "must know the classes"),
    (NaiveBayes().begin(4, [0, 1]), "must have 10 inputs"),
])  # fmt: skip
def test_the_shared_model_must_fit(shared, message):
    with pytest.raises(ParameterError, match=message):
        Bank(NaiveBayes(), start="copy", shared=shared).begin(10, [0, 1])

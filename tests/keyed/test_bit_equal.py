"""A bank answers as separate learners do, bit for bit."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.separate_learners import SeparateLearners, rows_of

from thalweg.keyed import Bank
from thalweg.learners import (
    AdaptiveLogistic,
    HoeffdingTree,
    LinearLogistic,
    LogisticMixture,
    MajorityClass,
    MultinomialNaiveBayes,
    NaiveBayes,
    NearestNeighbours,
    NoChange,
    OnlineBagging,
    ParticleFilter,
)

SLAB = [
    NaiveBayes(), LogisticMixture(), LogisticMixture(time_column=2), AdaptiveLogistic(),
    AdaptiveLogistic(forgetting="rprop"), AdaptiveLogistic(link="probit"), LinearLogistic(),
    MultinomialNaiveBayes(), NearestNeighbours(3, window=20), MajorityClass(), NoChange(),
]  # fmt: skip
OTHERS = [HoeffdingTree(grace_period=20), OnlineBagging(n_members=3, random_state=4),
          ParticleFilter(n_particles=20, batch_size=10, random_state=5)]
names = lambda learner: repr(learner)  # noqa: E731


def in_blocks(bank, keys, X, y, w, cuts):
    borders = [0, *sorted(cuts), len(X)]
    parts = [slice(a, b) for a, b in pairwise(borders)]
    return np.concatenate(
        [bank.test_then_train(keys[part], X[part], y[part], sample_weight=w[part]) for part in parts]
    )


@pytest.mark.parametrize("learner", SLAB + OTHERS, ids=names)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_bank_is_bit_equal_to_separate_learners(learner, n_classes):
    keys, X, y = rows_of(1, 700, 9, n_classes=n_classes, missing=0.1)
    w = np.random.default_rng(2).choice([0.0, 1.0, 2.5], size=len(X))
    classes = list(range(n_classes))
    expected = SeparateLearners(learner, 3, classes).test_then_train(keys, X, y, w)
    bank = Bank(learner).begin(3, classes)
    assert bank.is_slab_ == (learner in SLAB)
    np.testing.assert_array_equal(in_blocks(bank, keys, X, y, w, [1, 2, 200, 430]), expected)


@pytest.mark.parametrize(
    ("learner", "n_features", "n_classes"),
    [(NaiveBayes(), 300, 50), (LinearLogistic(), 300, 50), (MultinomialNaiveBayes(), 300, 50),
     (LogisticMixture(), 30, 12), (HoeffdingTree(grace_period=20), 100, 20)],
)  # fmt: skip
def test_a_bank_is_bit_equal_with_many_inputs_and_classes(learner, n_features, n_classes):
    rng = np.random.default_rng(7)
    X, y, keys = rng.random((600, n_features)), rng.integers(0, n_classes, 600), rng.integers(0, 9, 600)
    X[rng.random(X.shape) < 0.02] = np.nan
    w, classes = np.ones(len(X)), list(range(n_classes))
    expected = SeparateLearners(learner, n_features, classes).test_then_train(keys, X, y, w)
    bank = Bank(learner).begin(n_features, classes)
    np.testing.assert_array_equal(in_blocks(bank, keys, X, y, w, [1, 2, 200, 430]), expected)


@pytest.mark.parametrize("learner", [NaiveBayes(), LogisticMixture(), LinearLogistic()], ids=names)
@given(
    cuts=st.lists(st.integers(0, 300), max_size=5), n_jobs=st.sampled_from([1, 3]), seed=st.integers(0, 99),
    max_states=st.sampled_from([None, 3, 5]), restart=st.integers(0, 300),
)
@settings(max_examples=12, deadline=None)
def test_cuts_threads_spills_and_restarts_change_nothing(learner, cuts, n_jobs, seed, max_states, restart):
    keys, X, y = rows_of(seed, 300, 12, missing=0.05)
    w = np.random.default_rng(seed).choice([0.0, 1.0], size=len(X))
    expected = SeparateLearners(learner, 3, [0, 1]).test_then_train(keys, X, y, w)
    size = Bank(learner).begin(3, [0, 1]).bytes_per_key_
    max_bytes = None if max_states is None else size * (max_states + 1)
    bank = Bank(learner, n_jobs=n_jobs, max_bytes=max_bytes).begin(3, [0, 1])
    first = [cut for cut in cuts if cut < restart]
    p = in_blocks(bank, keys[:restart], X[:restart], y[:restart], w[:restart], first)
    bank = bank.copy()
    later = [cut - restart for cut in cuts if cut >= restart]
    q = in_blocks(bank, keys[restart:], X[restart:], y[restart:], w[restart:], later)
    np.testing.assert_array_equal(np.concatenate([p, q]), expected)
    assert max_states is None or bank.n_in_memory_ <= max_states


@pytest.mark.parametrize("learner", [NaiveBayes(), LogisticMixture(), HoeffdingTree()], ids=names)
@given(seed=st.integers(0, 99), delay=st.integers(1, 40))
@settings(max_examples=8, deadline=None)
def test_labels_that_come_late_are_learned_by_their_ids(learner, seed, delay):
    keys, X, y = rows_of(seed, 150, 5)
    separate, bank = SeparateLearners(learner, 3, [0, 1]), Bank(learner).begin(3, [0, 1])
    for start in range(0, 150, delay):
        part = slice(start, start + delay)
        expected = separate.predict(keys[part], X[part])
        ids = [f"order {i}" for i in range(150)][part]
        np.testing.assert_array_equal(bank.predict_proba_block(keys[part], X[part], ids=ids), expected)
        order = np.random.default_rng(seed).permutation(len(ids))
        bank.label([ids[i] for i in order], y[part][order].tolist())
        separate.test_then_train(keys[part][order], X[part][order], y[part][order])
    assert bank.n_waiting_ == 0
    np.testing.assert_array_equal(bank.predict_proba_block(keys, X), separate.predict(keys, X))


def test_threads_share_out_the_keys_of_large_blocks():
    keys, X, y = rows_of(3, 40_000, 200, n_features=4)
    one = Bank(LogisticMixture()).begin(4, [0, 1])
    two = Bank(LogisticMixture(), n_jobs=2).begin(4, [0, 1])
    np.testing.assert_array_equal(two.test_then_train(keys, X, y), one.test_then_train(keys, X, y))
    np.testing.assert_array_equal(two.predict_proba_block(keys, X), one.predict_proba_block(keys, X))


@pytest.mark.parametrize("learner", [NaiveBayes(), LogisticMixture(), HoeffdingTree()], ids=names)
def test_one_row_a_call_is_the_same(learner):
    keys, X, y = rows_of(4, 200, 4)
    separate, bank = SeparateLearners(learner, 3, [0, 1]), Bank(learner).begin(3, [0, 1])
    for key, x, label in zip(keys.tolist(), X, y.tolist(), strict=True):
        np.testing.assert_array_equal(bank.predict_proba_one(key, x), separate.at(key).predict_proba_one(x))
        assert bank.predict_one(key, x) == separate.at(key).predict_one(x)
        bank.learn_one(key, x, label)
        separate.at(key).learn_one(x, label)
    assert bank.n_rows_ == 200


def test_categories_are_widened_as_by_a_learner():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(4, size=500), rng.normal(size=500)]).astype(float)
    keys, y = rng.integers(7, size=500), (X[:, 0] > 1).astype(int)
    bank = Bank(LogisticMixture()).begin(2, [0, 1], n_categories=[4, 0])
    learners = {key: LogisticMixture().begin(2, [0, 1], n_categories=[4, 0]) for key in range(7)}
    expected = [
        learners[key].test_then_train(X[i : i + 1], y[i : i + 1])[0] for i, key in enumerate(keys.tolist())
    ]
    assert bank.is_slab_
    np.testing.assert_array_equal(bank.test_then_train(keys, X, y), expected)

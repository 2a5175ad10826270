"""How much inputs count in trees and ensembles: as computed by hand, and on streams where one decides."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from support.tree_rows import KINDS, N_CATEGORIES, wandering_rows

from thalweg import learners
from thalweg.learners import (
    BOLE,
    HUWRS,
    AdaptiveRandomForest,
    DecisionTree,
    DriftReset,
    DynamicWeightedMajority,
    HoeffdingOptionTree,
    HoeffdingTree,
    IBoost,
    LastLabels,
    NaiveBayes,
    OnlineBagging,
    StreamingRandomPatches,
)
from thalweg.learners.base.importance import HasImportance
from thalweg.learners.trees._native.codes import ROOT
from thalweg.streams import SEA

ALL = [name for name in learners.registry if issubclass(getattr(learners, name), HasImportance)]


def impurity(weights, criterion):
    total = sum(weights)
    if total == 0:
        return 0.0
    if criterion == "gini":
        return total * (1 - sum((w / total) ** 2 for w in weights))
    return -total * sum(w / total * np.log2(w / total) for w in weights if w > 0)


def by_hand(tree):
    """The same, node by node: a node's weights are the sums of its leaves', options are averaged."""
    arrays, found = tree._kernel.arrays, np.zeros(tree.n_features_in_)

    def visit(node, share):
        if arrays["feature"][node] < 0:
            return arrays["weight"][node]
        chain = [node]
        while "options" in arrays:
            following = arrays["alternate"][chain[-1]]
            if following < 0 or arrays["feature"][following] < 0:
                break
            chain.append(following)
        sums = []
        for option in chain:
            first, part = arrays["child"][option], share / len(chain)
            below = [visit(first + i, part) for i in range(arrays["n_children"][option])]
            sums.append(np.sum(below, axis=0))
            fall = impurity(sums[-1], tree.criterion) - sum(impurity(w, tree.criterion) for w in below)
            found[arrays["feature"][option]] += part * fall
        return np.mean(sums, axis=0)

    visit(arrays["size"][ROOT], 1.0)
    return found / found.sum()


@pytest.mark.parametrize("criterion", ["gain", "gini"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_sums_what_its_splits_gain(kind, criterion):
    X, y = wandering_rows(np.random.default_rng(1))
    tree = kind(grace_period=20, tie=0.5, criterion=criterion).begin(5, range(3), n_categories=N_CATEGORIES)
    assert tree.importance_.tolist() == [0.0] * 5
    tree.test_then_train(X, y)
    assert tree.n_nodes_ > 10
    assert kind is not HoeffdingOptionTree or any(node.is_option for node in tree._nodes())
    np.testing.assert_allclose(tree.importance_, by_hand(tree), rtol=1e-9)
    assert tree.importance_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_batch_tree_counts_as_that_of_scikit_learn(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=500) > 0).astype(int)
    ours = DecisionTree(max_leaves=12, criterion=criterion).fit(X, y)
    theirs = DecisionTreeClassifier(max_leaf_nodes=12, criterion=criterion, random_state=1).fit(X, y)
    np.testing.assert_allclose(ours.importance_, theirs.feature_importances_, rtol=1e-9)


@pytest.mark.parametrize("name", ALL)
def test_the_input_that_decides_counts_most(name):
    rng = np.random.default_rng(1)
    X = rng.random((4000, 3))
    y = (X[:, 1] > 0.5).astype(int)
    learner = with_trees(name).begin(3, [0, 1])
    assert learner.importance_.tolist() == [0.0] * 3
    learner.test_then_train(X, y)
    assert learner.importance_[1] > 0.5
    assert 0.2 < learner.importance_.sum() < 1 + 1e-9


def with_trees(name):
    kind = getattr(learners, name)
    return kind(HoeffdingTree()) if kind in (DynamicWeightedMajority, DriftReset) else kind()


@pytest.mark.parametrize("kind", [*KINDS, AdaptiveRandomForest])
def test_noise_hardly_counts(kind):
    X, y = next(SEA(seed=1).blocks(20_000))
    learner = kind().begin(3, [0, 1])
    learner.test_then_train(X, y)
    assert learner.importance_[2] < 0.05
    assert learner.importance_[:2].min() > 0.3


def test_an_ensemble_has_the_mean_of_its_members_by_their_votes():
    X, y = next(SEA(seed=1).blocks(4000))
    for learner in (AdaptiveRandomForest(), BOLE(HoeffdingTree(grace_period=50))):
        learner.begin(3, [0, 1]).test_then_train(X, y)
        votes = learner._kernel.numbers()
        mean = votes @ [member.importance_ for member in learner.members_]
        assert len(set(votes)) > 1
        np.testing.assert_allclose(learner.importance_, mean / mean.sum(), rtol=1e-12)


def test_inputs_of_a_subspace_are_mapped_back():
    rng = np.random.default_rng(2)
    X = rng.random((3000, 6))
    y = (X[:, 4] > 0.5).astype(int)
    learner = StreamingRandomPatches(max_features=2, random_state=3).begin(6, [0, 1])
    learner.test_then_train(X, y)
    active = learner._voters()
    columns = [learner._kernel.adapters()[slot].arrays["columns"] for slot in active]
    mean = np.zeros(6)
    for member, places, vote in zip(learner.members_, columns, learner._kernel.numbers(), strict=True):
        mean[places] += vote * member.importance_
    np.testing.assert_allclose(learner.importance_, mean / mean.sum(), rtol=1e-12)
    assert learner.importance_.argmax() == 4
    assert any(4 in places for places in columns) and not all(4 in places for places in columns)


def test_the_trees_of_huwrs_count_by_their_weights():
    X, y = next(SEA(seed=1).blocks(3000))
    learner = HUWRS(DecisionTree(max_leaves=8), n_members=9, chunk_size=500).begin(3, [0, 1])
    learner.test_then_train(X, y)
    mean = np.zeros(3)
    for nodes, weight in zip(learner.trees_, learner.weights_, strict=True):
        found = np.zeros(3)
        for i in np.flatnonzero(nodes["feature"] >= 0):
            parts = [impurity(nodes["weights"][c], "gini") for c in (i, nodes["left"][i], nodes["right"][i])]
            found[nodes["feature"][i]] += parts[0] - parts[1] - parts[2]
        mean += weight * found / found.sum()
    np.testing.assert_allclose(learner.importance_, mean / mean.sum(), rtol=1e-9)


def test_stumps_count_by_their_votes():
    X, y = next(SEA(seed=1).blocks(3000))
    learner = IBoost().begin(3, [0, 1])
    learner.test_then_train(X, y)
    stumps, found = learner.stumps_, np.zeros(3)
    for feature, left, right, weight in zip(
        stumps["feature"], stumps["left"], stumps["right"], learner.weights_, strict=True
    ):
        found[feature] += abs(weight) * (left != right)
    np.testing.assert_allclose(learner.importance_, found / found.sum(), rtol=1e-12)


def test_members_without_splits_are_left_out():
    X, y = next(SEA(seed=1).blocks(3000))
    learner = OnlineBagging([HoeffdingTree(delta=0.01), NaiveBayes()], 4).begin(3, [0, 1])
    learner.test_then_train(X, y)
    mean = np.mean([learner.members_[m].importance_ for m in (0, 2)], axis=0)
    np.testing.assert_allclose(learner.importance_, mean / mean.sum(), rtol=1e-12)


@pytest.mark.parametrize("learner", [OnlineBagging(NaiveBayes()), IBoost(NaiveBayes()), DriftReset()])
def test_without_any_splits_there_is_no_importance(learner):
    with pytest.raises(NotFittedError):
        _ = learner.importance_
    learner.begin(3, [0, 1])
    with pytest.raises(AttributeError, match="PermutationImportance"):
        _ = learner.importance_


def test_what_the_latest_labels_count_is_missing_from_the_sum():
    rng = np.random.default_rng(1)
    X, y = rng.random((3000, 2)), np.arange(3000) // 50 % 2
    learner = LastLabels().begin(2, [0, 1])
    learner.test_then_train(X, y)
    assert learner.importance_.sum() < 0.2


def test_a_copy_says_the_same():
    X, y = next(SEA(seed=1).blocks(3000))
    learner = AdaptiveRandomForest().begin(3, [0, 1])
    learner.test_then_train(X, y)
    copy = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(copy.importance_, learner.importance_)

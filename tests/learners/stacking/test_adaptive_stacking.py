"""Adaptive stacking beside its twin, with late labels, and beside its members."""

import numpy as np
import pytest
from scipy import stats
from twins.learners.stacking.adaptive_stacking import StackingTwin

from thalweg import learners
from thalweg.checks.rows import rows
from thalweg.errors import StateError
from thalweg.evaluation import prequential
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    LabelChain,
    LastLabels,
    LogisticMixture,
    MajorityClass,
    NaiveBayes,
    NoChange,
)
from thalweg.learners.stacking.default_members import default_members
from thalweg.saving import from_bytes, to_bytes
from thalweg.streams import SEA, Hyperplane, RandomRBF

DECAYS, NOISES, SWITCHING = (0.95, 0.99, 1.0), (0.0, 0.3), 0.01
CHAIN = LabelChain(order=2, max_waiting=50)
MEMBERS = (NaiveBayes(), NoChange(), HoeffdingTree(grace_period=20), CHAIN, MajorityClass())
TRIVIAL, CHAINS = (False, True, False, False, True), (False, False, False, True, False)


def small(**settings):
    return AdaptiveStacking(list(MEMBERS), DECAYS, noise=NOISES, switching=SWITCHING, **settings)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_answers_and_weighs_as_its_twin(n_classes):
    X, y = rows(400)
    y = y % n_classes
    classes = list(range(n_classes))
    p = (stack := small().begin(3, classes)).test_then_train(X, y)
    answers = [member.begin(3, classes).test_then_train(X, y) for member in MEMBERS]
    twin, expected = StackingTwin(TRIVIAL, CHAINS, DECAYS, NOISES, SWITCHING), []
    for i in range(len(X)):
        each = np.array([answer[i] for answer in answers])
        expected.append(twin.answer(each))
        twin.learn(twin.said(each), y[i])
    np.testing.assert_allclose(p, expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(stack.trust_, twin.top @ twin.trust, rtol=1e-6)
    stacked = np.zeros((len(twin.stackers), len(MEMBERS)))
    stacked[:, ~twin.is_trivial] = [each.weights for each in twin.stackers]
    weights = stack.trust_ @ np.vstack([np.eye(len(MEMBERS)), stacked])
    np.testing.assert_allclose(stack.weights_, weights, rtol=1e-5, atol=1e-8)


def test_late_labels_are_judged_by_what_was_said():
    X, y = rows(300)
    delay, classes = 7, [0, 1, 2]
    stack, members = small().begin(3, classes), [member.begin(3, classes) for member in MEMBERS]
    twin, waiting = StackingTwin(TRIVIAL, CHAINS, DECAYS, NOISES, SWITCHING), []
    for i in range(len(X)):
        row = X[i : i + 1]
        each = np.array([member.predict_proba_block(row)[0] for member in members])
        np.testing.assert_allclose(stack.predict_proba_block(row)[0], twin.answer(each), rtol=1e-6, atol=1e-9)
        for learner in (stack, *members):
            learner.observe(row)
        waiting.append(twin.said(each))
        if i >= delay:
            late = slice(i - delay, i - delay + 1)
            stack.test_then_train(X[late], y[late])
            for member in members:
                member.test_then_train(X[late], y[late])
            twin.learn(waiting[i - delay], y[i - delay], delay, i - delay)


def test_rows_that_never_get_a_label_are_forgotten_at_last():
    stack = small(max_waiting=50).begin(3, [0, 1, 2])
    X, y = rows(500)
    stack.observe(X)
    before = stack._kernel.bytes
    stack.observe(X)
    assert stack._kernel.bytes == before
    stack.test_then_train(X, y)
    np.testing.assert_allclose(stack.predict_proba_block(X).sum(axis=1), 1)


@pytest.mark.parametrize("n_members", [3, 12])
def test_memory_is_what_the_docstring_says(n_members):
    n_stackers, n_classes = 6, 3
    stack = AdaptiveStacking([NaiveBayes()] * n_members).begin(3, range(n_classes))
    X, y = rows(3000)
    stack.test_then_train(X, y)

    def own():
        return stack.n_bytes_ - sum(member._kernel.bytes for member in stack.members_)

    n_lanes = -(-n_members // 8) * 8
    stated = 30_000 + 8 * n_members * ((n_stackers + 1) * n_lanes + n_stackers + 300)
    assert 0.8 * stated < own() < stated
    before, waiting = own(), 1024
    stack.observe(X[:waiting])
    stated = waiting * 8 * ((n_members + n_stackers + 2) * n_classes + 6)
    assert 0.9 * stated < own() - before <= stated


@pytest.mark.parametrize("delay", [0, 5, stats.poisson(20)])
def test_threads_and_blocks_change_nothing(delay):
    stream = RandomRBF(seed=3)
    runs = [
        prequential(stream, small(n_jobs=n_jobs), delay=delay, rows=1500, block=block)
        for n_jobs, block in [(1, 1000), (2, 1000), (2, 37), (1, 1)]
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.probabilities, runs[0].probabilities)


@pytest.mark.parametrize("stream", [SEA(seed=5), RandomRBF(seed=5)], ids=["sea", "rbf"])
def test_it_is_hardly_behind_its_best_member(stream):
    X, y = next(stream.blocks(10_000))
    classes = sorted(set(y.tolist()))
    begun = [AdaptiveStacking().begin(X.shape[1], classes)]
    begun += [member.begin(X.shape[1], classes) for member in default_members(X.shape[1])]
    accuracy = [float((each.test_then_train(X, y).argmax(axis=1) == y).mean()) for each in begun]
    assert accuracy[0] > max(accuracy[1:]) - 0.01


def test_it_forgets_after_an_abrupt_drift():
    X, y = next(SEA(seed=7, noise=0).blocks(8000))
    y[4000:] = 1 - y[4000:]
    p = AdaptiveStacking().begin(3, [0, 1]).test_then_train(X, y)
    right = p.argmax(axis=1) == y
    assert right[3000:4000].mean() > 0.95
    assert right[4400:5000].mean() > 0.9


def test_flipped_labels_cost_no_more_than_they_cost_a_member():
    X, clean = next(SEA(seed=9, noise=0).blocks(8000))
    flipped = np.random.default_rng(1).random(len(clean)) < 0.2
    y = np.where(flipped, 1 - clean, clean)
    p = AdaptiveStacking().begin(3, [0, 1]).test_then_train(X, y)
    mixture = LogisticMixture().begin(3, [0, 1]).test_then_train(X, y)
    right, best = (float((each.argmax(axis=1) == clean)[1000:].mean()) for each in (p, mixture))
    assert right > best - 0.01


def test_it_says_what_carries_the_answer():
    labels = np.arange(600) % 2
    stack = AdaptiveStacking([NaiveBayes(), LastLabels(NaiveBayes())]).begin(1, [0, 1])
    stack.test_then_train(np.random.default_rng(0).normal(size=(600, 1)), labels)
    assert stack.describe().startswith("NaiveBayes + last label ")
    np.testing.assert_allclose(stack.shares_.sum(), 1)
    assert stack.shares_[1] > 0.8
    assert stack.history_["weight"].shape[1] == 2


def test_the_members_for_wide_rows_cost_less_than_the_square_of_the_inputs():
    kinds = [type(member).__name__ for member in default_members(500)]
    assert "LinearLogistic" in kinds and "LogisticMixture" not in kinds
    assert "LogisticMixture" in [type(member).__name__ for member in default_members(20)]


def test_members_are_not_judged_by_wrong_labels():
    right = []
    for seed in (1, 2, 3):
        X, clean = next(Hyperplane(12_000, period=3000, noise=0, seed=seed).blocks(12_000))
        y = np.where(np.random.default_rng(seed).random(len(clean)) < 0.1, 1 - clean, clean)
        for noise in ((), (0.2, 0.4)):
            p = AdaptiveStacking(noise=noise).begin(10, [0, 1]).test_then_train(X, y)
            right.append(float((p.argmax(axis=1) == clean).mean()))
    assert np.mean(right[1::2]) > np.mean(right[::2]) + 0.002


def test_the_default_members_stay_when_inputs_come_later():
    rng = np.random.default_rng(1)
    names = [f"x{j}" for j in range(120)]
    stack = AdaptiveStacking().begin()
    for n in (90, 120):
        for _ in range(30):
            x = dict(zip(names[:n], rng.normal(size=n).tolist(), strict=True))
            stack.learn_one(x, "b" if x["x0"] > 0 else "a")
    assert "LogisticMixture" in stack.member_names_ and len(stack.members_) == 13
    again = AdaptiveStacking().restore(stack.state())
    assert again.member_names_ == stack.member_names_
    assert again.predict_proba_one(x) == stack.predict_proba_one(x)


def test_the_default_members_are_chosen_for_the_first_named_row():
    stack = AdaptiveStacking()
    stack.learn_one({f"x{j}": 1.0 for j in range(130)}, "a")
    assert len(stack.members_) == 11
    assert AdaptiveStacking().begin().copy().state()["memory"]["width"] == 0


def test_a_stack_for_many_inputs_is_restored():
    X, y = np.random.default_rng(1).normal(size=(40, 130)), np.arange(40) % 2
    wide = AdaptiveStacking().begin(130, [0, 1])
    wide.test_then_train(X[:20], y[:20])
    assert len(wide.members_) == 11
    narrow = AdaptiveStacking().begin(3, [0, 1])
    again = [wide.copy(), narrow.copy().restore(wide.state()), from_bytes(to_bytes(wide))]
    expected = wide.test_then_train(X[20:], y[20:])
    for other in again:
        assert np.array_equal(other.test_then_train(X[20:], y[20:]), expected)
    assert len(wide.restore(narrow.state()).members_) == 13


@pytest.mark.parametrize("width", [-1, 2.0, None, "3"])
def test_a_state_for_an_impossible_number_of_inputs_is_refused(width):
    state = AdaptiveStacking().begin(3, [0, 1]).state()
    state["memory"]["width"] = width
    with pytest.raises(StateError, match="width must be a whole number"):
        AdaptiveStacking().restore(state)


@pytest.mark.parametrize("noise", [0.2, (1.0,), (-0.1,), "ab", None])
def test_a_wrong_noise_is_an_error(noise):
    with pytest.raises(ValueError, match="noise must be"):
        AdaptiveStacking([NaiveBayes()], noise=noise).begin(2, [0, 1])


@pytest.mark.parametrize("decays", [(), 0.9, (0.9, 0.0), (1.1,), "ab", None])
def test_wrong_decays_are_an_error(decays):
    with pytest.raises(ValueError, match="decays must be"):
        AdaptiveStacking([NaiveBayes()], decays=decays).begin(2, [0, 1])


def test_no_member_is_an_error():
    with pytest.raises(ValueError, match="members must be"):
        AdaptiveStacking([]).begin(2, [0, 1])
    with pytest.raises(ValueError, match="members must be"):
        AdaptiveStacking([LabelChain(), "forest"]).begin(2, [0, 1])


def test_it_is_in_the_list():
    assert "AdaptiveStacking" in learners.registry

"""Inputs that appear later: close to a learner that knew them from the start and found them missing."""

import numpy as np
import pytest
from support import every_learner

from thalweg.checks.faults import can_interrupt, failing_allocation, interrupted
from thalweg.checks.learner import inputs_may_come_later
from thalweg.checks.rows import assert_proper, rows
from thalweg.checks.running import assert_same
from thalweg.learners import (
    AdaptiveLogistic,
    HoeffdingTree,
    IBoost,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
    OnlineBagging,
    ParticleFilter,
)
from thalweg.learners.base.stream_classifier import StreamClassifier

# How far the probabilities at the end are on average from those of a learner that knew all inputs at the
# start, where they are not equal, and why.
FROM_PRIOR = (0.005, "a new coefficient has the prior's variance, an old one that is never used forgets it")
OTHER_DRAWS = (0.03, "particles of more coefficients are drawn from other random numbers")
OTHER_SUBSETS = (0.05, "the first members could not draw the new input")
DIFFERENT = {
    "AdaptiveStacking": (0.05, "some members differ, and with them what the weights are learned from"),
    "WindowLogistic": (1e-9, "sums of more terms are rounded differently"),
    "AdaptiveLogistic": FROM_PRIOR,
    "LogisticMixture": FROM_PRIOR,
    "ParticleFilter": OTHER_DRAWS,
    "RegularisedParticleFilter": OTHER_DRAWS,
    "LikelihoodParticleFilter": OTHER_DRAWS,
    "RefittingParticleFilter": OTHER_DRAWS,
    "AdaptiveRandomForest": OTHER_SUBSETS,
    "StreamingRandomPatches": OTHER_SUBSETS,
    "HUWRS": OTHER_SUBSETS,
    "SlidingHUWRS": OTHER_SUBSETS,
}


def named(X):
    """Return rows as dicts of those values that are not missing."""
    cells = (zip("abc", row, strict=True) for row in X.tolist())
    return [{name: value for name, value in row if value == value} for row in cells]


def late_rows(n=900):
    X, y = rows(n)
    late = X.copy()
    late[: n // 3, 2] = np.nan
    return X, late, y


def pair_of(learner, late, y):
    """Return a learner that knew three inputs, and one that met the third later, both taught."""
    other = type(learner)(**learner.get_params(deep=False))
    learner.begin(3, [0, 1, 2], names="abc")
    other.begin(classes=[0, 1, 2])
    for row, label in zip(named(late), y, strict=True):
        learner.learn_one(row, label)
        other.learn_one(row, label)
    return learner, other


@pytest.mark.parametrize("name", list(every_learner.registry))
def test_the_end_is_that_of_a_learner_that_knew(name):
    X, late, y = late_rows()
    known, open_ = pair_of(every_learner.registry.load(name)(), late, y)
    p, q = known.predict_proba_block(X), open_.predict_proba_block(X)
    if name in DIFFERENT:
        assert np.abs(p - q).mean() < DIFFERENT[name][0], DIFFERENT[name][1]
    else:
        np.testing.assert_allclose(q, p, rtol=1e-9, atol=1e-12)
    assert (q.argmax(axis=1) == y).mean() > (p.argmax(axis=1) == y).mean() - 0.03


CONFIGURED = [
    HoeffdingTree(max_features=0.6, grace_period=20),
    HoeffdingTree(max_features=2, grace_period=20, tie=0.5),
    AdaptiveLogistic(forgetting="rprop", step="single", standardise=False),
    AdaptiveLogistic(forgetting="adaptive", link="probit"),
    ParticleFilter(boundary="circle"),
    ParticleFilter(form="published", start="uniform", batch_size=20),
    ParticleFilter(boundary=("linear", 2.0)),
    IBoost(NaiveBayes(), window=100, period=20),
    OnlineBagging(NearestNeighbours(window=100), n_members=3),
    OnlineBagging(OnlineBagging(n_members=2), n_members=2),
]


@pytest.mark.parametrize("learner", CONFIGURED, ids=str)
def test_settings_under_which_arrays_are_wider(learner):
    X, late, y = late_rows(450)
    known, open_ = pair_of(learner, late, y)
    right = [(each.predict_proba_block(X).argmax(axis=1) == y).mean() for each in (known, open_)]
    assert right[1] > right[0] - 0.05
    again = open_.copy()
    assert np.array_equal(again.test_then_train(X, y), open_.test_then_train(X, y))


def test_a_loop_in_the_manner_of_river():
    learner = NaiveBayes()
    stream = [({"a": 1.0}, "no"), ({"a": 5.0, "b": 2.0}, "yes"), ({"b": 2.0}, "yes"), ({"c": None}, "no")]
    answers = []
    for x, y in stream:
        answers.append(learner.predict_one(x))
        learner.learn_one(x, y)
    assert answers == [None, "no", "yes", "yes"]
    assert list(learner._names) == ["a", "b", "c"] and learner.classes_.tolist() == ["no", "yes"]
    assert learner.predict_proba_one({"a": 5.0})["yes"] > 0.5


def test_a_name_is_learned_from_rows_that_are_learned_alone():
    learner = NaiveBayes().begin()
    learner.learn_one({"a": 1.0}, 0)
    before = learner.state()
    assert learner.predict_proba_one({"a": 1.0, "b": "wet"}) == learner.predict_proba_one({"a": 1.0})
    assert_same(learner.state(), before)
    fixed = NaiveBayes().begin(1)
    fixed.learn_one({"a": 1.0}, 0)
    for call in (fixed.predict_one, lambda x: fixed.learn_one(x, 0)):
        with pytest.raises(ValueError, match="unknown input 'b'; the inputs are"):
            call({"a": 1.0, "b": 2.0})


@pytest.mark.parametrize("row, label", [({"b": np.inf}, 0), ({"b": ["wet"]}, 0), ({"b": 1.0}, np.nan)])
def test_a_refused_row_leaves_nothing_behind(row, label):
    learner = NaiveBayes()
    with pytest.raises(ValueError):
        learner.learn_one(row, label)
    assert not hasattr(learner, "classes_")
    learner.learn_one({"a": 1.0}, 0)
    before = learner.state()
    with pytest.raises(ValueError):
        learner.learn_one(row, label)
    assert_same(learner.state(), before)


def test_before_the_first_input_there_are_no_rows():
    learner = NaiveBayes().begin(classes=[0, 1])
    assert learner.predict_proba_one({"a": 1.0}) == {0: 0.5, 1: 0.5}
    for call in (
        lambda: learner.learn_one({}, 0),
        lambda: learner.learn_one(np.ones(1), 0),
        lambda: learner.predict_one(np.ones(1)),
        lambda: learner.predict_proba_block(np.ones((2, 1))),
        lambda: learner.test_then_train(np.ones((2, 0)), [0, 1]),
    ):
        with pytest.raises(ValueError, match="there are no inputs yet"):
            call()
    learner.copy().learn_one({"a": 1.0}, 0)
    learner.learn_one({"a": 1.0, "b": 2.0}, 0)
    learner.learn_one({}, 1)
    learner.learn_one([1.0, 3.0], 1)
    assert learner.predict_proba_block([[1.0, 2.0]]).shape == (1, 2)


def test_inputs_that_are_known_at_the_start_are_the_first():
    learner = NaiveBayes().begin(names=["a", "b"], n_categories=[3, 0])
    assert learner.n_features_in_ == 2
    learner.learn_one({"c": 0.5, "a": 2}, "x")
    assert list(learner._names) == ["a", "b", "c"] and learner.n_categories_.tolist() == [3, 0, 0]
    with pytest.raises(ValueError, match="n_categories"):
        NaiveBayes().begin(n_categories=[3, 0])


def test_a_generator_is_drawn_from_once():
    first, second = (OnlineBagging(random_state=np.random.default_rng(5)) for _ in range(2))
    first.begin()
    first.learn_one({"a": 1.0, "b": 2.0}, 0)
    second.begin(2)
    second.learn_one([1.0, 2.0], 0)
    assert first._seed == second._seed


@pytest.mark.parametrize("more", [{"b": 1.0}, {}])
def test_parameters_changed_meanwhile_are_for_the_next_time(more):
    for learner, change in (
        (NearestNeighbours(window=50), {"window": 5000}),
        (ParticleFilter(batch_size=20), {"batch_size": 2000}),
        (OnlineBagging(n_members=2), {"n_members": 20}),
        (HoeffdingTree(max_features=1), {"max_features": None}),
    ):
        learner.learn_one({"a": 1.0, "z": 2.0}, 0)
        learner.learn_one({"a": 2.0}, 1)
        unchanged = learner.copy()
        learner.set_params(**change)
        for each in (learner, unchanged):
            each.learn_one({"a": 1.0} | more, 1 if more else 2)
        assert learner.predict_proba_one({"a": 1.0}) == unchanged.predict_proba_one({"a": 1.0})


class Perceptron(StreamClassifier):
    """Has a coefficient for each input and class, and constants in an array of their own or at the end."""

    def __init__(self, joined=False):
        self.joined = joined

    def _begin(self, n_features, n_classes):
        self._weights = np.zeros((n_classes, n_features + self.joined))
        self._constants = np.zeros(n_classes)

    def _learn(self, X, y, w, p):
        self._predict(X, p)
        for x, label in zip(X, y, strict=True):
            self._weights[label, : len(x)] += x
            self._constants[label] += 1

    def _predict(self, X, p):
        scores = X @ (self._weights[:, :-1] if self.joined else self._weights).T + self._constants
        p[:] = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)


def test_a_learner_in_python_grows_by_its_axes():
    X, late, y = late_rows(60)
    known, open_ = pair_of(Perceptron(), late, y)
    assert np.array_equal(known.predict_proba_block(X), open_.predict_proba_block(X))


def fixed_learners():
    function = ParticleFilter(boundary=lambda X: X**2)
    return [Perceptron(joined=True), function, OnlineBagging(Perceptron(joined=True)), IBoost(function)]


@pytest.mark.parametrize("learner", fixed_learners(), ids=lambda learner: type(learner).__name__)
def test_a_learner_that_cannot_grow_says_so(learner):
    for i in range(4):
        learner.learn_one({"a": 1.0 + i, "b": i % 2}, i % 2)
    before = learner.predict_proba_one({"a": 1.0, "b": 0.5})
    with pytest.raises(ValueError, match=r"'c' is a new input.*begin\(n_features, names="):
        learner.learn_one({"a": 1.0, "c": 2.0}, 1)
    assert learner.predict_proba_one({"a": 1.0, "b": 0.5}) == before
    assert list(learner._names) == ["a", "b"]
    learner.learn_one({"b": 1.0}, 1)


def test_a_learner_that_cannot_grow_does_not_pass_the_check_of_new_inputs():
    with pytest.raises(AssertionError, match="a new input was rejected: Perceptron: 'c' is a new input"):
        inputs_may_come_later(Perceptron(joined=True))
    inputs_may_come_later(Perceptron())


GROWN = ["NaiveBayes", "HoeffdingTree", "OnlineBagging", "IBoost", "ParticleFilter", "HUWRS", "SlidingHUWRS"]


@pytest.mark.parametrize("name", GROWN)
def test_interrupts_and_lack_of_memory_leave_it_grown_or_not(name):
    X, _, y = late_rows(300)
    learner = every_learner.registry.load(name)().begin(classes=[0, 1, 2])
    for row, label in zip(X[:60, :2], y, strict=False):
        learner.learn_one({"a": row[0], "b": row[1]}, label)
    wide = {f"x{j}": float(j) for j in range(38)} | {"colour": "red", "shape": "round"}
    for k in range(1, 60, 3):
        other = learner.copy()
        with failing_allocation(k) as failed:
            try:
                other.learn_one(wide, 1)
            except MemoryError:
                assert failed()
        check_whole(other, wide)
    if not can_interrupt():
        return
    for delay in np.geomspace(1e-4, 5e-3, 20):
        other = learner.copy()
        interrupted(lambda other=other: other.learn_one(wide, 1), delay)
        check_whole(other, wide)


def check_whole(learner, row):
    assert learner.n_features_in_ == len(learner._names) in (2, 42)
    again = learner.copy()
    learner.learn_one(row, 1)
    again.learn_one(row, 1)
    assert_proper(np.array([list(learner.predict_proba_one(row).values())]))
    assert_same(again.state(), learner.state())


def test_learners_without_inputs_take_any():
    learner = MajorityClass()
    for j in range(5):
        learner.learn_one({f"x{j}": 1.0}, "up")
    assert learner.n_features_in_ == 5 and learner.predict_one({}) == "up"

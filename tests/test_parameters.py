"""Parameters: what is refused and how, what a number is, and which properties wait for `begin`."""

import inspect
from fractions import Fraction

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from support import every_learner

from thalweg import drift, learners
from thalweg._parameters import (
    columns,
    count,
    n_threads,
    one_of,
    real_number,
    whole_number,
    yes_or_no,
)
from thalweg.errors import ParameterError, ThalwegError
from thalweg.learners import DriftReset, HoeffdingTree, LeveragingBagging, ParticleFilter

WRONG = {
    "None": None,
    "text": "a",
    "negative": -1,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "list": [],
    "object": object(),
    "boolean": True,
    "huge": 10**400,
    "array": np.array([[0.5]]),
}
# What is no mistake after all, by parameter. Beside these, True is right where the default is True or False.
RIGHT = {
    "categorical": {"list"},
    "AccuracyWeightedEnsemble.holdout": {"None"},
    "AdaptiveLogistic.decay": {"None"},
    "AdaptiveStacking.max_bytes": {"None"},
    "AdaptiveStacking.members": {"None"},
    "AdaptiveStacking.noise": {"list"},
    "RobustEnsemble.class_weight": {"None"},
    "RobustEnsemble.holdout": {"None"},
    "RobustEnsemble.penalty": {"None"},
    "IBoost.cap": {"None"},
    "IBoost.n_updates": {"None"},
    "IBoost.rate": {"None"},
    "costs": {"None"},
    "detector": {"None"},
    "form": {"list"},
    "guard": {"None"},
    "max_features": {"None", "huge"},
    "max_leaves": {"None"},
    "learner": {"None"},
    "member": {"None"},
    "n_jobs": {"None", "negative"},
    "random_state": {"None", "huge"},
    "time_column": {"None"},
    "weight_shift": {"negative"},
}
ONE_FOR_EACH = (  # member of a list, if n_members is None
    "OnlineBagging", "AdwinBagging", "LeveragingBagging", "OnlineBoost", "BOLE", "NonstationaryOnlineBoost",
    "FastLightClassifier", "AdaptiveRandomForest", "StreamingRandomPatches",
)
RIGHT |= {f"{name}.n_members": {"None"} for name in ONE_FOR_EACH}
KINDS = [registry.load(name) for registry in (every_learner.registry, drift.registry) for name in registry]
PARAMETERS = [
    (kind, name, parameter.default)
    for kind in KINDS
    for name, parameter in inspect.signature(kind).parameters.items()
]
X = np.random.default_rng(1).random((60, 3))
Y = (X[:, 0] > 0.5).astype(int)
OF_NAIVE_BAYES = ("DriftReset", "DynamicWeightedMajority", "Calibrated", "ClassWeights", "PredictionSets")


def ran(kind, parameters):
    # Probabilities or alarms on a few rows or losses.
    if hasattr(kind, "update"):
        return kind(**parameters).update_many(X[:, 0])
    return kind(**parameters).begin(3, [0, 1]).test_then_train(X, Y)


def named(parameter):
    return getattr(parameter, "__name__", str(parameter) if isinstance(parameter, str) else "")


@pytest.mark.parametrize(("kind", "name", "default"), PARAMETERS, ids=named)
def test_a_wrong_value_is_refused_and_named(kind, name, default):
    right = RIGHT.get(name) or RIGHT.get(f"{kind.__name__}.{name}") or set()
    right = right | {"boolean"} if isinstance(default, bool) else right
    for word, value in WRONG.items():
        if word in right:
            ran(kind, {name: value})
            continue
        with pytest.raises(ParameterError, match=rf"(?s)^{kind.__name__}: .*{name} must be .*, got "):
            ran(kind, {name: value})


NUMBERS = [(kind, name, default) for kind, name, default in PARAMETERS if type(default) in (int, float)]


@pytest.mark.parametrize(("kind", "name", "default"), NUMBERS, ids=named)
def test_numbers_of_numpy_are_numbers(kind, name, default):
    like = np.int32 if isinstance(default, int) else np.float64
    np.testing.assert_array_equal(ran(kind, {name: like(default)}), ran(kind, {name: default}))


def test_learners_and_detectors_complain_when_they_begin_not_when_made():
    wrong = LeveragingBagging(n_members=2.5), HoeffdingTree(criterion=5), ParticleFilter(n_jobs=0)
    for learner in wrong:
        with pytest.raises(ParameterError):
            learner.begin(3, [0, 1])
        with pytest.raises(ParameterError):
            learner.fit(X, Y)
    assert issubclass(ParameterError, ThalwegError)


@pytest.mark.parametrize(
    ("check", "arguments", "message"),
    [
        (whole_number, (2.0, 1), "a whole number of at least 1, got 2.0"),
        (whole_number, (9, 1, 8), "a whole number of at most 8, got 9"),
        (count, (2**31, 1), "a whole number of at most 2147483647, got 2147483648"),
        (real_number, (0, 0, None, None, 1), "a number above 0 and at most 1, got 0"),
        (real_number, (1, None, 0, 1), "a number at least 0 and below 1, got 1"),
        (real_number, (float("nan"),), "a finite number, got nan"),
        (yes_or_no, (1,), "True or False, got 1"),
        (one_of, ("z", ["x", "y"]), "one of 'x', 'y', got 'z'"),
        (columns, ([0, 1.0], 2), "a sequence of whole numbers, the positions of inputs, got [0, 1.0]"),
        (columns, ((-3,), 2), "positions among the 2 inputs of a row, got (-3,)"),
    ],
)
def test_messages_say_whose_parameter_what_it_must_be_and_what_it_is(check, arguments, message):
    with pytest.raises(ParameterError) as caught:
        check("SomeTree", "depth", *arguments)
    assert str(caught.value) == f"SomeTree: depth must be {message}"


def test_what_is_right_comes_back_in_its_plain_type():
    assert type(whole_number("A", "n", np.uint8(3), 1)) is int
    assert type(real_number("A", "x", 3)) is float
    assert real_number("A", "x", Fraction(1, 2), above=0, below=1) == 0.5
    assert real_number("A", "x", np.float32(0.5)) == 0.5
    assert yes_or_no("A", "b", np.True_) is True
    assert columns("A", "d", range(2), 3) == columns("A", "d", np.array([0, 1]), 3) == [0, 1]


def test_n_jobs_counts_cores_from_the_end():
    cores = joblib.cpu_count()
    found = [n_threads("A", n_jobs) for n_jobs in (None, 1, np.int64(3), -1, -2, -1000)]
    assert found == [1, 1, 3, cores, max(cores - 1, 1), 1]
    for n_jobs in (0, 1.0, "2", True, 10**6):
        with pytest.raises(ParameterError, match="A: n_jobs must be a whole number up to 1024, -1"):
            n_threads("A", n_jobs)


def test_share_and_number_of_inputs_are_told_apart():
    for wrong in (0, 0.0, 1.5, -0.5, "all"):
        for kind in (HoeffdingTree, learners.StreamingRandomPatches, learners.AdaptiveRandomForest):
            with pytest.raises(ParameterError, match=f"{kind.__name__}: max_features must be None"):
                kind(max_features=wrong).begin(3, [0, 1])


@pytest.mark.parametrize("shape", [lambda X: X[0], lambda X: X[:, :0], lambda X: np.vstack([X, X])])
def test_a_map_that_gives_no_row_for_a_row_is_refused(shape):
    with pytest.raises(ParameterError, match="ParticleFilter: boundary must be a function that returns"):
        ParticleFilter(boundary=shape).begin(3, [0, 1])


def test_a_map_that_changes_its_width_is_refused():
    learner = ParticleFilter(boundary=lambda X: np.ones((len(X), len(X)))).begin(3, [0, 1])
    with pytest.raises(ParameterError, match=r"returns 1 features for each of 60 rows, got \(60, 60\)"):
        learner.test_then_train(X, Y)


@pytest.mark.parametrize("name", [*every_learner.registry])
def test_what_is_fitted_waits_for_the_beginning(name):
    kind = every_learner.registry.load(name)
    fitted = [
        attribute
        for attribute, value in inspect.getmembers(kind)
        if isinstance(value, property) and attribute.endswith("_") and not attribute.startswith("_")
    ]
    for attribute in fitted:
        with pytest.raises(NotFittedError, match=f"This {name} instance is not fitted yet"):
            getattr(kind(), attribute)
        assert not hasattr(kind(), attribute)
        begun = kind().begin(3, [0, 1])
        if attribute == "importance_" and name in OF_NAIVE_BAYES:
            with pytest.raises(AttributeError, match="no member has"):  # naive Bayes has no splits
                _ = begun.importance_
        else:
            getattr(begun, attribute)


def test_parts_are_checked_too():
    with pytest.raises(ParameterError, match="DriftReset: member must be a learner"):
        DriftReset(HoeffdingTree).begin(3, [0, 1])
    with pytest.raises(ParameterError, match="DriftReset: detector must be a detector"):
        DriftReset(detector=HoeffdingTree()).begin(3, [0, 1])
    with pytest.raises(ParameterError, match="HoeffdingTree: random_state must be"):
        DriftReset(HoeffdingTree(random_state="a")).begin(3, [0, 1])

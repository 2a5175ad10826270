"""Classes that appear later: close to a learner that knew them from the start."""

import numpy as np
import pytest
from support import every_learner
from support.late_classes import as_learned

from thalweg import learners
from thalweg.checks.rows import rows
from thalweg.errors import StateError

# How far the probabilities at the end are from those of a learner that knew all classes at the start, where
# they are not equal, and why.
OTHER_DRAWS = (0.03, "particles of more coefficients are drawn from other random numbers")
DIFFERENT = {
    "LastLabels": (0.02, "two classes share an input, and the first gets its own when the third comes"),
    "AdaptiveStacking": (0.05, "some members differ, and with them what the weights are learned from"),
    "Calibrated": (0.05, "one class alone needs no calibration, and a new one has the least chance"),
    "NeighbourMixture": (0.02, "more classes are more that a label could have been, which weighs a surprise"),
    "WindowLogistic": (1e-9, "the solver starts from another place"),
    "AdaptiveLogistic": (0.02, "two classes share a filter, and one class alone teaches nothing"),
    "LogisticMixture": (0.02, "two classes share a filter, and one class alone teaches nothing"),
    "LinearLogistic": (0.02, "two classes share a filter, and one class alone teaches nothing"),
    "ParticleFilter": OTHER_DRAWS,
    "RegularisedParticleFilter": OTHER_DRAWS,
    "LikelihoodParticleFilter": OTHER_DRAWS,
    "RefittingParticleFilter": OTHER_DRAWS,
}


def late_rows(n=900):
    X, y = rows(n)
    keep = np.r_[np.flatnonzero(y < 2)[:150], np.arange(n // 3, n)]
    return X[keep], y[keep]


@pytest.mark.parametrize("name", list(every_learner.registry))
def test_the_end_is_that_of_a_learner_that_knew(name):
    X, y = late_rows()
    order = list(dict.fromkeys(y.tolist()))
    known = every_learner.registry.load(name)().begin(3, order)
    open_ = every_learner.registry.load(name)().begin(3)
    known.test_then_train(*(as_learned(X, y, 2) if known.keeps_first_rows else (X, y)))
    open_.test_then_train(X, y)
    p, q = known.predict_proba_block(X), open_.predict_proba_block(X)
    if name in DIFFERENT:
        assert np.abs(p - q).mean() < DIFFERENT[name][0], DIFFERENT[name][1]
    else:
        np.testing.assert_array_equal(q, p)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", list(every_learner.registry))
def test_as_long_as_no_class_is_new_it_makes_no_difference_whether_one_could_be(name, n_classes):
    X, y = rows(250)
    y = y % n_classes
    closed, open_ = (
        every_learner.registry.load(name)().begin(3, range(n_classes), more_classes=more)
        for more in (False, True)
    )
    np.testing.assert_array_equal(open_.test_then_train(X, y), closed.test_then_train(X, y))


def test_a_named_class_stays_the_only_one_allowed():
    learner = learners.NaiveBayes().begin(1, ["a", "b"])
    with pytest.raises(ValueError, match="'c', which is not one of the classes"):
        learner.learn_one([1.0], "c")
    learner = learners.NaiveBayes().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="which is not one of the classes"):
        learner.partial_fit([[0.0]], ["c"])


def test_partial_fit_without_classes_takes_new_ones():
    learner = learners.MajorityClass().partial_fit([[0.0], [1.0]], ["b", "a"])
    assert learner.classes_.tolist() == ["a", "b"]
    learner.partial_fit([[0.0]], ["c"])
    assert learner.classes_.tolist() == ["a", "b", "c"]
    assert learner.predict_proba([[0.0]]).tolist() == [[1 / 3, 1 / 3, 1 / 3]]


def test_labels_one_at_a_time():
    learner = learners.MajorityClass().begin(1)
    assert learner.predict_one([0.0]) is None
    assert learner.predict_proba_one({"x": 0.0}) == {}
    for label in ("up", "up", "down"):
        learner.learn_one({"x": 0.0}, label)
    assert learner.predict_proba_one({"x": 0.0}) == {"up": 2 / 3, "down": 1 / 3}


def test_complex_numbers_are_no_classes():
    with pytest.raises(ValueError, match="cannot be a complex number"):
        learners.NaiveBayes().begin(2, [0j, 1j])
    learner = learners.NaiveBayes().begin(2)
    with pytest.raises(ValueError, match="cannot be a complex number"):
        learner.learn_one([1.0, 2.0], 1j)
    with pytest.raises(StateError):
        learner.restore(learners.NaiveBayes().begin(2, [0, 1]).state() | {"classes": np.array([0j, 1j])})


@pytest.mark.parametrize("label", [None, float("nan")])
def test_a_missing_label_is_no_class(label):
    learner = learners.MajorityClass().begin(1)
    with pytest.raises(ValueError, match="cannot be missing"):
        learner.test_then_train([[0.0]], [label])
    assert learner.classes_.tolist() == []


@pytest.mark.parametrize("outer", ["CategoryEffects", "LastLabels"])
@pytest.mark.parametrize("name", list(learners.registry))
def test_a_member_gets_inputs_and_a_class_at_once(name, outer):
    # The third class is one more effect of a category, and two more inputs for the latest label.
    X, y = rows(120)
    X[:, 0] = np.arange(len(X)) % 40
    y = np.where(np.arange(len(y)) < 80, y % 2, y)
    learner = getattr(learners, outer)(learners.registry.load(name)()).begin(3, n_categories=[40, 0, 0])
    learner.partial_fit(X[:80], y[:80])
    again = learner.copy()
    for x, label in zip(X[80:], y[80:].tolist(), strict=True):
        learner.learn_one(x, label)
    again.partial_fit(X[80:], y[80:])
    p = learner.predict_proba_block(X)
    assert p.shape == (len(X), 3)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(again.predict_proba_block(X), p)


NESTED = ("AdaptiveStacking", "AdaptiveRandomForest", "BOLE", "LastLabels", "DriftReset")


@pytest.mark.parametrize("name", NESTED)
def test_a_model_saved_when_one_class_has_come_goes_on(name):
    learner = getattr(learners, name)()
    learner.learn_one({"a": 1.0}, "yes")
    other = learner.copy()
    for row, label in (({"a": 2.0}, "yes"), ({"a": 3.0}, "no"), ({"a": 4.0, "b": 1.0}, "yes")):
        for each in (learner, other):
            each.learn_one(row, label)
        other = other.copy()
        assert other.predict_proba_one(row) == learner.predict_proba_one(row)

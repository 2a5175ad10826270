"""Pickles name public classes by package and name, so that they survive a move of modules."""

import copy
import pickle
import pickletools
import sys
import types

import numpy as np
import pytest
from support import every_learner
from support.counting import NearestMean

from thalweg import drift, evaluation, learners, preprocessing, streams, trust
from thalweg.checks.rows import rows, taught
from thalweg.learners import NaiveBayes
from thalweg.preprocessing import Pipeline, StandardScaler

PUBLIC = {"thalweg._registry", "thalweg.learners", "thalweg.preprocessing", "thalweg.drift",
          "thalweg.streams", "thalweg.evaluation", "thalweg.trust"}
STEPS = [name for name in preprocessing.registry if name not in ("Pipeline", "make_pipeline")]
GENERATORS = [name for name in streams.registry if name[0].isupper() and name != "ThresholdSeries"]
X, Y = rows(600)


def modules_in(thing):
    texts = {argument for _, argument, _ in pickletools.genops(pickle.dumps(thing))}
    return {text for text in texts if isinstance(text, str) and text.startswith("thalweg")}


@pytest.mark.parametrize("name", [*every_learner.registry])
def test_learners(name):
    learner = taught(every_learner.registry.load(name)(), X, Y)
    package = "thalweg.trust" if name in trust.registry else "thalweg.learners"
    assert {"thalweg._registry", package} <= modules_in(learner) <= PUBLIC


@pytest.mark.parametrize("name", STEPS)
def test_steps_alone_and_in_a_pipeline(name):
    step = preprocessing.registry.load(name)(columns=[0])
    learner = taught(Pipeline([step], NaiveBayes()), X, Y)
    for thing in (step, step.partial_fit(X), learner):
        assert {"thalweg._registry", "thalweg.preprocessing"} <= modules_in(thing) <= PUBLIC


@pytest.mark.parametrize("name", [*drift.registry, *drift.monitor_registry])
def test_detectors_and_monitors(name):
    detector = getattr(drift, name)()
    assert modules_in(detector) == {"thalweg._registry", "thalweg.drift"}
    if name in drift.registry:
        detector.update_many(np.zeros(50))
    else:
        detector.set_params(reference=200).update(X, Y)
    assert modules_in(detector) == {"thalweg._registry", "thalweg.drift"}


@pytest.mark.parametrize("name", GENERATORS)
def test_streams(name):
    stream = getattr(streams, name)()
    assert modules_in(stream) == {"thalweg._registry", "thalweg.streams"}
    ours, other = (next(iter(each.blocks(100))) for each in (stream, pickle.loads(pickle.dumps(stream))))
    np.testing.assert_array_equal(ours[0], other[0])


def test_results():
    run = evaluation.prequential((X, Y), NaiveBayes())
    compared = evaluation.compare([NaiveBayes(), learners.MajorityClass()], [(X, Y)])
    for result in (run, compared):
        assert modules_in(result) == {"thalweg._registry", "thalweg.evaluation"}
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(run)).probabilities, run.probabilities)


def test_a_moved_class_is_found(monkeypatch):
    data = pickle.dumps(taught(NaiveBayes(), X, Y))
    moved = types.ModuleType("thalweg.learners.elsewhere")
    moved.NaiveBayes = type("NaiveBayes", (NaiveBayes,), {"__module__": moved.__name__})
    monkeypatch.setitem(sys.modules, moved.__name__, moved)
    monkeypatch.setitem(learners.registry.modules, "NaiveBayes", "elsewhere")
    found = pickle.loads(data)
    assert type(found) is moved.NaiveBayes
    np.testing.assert_array_equal(
        found.predict_proba_block(X), taught(NaiveBayes(), X, Y).predict_proba_block(X)
    )


def test_a_class_of_a_user_is_named_by_its_module():
    learner = taught(NearestMean(), X, Y)
    assert modules_in(learner) == set()
    for twin in (pickle.loads(pickle.dumps(learner)), copy.copy(learner), copy.deepcopy(learner)):
        assert type(twin) is NearestMean
        np.testing.assert_array_equal(twin.predict_proba_block(X), learner.predict_proba_block(X))


class NaiveBayesOfAUser(NaiveBayes):
    """A public learner, changed by a user."""


def test_a_subclass_of_a_public_class_stays_one():
    assert type(pickle.loads(pickle.dumps(NaiveBayesOfAUser()))) is NaiveBayesOfAUser


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol(protocol):
    scaler = StandardScaler().fit(X)
    twin = pickle.loads(pickle.dumps(scaler, protocol))
    np.testing.assert_array_equal(twin.transform(X), scaler.transform(X))


def test_copies_share_nothing():
    learner = taught(NaiveBayes(), X[:300], Y[:300])
    before = learner.predict_proba_block(X)
    for twin in (copy.copy(learner), copy.deepcopy(learner), learner.copy()):
        twin.test_then_train(X[300:], Y[300:])
    np.testing.assert_array_equal(learner.predict_proba_block(X), before)

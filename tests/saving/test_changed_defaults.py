"""A saved model goes on as before under a release whose default parameters and default members are others."""

import numpy as np
import pytest
from golden_models import NAMES, small
from support.places import TESTS

import thalweg
from thalweg import drift, learners, preprocessing, trust
from thalweg.learners.base.default_templates import RestoresDefaults
from thalweg.learners.base.member_list import as_members
from thalweg.learners.ensembles.base import Ensemble
from thalweg.learners.stacking import adaptive_stacking
from thalweg.saving import describe

RNG = np.random.default_rng(5)
X = RNG.normal(size=(220, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=220) < 0, "no", "yes").astype(object)
Y[160::9] = "later"  # a class that comes when the file has been opened
GOLDEN = sorted((TESTS / "golden" / "models").glob("*/*.tw"))


def classes_with_defaults():
    """Yield all public learners, steps and detectors."""
    for package in (learners, preprocessing, trust, drift):
        for name in package.registry:
            yield package.registry.load(name)


def subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


class Unusable:
    """A default that no parameter may have."""


@pytest.fixture
def other_defaults(monkeypatch):
    """Return a function that makes all defaults unusable, and those of members."""

    def no_default(*arguments):
        raise AssertionError("a present default was used")

    def change():
        for kind in classes_with_defaults():
            init = kind.__init__
            if getattr(init, "__defaults__", None):
                monkeypatch.setattr(init, "__defaults__", tuple(Unusable() for _ in init.__defaults__))
            if getattr(init, "__kwdefaults__", None):
                monkeypatch.setattr(init, "__kwdefaults__", dict.fromkeys(init.__kwdefaults__, Unusable()))
        for kind in subclasses(RestoresDefaults):
            if "_default_member" in vars(kind):
                monkeypatch.setattr(kind, "_default_member", no_default)
        monkeypatch.setattr(adaptive_stacking, "default_members", no_default)

    return change


def taught(learner):
    """Return a learner that has learned 150 rows, and may see more classes."""
    learner.begin(3, ["no", "yes"], more_classes=True)
    learner.test_then_train(X[:150], Y[:150])
    return learner


def goes_on_as_before(learner, change):
    data = thalweg.to_bytes(learner)
    wanted = learner.test_then_train(X[150:], Y[150:])
    change()
    found = thalweg.from_bytes(data)
    answers = found.test_then_train(X[150:], Y[150:])
    np.testing.assert_array_equal(answers, wanted)
    np.testing.assert_array_equal(found.copy().predict_proba_block(X), learner.predict_proba_block(X))


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_with_default_members_goes_on(name, other_defaults):
    learner = small(name)
    if name == "AdaptiveStacking":
        learner.set_params(members=None, size="medium")
    goes_on_as_before(taught(learner), other_defaults)


@pytest.mark.parametrize("learner", [
    learners.LastLabels(learners.AdaptiveRandomForest(n_members=2)),
    learners.DriftReset(learners.SEAEnsemble(chunk_size=20), drift.ADWIN()),
    learners.AdaptiveStacking([learners.BOLE(n_members=2), learners.NaiveBayes()], max_bytes=400_000),
    trust.Calibrated(learners.AdaptiveStacking(size="small")),
    preprocessing.make_pipeline(preprocessing.StandardScaler(), learners.OnlineBagging(n_members=2)),
], ids=lambda learner: type(learner).__name__)  # fmt: skip
def test_members_with_default_members_go_on(learner, other_defaults):
    goes_on_as_before(taught(learner), other_defaults)


def test_a_model_with_the_default_learner_goes_on(other_defaults):
    rows = [{"a": float(x[0]), "b": float(x[1]), "paid": y} for x, y in zip(X, Y, strict=True)]
    model = thalweg.Model("paid", new_labels="add").learn(rows[:100])
    data = thalweg.to_bytes(model)
    wanted = model.learn(rows[100:]).predict_proba(rows[:20])
    other_defaults()
    np.testing.assert_array_equal(thalweg.from_bytes(data).learn(rows[100:]).predict_proba(rows[:20]), wanted)


def test_members_that_need_less_memory_by_default_keep_their_share(monkeypatch):
    stack = taught(learners.AdaptiveStacking(max_bytes=3_000_000))
    limits = [each._most_bytes for each in stack.members_]
    data = thalweg.to_bytes(stack)
    monkeypatch.setitem(learners.HoeffdingTree.__init__.__kwdefaults__, "n_candidates", 2)
    found = thalweg.from_bytes(data)
    assert [each._most_bytes for each in found.members_] == limits
    found.test_then_train(X[150:], Y[150:])  # a new class: shared out again
    stack.test_then_train(X[150:], Y[150:])
    assert [each._most_bytes for each in found.members_] == [each._most_bytes for each in stack.members_]


def test_begin_takes_the_present_defaults(monkeypatch):
    data = thalweg.to_bytes(taught(learners.SEAEnsemble(chunk_size=20)))
    monkeypatch.setattr(learners.SEAEnsemble, "_default_member", lambda self: learners.NaiveBayes(),
                        raising=False)  # fmt: skip
    found = thalweg.from_bytes(data)
    assert {type(each) for each in found.members_} == {learners.NaiveBayes, learners.DecisionTree}
    fresh = taught(found)
    assert {type(each) for each in fresh.members_} == {learners.NaiveBayes}
    assert isinstance(fresh, Ensemble) and fresh.member is None


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.stem} {path.parent.name}")
def test_files_that_do_not_name_their_defaults_have_their_members(path, monkeypatch):
    def changed(default):
        return lambda self: [learners.LabelChain() for _ in as_members(self, default(self))]

    notes = describe(path)["notes"]
    for kind in (Ensemble, *subclasses(Ensemble)):
        if "_default_member" in vars(kind):
            monkeypatch.setattr(kind, "_default_member", changed(kind._default_member))
    loaded = thalweg.load(path)
    np.testing.assert_allclose(loaded.predict_proba_block(notes["X"]), notes["before"], rtol=0, atol=1e-12)
    found = loaded.test_then_train(notes["X"], notes["y"])
    np.testing.assert_allclose(found, notes["while"], rtol=0, atol=1e-12)

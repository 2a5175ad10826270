"""Pipelines: learners that transform their rows with what they know before each."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.odd_rows import odd_rows
from twins.preprocessing import steps as twins

import thalweg
from thalweg import learners
from thalweg.adapters import SklearnLearner
from thalweg.checks.running import assert_same
from thalweg.errors import ModelFileError, ParameterError, StateError
from thalweg.evaluation import metrics, prequential
from thalweg.learners import (
    DecisionTree,
    HoeffdingTree,
    LastLabels,
    LogisticMixture,
    NaiveBayes,
    NearestNeighbours,
    OnlineBagging,
    SEAEnsemble,
)
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.preprocessing import (
    Dates,
    Imputer,
    OneHotEncoder,
    OrdinalEncoder,
    Pipeline,
    StandardScaler,
    make_pipeline,
)
from thalweg.streams import SEA


class Recording(StreamClassifier):
    """Keeps the rows it learns, predicts and observes."""

    takes_missing = True

    def _begin(self, n_features, n_classes):
        self.seen = {"learn": [], "predict": [], "observe": []}

    def _learn(self, X, y, w, p):
        self.seen["learn"] += X.tolist()
        p[:] = 1 / p.shape[1]

    def _predict(self, X, p):
        self.seen["predict"] += X.tolist()
        p[:] = 1 / p.shape[1]

    def _observe(self, X):
        self.seen["observe"] += X.tolist()


def begun_recording(*steps):
    learner = make_pipeline(*steps, Recording()).begin(3, [0, 1])
    return learner, learner.learner_.seen


STEPS = StandardScaler([1]), Imputer("flag", [1, 2]), OneHotEncoder([0], max_categories=5)
TWINS = (
    lambda: twins.Scaler([1]),
    lambda: twins.Imputer([1, 2], "flag"),
    lambda: twins.Encoder({0: 5}, own=False),
)


@pytest.mark.parametrize("cuts", [[300], [1] * 300, [7, 200, 93]], ids=len)
def test_a_row_is_transformed_with_what_is_known_before_it(cuts):
    X, y = odd_rows(), np.random.default_rng(1).integers(0, 2, 300)
    learner, seen = begun_recording(*STEPS)
    for start, stop in zip(np.cumsum([0, *cuts]), np.cumsum(cuts), strict=False):
        learner.test_then_train(X[start:stop], y[start:stop])
    expected = twins.transformed([make() for make in TWINS], X)
    np.testing.assert_allclose(seen["learn"], expected, rtol=1e-9, atol=1e-12)


def test_predicting_changes_nothing_and_observing_teaches_the_steps():
    X = odd_rows(100)
    learner, seen = begun_recording(*STEPS)
    learner.predict_proba_block(X)
    learner.test_then_train(X[:5], [0, 1, 0, 1, 0], sample_weight=np.zeros(5))
    rows = [twins.transformed([make() for make in TWINS], x[None])[0] for x in X]
    np.testing.assert_allclose(seen["predict"] + seen["learn"], rows + rows[:5])
    learner.observe(X)
    expected = twins.transformed([make() for make in TWINS], X)
    np.testing.assert_allclose(seen["observe"], expected, rtol=1e-9, atol=1e-12)


def test_an_observed_row_is_learned_once_and_as_it_was():
    X = odd_rows(60)
    learner, seen = begun_recording(*STEPS)
    alone, _ = begun_recording(*STEPS)
    learner.observe(X)
    alone.observe(X)
    learner.test_then_train(X[::-1], np.zeros(60, dtype=int))
    assert_same(
        [step._kernel.state() for step in learner.steps_], [step._kernel.state() for step in alone.steps_]
    )
    np.testing.assert_array_equal(seen["learn"][::-1], seen["observe"])
    learner.test_then_train(X[:1], [0])
    assert not np.array_equal(seen["learn"][60], seen["observe"][0], equal_nan=True)


def test_late_labels_find_the_labels_of_their_time():
    X, y = np.arange(400.0)[:, None], np.arange(400) % 4
    learner, right = make_pipeline(StandardScaler(), LastLabels(), NaiveBayes()), []
    learner.begin(1, [0, 1, 2, 3])
    for i in range(400):
        right.append(learner.predict_one(X[i]) == y[i])
        learner.observe(X[i : i + 1])
        if i >= 2:
            learner.learn_one(X[i - 2], y[i - 2])
    assert np.mean(right[100:]) > 0.95


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), LogisticMixture(), HoeffdingTree(), DecisionTree()], ids=str
)
def test_without_steps_a_pipeline_is_its_learner(learner):
    X = odd_rows()
    y = (X[:, 0] > 3).astype(int)
    one, other = Pipeline([], learner).begin(3, [0, 1]), clone(learner).begin(3, [0, 1])
    np.testing.assert_array_equal(one.test_then_train(X, y), other.test_then_train(X, y))
    np.testing.assert_array_equal(one.learner_.predict_proba_block(X), other.predict_proba_block(X))
    assert_same(one.learner_.state(), other.state())


@pytest.mark.parametrize("member", [DecisionTree(), NaiveBayes(), HoeffdingTree()], ids=str)
def test_a_batch_is_its_rows_one_by_one(member):
    X = odd_rows()
    y, w = (X[:, 0] > 3).astype(int), np.random.default_rng(1).choice([0.0, 1.0, 2.0], 300)
    one, other = (make_pipeline(*STEPS, member).begin(3, [0, 1]) for _ in range(2))
    one._fit_block(X, y, w)
    rows = np.array([x for x, weight in zip(X, w, strict=True) if weight > 0])
    alone = clone(member).begin(one.learner_.n_features_in_, [0, 1], n_categories=one.learner_.n_categories_)
    alone._fit_block(twins.transformed([make() for make in TWINS], rows), y[w > 0], w[w > 0])
    transformed = X
    for step in one.steps_:
        transformed = step.transform(transformed)
    np.testing.assert_allclose(
        one.predict_proba_block(X), alone.predict_proba_block(transformed), rtol=1e-6, atol=1e-9
    )
    other.test_then_train(X, y, sample_weight=w)
    assert_same(one.state()["memory"]["steps"], other.state()["memory"]["steps"])


def test_a_pipeline_in_blocks_of_an_ensemble_learns():
    learner = SEAEnsemble(make_pipeline(StandardScaler(), DecisionTree()), chunk_size=200)
    run = prequential(SEA(4000, seed=1), learner)
    assert metrics.accuracy(run) > 0.8


def test_scaling_helps_a_model_that_does_not_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 3)) * [1.0, 1000.0, 1e6]
    y = (X[:, 0] > 0).astype(int)
    model = SklearnLearner(period=50)
    right = []
    for learner in (model, make_pipeline(StandardScaler(), model)):
        p = learner.begin(3, [0, 1]).test_then_train(X, y)
        right.append((p.argmax(axis=1) == y).mean())
    assert right[0] < 0.6 and right[1] > 0.95
    assert not make_pipeline(StandardScaler(), model).can_be_saved


def test_a_copy_has_the_seeds_that_were_drawn():
    X = odd_rows()
    y = (X[:, 0] > 3).astype(int)
    learner = make_pipeline(Imputer(), OnlineBagging(NaiveBayes(), 3, random_state=None)).begin(3, [0, 1])
    again = Pipeline().restore(learner.state())
    np.testing.assert_array_equal(learner.test_then_train(X, y), again.test_then_train(X, y))


def test_a_flag_tells_what_a_mean_hides():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2000)
    X = np.where((rng.random(2000) < 0.8) & (y == 1), np.nan, rng.normal(size=2000))[:, None]
    found = {}
    for strategy in ("mean", "flag"):
        learner = make_pipeline(Imputer(strategy), NaiveBayes()).begin(1, [0, 1])
        found[strategy] = (learner.test_then_train(X, y).argmax(axis=1) == y).mean()
    assert found["flag"] > 0.85 and found["flag"] > found["mean"]


def test_postcodes_become_categories():
    rng = np.random.default_rng(1)
    codes = rng.integers(1000, 9999, 20)
    X = rng.choice(codes, 3000)[:, None].astype(float)
    y = np.isin(X[:, 0], codes[::2]).astype(int)
    learner = make_pipeline(OrdinalEncoder([0]), NaiveBayes()).begin(1, [0, 1])
    assert learner.learner_.n_categories_.tolist() == [33]
    assert (learner.test_then_train(X, y).argmax(axis=1) == y)[500:].mean() > 0.99


def test_files_and_pickles_in_a_new_process(tmp_path):
    X = odd_rows()
    y = (X[:, 0] > 3).astype(int)
    learner = OnlineBagging(make_pipeline(*STEPS, NaiveBayes()), n_members=2).begin(3, [0, 1])
    learner.test_then_train(X[:200], y[:200])
    thalweg.save(learner, tmp_path / "model.tw")
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(learner))
    np.save(tmp_path / "rows.npy", X)
    code = (
        "import pickle, sys, numpy as np, thalweg; from pathlib import Path; folder = Path(sys.argv[1]);"
        "X = np.load(folder / 'rows.npy'); one = thalweg.load(folder / 'model.tw').predict_proba_block(X);"
        "other = pickle.loads((folder / 'model.pkl').read_bytes()).predict_proba_block(X);"
        "assert np.array_equal(one, other); np.save(folder / 'found.npy', one)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code, str(tmp_path)], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), learner.predict_proba_block(X))


def test_a_file_with_an_unknown_step_is_refused():
    learner = make_pipeline(StandardScaler(), NaiveBayes())
    state = learner.state()
    state["parameters"]["steps"][0]["step"] = "os:system"
    with pytest.raises(StateError, match="unknown class"):
        Pipeline().restore(state)
    data = thalweg.to_bytes(learner)
    assert thalweg.from_bytes(data).get_params()["steps__0__decay"] == 1.0
    from thalweg.saving.files import _bytes_of

    with pytest.raises(ModelFileError, match="os:system"):
        thalweg.from_bytes(_bytes_of(state, None))


def test_parameters_by_name():
    learner = make_pipeline(StandardScaler(), Imputer(), NaiveBayes())
    learner.set_params(steps__0__decay=0.5, learner=LogisticMixture(), max_waiting=5)
    assert learner.get_params()["steps__0__decay"] == 0.5
    other = clone(learner)
    assert other.steps[0].decay == 0.5 and other.steps[0] is not learner.steps[0]
    assert isinstance(other.learner, LogisticMixture)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Pipeline([NaiveBayes()]), "Pipeline: steps must be a list of steps"),
        (Pipeline(StandardScaler()), "steps must be a list of steps"),
        (Pipeline([], "a"), "learner must be a learner"),
        (Pipeline(max_waiting=0), "max_waiting must be"),
        (Pipeline([StandardScaler(["b", "d"])]), r"columns must be among the 3 inputs \['a', 'b', 'c'\]"),
        (Pipeline([Dates(["a"]), StandardScaler(["a"])]), "StandardScaler: columns must be among the 10"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(learner, message):
    with pytest.raises(ParameterError, match=message):
        learner.begin(3, [0, 1], names=["a", "b", "c"])


def test_only_the_last_argument_is_a_learner():
    step, learner = StandardScaler(), NaiveBayes()
    for arguments in ((), (step,), (learner, step, learner), (5, learner), (learner, learner)):
        with pytest.raises(TypeError, match="make_pipeline: "):
            make_pipeline(*arguments)
    assert make_pipeline(learner) is learner
    nested = make_pipeline(StandardScaler(), LastLabels(n=3), NaiveBayes())
    assert isinstance(nested.learner, LastLabels) and isinstance(nested.learner.member, NaiveBayes)


def test_columns_by_name_through_steps():
    frame = pd.DataFrame(odd_rows(), columns=["kind", "size", "when"])
    y = frame["kind"] > 3
    learner = make_pipeline(
        OneHotEncoder(["kind"], max_categories=3), Dates(["when"], ["elapsed"]),
        StandardScaler(["size", "when_elapsed"]), NaiveBayes(),
    ).fit(frame, y)
    assert learner.feature_names_in_.tolist() == ["kind", "size", "when"]
    names = learner.get_feature_names_out().tolist()
    assert len(set(names)) == 5 and names[3:] == ["size", "when_elapsed"]
    assert [name.startswith("kind=") for name in names] == [True] * 3 + [False] * 2
    assert learner.steps_[2].mean_.shape == (2,)


def test_names_that_come_later_are_found():
    learner = make_pipeline(OneHotEncoder(["b"], max_categories=2), StandardScaler(["c"]), NaiveBayes())
    learner.learn_one({"a": 1.0}, "x")
    assert learner.learner_.n_features_in_ == 1
    for i in range(20):
        learner.learn_one({"a": 1.0, "b": i % 2, "c": float(i)}, "xy"[i % 2])
    assert learner.get_feature_names_out().tolist() == ["a", "b=0", "b=1", "c"]
    assert learner.predict_one({"a": 1.0, "b": 1.0, "c": 3.0}) == "y"
    again = learner.copy()
    assert again.predict_proba_one({"b": 1.0}) == learner.predict_proba_one({"b": 1.0})


@pytest.mark.parametrize(
    "change",
    [
        {"steps__0__strategy": "mean"},
        {"steps__1__max_categories": 5},
        {"steps__1__columns": [1, 2]},
        {"steps": [StandardScaler()]},
        {"steps": [StandardScaler(), OneHotEncoder()]},
    ],
    ids=str,
)
def test_a_new_class_after_parameters_were_changed_is_learned_as_before(change):
    X = odd_rows(50)
    learner = make_pipeline(Imputer("flag"), OneHotEncoder([0], max_categories=1), NaiveBayes()).begin(3)
    learner.test_then_train(X, ["a", "b"] * 25)
    unchanged = learner.copy()
    for each in (learner.set_params(**change), unchanged):
        each.learn_one(X[0], "c")
    np.testing.assert_array_equal(learner.predict_proba_block(X), unchanged.predict_proba_block(X))
    np.testing.assert_array_equal(learner.copy().predict_proba_block(X), unchanged.predict_proba_block(X))


@pytest.mark.parametrize("delay", [0, 20])
def test_evaluation_with_late_labels_is_row_by_row(delay):
    stream = SEA(600, seed=1)
    one, other = (make_pipeline(StandardScaler(), NearestNeighbours(window=100)) for _ in range(2))
    run = prequential(stream, one, delay=delay, block=130)
    X, y = next(iter(SEA(600, seed=1).blocks(600)))
    other.begin(3, [0, 1])
    p = []
    for i in range(600):
        p.append(other.predict_proba_block(X[i : i + 1])[0])
        if delay:
            other.observe(X[i : i + 1])
        if i >= delay:
            other.test_then_train(X[i - delay : i - delay + 1], y[i - delay : i - delay + 1])
    np.testing.assert_array_equal(run.probabilities, p)


def test_pipelines_go_through_scikit_learns_search():
    from sklearn.model_selection import GridSearchCV

    X = odd_rows()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), NaiveBayes()), {"steps__0__decay": [0.9, 1.0]}, cv=2
    ).fit(X, X[:, 1] > 5)
    assert search.best_score_ > 0.5


def test_a_pipeline_is_not_in_the_list_of_learners_but_its_state_is_known():
    assert "Pipeline" not in learners.registry
    assert Pipeline().state()["learner"] == "Pipeline"

"""Models of scikit-learn and River as learners, and learners in River."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, QuantileTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from support.compositions import OWNERS, around

import thalweg
from thalweg import learners, preprocessing
from thalweg.adapters import RiverLearner, SklearnLearner, to_river
from thalweg.checks import check_learner
from thalweg.errors import ParameterError
from thalweg.evaluation import metrics, prequential
from thalweg.streams import SEA

X = np.random.default_rng(1).normal(size=(400, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
EXTREMES = ["extremes_stay_proper", "extreme_numbers_stay_proper"]  # scikit-learn warns of them
BATCHES = "weight_two_is_the_row_twice"  # periods and windows count rows
WIDTH = "inputs_may_come_later"  # a model of scikit-learn has a fixed number of inputs


def test_a_refitted_model_keeps_the_contract():
    check_learner(SklearnLearner(GaussianNB(), window=100), excused=[*EXTREMES, BATCHES, WIDTH])


def test_partial_fit_gives_what_scikit_learn_gives():
    learner, model = SklearnLearner(GaussianNB()).begin(3, [0, 1]), GaussianNB()
    p = learner.test_then_train(X, Y)
    for i in range(len(X)):
        if i > 10:
            np.testing.assert_allclose(p[i], model.predict_proba(X[i : i + 1])[0], rtol=1e-9)
        model.partial_fit(X[i : i + 1], Y[i : i + 1], classes=[0, 1])
    np.testing.assert_allclose(learner.model_.theta_, model.theta_)


@pytest.mark.parametrize("blocks", [[400], [1] * 400, [7, 93, 250, 50]])
def test_periods_count_rows_however_they_come(blocks):
    learner = SklearnLearner(SGDClassifier(loss="log_loss", random_state=1), period=40).begin(3, [0, 1])
    model, start, found = SGDClassifier(loss="log_loss", random_state=1), 0, []
    for n in blocks:
        found.append(learner.test_then_train(X[start : start + n], Y[start : start + n]))
        start += n
    for i in range(0, 400, 40):
        model.partial_fit(X[i : i + 40], Y[i : i + 40], classes=[0, 1])
        if i + 40 < 400:
            expected = model.predict_proba(X[i + 40 : i + 80])
            np.testing.assert_allclose(np.vstack(found)[i + 40 : i + 80], expected, rtol=1e-6)


def test_a_window_is_refitted_and_follows_drift():
    labels = np.where(np.arange(400) < 200, Y, 1 - Y)
    forest = RandomForestClassifier(10, random_state=1)
    p = SklearnLearner(forest, window=60, period=20).begin(3, [0, 1]).test_then_train(X, labels)
    right = p.argmax(axis=1) == labels
    assert right[100:200].mean() > 0.8 and right[200:230].mean() < 0.5 and right[300:].mean() > 0.8


def test_new_classes_come_to_a_window_and_not_to_partial_fit():
    learner = SklearnLearner(DecisionTreeClassifier(), window=50, period=5).begin(3)
    learner.test_then_train(X[:100], np.where(np.arange(100) < 50, "a", np.where(Y[:100] > 0, "b", "c")))
    assert learner.classes_.tolist() == ["a", "b", "c"]
    learner = SklearnLearner(GaussianNB()).begin(3)
    with pytest.raises(ValueError, match="must know all classes from the start"):
        learner.test_then_train(X[:20], ["a"] * 10 + ["b"] * 10)


def test_pipelines_weights_and_models_without_probabilities():
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3))
    run = prequential(SEA(2000, seed=1), SklearnLearner(pipeline, window=500))
    assert metrics.accuracy(run) > 0.78
    assert SklearnLearner(pipeline, window=500).uses_weights
    assert not SklearnLearner(make_pipeline(StandardScaler(), KNeighborsClassifier())).uses_weights
    assert SklearnLearner(GaussianNB()).uses_weights
    p = SklearnLearner(Perceptron()).begin(3, [0, 1]).test_then_train(X, Y)
    assert set(np.unique(p[1:])) == {0.0, 1.0}


@pytest.mark.parametrize("scaler", [StandardScaler(), preprocessing.StandardScaler()], ids=["theirs", "ours"])
def test_all_steps_of_a_pipeline_are_fitted_row_by_row(scaler):
    pipeline = make_pipeline(Normalizer(), scaler, "passthrough", GaussianNB())
    learner = SklearnLearner(pipeline, period=20).begin(3, [0, 1])
    w = np.random.default_rng(1).uniform(0.5, 2, 400)
    p = learner.test_then_train(X, Y, sample_weight=w)
    model, scaler = GaussianNB(), clone(scaler)
    for i in range(0, 400, 20):
        part = slice(i, i + 20)
        rows = Normalizer().transform(X[part])
        if i:
            np.testing.assert_allclose(p[part], model.predict_proba(scaler.transform(rows)), rtol=1e-9)
        model.partial_fit(scaler.partial_fit(rows).transform(rows), Y[part], [0, 1], w[part])
    assert not hasattr(pipeline[1], "mean_") or not hasattr(pipeline[-1], "classes_")


@pytest.mark.parametrize("period", [20, 100, 400])
def test_a_pipeline_is_refitted_with_weights_on_its_window(period):
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    w = np.random.default_rng(1).uniform(0.5, 2, 400)
    learner = SklearnLearner(pipeline, window=100, period=period).begin(3, [0, 1])
    learner.test_then_train(X, Y, sample_weight=w)
    model = clone(pipeline).fit(X[-100:], Y[-100:], gaussiannb__sample_weight=w[-100:])
    np.testing.assert_allclose(learner.predict_proba_block(X), model.predict_proba(X), rtol=1e-9)


def test_a_pipeline_with_a_step_that_needs_all_rows_is_refused():
    pipeline = make_pipeline(QuantileTransformer(), GaussianNB())
    with pytest.raises(ParameterError, match="QuantileTransformer has no partial_fit; pass window"):
        SklearnLearner(pipeline).begin(3, [0, 1])
    assert SklearnLearner(pipeline, window=100).begin(3, [0, 1]).predict_proba_block(X).shape == (400, 2)


def test_a_pipeline_of_scikit_learn_in_an_ensemble():
    pipeline = make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=1))
    learner = learners.OnlineBagging(SklearnLearner(pipeline, period=50), n_members=2)
    assert metrics.accuracy(prequential(SEA(2000, seed=1), learner)) > 0.75


def test_a_member_of_an_ensemble():
    learner = learners.OnlineBagging(SklearnLearner(GaussianNB()), n_members=3).begin(3, [0, 1])
    right = learner.test_then_train(X, Y).argmax(axis=1) == Y
    assert right[100:].mean() > 0.85


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (SklearnLearner(RandomForestClassifier()), "has no partial_fit; pass window="),
        (SklearnLearner(window=1), "window must be"),
        (SklearnLearner(period=0), "period must be"),
        (RiverLearner(), "must be a classifier of River, got None"),
    ],
)
def test_wrong_parameters_are_named(learner, message):
    with pytest.raises(ParameterError, match=message):
        learner.begin(3, [0, 1])


def test_a_foreign_model_stays_out_of_model_files():
    with pytest.raises(TypeError, match="SklearnLearner cannot be saved to a model file: it holds an object"):
        thalweg.to_bytes(SklearnLearner(GaussianNB()).begin(3, [0, 1]))


def test_a_class_in_place_of_an_instance_is_told():
    from river.tree import HoeffdingTreeClassifier

    with pytest.raises(ParameterError, match=r"got the class HoeffdingTreeClassifier; pass an instance"):
        RiverLearner(HoeffdingTreeClassifier).begin(3, [0, 1])
    with pytest.raises(ParameterError, match=r"to_river: got the class NaiveBayes; pass an instance"):
        to_river(learners.NaiveBayes)
    with pytest.raises(TypeError, match=r"got the class NaiveBayes; pass an instance: NaiveBayes\(\)"):
        thalweg.to_bytes(learners.NaiveBayes)


def scaled_softmax():
    from river import linear_model, preprocessing

    return preprocessing.StandardScaler() | linear_model.SoftmaxRegression()


def test_a_river_model_keeps_the_contract():
    check_learner(RiverLearner(scaled_softmax()), excused=[BATCHES])


def test_a_river_model_gives_what_river_gives():
    learner, model = RiverLearner(scaled_softmax()).begin(3, [0, 1]), scaled_softmax()
    p = learner.test_then_train(X, Y)
    for i, row in enumerate(X.tolist()):
        x = dict(enumerate(row))
        found = model.predict_proba_one(x)
        if len(found) == 2:
            np.testing.assert_allclose(p[i], [found[0], found[1]])
        model.learn_one(x, int(Y[i]))


def foreign(name):
    if name == "sklearn":
        # Its random_state is None, so that owners draw a seed; and a function is among its parameters.
        steps = make_pipeline(FunctionTransformer(np.arctan), LogisticRegression())
        return SklearnLearner(steps, window=30)
    from river import naive_bayes

    return RiverLearner(naive_bayes.GaussianNB() if name == "river" else scaled_softmax())


WITHOUT_WEIGHTS = ("AdaBoostWindow", "ClassWeights", "FastLightBoost", "IBoost", "OnlineCoordinateBoost")


@pytest.mark.parametrize("name", ["river", "river pipeline", "sklearn"])
@pytest.mark.parametrize("owner", OWNERS)
def test_copies_of_an_owner_of_a_foreign_model_carry_on(owner, name):
    learner = around(owner, foreign(name))
    if owner in WITHOUT_WEIGHTS and name != "sklearn":
        with pytest.raises(ParameterError, match="weights"):
            learner.begin(3, [0, 1])
        return
    learner.begin(3, [0, 1]).test_then_train(X[:50], Y[:50])
    copies = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner), learner.copy()]
    expected = learner.test_then_train(X[50:80], Y[50:80])
    for each in copies:
        assert np.array_equal(each.test_then_train(X[50:80], Y[50:80]), expected)
    for each in (learner, around(owner, foreign(name))):
        with pytest.raises(TypeError, match="Pickle it instead"):
            thalweg.to_bytes(each)


def test_a_fresh_process_reads_a_pickle_with_an_adapter_inside(tmp_path):
    owner = learners.OnlineBagging(SklearnLearner(), n_members=2).begin(3, [0, 1])
    path = tmp_path / "owner.pickle"
    path.write_bytes(pickle.dumps(owner))
    code = f"import pickle; print(pickle.load(open({str(path)!r}, 'rb')).members_[0])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == "SklearnLearner()\n", run.stderr


def test_the_memory_of_a_foreign_model_is_that_of_what_it_has_learned():
    forest = SklearnLearner(RandomForestClassifier(20, random_state=0), window=300)
    assert prequential(SEA(600, seed=1), forest).memory > 50_000
    tree = pytest.importorskip("river.tree")
    learner = RiverLearner(tree.HoeffdingTreeClassifier(grace_period=20))
    few, many = (prequential(SEA(n, seed=1), learner).memory for n in (100, 8000))
    assert 1000 < 2 * few < many


def test_river_sees_the_names_of_inputs():
    from river import compose, naive_bayes

    model = compose.Select("b") | naive_bayes.GaussianNB()
    learner = RiverLearner(model).begin(3, [0, 1], names=["a", "b", "c"])
    assert (learner.test_then_train(X, X[:, 1] > 0).argmax(axis=1) == (X[:, 1] > 0))[50:].mean() > 0.9
    assert (learner.test_then_train(X, X[:, 0] > 0).argmax(axis=1) == (X[:, 0] > 0))[50:].mean() < 0.7


ORDER = "check_shuffle_features_no_impact"  # sums and draws go in the order of the inputs


@pytest.mark.parametrize(
    ("learner", "excused"),
    [(learners.NaiveBayes(), ""), (learners.HoeffdingTree(), ""), (learners.LogisticMixture(), ORDER)],
    ids=lambda value: type(value).__name__,
)
def test_learners_pass_the_checks_of_river(learner, excused):
    from river import checks

    for check in checks.yield_checks(to_river(learner)):
        if getattr(check, "__name__", "") != excused:
            check(to_river(learner))


def test_learners_go_through_river_as_alone():
    from river import evaluate, stream
    from river.metrics import Accuracy

    rows = list(stream.iter_array(X, Y.tolist()))
    found = evaluate.progressive_val_score(rows, to_river(learners.NaiveBayes()), Accuracy()).get()
    alone = learners.NaiveBayes()
    right = []
    for x, y in rows:
        right.append(alone.predict_one(x) == y)
        alone.learn_one(x, y)
    assert found == pytest.approx(np.mean(right[1:]), abs=0.003)


def test_what_is_no_classifier_of_sklearn_is_refused():
    for model, why in ((LinearRegression(), "a classifier"), (Perceptron, "an instance, such as Per")):
        with pytest.raises(ParameterError, match=f"SklearnLearner: model must be {why}"):
            SklearnLearner(model, window=200).begin(2, [0, 1])

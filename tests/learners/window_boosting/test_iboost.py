"""IBoost: the twin, the loss, the cache, the window, bad input."""

import numpy as np
import pytest
from support.cluster_rows import clusters, training, weighted_clouds
from twins.learners.window_boosting import iboost as twin

from thalweg.drift import DDM
from thalweg.errors import ParameterError, StateError
from thalweg.learners import (
    AdaBoostWindow,
    DecisionTree,
    DriftReset,
    HoeffdingTree,
    IBoost,
    NaiveBayes,
    NearestNeighbours,
    OnlineCoordinateBoost,
)
from thalweg.streams import SEA

RATES = {"stochastic": 0.05, "batch": 0.1, "implicit": 1.0, "coordinate": 0.1}


def margins(learner):
    """Return the kernel's margins and those computed from its weights and stumps."""
    arrays, slots = learner._kernel.arrays, learner._kernel.rows()
    k = max(int(arrays["seen"].sum()), 2)
    stumps, X, y = learner.stumps_, learner.window_["X"], learner.window_["y"]
    left = X[:, stumps["feature"]] <= stumps["threshold"]
    right = np.where(left, stumps["left"], stumps["right"]) == y[:, None]
    return arrays["margin"][slots], np.where(right, 2 - 2 / k, -2 / k) @ learner.weights_


def assert_is_its_twin(settings, n_features, n_classes, member=None, n_rows=150):
    """Assert that answers and weights are the twin's; return the twin."""
    X, y, w = weighted_clouds(n_rows, n_features, n_classes)
    usual = {"n_members": 10, "window": 30, "period": 2, "update": "batch", "n_updates": 2, "cap": None}
    settings = usual | settings
    settings.setdefault("rate", RATES[settings["update"]])
    fast = IBoost(member, **settings).begin(n_features, range(n_classes))
    if settings["window"] == "adwin":
        settings["window"] = settings.pop("max_window")
    train = training(member, n_features, n_classes)
    slow = twin.IBoost(n_classes, **settings, train=train)
    expected = [slow.learn(*row) for row in zip(X, y, w, strict=True)]
    np.testing.assert_allclose(fast.test_then_train(X, y, sample_weight=w), expected, rtol=0, atol=1e-12)
    here = [m is not None for m in slow.members]
    np.testing.assert_allclose(fast.weights_, slow.alpha[here], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(fast.window_["X"], slow.X)
    return slow


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize("update", RATES)
def test_kernel_is_its_twin(update, n_features, n_classes):
    assert_is_its_twin({"update": update, "cap": 8}, n_features, n_classes)


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize(
    ("settings", "meets"),
    [
        ({"remove": "oldest"}, {"full"}),
        ({"remove": "worst"}, {"full"}),
        ({"remove": "worst", "add": "always", "period": 1}, {"full"}),
        ({"add": "until_full"}, set()),
        ({"add": "until_full", "update": "stochastic", "rate": 0.5}, {"negative"}),
        ({"window": "adwin", "max_window": 100, "delta": 0.9}, {"cut"}),
    ],
)
def test_each_way_to_add_remove_and_cut_is_the_twins(settings, meets, n_features, n_classes):
    slow = assert_is_its_twin({"n_members": 5} | settings, n_features, n_classes)
    assert meets <= slow.met
    assert settings.get("add") != "until_full" or "full" not in slow.met


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize("member", [NaiveBayes(), HoeffdingTree(grace_period=5)])
def test_members_that_are_learners_are_the_twins(member, n_features, n_classes):
    slow = assert_is_its_twin({"n_members": 5, "cap": 3}, n_features, n_classes, member)
    assert slow.n_built > 5


@pytest.mark.parametrize(("update", "rate"), [("batch", 1 / 15), ("coordinate", 1.0), ("coordinate", 0.1)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_steps_never_raise_the_loss(update, rate, n_classes):
    X, y = clusters(300, n_classes, seed=3)
    plain = IBoost(n_members=15, window=60, update="none", cap=None).begin(2, list(range(n_classes)))
    for stop in range(20, 301, 20):
        plain.test_then_train(X[stop - 20 : stop], y[stop - 20 : stop])
        state = plain.state()
        state["parameters"] |= {"update": update, "rate": rate, "n_updates": 1}
        other = IBoost().restore(state)
        losses = [other.loss_, *(other.improve().loss_ for _ in range(30))]
        assert (np.diff(losses) <= 1e-12 * losses[0]).all()
        assert losses[-1] < losses[0]


def test_improving_after_forgetting_fits_the_rows_that_stay():
    X, y = clusters(200)
    y[100:120] = 1 - y[100:120]
    learner = IBoost(window=100, update="batch").begin(2, [0, 1])
    learner.test_then_train(X[100:], y[100:])
    before = learner.forget(range(20)).loss_
    assert learner.improve().loss_ < before


@pytest.mark.parametrize("update", ["stochastic", "batch"])
def test_cached_margins_stay_exact(update):
    rng = np.random.default_rng(5)
    X, y = next(SEA(20_000, noise=0.1, seed=4).blocks(20_000))
    learner = IBoost(n_members=30, window=50, update=update).begin(3, [0, 1])
    for start in range(0, 20_000, 500):
        learner.test_then_train(X[start : start + 500], y[start : start + 500])
        learner.forget(rng.choice(50, 10, replace=False))
        cached, exact = margins(learner)
        np.testing.assert_allclose(cached, exact, rtol=1e-10, atol=1e-10)
        assert len(learner.window_["y"]) == 40


def test_loss_is_that_of_the_window():
    X, y = clusters(100)
    learner = IBoost(n_members=10, window=20).begin(2, [0, 1])
    learner.test_then_train(X, y)
    exact = margins(learner)[1]
    assert learner.loss_ == pytest.approx(np.exp(-exact).sum())
    np.testing.assert_allclose(learner.window_["share"], np.exp(-exact) / np.exp(-exact).sum())


@pytest.mark.parametrize(("learner", "expected"), [
    (IBoost(cap=None), 97.3), (IBoost(update="batch", cap=None), 98.1),
    (IBoost(NaiveBayes(), n_members=50, cap=3), 97.6),
])
def test_accuracy_on_sea_is_the_specified_one(learner, expected):
    X, y = next(SEA(25_000, period=6250, noise=0, seed=77).blocks(25_000))
    p = learner.begin(3, [0, 1]).test_then_train(X, y)
    assert 100 * (p.argmax(axis=1) == y).mean() == pytest.approx(expected, abs=1.2)


@pytest.mark.parametrize("member", [None, NaiveBayes()])
@pytest.mark.parametrize("noise", [0, 0.1])
def test_an_automatic_cap_is_near_the_best(member, noise):
    X, y = next(SEA(12_000, period=6000, noise=noise, seed=78).blocks(12_000))

    def accuracy(cap):
        learner = IBoost(member, n_members=50, cap=cap).begin(3, [0, 1])
        return (learner.test_then_train(X, y).argmax(axis=1) == y).mean()

    found = {cap: accuracy(cap) for cap in (None, 10, 3, 1)}
    assert accuracy("auto") > max(found.values()) - 0.015, found


def test_an_automatic_cap_tells_which():
    X, y = next(SEA(3000, noise=0.2, seed=1).blocks(3000))
    learner = IBoost(cap="auto").begin(3, [0, 1])
    learner.test_then_train(X, y)
    assert learner.cap_ in (10.0, 3.0, 1.0)
    assert learner.weights_.sum() <= learner.cap_ + 1e-9


def test_forgetting_all_rows_keeps_the_members():
    X, y = clusters(100)
    learner = IBoost(window=30).begin(2, [0, 1])
    learner.test_then_train(X, y)
    p = learner.predict_proba_block(X)
    learner.forget(np.ones(30, dtype=bool))
    assert len(learner.window_["y"]) == 0 and learner.loss_ == 0
    np.testing.assert_array_equal(learner.predict_proba_block(X), p)
    learner.test_then_train(X, y)
    assert len(learner.window_["y"]) == 30


def test_forgetting_a_row_is_never_having_kept_it():
    X, y = clusters(40)
    learner = IBoost(window=50).begin(2, [0, 1])
    learner.test_then_train(X, y)
    learner.forget([0, -1, 7])
    np.testing.assert_array_equal(learner.window_["X"], np.delete(X, [0, 7, 39], axis=0))
    with pytest.raises(ValueError, match="rows must be numbers of rows below 37"):
        learner.forget([37])
    with pytest.raises(ValueError, match="rows must be"):
        learner.forget([0.5])


def test_a_window_cut_by_adwin_is_short_after_a_drift():
    X, y = clusters(3000, seed=8, distance=3.0)
    y[2000:] = 1 - y[2000:]
    learner = IBoost(window="adwin", max_window=1000, n_members=20).begin(2, [0, 1])
    learner.test_then_train(X[:2000], y[:2000])
    assert len(learner.window_["y"]) > 500
    learner.test_then_train(X[2000:2400], y[2000:2400])
    assert len(learner.window_["y"]) <= 450


@pytest.mark.parametrize("member", [DecisionTree(max_leaves=4), HoeffdingTree(grace_period=50), NaiveBayes()])
def test_members_may_be_learners(member):
    X, y = clusters(1500, 3, seed=9)
    learner = IBoost(member, n_members=10, window=100, cap=3).begin(2, [0, 1, 2])
    p = learner.test_then_train(X, y)
    assert (p.argmax(axis=1) == y)[500:].mean() > 0.6
    assert len(learner.members_) == len(learner.weights_) <= 10
    with pytest.raises(AttributeError, match="not stumps"):
        _ = learner.stumps_


def test_categories_are_split_one_against_the_rest():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (400, 1)).astype(float)
    y = (X[:, 0] == 2).astype(int)
    learner = IBoost(n_members=1, window=100).begin(1, [0, 1], n_categories=[5])
    learner.test_then_train(X, y)
    assert learner.stumps_["threshold"].tolist() == [2.0]
    assert (learner.predict_proba_block(X).argmax(axis=1) == y).all()


def test_only_updates_once_it_is_full():
    X, y = clusters(500)
    learner = IBoost(n_members=5, add="until_full", update="stochastic").begin(2, [0, 1])
    learner.test_then_train(X[:100], y[:100])
    before = learner.stumps_
    learner.test_then_train(X[100:120], y[100:120])
    assert all((np.isin(before[name], learner.stumps_[name])).sum() >= 4 for name in ("feature",))
    assert len(learner.weights_) <= 5


@pytest.mark.parametrize("remove", ["lightest", "oldest", "worst"])
def test_members_make_room(remove):
    X, y = clusters(500, seed=4)
    learner = IBoost(n_members=5, remove=remove, update="none").begin(2, [0, 1])
    learner.test_then_train(X, y)
    assert len(learner.weights_) == 5


@pytest.mark.parametrize(("settings", "message"), [
    ({"window": 1}, "window must be a whole number of at least 2"),
    ({"window": "ddm"}, "window must be one of 'adwin'"),
    ({"n_members": 0}, "n_members"), ({"period": 0}, "period"),
    ({"update": "none "}, "update must be one of"),
    ({"rate": 0}, "rate"), ({"rate": 2.0}, "rate"), ({"cap": -1}, "cap"),
    ({"cap": "big"}, "cap must be one of"),
    ({"n_updates": 0}, "n_updates"), ({"n_updates": 10_001}, "n_updates"),
    ({"add": "x"}, "add"), ({"remove": "x"}, "remove"),
    ({"n_members": 10_000, "window": 50_000}, "n_members must be at most 8000 for a window of 50000 rows"),
    ({"member": "x"}, "member must be a learner"), ({"delta": 0, "window": "adwin"}, "delta"),
])
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        IBoost(**settings).begin(2, [0, 1])


@pytest.mark.parametrize(
    "learner", [IBoost(), IBoost(update="coordinate"), IBoost(NaiveBayes(), n_members=5)]
)
def test_one_class_gives_a_sane_answer(learner):
    X, y = clusters(100)
    learner = learner.begin(2, ["a", "b"])
    learner.test_then_train(X[:50], ["a"] * 50)
    assert learner.predict(X).tolist() == ["a"] * 100
    p = learner.test_then_train(X, np.array(["a", "b"])[y])
    assert np.isfinite(p).all() and set(learner.predict(X)) == {"a", "b"}


def test_members_that_cannot_be_reset_are_built_again():
    X, y = clusters(300)
    learner = IBoost(NearestNeighbours(window=50), n_members=3, window=40, cap=3).begin(2, [0, 1])
    p = learner.test_then_train(X, y)
    assert (p.argmax(axis=1) == y)[100:].mean() > 0.7


def test_members_made_of_others_forget_what_they_learned_when_they_are_built_again():
    X, y = clusters(300)
    settings = {"n_members": 3, "window": 40, "period": 3}
    plain = IBoost(NaiveBayes(), **settings).begin(2, [0, 1])
    quiet = IBoost(DriftReset(NaiveBayes(), DDM(min_values=10**6)), **settings).begin(2, [0, 1])
    np.testing.assert_array_equal(quiet.test_then_train(X, y), plain.test_then_train(X, y))


@pytest.mark.parametrize("kind", [IBoost, OnlineCoordinateBoost, AdaBoostWindow])
@pytest.mark.parametrize("name", ["by_row", "by_member"])
def test_answers_that_contradict_each_other_are_refused(kind, name):
    X, y = clusters(100)
    learner = kind(n_members=5, window=40).begin(2, [0, 1])
    learner.test_then_train(X, y)
    state = learner.state()
    answers = state["memory"][name]
    for value in (-128, -1, 0, 127, 256, 10**9, -(2**31), 2**62):
        for damaged in (answers.astype(np.int64), np.full(answers.shape, value)):
            damaged.flat[0] = value
            if np.array_equal(damaged, answers):
                continue
            with pytest.raises(StateError, match=r"by_row|by_member"):
                kind().restore(state | {"memory": state["memory"] | {name: damaged}})

"""AdaptiveLogistic with time_column: its twin, the sums themselves, waits, odd times, names, growth."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from support.logistic_rows import noisy_rows
from twins.learners.logistic.adaptive_logistic import Filter, Logistic

from thalweg.errors import StateError
from thalweg.learners import AdaptiveLogistic, LogisticMixture
from thalweg.saving import from_bytes, to_bytes

PAPER = {"step": "single", "standardise": False, "guard": None, "prior": 10.0}
KINDS = ["none", "fixed", "tuned", "adaptive", "rprop"]
DECAYS = {"none": 1.0, "fixed": 0.97, "tuned": 0.9, "adaptive": 0.9, "rprop": 0.9}


def timed_rows(n, n_classes=2, gaps=(0.0, 0.3, 1.0, 1.0, 2.0, 5.5), seed=0, place=1):
    """Return rows whose input at `place` is a time, in gaps drawn from `gaps`."""
    X, y = noisy_rows(n, n_classes=n_classes, seed=seed)
    times = 1e6 + np.random.default_rng(seed).choice(gaps, n).cumsum()
    return np.insert(X, place, times, axis=1), y


def without_guard_or_with(guard):
    return {"standardise": guard is not None, "guard": guard}


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", ["single", "converged"])
@pytest.mark.parametrize("forgetting", KINDS)
def test_kernel_is_its_twin(forgetting, step, n_classes, link):
    for n_rows, guard in ((200, 100.0), (60, None)):
        X, y = timed_rows(n_rows, n_classes)
        X[[5, 20], 1], X[[11, 30], 1] = np.nan, 1e6
        w = np.random.default_rng(1).uniform(0.3, 2.0, len(y))
        settings = {"bandwidth": 5.0, "rate": 1e-5, "link": link, "time_column": 1}
        settings |= without_guard_or_with(guard)
        decay = DECAYS[forgetting]
        learner = AdaptiveLogistic(forgetting, decay, step=step, **settings).begin(4, range(n_classes))
        twin = Logistic(
            4, n_classes, [decay], forgetting="fixed" if forgetting == "none" else forgetting,
            converged=step == "converged", prior=1.0, **settings,
        )
        p = learner.test_then_train(X, y, sample_weight=w)
        np.testing.assert_allclose(p, twin.test_then_train(X, y, sample_weight=w), atol=1e-12)
        np.testing.assert_allclose(learner.decay_, [f.decay for f in twin.members[0]], atol=1e-11)


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_mixture_is_its_twin(n_classes, link):
    X, y = timed_rows(150, n_classes)
    X[[5, 20], 1], X[[11, 30], 1] = np.nan, 1e6
    learner = LogisticMixture(link=link, time_column=1).begin(4, range(n_classes))
    twin = Logistic(
        4, n_classes, learner.decays, time_column=1, link=link, forgetting="fixed", converged=True,
        guard=100.0, prior=1.0,
    )
    np.testing.assert_allclose(learner.test_then_train(X, y), twin.test_then_train(X, y), atol=1e-12)
    np.testing.assert_allclose(learner.shares_, twin.share, atol=1e-10)
    assert learner.coef_.shape[1] == 4 and (learner.coef_[:, 1] == 0).all()


@pytest.mark.parametrize("forgetting", KINDS)
def test_times_one_step_apart_are_rows_counted(forgetting):
    X, y = timed_rows(500, gaps=[1.0])
    for settings in ({}, PAPER):
        timed = AdaptiveLogistic(forgetting, time_column=1, **settings).begin(4, [0, 1])
        counted = AdaptiveLogistic(forgetting, **settings).begin(3, [0, 1])
        rows = np.delete(X, 1, axis=1)
        np.testing.assert_array_equal(timed.test_then_train(X, y), counted.test_then_train(rows, y))


def test_the_past_is_weighed_by_its_age():
    # (14)–(16) with the weights written out: a row of age u has decay^u. The first row is a step old.
    X, y = timed_rows(300)
    times, rows = X[:, 1], np.column_stack([np.delete(X, 1, axis=1), np.ones(len(X))])
    learner = AdaptiveLogistic("fixed", 0.98, time_column=1, **PAPER).begin(4, [0, 1])
    p = learner.test_then_train(X, y)[:, 1]
    a, b = np.empty(300), np.empty(300)
    for i, x in enumerate(rows):
        weight = 0.98 ** (times[i - 1] - times[:i]) if i else np.empty(0)
        old = 0.98 ** (times[i - 1] - times[0] + 1) if i else 1.0
        information = old * np.eye(4) / 10 + (rows[:i].T * weight * a[:i]) @ rows[:i]
        z = np.linalg.solve(information, -(rows[:i].T * weight) @ b[:i]) @ x
        assert p[i] == pytest.approx(expit(z), abs=1e-9)
        a[i] = expit(z) * (1 - expit(z))
        b[i] = expit(z) - y[i] - z * a[i]


@pytest.mark.parametrize("forgetting", ["fixed", "tuned"])
def test_a_gap_is_rows_that_say_nothing(forgetting):
    # Rows of next to no weight; with the guard they share its turns a little differently.
    X, y = timed_rows(200, gaps=[1.0, 2.0, 4.0])
    repeats = np.append(1, np.diff(X[:, 1])).astype(int)
    last = np.cumsum(repeats) - 1
    w = np.full(last[-1] + 1, 1e-200)
    w[last] = 1.0
    for guard, tolerance in ((None, 1e-9), (100.0, 0.01)):
        settings = {"standardise": False, "guard": guard}
        timed = AdaptiveLogistic(forgetting, 0.95, time_column=1, **settings).begin(4, [0, 1])
        counted = AdaptiveLogistic(forgetting, 0.95, **settings).begin(3, [0, 1])
        rows, labels = np.repeat(np.delete(X, 1, axis=1), repeats, axis=0), np.repeat(y, repeats)
        expected = counted.test_then_train(rows, labels, sample_weight=w)[last]
        np.testing.assert_allclose(timed.test_then_train(X, y), expected, atol=tolerance)


def path(X, gaps, y, decay, converged, guard, curvatures=None):
    # The twin's coefficients at a constant decay; with its own curvatures a, or with those given.
    f = Filter(X.shape[1], "fixed", decay, converged=converged, guard=guard, prior=1.0)
    used = []
    for i, (x, c) in enumerate(zip(X, y, strict=True)):
        if gaps[i] > 1:
            f.wait(gaps[i] - 1)
        past = decay ** min(gaps[i], 1.0)
        size, z = x @ f.R @ x, f.beta @ x
        a, e = f.derivatives(f.peak(z, size / past, c) if converged else z, c)
        a = a if curvatures is None else curvatures[i]
        own = f.R @ x * (e / past if converged else e / (past + a * size))
        f.R = np.linalg.inv(past * np.linalg.inv(f.R) + a * np.outer(x, x))
        f.beta = f.beta + own
        f.leak(past)
        used.append(a)
    return f.beta, used


@pytest.mark.parametrize("guard", [None, 5.0])
@pytest.mark.parametrize("step", ["single", "converged"])
def test_adaptive_slopes_are_finite_differences_where_curvature_is_held(step, guard):
    X, y = timed_rows(60, gaps=[0.4, 1.0, 3.5])
    learner = AdaptiveLogistic(
        "adaptive", 0.5, rate=1e-300, step=step, standardise=False, guard=guard, time_column=1
    ).begin(4, [0, 1])
    learner._kernel.arrays["decay"][:] = 0.97
    learner.test_then_train(X, y)
    psi = learner._kernel.arrays["psi"][:, 0]
    rows = np.column_stack([np.delete(X, 1, axis=1), np.ones(len(X))])
    gaps, converged = np.append(1.0, np.diff(X[:, 1])), step == "converged"
    _, held = path(rows, gaps, y, 0.97, converged, guard)
    up, down = (path(rows, gaps, y, 0.97 + h, converged, guard, held)[0] for h in (1e-6, -1e-6))
    np.testing.assert_allclose(psi, (up - down) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("gap", [1e3, 1e9, 1e100])
@pytest.mark.parametrize("forgetting", KINDS)
def test_any_gap_leaves_numbers_sound(forgetting, gap):
    X, y = timed_rows(600)
    X[300:, 1] += gap
    learner = AdaptiveLogistic(forgetting, time_column=1).begin(4, [0, 1])
    p = learner.test_then_train(X, y)
    assert learner.n_restarts_ == 0
    assert all(np.isfinite(array).all() for array in learner._kernel.arrays.values())
    assert learner._kernel.arrays["R"].max() < 1000
    assert (p.argmax(axis=1) == y)[350:].mean() > 0.7


def test_after_a_long_gap_a_change_is_learned_at_once():
    X, y = timed_rows(400, gaps=[1.0])
    rows, labels = np.tile(X, (2, 1)), np.append(y, 1 - y)
    right = {}
    for gap in (1.0, 300.0):
        rows[400:, 1] = X[:, 1] + 399 + gap
        p = AdaptiveLogistic("fixed", 0.995, time_column=1).begin(4, [0, 1]).test_then_train(rows, labels)
        right[gap] = (p.argmax(axis=1) == labels)[405:455].mean()
    assert right[300.0] > right[1.0] + 0.2


@pytest.mark.parametrize("forgetting", KINDS)
def test_missing_and_earlier_times_are_the_latest(forgetting):
    X, y = timed_rows(200)
    strange = np.flatnonzero(np.random.default_rng(5).random(200) < 0.2)[1:]
    same, missing, earlier = X.copy(), X.copy(), X.copy()
    for i in strange:
        same[i, 1] = same[i - 1, 1]
    same[:, 1] = np.maximum.accumulate(same[:, 1])
    missing[strange, 1], earlier[strange, 1] = np.nan, -7.0
    learners = [AdaptiveLogistic(forgetting, time_column=1).begin(4, [0, 1]) for _ in range(3)]
    expected, *others = (
        learner.test_then_train(rows, y)
        for learner, rows in zip(learners, (same, missing, earlier), strict=True)
    )
    for p in others:
        np.testing.assert_array_equal(p, expected)


def test_time_is_no_input():
    X, y = timed_rows(300)
    y = (np.arange(300) >= 150).astype(int)  # nothing but the time tells them apart
    learner = AdaptiveLogistic("none", time_column=1).fit(X, y)
    assert learner.coef_.shape == (1, 4) and learner.coef_[0, 1] == 0.0 and (learner.coef_ != 0).sum() == 3
    other = X.copy()
    other[:, 1] = np.nan
    np.testing.assert_array_equal(learner.predict_proba(X), learner.predict_proba(other))
    shown = np.nan_to_num(other)
    np.testing.assert_allclose(
        learner.predict_proba(X)[:, 1], expit(shown @ learner.coef_[0] + learner.intercept_[0]), atol=1e-12
    )


def test_only_a_time_leaves_the_share_of_the_classes():
    X, y = timed_rows(400)
    learner = AdaptiveLogistic("none", time_column=0).fit(X[:, 1:2], y)
    assert learner.predict_proba(X[:1, 1:2])[0, 1] == pytest.approx(y.mean(), abs=0.01)


def test_rows_of_weight_0_leave_the_clock():
    X, y = timed_rows(50)
    learner = AdaptiveLogistic(time_column=1).begin(4, [0, 1])
    learner.test_then_train(X, y)
    before = learner.state()
    later = X[:1].copy()
    later[0, 1] += 1000
    learner.test_then_train(later, y[:1], sample_weight=[0.0])
    assert learner.state()["memory"]["clock"] == before["memory"]["clock"] == X[-1, 1]


def test_names_of_frames_and_of_begin():
    X, y = timed_rows(100)
    expected = AdaptiveLogistic(time_column=1).begin(4, [0, 1]).test_then_train(X, y)
    named = AdaptiveLogistic(time_column="when").begin(4, [0, 1], names=["a", "when", "b", "c"])
    np.testing.assert_array_equal(named.test_then_train(X, y), expected)
    frame = pd.DataFrame(X, columns=["a", "when", "b", "c"])
    fitted = AdaptiveLogistic(time_column="when").fit(frame, y)
    np.testing.assert_array_equal(fitted.coef_, named.coef_)


def dicts(X, names):
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]


@pytest.mark.parametrize("first", [0, 40])
def test_a_time_of_dict_rows_may_come_later(first):
    # Without one, rows are of one moment.
    X, y = timed_rows(200, gaps=[1.0, 3.0])
    same = X.copy()
    same[:first, 1] = np.nan
    expected = AdaptiveLogistic(time_column=1).begin(4, [0, 1]).test_then_train(same, y)
    rows = dicts(np.delete(X, 1, axis=1), ["a", "b", "c"])
    for i in range(first, 200):
        rows[i]["when"] = X[i, 1]
    learner = AdaptiveLogistic(time_column="when").begin(classes=[0, 1])
    p = learner.test_then_train(rows, y)
    np.testing.assert_allclose(p, expected, atol=1e-12)
    again = from_bytes(to_bytes(learner))
    np.testing.assert_array_equal(again.test_then_train(rows, y), learner.test_then_train(rows, y))


def test_inputs_and_classes_may_come_later():
    X, y = timed_rows(300, 3)
    rows = dicts(X, ["a", "when", "b", "c"])
    for row in rows[:100]:
        del row["c"]
    learner = AdaptiveLogistic("adaptive", time_column="when").begin()
    for part in (slice(0, 150), slice(150, 300)):
        learner.test_then_train(rows[part], y[part])
    assert learner.input_names_ == ["a", "when", "b", "c"] and learner.coef_.shape == (3, 4)
    assert (learner.coef_[:, 1] == 0).all() and (learner.coef_[:, [0, 2, 3]] != 0).all()
    assert learner._kernel.arrays["clock"] == X[-1, 1]


def test_categories_before_the_time():
    X, y = timed_rows(300)
    codes = np.random.default_rng(3).integers(4, size=300)
    wide = np.column_stack([(codes == k).astype(float) for k in range(4)] + [np.zeros(300), X])
    settings = {"standardise": False}
    one_hot = AdaptiveLogistic(time_column=2, **settings).begin(5, [0, 1], n_categories=[4, 0, 0, 0, 0])
    plain = AdaptiveLogistic(time_column=6, **settings).begin(9, [0, 1])
    rows = np.column_stack([codes, X])
    np.testing.assert_allclose(one_hot.test_then_train(rows, y), plain.test_then_train(wide, y), atol=1e-12)
    np.testing.assert_allclose(one_hot.coef_, plain.coef_, atol=1e-12)
    assert one_hot.input_names_[6] == "x2" and one_hot.coef_[0, 6] == 0


@pytest.mark.parametrize(
    ("column", "settings", "message"),
    [
        (-1, {}, "time_column must be the position of an input from 0, or its name, got -1"),
        (True, {}, "time_column must be the position"),
        (1.0, {}, "time_column must be the position"),
        (4, {}, "time_column must be among the 4 inputs, which have no names here; give a position, got 4"),
        ("when", {}, "time_column must be among the 4 inputs, which have no names here"),
        ("when", {"names": list("abcd")}, r"among the 4 inputs \['a', 'b', 'c', 'd'\], got 'when'"),
        (0, {"n_categories": [3, 0, 0, 0]}, "time_column must be an input that is a number"),
        (0, {"n_categories": [2, 0, 0, 0]}, "time_column must be an input that is a number"),
    ],
)
def test_bad_columns_are_named(column, settings, message):
    with pytest.raises(ValueError, match=message):
        AdaptiveLogistic(time_column=column).begin(4, [0, 1], **settings)


@pytest.mark.parametrize("clock", [np.inf, 1e200])
def test_a_damaged_clock_is_refused(clock):
    learner = AdaptiveLogistic(time_column=1).begin(4, [0, 1])
    learner.test_then_train(*timed_rows(20))
    state = learner.state()
    state["memory"]["clock"][0] = clock
    with pytest.raises(StateError, match="the state's 'clock' holds"):
        AdaptiveLogistic().restore(state)

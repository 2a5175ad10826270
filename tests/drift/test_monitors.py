"""Monitors: the distances are those of NumPy and SciPy, the false-alarm rate holds, and changes are named."""

import copy
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from sklearn.base import clone
from support.places import DATA, data_file

from thalweg import drift
from thalweg.drift import HellingerMonitor, KolmogorovSmirnovMonitor, StabilityMonitor, distances
from thalweg.drift.changes import joined_windows
from thalweg.drift.monitor import Monitor, split_reference
from thalweg.drift.ragged import Ragged
from thalweg.streams import datasets

KINDS = [drift.monitor_registry.load(name) for name in drift.monitor_registry]
every_kind = pytest.mark.parametrize("kind", KINDS)


def normal(n_rows, n_inputs, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_inputs))


def mixed(rng, n_rows, n_inputs):
    """Return inputs of all kinds with missing values, and which of them are categorical."""
    rare = 1 / np.arange(1, 1001)
    kinds = [
        lambda: rng.normal(size=n_rows),
        lambda: rng.lognormal(sigma=2, size=n_rows),
        lambda: rng.normal(scale=2, size=n_rows).round(),
        lambda: np.maximum(rng.normal(size=n_rows), 0.3),
        lambda: rng.random(n_rows) < 0.1,
        lambda: rng.choice(1000, n_rows, p=rare / rare.sum()),
        lambda: rng.random(n_rows) < 0.003,
        lambda: np.ones(n_rows),
    ]
    X = np.column_stack([kinds[j % len(kinds)]() for j in range(n_inputs)]).astype(float)
    X[:, ::3][rng.random(X[:, ::3].shape) < 0.02] = np.nan
    return X, [j for j in range(n_inputs) if j % len(kinds) in (4, 5)]


def names(changes):
    return {str(change.watched) for change in changes}


def test_distances_are_those_of_numpy_and_scipy():
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 50, 12), rng.integers(1, 90, 12)
    p, q = a / a.sum(), b / b.sum()
    wanted = np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / 2**0.5
    assert distances.hellinger(a, b) == pytest.approx(wanted, abs=1e-12)
    values = [np.repeat(np.arange(12), counts) for counts in (a, b)]
    wanted = scipy.stats.ks_2samp(*values).statistic
    assert distances.kolmogorov_smirnov(a, b) == pytest.approx(wanted, abs=1e-12)
    p, q = (a + 1) / (a + 1).sum(), (b + 1) / (b + 1).sum()
    wanted = scipy.stats.entropy(p, q) + scipy.stats.entropy(q, p)
    assert distances.stability_index(a, b) == pytest.approx(wanted, abs=1e-12)


def test_the_distance_expected_by_chance_is_that_of_theory():
    monitor = HellingerMonitor(reference=2000, window=500).begin(200)
    found = monitor.update_coded(normal(2500, 200))
    assert np.mean(found.distances**2) == pytest.approx(np.mean(found.expected**2), rel=0.03)
    b, n_1, n_2 = 20, 1500, 500
    assert found.expected[0, 0] ** 2 == pytest.approx((b - 1) / 8 * (1 / n_1 + 1 / n_2), rel=1e-12)


def test_histograms_are_those_of_numpy():
    X = normal(3000, 3)
    monitor = HellingerMonitor().begin(3)
    monitor.update(X[:2800])
    counted = X[:2000][split_reference(2000)[1]]
    assert len(counted) == 1500
    for j in range(3):
        edges = np.concatenate([[-np.inf], monitor.bins_.edges[j], [np.inf]])
        for rows, counts in zip((counted, X[2000:2800]), monitor.histograms(), strict=True):
            cells = np.searchsorted(edges, rows[:, j], side="left")
            np.testing.assert_array_equal(np.bincount(cells, minlength=counts.shape[1]), counts[j])


@every_kind
@pytest.mark.parametrize(
    ("reference", "window", "n_windows", "n_inputs", "n_labels"),
    [
        (1000, 200, 5, 16, 0),
        (100, 50, 10, 8, 0),
        (300, 1000, 2, 8, 0),
        (600, 300, 3, 40, 0),
        (500, 300, 4, 4, 3),
    ],
)
def test_the_false_alarm_rate_holds(kind, reference, window, n_windows, n_inputs, n_labels):
    """Of 1,000 streams, over five settings, no more get an alarm than stated, give or take chance."""
    rng = np.random.default_rng(window)
    found = 0
    for _ in range(200):
        X, categorical = mixed(rng, reference + n_windows * window, n_inputs)
        y = rng.integers(n_labels, size=len(X)) if n_labels else None
        monitor = kind(reference=reference, window=window, categorical=categorical, false_alarms=0.1)
        found += bool(monitor.update(X, y))
    assert scipy.stats.binomtest(found, 200, 0.1, alternative="greater").pvalue > 0.001


@every_kind
@pytest.mark.parametrize("name", ["elec2", "weather", "insects_gradual"])
def test_shuffled_rows_of_real_streams_get_no_more_alarms_than_stated(kind, name):
    data_file({"elec2": "elec2.arff", "weather": "weather.arff"}.get(name, "insects-gradual.csv.gz"))
    stream = datasets.load(name, DATA)
    X, codes = next(stream.coded_blocks(10**6))
    monitor = kind(categorical=np.flatnonzero(stream.n_categories).tolist(), false_alarms=0.05)
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(20):
        order = rng.permutation(len(X))
        monitor.begin(X.shape[1], stream.classes)
        found += bool((monitor.update_coded(X[order], codes[order]).p_values <= 0.05).any())
    assert found <= 4       # more than that has a probability of 0.3 % at the stated rate


@every_kind
def test_half_a_standard_deviation_in_one_of_twenty_is_found_and_no_other_named(kind):
    n_wrong = 0
    for seed in range(20):
        X = normal(8000, 20, seed)
        X[5500:, 7] += 0.5
        changes = kind().update(X)
        assert min(change.stop for change in changes if change.watched.input == "x7") <= 7000
        n_wrong += names(changes) != {"x7"}
    assert n_wrong <= 2     # more than that has a probability of 0.1 % at the stated rate of 1 %


def some(x, share, value):
    return np.where(np.random.default_rng(2).random(len(x)) < share, value, x)


@every_kind
@pytest.mark.parametrize(
    ("n_values", "change", "categorical"),
    [
        (3, lambda x: some(x, 0.03, np.nan), []),
        (3, lambda x: some(x, 0.03, 7), [0]),
        (3, lambda x: some(x, 0.2, 1), [0]),
        (3, lambda x: some(x, 0.4, 1.5), []),
        (1, lambda x: x + 1, []),
        (1, lambda x: some(x, 0.15, -1), []),
    ],
    ids=["missing values", "an unseen category", "a share", "a value between integers", "another constant",
         "a constant no longer"],
)
def test_changes_of_every_kind_are_found(kind, n_values, change, categorical):
    x = np.random.default_rng(1).integers(n_values, size=5000).astype(float)
    changes = kind(categorical=categorical).update(np.append(x[:3000], change(x[3000:]))[:, None])
    assert {change.start for change in changes} == {3000, 4000}


def test_a_constant_that_stays_has_distance_0_and_no_alarm():
    found = HellingerMonitor().begin(2).update_coded(np.column_stack([np.ones(4000), np.full(4000, np.nan)]))
    assert (found.distances == 0).all()
    assert (found.p_values == 1).all()


def test_labels_and_inputs_given_labels_are_watched():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8000, 4)), rng.choice(["no", "yes"], 8000)
    X[4000:, 2] += np.where(y[4000:] == "yes", 0.8, -0.8)
    assert names(HellingerMonitor().update(X, y)) == {"x2", "x2 | no", "x2 | yes"}
    y = np.where(rng.random(8000) < np.where(np.arange(8000) < 4000, 0.5, 0.7), "yes", "no").astype(object)
    assert names(HellingerMonitor().update(rng.normal(size=(8000, 4)), y)) == {"labels"}
    y[6000:] = None
    monitor = HellingerMonitor().begin(4, ["no", "yes"])
    assert names(monitor.update(rng.normal(size=(8000, 4)), y)) == {"labels"}


@every_kind
def test_a_block_is_only_several_rows(kind):
    X, categorical = mixed(np.random.default_rng(5), 5000, 8)
    X[3000:, 0] += 1
    y = np.random.default_rng(6).integers(2, size=5000)
    whole = kind(window=300, categorical=categorical).begin(8, [0, 1]).update_coded(X, y)
    monitor = kind(window=300, categorical=categorical).begin(8, [0, 1])
    cuts = [0, 1, 2, 1999, 2001, 2299, 2300, 4100, 5000]
    parts = [monitor.update_coded(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    for field in ("stops", "distances", "expected", "p_values", "counts"):
        cut = np.concatenate([getattr(part, field) for part in parts if len(part.stops)])
        np.testing.assert_array_equal(cut, getattr(whole, field))
    assert monitor.n_rows_ == 5000 and monitor.n_windows_ == 10


def test_many_windows_in_one_call_are_those_of_many_calls(monkeypatch):
    X = normal(6000, 5)
    whole = HellingerMonitor(window=100).begin(5).update_coded(X)
    monkeypatch.setattr("thalweg.drift.monitor.MOST_COUNTS", 1000)
    monkeypatch.setattr("thalweg.drift.bins.MOST_VALUES", 333)
    cut = HellingerMonitor(window=100).begin(5).update_coded(X)
    assert len(cut.stops) == 40
    np.testing.assert_array_equal(cut.counts, whole.counts)
    np.testing.assert_array_equal(cut.p_values, whole.p_values)


def test_the_reference_can_be_reset_and_given():
    X = normal(9000, 3)
    X[3000:] += 1
    monitor = HellingerMonitor()
    assert {change.start for change in monitor.update(X[:5000])} == {3000, 4000}
    monitor.reset()
    assert monitor.bins_ is None
    assert monitor.update(X[5000:]) == []
    assert (monitor.n_rows_, monitor.n_windows_) == (9000, 5)
    monitor.set_reference(X[:2000])
    changes = monitor.update(X[:1000] + 1)
    assert names(changes) == {"x0", "x1", "x2"}
    assert (changes[0].start, changes[0].stop) == (9000, 10_000)


def test_the_rate_is_spent_over_all_windows():
    p = np.full((4, 2), 0.001)
    possible = np.array([[True, True]] * 3 + [[True, False]])
    found = drift.changes.adjusted(p, possible, np.arange(1, 5))
    np.testing.assert_allclose(found[:, 0], [0.004, 0.012, 0.024, 0.02])
    np.testing.assert_allclose(found[:, 1], [0.004, 0.012, 0.024, 1])
    holm = drift.changes.adjusted(np.array([[0.03, 0.01, 0.04]]), np.ones((1, 3), dtype=bool), np.array([1]))
    np.testing.assert_allclose(holm, [[0.12, 0.06, 0.12]])


def test_memory_is_bounded():
    monitor = HellingerMonitor(reference=500, window=100).begin(4)
    X = normal(1000, 4)
    monitor.update(X)
    size = len(pickle.dumps(monitor))
    for _ in range(50):
        monitor.update(X)
    assert len(pickle.dumps(monitor)) <= size + 100


def test_copies_go_on_alike():
    X = normal(5000, 4)
    X[4000:] *= 1.5
    monitor = HellingerMonitor()
    monitor.update(X[:2500])
    twin, pickled = copy.deepcopy(monitor), pickle.loads(pickle.dumps(monitor))
    changes = monitor.update(X[2500:])
    assert changes and twin.update(X[2500:]) == pickled.update(X[2500:]) == changes


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"reference": 10}, "reference must be a whole number of at least 40"),
        ({"window": 1.5}, "window must be a whole number of at least 20"),
        ({"n_bins": 2}, "n_bins must be a whole number of at least 3"),
        ({"false_alarms": 0}, "false_alarms must be a number above 0"),
        ({"categorical": [5]}, "categorical must be positions"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=f"HellingerMonitor: {words}"):
        HellingerMonitor(**parameters).update(normal(10, 3))


def test_wrong_rows_are_refused_and_change_nothing():
    monitor = StabilityMonitor().begin(2, ["a", "b"])
    for X, y, words in [
        (normal(3, 3), None, "expected rows of shape"),
        ([["x", "y"]], None, "rows must be numbers"),
        (normal(3, 2), ["a", "b"], "3 rows, but 2 labels"),
        (normal(2, 2), ["a", "c"], "label 'c' is not among"),
    ]:
        with pytest.raises(ValueError, match=words):
            monitor.update(X, y)
    with pytest.raises(ValueError, match="codes from -1 to 1"):
        monitor.update_coded(normal(1, 2), [2])
    with pytest.raises(ValueError, match="labels are not watched"):
        HellingerMonitor().begin(2).update(normal(1, 2), ["a"])
    with pytest.raises(ValueError, match="at least 40 rows"):
        monitor.set_reference(normal(3, 2))
    with pytest.raises(ValueError, match="not complete"):
        monitor.histograms()
    assert monitor.n_rows_ == 0


def test_before_the_first_row_there_is_nothing_to_ask():
    for question in (lambda m: m.bins_, lambda m: m.reset(), lambda m: m.histograms()):
        with pytest.raises(ValueError, match=r"KolmogorovSmirnovMonitor: call begin\(\) or update\(\) first"):
            question(KolmogorovSmirnovMonitor())


def test_a_rhythm_is_no_change():
    X = np.column_stack([np.arange(6000) % 2, np.arange(6000) % 48, np.sin(np.arange(6000) % 8)])
    assert HellingerMonitor(reference=1920, window=960).update(X) == []


def test_extreme_values_and_codes_have_a_cell():
    X = np.tile([[1e308, -1e308, np.inf, 3.0]], (3000, 1))
    X[1::2] = [[-np.inf, 5e-324, np.nan, 1e12]]
    monitor = HellingerMonitor(categorical=[3])
    assert monitor.update(X) == []
    X[:, 3] = -0.5
    assert names(monitor.update(X)) == {"x3"}


def test_parameters_are_those_of_an_estimator():
    monitor = HellingerMonitor(window=500)
    assert repr(monitor) == "HellingerMonitor(window=500)"
    copy = clone(monitor)
    assert copy is not monitor
    assert copy.get_params() == monitor.get_params()
    assert copy.set_params(n_bins=7) is copy
    assert copy.n_bins == 7
    with pytest.raises(ValueError, match="no parameter 'width'"):
        copy.set_params(width=3)


@every_kind
def test_a_small_shift_that_stays_is_found_in_windows_together_and_not_in_one(kind):
    X = normal(30_000, 10, 2)
    X[20_000:, 7] += 0.12
    assert names(kind(longest=1).update(X)) == set()
    changes = kind().update(X)
    assert names(changes) == {"x7"}
    assert min(change.start for change in changes) >= 18_000
    assert all(change.scale > 1 for change in changes)
    assert all(change.stop - change.start == 1000 * change.scale for change in changes)
    assert f"({changes[0].scale} windows together)" in str(changes[0])


def test_windows_together_are_compared_with_all_rows_before_them_until_they_differ():
    X = normal(20_000, 2)
    monitor = HellingerMonitor(longest=4).begin(2)
    longer = monitor.update_coded(X).longer
    assert longer.scales.tolist() == [2, 2, 4] + [2, 2, 4] * 3 + [2]
    assert (longer.starts == longer.stops - 1000 * longer.scales).all()
    reference = monitor.histograms()[0]
    windows = HellingerMonitor(longest=1).begin(2).update_coded(X).counts
    before = reference + windows[:4].sum(axis=0)
    together = windows[4:8].sum(axis=0)
    place = np.flatnonzero((longer.scales == 4) & (longer.stops == 10_000))[0]
    np.testing.assert_array_equal(longer.counts[place], together)
    np.testing.assert_allclose(longer.distances[place], distances.hellinger(before, together), rtol=1e-12)
    X[10_000:, 0] += 0.5
    monitor = HellingerMonitor(longest=4).begin(2)
    longer = monitor.update_coded(X).longer
    windows = HellingerMonitor(longest=1).begin(2).update_coded(X).counts
    still = monitor.histograms()[0] + windows[:8].sum(axis=0)
    place = np.flatnonzero((longer.scales == 4) & (longer.stops == 18_000))[0]
    wanted = distances.hellinger(still, windows[12:16].sum(axis=0))
    np.testing.assert_allclose(longer.distances[place, 0], wanted[0], rtol=1e-12)


@every_kind
def test_windows_together_do_not_depend_on_cuts_and_copies(kind):
    X, categorical = mixed(np.random.default_rng(5), 9000, 8)
    X[5000:, 0] += 0.2
    y = np.random.default_rng(6).integers(2, size=9000)
    X[7000:, 1] += 3
    settings = {"window": 100, "reference": 500, "categorical": categorical, "longest": 16}
    whole = kind(**settings).begin(8, [0, 1]).update_coded(X, y).longer
    monitor = kind(**settings).begin(8, [0, 1])
    parts = []
    for a, b in pairwise([0, 1, 499, 777, 1300, 5050, 5450, 6001, 7150, 7300, 9000]):
        parts.append(monitor.update_coded(X[a:b], y[a:b]).longer)
        monitor = pickle.loads(pickle.dumps(monitor))
    for field in ("starts", "stops", "scales", "distances", "p_values", "known"):
        cut = np.concatenate([getattr(part, field) for part in parts if part is not None])
        np.testing.assert_array_equal(cut, getattr(whole, field))
    assert (whole.p_values <= 0.01).any()


def test_the_p_value_of_ranks_is_that_of_scipy_and_conservative_for_ties():
    rng = np.random.default_rng(0)
    a, b = rng.integers(20, 60, 21), rng.integers(20, 60, 21)
    a[0] = b[0] = 0
    values = [np.repeat(np.arange(21), counts) for counts in (a, b)]
    wanted = scipy.stats.mannwhitneyu(*values, use_continuity=False).pvalue
    found = distances.chance_by_ranks(a, b)
    assert wanted <= found < 1.2 * wanted + 0.05
    for k in range(10, 30):
        a, b = np.array([0, 100, 100]), np.array([0, k, 40 - k])
        exact = scipy.stats.fisher_exact([a[1:], b[1:]]).pvalue
        assert distances.chance_by_ranks(a, b) >= 0.8 * exact or a.sum() + b.sum() < 2 * max(a + b)
    assert distances.chance_by_ranks(np.array([0, 300, 10]), np.array([0, 10, 40])) == 1


MONITORS = [HellingerMonitor, KolmogorovSmirnovMonitor, StabilityMonitor]


def many_labels(n=6000, n_classes=130):
    """Return rows whose inputs and labels change, and labels of many classes, a few of them missing."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(n, 2)), rng.integers(-1, n_classes, n)
    X[4000:, 0] += 0.5
    y[3000:] = np.where(rng.random(n - 3000) < 0.3, 7, y[3000:])
    return X, y


@pytest.mark.parametrize("monitor", MONITORS)
def test_a_long_histogram_of_labels_gives_what_one_table_gives(monitor, monkeypatch):
    X, y = many_labels()

    def found(cuts=(6000,)):
        made = monitor(window=500).begin(2, np.arange(130))
        parts = [made.update_coded(X[a:b], y[a:b]) for a, b in pairwise((0, *cuts))]
        return joined_windows([each for each in parts if len(each.stops)])

    ragged, cut = found(), found((1700, 2900, 2901, 5000, 6000))
    assert isinstance(ragged.counts, Ragged)
    tabulate = Monitor._tabulate
    monkeypatch.setattr(Monitor, "_tabulate", lambda self, counts: np.asarray(tabulate(self, counts)))
    whole = found()
    pairs = [(ragged, whole), (ragged.longer, whole.longer), (cut, ragged), (cut.longer, ragged.longer)]
    for one, other in pairs:
        np.testing.assert_array_equal(one.counts, other.counts)
        for name in ("distances", "expected", "p_values"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-300)
    assert (ragged.p_values[:, 2] < 0.01).any()  # the labels


def test_a_state_of_one_table_is_read():
    X, y = many_labels()
    monitor = HellingerMonitor(window=500).begin(2, np.arange(130))
    monitor.update_coded(X[:3700], y[:3700])
    state = monitor.__getstate__()
    wide = [(0, 0)] * 3 + [(0, 132 - monitor.bins_.n_bins)]
    state |= {name: np.pad(state[name], wide) for name in ("_reference", "_counts")}
    for name in ("base", "total", "marks"):
        state["_scales"][name] = np.asarray(state["_scales"][name])
    old = HellingerMonitor.__new__(HellingerMonitor)
    old.__setstate__(pickle.loads(pickle.dumps(state)))
    for one, other in zip(old.histograms(), monitor.histograms(), strict=True):
        np.testing.assert_array_equal(one, other)
    copied = pickle.loads(pickle.dumps(monitor))
    after, expected = (each.update_coded(X[3700:], y[3700:]) for each in (old, copied))
    np.testing.assert_array_equal(after.p_values, expected.p_values)
    np.testing.assert_array_equal(after.longer.p_values, expected.longer.p_values)


@pytest.mark.parametrize("monitor", MONITORS)
def test_memory_grows_with_the_classes_and_not_with_their_square(monitor):
    def peak(n_classes):
        X, y = np.random.default_rng(1).normal(size=(3000, 2)), np.arange(3000) % n_classes
        made = monitor().begin(2, np.arange(n_classes))
        tracemalloc.start()
        made.update_coded(X, y)
        made.update_coded(X, y)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    few, many = peak(250), peak(1000)
    assert many < 6 * few

"""Each generator is the stream its paper describes, whatever the blocks and the length."""

import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import DATA

from thalweg import streams
from thalweg.streams.generators.led import NOT_ROUND, SEGMENTS
from thalweg.streams.generators.many_planes import TABLE_2

SERIES = np.sin(0.7 * np.arange(12_000)) + 0.1 * np.cos(np.arange(12_000) ** 1.1)

LASER = DATA / "santa-fe-laser.txt"

MAKERS = {
    "SEA": lambda n, seed=0: streams.SEA(n, period=500, seed=seed),
    "SEA scaled": lambda n, seed=0: streams.SEA(n, period=500, scaled=True, noise=0, seed=seed),
    "Circles": lambda n, seed=0: streams.Circles(n, period=700, seed=seed),
    "Many": lambda n, seed=0: streams.Many(n, seed=seed),
    "Hyperplane": lambda n, seed=0: streams.Hyperplane(n, period=900, seed=seed),
    "Hyperplane rotating": lambda n, seed=0: streams.Hyperplane(n, rotating=True, n_features=5, seed=seed),
    "RandomRBF": lambda n, seed=0: streams.RandomRBF(n, n_classes=3, noise=0.1, seed=seed),
    "RandomRBF stopped": lambda n, seed=0: streams.RandomRBF(n, speed=0.3, walls="stop", seed=seed),
    "RandomRBF shifted": lambda n, seed=0: streams.RandomRBF(
        n, n_features=20, speed=0, n_shifted=4, shift=10, seed=seed
    ),
    "LED": lambda n, seed=0: streams.LED(n, period=800, seed=seed),
    "LED binary": lambda n, seed=0: streams.LED(n, period=800, binary=True, seed=seed),
    "Sphere": lambda n, seed=0: streams.Sphere(n, period=100, jump_every=5, step=(0.005, 0.03), seed=seed),
    "static": lambda n, seed=0: streams.DriftingGaussians(n, seed=seed),
    "drift": lambda n, seed=0: streams.DriftingGaussians(n, kind="drift", period=600, n_classes=3, seed=seed),
    "abrupt": lambda n, seed=0: streams.DriftingGaussians(n, kind="abrupt", seed=seed),
    "ThresholdSeries": lambda n, seed=0: streams.ThresholdSeries(SERIES, n, period=1500, seed=seed),
}
RANDOM = sorted(set(MAKERS) - {"ThresholdSeries"})


def whole(stream, size=10**6):
    blocks = list(stream.coded_blocks(size))
    return np.concatenate([X for X, _ in blocks]), np.concatenate([codes for _, codes in blocks])


def below_plane(weights, bound):
    """Share of the unit cube where weights·x < bound, by inclusion and exclusion over its corners."""
    n = len(weights)
    corners = chain.from_iterable(combinations(weights, k) for k in range(n + 1))
    volume = sum((-1) ** len(corner) * max(bound - sum(corner), 0) ** n for corner in corners)
    return volume / math.factorial(n) / math.prod(weights)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=5, deadline=None)
@given(size=st.integers(1, 6000))
def test_blocks_of_any_size_give_the_same_rows(name, size):
    X, codes = whole(MAKERS[name](5000))
    Z, again = whole(MAKERS[name](5000), size)
    assert np.array_equal(X, Z) and np.array_equal(codes, again)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=5, deadline=None)
@given(n=st.integers(1, 9000))
def test_a_shorter_stream_is_the_beginning_of_a_longer_one(name, n):
    X, codes = whole(MAKERS[name](9000))
    Z, short = whole(MAKERS[name](n))
    assert len(Z) == n
    assert np.array_equal(X[:n], Z) and np.array_equal(codes[:n], short)


@pytest.mark.parametrize("name", MAKERS)
def test_rows_have_the_promised_form(name):
    stream = MAKERS[name](5000)
    for X, codes in stream.coded_blocks(300):
        assert X.dtype == np.float64 and X.flags.c_contiguous and X.shape[1] == stream.n_features
        assert codes.dtype == np.intp and codes.min() >= 0 and codes.max() < len(stream.classes)
        assert np.isfinite(X).all()
    assert len(stream.names) == stream.n_features == len(stream.n_categories)
    assert stream.drifts.dtype == np.intp
    assert all(0 < row < 5000 for row in stream.drifts)


@pytest.mark.parametrize("name", RANDOM)
def test_seeds_differ_and_repeat(name):
    X, _ = whole(MAKERS[name](2000, seed=1))
    assert np.array_equal(X, whole(MAKERS[name](2000, seed=1))[0])
    assert not np.array_equal(X, whole(MAKERS[name](2000, seed=2))[0])


@pytest.mark.parametrize("name", MAKERS)
def test_samples_repeat_by_seed_and_are_no_rows_of_the_stream(name):
    stream = MAKERS[name](3000)
    X, y = stream.sample(1200, 50)
    again, _ = MAKERS[name](10).sample(1200, 50) if name != "ThresholdSeries" else stream.sample(1200, 50)
    assert np.array_equal(X, again)
    assert not np.array_equal(X, stream.sample(1200, 50, seed=0)[0])
    assert X.shape == (50, stream.n_features) and set(y) <= set(stream.classes)
    if name in RANDOM and not name.startswith("LED"):
        rows = {row.tobytes() for row in whole(stream)[0]}
        assert not any(row.tobytes() in rows for row in X)
    assert len(stream.sample(1200, 0)[0]) == 0


@pytest.mark.parametrize("name", ["SEA", "Circles", "Many", "Hyperplane", "Sphere"])
def test_the_noise_argument_is_the_share_of_flipped_labels(name):
    maker = getattr(streams, name)
    (X, noisy), (Z, clean) = whole(maker(40_000, noise=0.25)), whole(maker(40_000, noise=0))
    assert np.array_equal(X, Z)
    assert (noisy != clean).mean() == pytest.approx(0.25, abs=0.01)
    assert (whole(maker(40_000))[1] != clean).mean() == pytest.approx(0.1, abs=0.01)


def test_sea_has_its_four_thresholds():
    stream = streams.SEA()
    assert stream.n_rows == 50_000 and stream.drifts.tolist() == [12_500, 25_000, 37_500]
    for t, threshold in zip([0, 12_500, 25_000, 37_500, 50_000], [8, 9, 7, 9.5, 8], strict=True):
        X, y = stream.sample(t, 20_000)
        assert np.array_equal(y, X[:, 0] + X[:, 1] <= threshold)
        assert y.mean() == pytest.approx(threshold**2 / 200, abs=0.012)
        assert X.min() >= 0 and 9.9 < X.max() <= 10


def test_sea_scaled_is_sea_over_ten():
    X, codes = whole(streams.SEA(20_000))
    Z, same = whole(streams.SEA(20_000, scaled=True))
    assert np.allclose(X, 10 * Z, rtol=1e-15) and np.array_equal(codes, same)


def test_circles_have_the_papers_signal_to_noise():
    stream = streams.Circles()
    assert stream.drifts.tolist() == [10_000, 20_000, 30_000]
    for t, published in zip([0, 10_000, 20_000, 30_000], [0.17, 0.30, 0.51, 0.67], strict=True):
        share = stream.sample(t, 200_000)[1].mean()
        radius = stream.circles[t // 10_000, 0]
        assert share == pytest.approx(math.pi * radius**2 / 4, rel=0.06)
        assert 0.9 * share / (0.1 * (1 - share)) == pytest.approx(published, rel=0.13)


def test_circles_balanced_sample_is_half_inside():
    stream = streams.Circles(balanced=True)
    X, y = stream.sample(25_000, 10_001)
    radius, *centre = stream.circles[2]
    assert np.array_equal(y == 1, ((X - centre) ** 2).sum(axis=1) < radius**2)
    assert y.sum() == 5000
    inside = X[y == 1] - centre
    assert ((inside**2).sum(axis=1) < radius**2 / 2).mean() == pytest.approx(0.5, abs=0.03)
    assert np.abs(inside.mean(axis=0)).max() < 0.01 and X.min() >= 0 and X.max() <= 2


def test_many_follows_table_2():
    stream = streams.Many()
    assert stream.n_rows == 2000 and stream.drifts.tolist() == list(range(100, 2000, 100))
    assert TABLE_2.shape == (20, 4) and TABLE_2.sum(axis=0).round(2).tolist() == [161.6, 11.68, 9.94, 11.58]
    for concept, (bound, *weights) in enumerate(TABLE_2):
        y = stream.sample(100 * concept + 99, 20_000)[1]
        assert y.mean() == pytest.approx(below_plane(weights, bound / 10), abs=0.015)


def test_hyperplane_windows_are_the_papers():
    stream = streams.Hyperplane()
    for t, first in zip([0, 10_000, 20_000, 30_000], [1, 2, 4, 7], strict=True):
        X, y = stream.sample(t, 5000)
        assert np.array_equal(y, X[:, first - 1 : first + 2].mean(axis=1) > 0.5)
        assert y.mean() == pytest.approx(0.5, abs=0.03)


def test_rotating_hyperplane_turns_evenly_and_stays_balanced():
    stream = streams.Hyperplane(rotating=True, n_drifting=3, speed=0.002, noise=0)
    assert len(stream.drifts) == 0
    W = stream.weights(np.arange(5000))
    steps = np.abs(np.diff(W, axis=0))
    assert W.min() >= 0 and W.max() <= 1 and (steps[:, 3:] == 0).all()
    assert np.median(steps[:, :3]) == pytest.approx(0.002) and steps.max() <= 0.002 + 1e-12
    X, y = stream.sample(4000, 20_000)
    assert np.array_equal(y, X @ W[4000] > W[4000].sum() / 2)
    assert y.mean() == pytest.approx(0.5, abs=0.015)


def test_led_bayes_error_is_the_textbook_26_percent():
    patterns = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1).T
    wrong = np.abs(patterns[:, None] - SEGMENTS).sum(axis=2)
    likelihood = 0.1 ** (wrong) * 0.9 ** (7 - wrong)
    assert 1 - likelihood.max(axis=1).sum() / 10 == pytest.approx(0.26, abs=0.001)
    X, codes = whole(streams.LED(100_000))
    seen = (X[:, :7] @ 2 ** np.arange(7)).astype(int)
    best = np.empty(128, dtype=int)
    best[(patterns @ 2 ** np.arange(7)).astype(int)] = likelihood.argmax(axis=1)
    assert (best[seen] != codes).mean() == pytest.approx(0.26, abs=0.005)


def test_led_swaps_four_segments_at_each_drift():
    stream = streams.LED()
    assert stream.drifts.tolist() == [250_000, 500_000, 750_000]
    assert (stream.n_categories == 2).all() and stream.n_features == 24
    for t in (0, 250_000, 500_000):
        order = stream.order(t)
        assert (order[:7] >= 7).sum() == (4 if t else 0)
        X, y = stream.sample(t, 2000)
        place = np.argsort(order)[:7]
        assert np.array_equal(X[:, place], SEGMENTS[y])
    assert not np.array_equal(stream.order(250_000), stream.order(500_000))


def test_led_binary_tells_round_from_not_round():
    (X, digits), (Z, codes) = whole(streams.LED(3000)), whole(streams.LED(3000, binary=True))
    assert np.array_equal(X, Z) and np.array_equal(NOT_ROUND[digits], codes)
    assert np.flatnonzero(NOT_ROUND).tolist() == [1, 2, 4, 5, 7]


@pytest.mark.parametrize("step", [(0, 0), (0.005, 0.03)])
def test_sphere_keeps_41_to_55_percent_positive(step):
    stream = streams.Sphere(step=step, noise=0, seed=1)
    X, codes = whole(stream)
    blocks = codes.reshape(160, 1000).mean(axis=1)
    assert blocks.min() > 0.41 - 0.04 and blocks.max() < 0.55 + 0.02
    shares = [stream.sample(t, 20_000)[1].mean() for t in range(0, 160_000, 20_000)]
    assert min(shares) > 0.41 and max(shares) < 0.55
    assert np.array_equal(codes, ((X - stream.centre(np.arange(160_000))) ** 2).sum(axis=1) <= 0.25)


def test_sphere_moves_by_its_steps_and_jumps():
    stream = streams.Sphere(step=(0.005, 0.03))
    moves = np.abs(np.diff([stream.centre(1000 * block) for block in range(160)], axis=0))
    jumps = moves[[39, 79, 119]]
    small = np.delete(moves, [39, 79, 119], axis=0)
    assert np.allclose(jumps, 0.1) and small.min() >= 0.005 - 1e-12 and small.max() <= 0.03 + 1e-12
    assert np.allclose(small[:, 0], small[:, 1]) and len(stream.drifts) == 159
    assert streams.Sphere().drifts.tolist() == [40_000, 80_000, 120_000]
    assert np.array_equal(streams.Sphere().centre(39_999), [0.5, 0.5, 0.5])


def bayes_error(stream, t, n=4000):
    means, covariances = stream.concept(t)
    X, y = stream.sample(t, n)
    scores = []
    for mean, covariance in zip(means, covariances, strict=True):
        away = X - mean
        scores.append(np.einsum("ij,ij->i", away, np.linalg.solve(covariance, away.T).T))
        scores[-1] += np.linalg.slogdet(covariance)[1]
    return np.mean(np.argmin(scores, axis=0) != y)


@pytest.mark.parametrize(("kind", "expected"), [("static", 0.036), ("drift", 0.126), ("abrupt", 0.040)])
def test_gaussians_have_the_known_bayes_error(kind, expected):
    rows = [0] if kind == "static" else range(500, 5000, 1000)
    errors = [
        np.mean([bayes_error(streams.DriftingGaussians(kind=kind, seed=seed), t, 1000) for t in rows])
        for seed in range(60)
    ]
    assert np.mean(errors) == pytest.approx(expected, abs=4 * np.std(errors) / np.sqrt(len(errors)))
    assert np.std(errors) / np.sqrt(len(errors)) < 0.008


def test_wandering_means_follow_the_damped_walk():
    stream = streams.DriftingGaussians(20_000, kind="drift", speed=0.1)
    path = np.array([stream.concept(t)[0] for t in range(4000, 6000)])
    steps = path[1:] - 0.99 * path[:-1]
    assert steps.std() == pytest.approx(0.1, abs=0.003) and abs(steps.mean()) < 0.003
    later = stream.concept(15_000)
    assert np.array_equal(streams.DriftingGaussians(10, kind="drift").concept(15_000)[0], later[0])


def test_drifting_covariances_move_evenly_and_are_those_of_the_rows():
    stream = streams.DriftingGaussians(kind="drift", seed=4)
    start, middle, end = (stream.concept(t)[1] for t in (0, 2500, 5000))
    assert np.allclose(middle, (start + end) / 2)
    X, y = stream.sample(2500, 100_000)
    assert np.abs(np.cov(X[y == 1].T) - middle[1]).max() < 0.05


def test_gaussians_take_all_places_of_a_class_from_its_concept():
    stream = streams.DriftingGaussians(kind="abrupt", seed=5)
    for t in (999, 1000):
        means, covariances = stream.concept(t)
        X, y = stream.sample(t, 60_000)
        assert np.abs(X[y == 0].mean(axis=0) - means[0]).max() < 0.03
        assert np.abs(np.cov(X[y == 0].T) - covariances[0]).max() < 0.06
    assert not np.allclose(stream.concept(999)[0], stream.concept(1000)[0])


def test_threshold_series_labels_the_next_value():
    stream = streams.ThresholdSeries(SERIES, standardised=False)
    assert stream.n_rows == 9990 and stream.drifts.tolist() == [3330, 6660]
    X, codes = whole(stream)
    assert np.array_equal(X[5], SERIES[5:14]) and stream.names[0] == "lag9"
    thresholds = stream.threshold(np.arange(9990))
    assert np.array_equal(codes, SERIES[9 : 9 + 9990] <= thresholds)
    assert (thresholds[:3330] == -0.5).all() and (thresholds[4330:6660] == 0).all() and thresholds[-1] == 1
    assert np.allclose(np.diff(thresholds[3329:4330]), 0.0005)
    Z, y = stream.sample(9000, 500)
    known = {tuple(SERIES[i : i + 9]): SERIES[i + 9] <= 1 for i in range(len(SERIES) - 9)}
    assert all(known[tuple(row)] == label for row, label in zip(Z, y, strict=True))


def test_threshold_series_tests_on_rows_that_were_held_out():
    whole_stream = streams.ThresholdSeries(SERIES, standardised=False)
    stream = streams.ThresholdSeries(SERIES, standardised=False, held_out=825, seed=3)
    X, codes = whole(stream)
    everything = {tuple(row): code for row, code in zip(*whole(whole_stream), strict=True)}
    assert stream.n_rows == len(X) and 9990 - 825 <= len(X) < 9990 - 600
    assert all(everything[tuple(row)] == code for row, code in zip(X, codes, strict=True))
    Z, y = stream.sample(len(X) - 1, 5000)
    tested, learned = {tuple(row) for row in Z}, {tuple(row) for row in X}
    assert not tested & learned and 700 < len(tested) <= 825
    ends = {tuple(SERIES[i : i + 9]): SERIES[i + 9] <= 1 for i in range(len(SERIES) - 9)}
    assert all(ends[tuple(row)] == label for row, label in zip(Z, y, strict=True))
    for before, after in zip((-0.5, 0), stream.drifts.tolist(), strict=True):
        assert stream.threshold(after - 1) == before < stream.threshold(after)
    other = streams.ThresholdSeries(SERIES, standardised=False, held_out=825, seed=4)
    assert {tuple(row) for row in whole(other)[0]} != learned


@pytest.mark.skipif(not LASER.exists(), reason="not beside the checkout (../shared/data)")
def test_santa_fe_has_the_papers_rows():
    stream = streams.ThresholdSeries(np.loadtxt(LASER))
    _, codes = whole(stream)
    assert len(codes) == 9990 and stream.n_features == 9
    shares = [codes[:3330].mean(), codes[4330:6660].mean(), codes[7660:].mean()]
    assert shares == pytest.approx([0.42, 0.62, 0.86], abs=0.005)


def test_threshold_series_can_jump_and_standardises():
    stream = streams.ThresholdSeries(100 + 7 * SERIES, transition=0)
    assert stream.threshold(np.array([3329, 3330])).tolist() == [-0.5, 0.0]
    X, _ = whole(stream)
    assert X[:, 0].std() == pytest.approx(1, abs=0.01) and abs(X[:, 0].mean()) < 0.01


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: streams.SEA(0), "SEA: n_rows must be a whole number of at least 1, got 0"),
        (lambda: streams.SEA(10.5), "n_rows must be a whole number"),
        (lambda: streams.SEA(noise=1.5), "noise must be a number at least 0 and at most 1, got 1.5"),
        (lambda: streams.SEA(seed=-1), "seed must be a whole number of at least 0"),
        (lambda: streams.SEA(period=0), "period must be"),
        (lambda: streams.SEA(thresholds=[]), "thresholds must be a list of numbers"),
        (lambda: streams.SEA().sample(-1, 10), "t must be a whole number"),
        (lambda: streams.ThresholdSeries(SERIES, held_out=9990), "held_out=9990 leaves none of 9990 rows"),
        (lambda: streams.Circles(circles=[(0.5, 0.2, 0.5)]), "must lie within"),
        (lambda: streams.Circles(circles=[(0.5, 0.2)]), "rows of"),
        (lambda: streams.Hyperplane(n_features=5), "set rotating=True"),
        (lambda: streams.Hyperplane(rotating=True, n_drifting=11), "n_drifting=11 exceeds the 10 inputs"),
        (lambda: streams.RandomRBF(n_classes=5, n_centroids=4), "n_centroids must be"),
        (lambda: streams.RandomRBF(walls="soft"), "walls"),
        (lambda: streams.RandomRBF(n_shifted=11), "n_shifted=11 exceeds"),
        (lambda: streams.LED(n_irrelevant=3), "set n_drifting to at most 3"),
        (lambda: streams.Sphere(jump=0.2), "needs bounds twice as far apart"),
        (lambda: streams.Sphere(step=(0.03, 0.01)), "the shorter first"),
        (lambda: streams.DriftingGaussians(kind="sudden"), "kind must be one of 'static', 'drift', 'abrupt'"),
        (lambda: streams.DriftingGaussians(degrees=4), "degrees must be a whole number of at least 5"),
        (lambda: streams.ThresholdSeries(np.ones(5)), "more than 9 finite values"),
        (lambda: streams.ThresholdSeries(np.ones(50)), "constant series"),
        (lambda: streams.ThresholdSeries([np.nan] * 50), "finite"),
        (lambda: streams.ThresholdSeries(SERIES, n_rows=12_000), "has 11991 windows"),
        (lambda: streams.ThresholdSeries(SERIES, transition=4000), "exceeds period"),
        (lambda: next(streams.SEA().blocks(0)), "at least one row"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()

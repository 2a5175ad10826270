"""Joined streams: every row once and in order, joints where they were asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.streams import LED, SEA, Circles, from_arrays
from thalweg.streams.base import Stream
from thalweg.streams.drifting import Abrupt, Gradual, Recurring


def counter(n, start, drifts=()):
    """A stream whose only input counts its rows from `start` on."""
    X = np.arange(start, start + n, dtype=float)[:, None]
    return from_arrays(X, np.zeros(n, int), classes=[0, 1], drifts=drifts)


class OfUnknownLength(Stream):
    """The same rows, as a pipe would give them."""

    def __init__(self, stream):
        self.stream, self.n_features, self.classes = stream, stream.n_features, stream.classes

    def coded_blocks(self, size=1000):
        return self.stream.coded_blocks(size)


def values(stream, size=777):
    return np.concatenate([X[:, 0] for X, _ in stream.coded_blocks(size)])


def low_and_high(n=20_000):
    return SEA(n, thresholds=[4], noise=0), SEA(n, thresholds=[16], noise=0, seed=1)


def test_abrupt_hands_over_at_its_joints():
    stream = Abrupt(counter(5000, 0), counter(6000, 10_000), counter(100, 20_000), at=[4500, 10_000])
    rows = values(stream)
    assert stream.n_rows == len(rows) == 10_100
    expected = [np.arange(4500), np.arange(10_000, 15_500), np.arange(20_000, 20_100)]
    assert np.array_equal(rows, np.concatenate(expected))
    assert stream.drifts.tolist() == [4500, 10_000]


def test_abrupt_joins_at_the_ends_by_default():
    stream = Abrupt(counter(50, 0), counter(60, 100), counter(70, 200))
    assert stream.drifts.tolist() == [50, 110] and stream.n_rows == 180
    assert np.array_equal(values(stream, 7), np.r_[0:50, 100:160, 200:270])


def test_inner_drifts_move_with_their_stream():
    first, second = counter(100, 0, drifts=[30, 90]), counter(100, 500, drifts=[20])
    assert Abrupt(first, second, at=80).drifts.tolist() == [30, 80, 100]
    # The first stream's rows 50 to 99 come at 100, so its row 90 at 140; the second's row 20 comes at 70.
    assert Recurring(first, second, period=50).drifts.tolist() == [30, 50, 70, 100, 140, 150]


def test_recurring_streams_go_on_where_they_paused():
    stream = Recurring(counter(250, 0), counter(1000, 5000), period=100)
    rows = values(stream)
    expected = np.r_[0:100, 5000:5100, 100:200, 5100:5200, 200:250]
    assert np.array_equal(rows, expected) and stream.n_rows == len(expected)
    assert stream.drifts.tolist() == [100, 200, 300, 400]


def test_recurring_stops_at_n_rows():
    stream = Recurring(counter(2000, 0), counter(2000, 5000), period=100, n_rows=250)
    assert stream.n_rows == len(values(stream)) == 250 and stream.drifts.tolist() == [100, 200]


def test_streams_of_unknown_length_end_the_whole_when_they_end():
    one, other = OfUnknownLength(counter(250, 0)), OfUnknownLength(counter(9000, 5000))
    recurring = Recurring(one, other, period=100)
    assert recurring.n_rows is None and len(recurring.drifts) == 0
    assert len(values(recurring)) == 450 and recurring.drifts.tolist() == [100, 200, 300, 400]
    abrupt = Abrupt(one, other, at=200)
    assert abrupt.n_rows is None and len(values(abrupt)) == 9200
    assert len(values(Gradual(other, one, at=8000, width=40))) == pytest.approx(8250, abs=20)


@pytest.mark.parametrize(
    "join", [lambda a, b: Abrupt(a, b, at=300), lambda a, b: Gradual(a, b, at=400, width=10)]
)
def test_a_stream_that_ends_before_its_joint_is_an_error(join):
    with pytest.raises(ValueError, match="stream 0 has ended, but row 250 should still come from it"):
        values(join(OfUnknownLength(counter(250, 0)), counter(900, 5000)))


@pytest.mark.parametrize("shape", ["sigmoid", "linear"])
def test_gradual_mixes_by_its_share_and_loses_no_row(shape):
    stream = Gradual(counter(60_000, 0), counter(60_000, 100_000), at=50_000, width=20_000, shape=shape)
    rows = values(stream)
    new = rows >= 100_000
    assert np.array_equal(rows[~new], np.arange((~new).sum())) and stream.n_rows == len(rows)
    assert np.array_equal(rows[new], np.arange(100_000, 160_000))
    for t in (35_000, 42_000, 50_000, 55_000, 62_000):
        assert new[t - 1000 : t + 1000].mean() == pytest.approx(stream.share(t), abs=0.05)
    assert stream.drifts.tolist() == [50_000]


def test_gradual_shares_are_as_documented():
    linear = Gradual(*low_and_high(), at=1000, width=100, shape="linear")
    assert linear.share(np.array([950, 975, 1000, 1050, 2000])).tolist() == [0, 0.25, 0.5, 1, 1]
    sigmoid = Gradual(*low_and_high(), at=1000, width=100)
    assert sigmoid.share(np.array([1000, 1025])) == pytest.approx([0.5, 1 / (1 + np.exp(-1))])


def test_gradual_drifts_within_are_where_their_rows_come():
    old, new = counter(2000, 0, drifts=[100, 990, 1900]), counter(2000, 5000, drifts=[3, 1500])
    stream = Gradual(old, new, at=1000, width=50, seed=3)
    rows = values(stream)
    expected = [np.flatnonzero(rows == value)[0] for value in (100, 990, 5003, 6500)]
    assert stream.drifts.tolist() == sorted([*expected, 1000])


def test_gradual_goes_on_with_the_new_stream_when_the_old_one_ends():
    stream = Gradual(counter(1000, 0), counter(1000, 5000), at=1040, width=200)
    rows = values(stream)
    assert (rows < 5000).sum() == 1000 and stream.n_rows == len(rows) == 2000


@settings(max_examples=20, deadline=None)
@given(size=st.integers(1, 3000), seed=st.integers(0, 5))
def test_cuts_do_not_change_joined_streams(size, seed):
    for join in (
        Abrupt(*low_and_high(3000), at=2500),
        Gradual(*low_and_high(3000), at=2000, width=300, seed=seed),
        Recurring(*low_and_high(3000), period=170),
    ):
        whole = next(join.coded_blocks(10_000))
        parts = list(join.coded_blocks(size))
        assert np.array_equal(whole[0], np.concatenate([X for X, _ in parts]))
        assert np.array_equal(whole[1], np.concatenate([codes for _, codes in parts]))


def test_samples_are_of_the_concept_in_force():
    low, high = low_and_high()
    abrupt = Abrupt(low, high, at=2000)
    assert abrupt.sample(1999, 2000)[1].mean() < 0.15 and abrupt.sample(2000, 2000)[1].mean() > 0.85
    recurring = Recurring(low, high, period=500)
    shares = [recurring.sample(t, 2000)[1].mean() for t in (499, 500, 999, 1000)]
    assert [share > 0.5 for share in shares] == [False, True, True, False]
    gradual = Gradual(low, high, at=2000, width=400)
    # 8 % and 92 % of the two concepts are class 1.
    for t in (0, 1900, 2000, 2100, 5000):
        share = gradual.share(t)
        assert gradual.sample(t, 20_000)[1].mean() == pytest.approx(0.08 + 0.84 * share, abs=0.015)


def test_samples_follow_the_inner_rows():
    jumping = SEA(10_000, thresholds=[4, 16], period=1000, noise=0)
    still = SEA(10_000, thresholds=[10], noise=0)
    assert Abrupt(still, jumping, at=500).sample(1600, 1000)[1].mean() > 0.85
    recurring = Recurring(jumping, still, period=500)
    assert recurring.sample(1499, 1000)[1].mean() < 0.15 and recurring.sample(2000, 1000)[1].mean() > 0.85
    gradual = Gradual(still, jumping, at=500, width=10)
    assert gradual.sample(1400, 1000)[1].mean() < 0.15 and gradual.sample(1600, 1000)[1].mean() > 0.85


def test_joined_streams_can_be_joined():
    inner = Recurring(counter(300, 0), counter(300, 1000), period=100)
    stream = Abrupt(counter(50, 7000), inner, counter(10, 9000))
    assert stream.n_rows == 660 and stream.drifts.tolist() == [50, 150, 250, 350, 450, 550, 650]
    assert stream.names == ("x0",) and stream.n_categories.tolist() == [0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Abrupt(SEA()), "at least two streams"),
        (lambda: Abrupt(SEA(), Circles()), "Abrupt: stream 1 has 2 inputs, stream 0 has 3"),
        (lambda: Gradual(LED(), LED(binary=True), at=5, width=2), "Gradual: stream 1 has the classes"),
        (lambda: Abrupt(SEA(10), SEA(), at=20), "stream 0 has 10 rows, but 20 are needed"),
        (lambda: Abrupt(SEA(), SEA(), at=[20, 30]), "at needs 1 rising rows"),
        (lambda: Abrupt(SEA(), SEA(), SEA(), at=[30, 20]), "at needs 2 rising rows"),
        (lambda: Abrupt(OfUnknownLength(SEA()), SEA()), "stream 0 does not know its length"),
        (lambda: Gradual(SEA(100), SEA(), at=500, width=10), "too few to mix at row 500"),
        (lambda: Gradual(SEA(), SEA(), at=500, width=0), "width must be"),
        (lambda: Gradual(SEA(), SEA(), at=500, width=5, shape="step"), "shape must be one of 'sigmoid'"),
        (lambda: Recurring(SEA(), SEA(), period=0), "period must be"),
    ],
)
def test_streams_that_do_not_fit_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_joined_stream_without_known_concepts_says_so():
    with pytest.raises(NotImplementedError, match="cannot draw samples"):
        Abrupt(counter(10, 0), counter(10, 0)).sample(3, 5)

"""Flipped labels: the right share, on any stream, never in samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg import streams
from thalweg.streams.drifting import Abrupt


def codes(stream, size=10**6):
    return np.concatenate([y for _, y in stream.coded_blocks(size)])


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 1])
def test_the_share_of_labels_is_flipped(share):
    clean = streams.SEA(50_000, noise=0)
    assert (codes(streams.noisy(clean, share)) != codes(clean)).mean() == pytest.approx(share, abs=0.006)


def test_with_ten_classes_flips_go_to_all_the_others_evenly():
    clean = streams.LED(50_000)
    before, after = codes(clean), codes(streams.noisy(clean, 0.4))
    step = (after - before) % 10
    assert (step != 0).mean() == pytest.approx(0.4, abs=0.01)
    assert np.bincount(step)[1:] / 50_000 == pytest.approx(np.full(9, 0.4 / 9), abs=0.005)


@settings(max_examples=15, deadline=None)
@given(size=st.integers(1, 6000))
def test_cuts_do_not_change_the_flips(size):
    stream = streams.noisy(Abrupt(streams.SEA(3000), streams.SEA(3000)), 0.3, seed=2)
    assert np.array_equal(codes(stream), codes(stream, size))


def test_samples_inputs_and_drifts_are_those_of_the_stream():
    clean = streams.LED(20_000, period=5000)
    noisy = streams.noisy(clean, 0.3)
    for ours, theirs in zip(noisy.sample(6000, 100), clean.sample(6000, 100), strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(next(noisy.blocks(999))[0], next(clean.blocks(999))[0])
    assert np.array_equal(noisy.drifts, clean.drifts) and noisy.n_rows == 20_000
    assert noisy.names == clean.names and (noisy.n_categories == 2).all()


def test_missing_labels_stay_missing_and_the_source_is_untouched():
    y = np.array([0, 1, np.nan] * 1000)
    source = streams.from_arrays(np.zeros((3000, 1)), y)
    before = codes(source)
    flipped = codes(streams.noisy(source, 1.0))
    assert flipped[:3].tolist() == [1, 0, -1] and (flipped[2::3] == -1).all()
    assert np.array_equal(codes(source), before)


def test_seeds_flip_different_rows():
    stream = streams.SEA(5000)
    one, two = codes(streams.noisy(stream, 0.2, seed=1)), codes(streams.noisy(stream, 0.2, seed=2))
    assert 0.2 < (one != two).mean() < 0.45
    assert np.array_equal(one, codes(streams.noisy(stream, 0.2, seed=1)))


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="noisy: share must be a number at least 0 and at most 1, got 10"):
        streams.noisy(streams.SEA(), 10)
    with pytest.raises(ValueError, match="needs two classes"):
        streams.noisy(streams.from_arrays([[1.0]], ["only"]), 0.1)

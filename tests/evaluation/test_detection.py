"""Scores of detectors are what counting by hand gives."""

import numpy as np
import pytest

from thalweg import drift
from thalweg.drift import ADWIN, DDM, HDDM_W
from thalweg.errors import ParameterError
from thalweg.evaluation import loss_streams, score_detector


class At:
    """Fires at given losses, counted from 0 in every stream."""

    def __init__(self, *places):
        self.places = places
        self.n = -1

    def update(self, loss):
        self.n += 1
        return self.n in self.places

    def reset(self):
        self.n = -1


def test_delays_misses_and_false_alarms_are_counted():
    streams = [(np.zeros(1000), [500]), (np.zeros(1000), [100, 800])]
    score = score_detector(At(120, 510, 520, 590, 650), streams, horizon=100)
    # First stream: found after 10; 120 and 650 are false. Second: found after 20, 800 missed, four false.
    assert score.delays.tolist() == [10, 20] and score.delay == 15
    assert score.n_drifts == 3 and score.missed == pytest.approx(1 / 3)
    assert score.false_alarms == pytest.approx(1e4 * 6 / 1700)


def test_silence_misses_all_and_has_no_delay():
    score = score_detector(At(), [(np.zeros(100), [50])])
    assert score.missed == 1 and np.isnan(score.delay) and score.false_alarms == 0
    assert score.random.missed == 1


def test_streams_are_seeded_and_drift_as_they_say():
    first, again = (list(loss_streams("gradual", n_streams=40, seed=3)) for _ in range(2))
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(first, again, strict=True))
    rates = np.mean([losses for losses, _ in first], axis=0)
    assert rates[:5000].mean() == pytest.approx(0.2, abs=0.005)
    assert rates[5400:5600].mean() == pytest.approx(0.3, abs=0.02)
    assert rates[6000:].mean() == pytest.approx(0.4, abs=0.005)
    assert [drifts.tolist() for _, drifts in first] == [[5000]] * 40
    with pytest.raises(ValueError, match="kind must be one of"):
        loss_streams("sideways")


@pytest.mark.parametrize("name", [name for name in drift.registry if name not in ("EDDM", "KSWIN")])
def test_detectors_beat_the_dummy(name):
    score = score_detector(drift.registry.load(name)())
    assert score.missed < score.random.missed - 0.3
    assert score.false_alarms < score.random.false_alarms
    assert score.delay < 400


def test_the_detector_is_not_changed():
    detector = DDM()
    before = detector.state()["memory"]["memory"]
    score_detector(detector)
    np.testing.assert_array_equal(detector.state()["memory"]["memory"], before)
    assert score_detector(HDDM_W()).delay == score_detector(HDDM_W()).delay


def test_no_streams_and_no_detector_are_refused():
    with pytest.raises(ValueError, match="no streams to score"):
        score_detector(ADWIN(), [])
    with pytest.raises(TypeError, match=r"with update\(loss\) and reset\(\), got None"):
        score_detector(None)


def test_wrong_and_swapped_arguments_are_named():
    with pytest.raises(ParameterError, match="detector must be a detector such as"):
        score_detector([(np.zeros(100), [50])], ADWIN())
    for streams in ([[0.0, 1.0, 0.0]], [np.zeros(100)], [(np.zeros(100), 50)]):
        with pytest.raises(ParameterError, match="must hold pairs of losses and the positions of drifts"):
            score_detector(ADWIN(), streams)

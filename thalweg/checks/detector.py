"""The checks that every drift detector must pass."""

import copy
import pickle
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.checks.detector_safety import SAFETY_CHECKS, errors
from thalweg.checks.running import run_checks
from thalweg.drift.base import Detector
from thalweg.drift.foreign import as_detector


def check_detector(detector: Any, excused: Collection[str] = ()) -> None:
    """Run all checks on copies of `detector`, a new instance; it is not changed.

    Raises AssertionError with the name of the check that failed; `excused` are names of checks to skip. The
    losses are 0 or 1, the errors of a classifier.
    """
    run_checks(CHECKS, as_detector("check_detector", "detector", detector), excused)


def sees_a_rise(detector: Detector) -> None:
    """When the error rate goes from 0.1 to 0.6 there is an alarm within 500 losses."""
    alarms = _alarms(detector, np.r_[errors(2000, 0.1), errors(500, 0.6)])
    assert any(place >= 2000 for place in alarms), "no alarm within 500 losses of the rise"


def is_quiet_while_nothing_changes(detector: Detector) -> None:
    """At a steady error rate there are at most 3 alarms in 10,000 losses."""
    alarms = _alarms(detector, errors(10_000, 0.2))
    assert len(alarms) <= 3, f"{len(alarms)} alarms in 10,000 losses at a steady rate"


def answers_yes_or_no(detector: Detector) -> None:
    """`update` returns True or False for numbers of any type."""
    detector = copy.deepcopy(detector)
    losses: list[Any] = [0, 1, 0.5, True, np.float32(0.25), np.int64(1)]
    for loss in losses:
        assert isinstance(detector.update(loss), bool | np.bool_), f"update({loss!r}) is no bool"


def reset_is_a_fresh_start(detector: Detector) -> None:
    """After `reset` the detector gives the alarms of a new one."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    used = copy.deepcopy(detector)
    _feed(used, errors(333, 0.5))
    used.reset()
    assert _feed(used, losses) == _alarms(detector, losses)


def copies_carry_on(detector: Detector) -> None:
    """Copied or unpickled half way, it gives the same alarms."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    original = copy.deepcopy(detector)
    _feed(original, losses[:650])
    copies = [copy.deepcopy(original), pickle.loads(pickle.dumps(original))]
    expected = _feed(original, losses[650:])
    assert all(_feed(other, losses[650:]) == expected for other in copies)


def states_carry_on(detector: Detector) -> None:
    """Restored from its `state()`, it gives the same alarms and shares nothing with the original."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    original = copy.deepcopy(detector)
    _feed(original, losses[:650])
    other = type(detector)().restore(original.state())
    expected = _feed(original, losses[650:])
    assert _feed(other, losses[650:]) == expected


def many_are_one_after_another(detector: Detector) -> None:
    """`update_many` gives the positions at which `update` returns True, with blocks of any size."""
    losses = np.r_[errors(900, 0.1), errors(300, 0.7), errors(300, 0.1), errors(300, 0.7)]
    expected = _alarms(detector, losses)
    whole, parts = copy.deepcopy(detector), copy.deepcopy(detector)
    assert whole.update_many(losses).tolist() == expected
    pieces = [start + parts.update_many(losses[start : start + 50]) for start in range(0, len(losses), 50)]
    assert np.concatenate(pieces).tolist() == expected


def memory_is_bounded(detector: Detector) -> None:
    """Five times as many losses need at most half as much memory again."""
    detector = copy.deepcopy(detector)
    _feed(detector, errors(4000, 0.2))
    early = len(pickle.dumps(detector))
    _feed(detector, errors(20_000, 0.2))
    late = len(pickle.dumps(detector))
    assert late <= 1.5 * early + 200, f"{early} bytes after 4,000 losses, {late} after 24,000"


CHECKS: list[Callable[[Any], object]] = [
    sees_a_rise,
    is_quiet_while_nothing_changes,
    answers_yes_or_no,
    reset_is_a_fresh_start,
    copies_carry_on,
    states_carry_on,
    many_are_one_after_another,
    memory_is_bounded,
    *SAFETY_CHECKS,
]


def _alarms(detector: Detector, losses: Floats) -> list[int]:
    return _feed(copy.deepcopy(detector), losses)


def _feed(detector: Detector, losses: Floats) -> list[int]:
    return [place for place, loss in enumerate(losses) if detector.update(loss)]

"""The checks every drift detector passes."""

import copy
import pickle

import numpy as np

from thalweg.checks.detector_safety import SAFETY_CHECKS, errors
from thalweg.checks.running import run_checks


def check_detector(detector, excused=()):
    """Run every check on `detector` (a fresh instance; it is copied, not changed).

    Raises AssertionError naming the check that failed. Losses are 0 or 1, the errors of a classifier.
    """
    run_checks(CHECKS, detector, excused)


def sees_a_rise(detector):
    """When the error rate goes from 0.1 to 0.6 there is an alarm within 500 losses."""
    alarms = _alarms(detector, np.r_[errors(2000, 0.1), errors(500, 0.6)])
    assert any(place >= 2000 for place in alarms), "no alarm within 500 losses of the rise"


def is_quiet_while_nothing_changes(detector):
    """At a steady error rate there are at most 3 alarms in 10,000 losses."""
    alarms = _alarms(detector, errors(10_000, 0.2))
    assert len(alarms) <= 3, f"{len(alarms)} alarms in 10,000 losses at a steady rate"


def answers_yes_or_no(detector):
    """`update` returns True or False, for any way to write a number."""
    detector = copy.deepcopy(detector)
    for loss in (0, 1, 0.5, True, np.float32(0.25), np.int64(1)):
        assert isinstance(detector.update(loss), bool | np.bool_), f"update({loss!r}) is no bool"


def reset_is_a_fresh_start(detector):
    """After `reset` the detector answers as a new one does."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    used = copy.deepcopy(detector)
    _feed(used, errors(333, 0.5))
    used.reset()
    assert _feed(used, losses) == _alarms(detector, losses)


def copies_carry_on(detector):
    """Copied and unpickled half way, it gives the same alarms."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    original = copy.deepcopy(detector)
    _feed(original, losses[:650])
    copies = [copy.deepcopy(original), pickle.loads(pickle.dumps(original))]
    expected = _feed(original, losses[650:])
    assert all(_feed(other, losses[650:]) == expected for other in copies)


def states_carry_on(detector):
    """Restored from its `state()`, it gives the same alarms and shares nothing with the original."""
    losses = np.r_[errors(700, 0.1), errors(300, 0.7)]
    original = copy.deepcopy(detector)
    _feed(original, losses[:650])
    other = type(detector)().restore(original.state())
    expected = _feed(original, losses[650:])
    assert _feed(other, losses[650:]) == expected


def many_are_one_after_another(detector):
    """`update_many` gives the positions at which `update` answers True, however the losses are cut."""
    losses = np.r_[errors(900, 0.1), errors(300, 0.7), errors(300, 0.1), errors(300, 0.7)]
    expected = _alarms(detector, losses)
    whole, parts = copy.deepcopy(detector), copy.deepcopy(detector)
    assert whole.update_many(losses).tolist() == expected
    pieces = [start + parts.update_many(losses[start : start + 50]) for start in range(0, len(losses), 50)]
    assert np.concatenate(pieces).tolist() == expected


def memory_is_bounded(detector):
    """Five times the losses need no more than half as much again."""
    detector = copy.deepcopy(detector)
    _feed(detector, errors(4000, 0.2))
    early = len(pickle.dumps(detector))
    _feed(detector, errors(20_000, 0.2))
    late = len(pickle.dumps(detector))
    assert late <= 1.5 * early + 200, f"{early} bytes after 4,000 losses, {late} after 24,000"


CHECKS = [
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


def _alarms(detector, losses):
    return _feed(copy.deepcopy(detector), losses)


def _feed(detector, losses):
    return [place for place, loss in enumerate(losses) if detector.update(loss)]

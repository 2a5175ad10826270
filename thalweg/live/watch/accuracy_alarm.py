"""Has accuracy fallen? A PerformanceAlarm over known answers, in episodes that begin and end."""

import copy
from typing import Any, Self

import numpy as np

from thalweg._types import Floats, Mask, State
from thalweg.live.watch.part import Part
from thalweg.trust.performance_alarm import PerformanceAlarm

DROP, FALSE_ALARMS = 0.05, 0.01
LOOK, RECENT = 256, 1024  # labels between two looks; labels that say whether a fall is over
MOST_EPISODES, MOST_TIMES = 20, 1024


class AccuracyAlarm(Part):
    """Episodes in which accuracy is more than 5 points below what it was.

    Every 256 labels it is asked whether accuracy has fallen: see `PerformanceAlarm`, whose rate of false
    alarms is 1 % between two resets. An episode ends when the accuracy of 1,024 labels is no longer below the
    limit; then the alarm starts again, with a new reference of 2,000 labels.

    Labels are taken in the order in which they come, which is that of the rows only if all are equally late.

    Attributes
    ----------
    n : int
        Labels so far.
    waiting, waiting_times : ndarray
        Answers, right or wrong, since the last look, and when their labels came.
    first : int
        The label that the alarm began with.
    recent : ndarray
        The latest answers since the episode began.
    times : ndarray
        When the first label of each of the latest looks came.
    n_episodes : int
        How many falls were found.
    episodes : list of dict
        The latest 20 of them; the last one is open while its "ended" is None.
    """

    _grows = frozenset({"waiting", "waiting_times", "recent", "times"})

    def __init__(self) -> None:
        self.n = 0
        self.first = 0
        self.waiting = np.empty(0)
        self.waiting_times = np.empty(0)
        self.recent = np.empty(0)
        self.times = np.empty(0)
        self.n_episodes = 0
        self.episodes: list[dict[str, Any]] = []
        self._alarm = _new_alarm()

    @property
    def is_open(self) -> bool:
        """Whether accuracy is below what it was."""
        return bool(self.episodes) and self.episodes[-1]["ended"] is None

    def add(self, right: Mask, times: Floats) -> None:
        """Add known answers, in the order in which their labels came."""
        scores = np.concatenate([self.waiting, right])
        moments = np.concatenate([self.waiting_times, times])
        n_whole = len(scores) // LOOK * LOOK
        start = 0
        while start < n_whole:
            start += self._look(scores[start:n_whole], moments[start:n_whole])
        self.waiting, self.waiting_times = scores[n_whole:].copy(), moments[n_whole:].copy()

    def snapshot(self) -> dict[str, Any]:
        """Return what accuracy is compared with, and the episodes."""
        return {
            "drop": DROP, "false_alarms": FALSE_ALARMS, "is_open": self.is_open,
            "reference": self._alarm.reference_, "limit": self._alarm.limit_,
            "n_episodes": self.n_episodes, "episodes": copy.deepcopy(self.episodes),
        }  # fmt: skip

    def state(self) -> State:
        """Return it as plain data."""
        return copy.deepcopy({name: value for name, value in vars(self).items() if name != "_alarm"}) | {
            "alarm": self._alarm.state()
        }

    def restore(self, state: Any) -> Self:
        """Go on from what `state` returned."""
        fresh = type(self)()
        rest = dict(state) if isinstance(state, dict) else {}
        alarm = PerformanceAlarm().restore(rest.pop("alarm", None))
        del fresh._alarm
        Part.restore(fresh, rest)
        self.__dict__ = vars(fresh) | {"_alarm": alarm}
        return self

    def _look(self, scores: Floats, times: Floats) -> int:
        """Look at the first of several times 256 answers, up to a change; return how many answers that is."""
        is_open, found = self.is_open, not self.is_open and self._alarm.update(scores)
        used = LOOK if is_open else len(scores)
        if found:  # what comes after the alarm did not count
            row = self._alarm.alarm_row_ or 0
            used = -(-row // LOOK) * LOOK - (self.n - self.first)
            used = min(max(used, LOOK), len(scores))  # whatever a damaged state says
        self.n += used
        self.times = np.append(self.times, times[:used:LOOK])[-MOST_TIMES:]
        if is_open:
            self.recent = np.concatenate([self.recent, scores[:used]])[-RECENT:]
            if len(self.recent) == RECENT and self.recent.mean() >= self.episodes[-1]["limit"]:
                self._end(float(times[used - 1]))
        elif found:
            self._begin(float(times[used - 1]))
        return used

    def _begin(self, time: float) -> None:
        alarm = self._alarm
        label = self.first + (alarm.fallen_since_ or 0)
        looks_ago = -(-(self.n - label) // LOOK)
        began = float(self.times[max(0, len(self.times) - looks_ago)])
        found = {
            "began": began, "found": time, "ended": None, "label": label, "limit": alarm.limit_,
            "reference": alarm.reference_, "accuracy": alarm.accuracy_since_, "p_value": alarm.p_value_,
        }  # fmt: skip
        self.episodes, self.n_episodes = [*self.episodes, found][-MOST_EPISODES:], self.n_episodes + 1
        self.recent = np.empty(0)

    def _end(self, time: float) -> None:
        self.episodes[-1]["ended"] = time
        self._alarm, self.first = _new_alarm(), self.n


def _new_alarm() -> PerformanceAlarm:
    return PerformanceAlarm(DROP, FALSE_ALARMS)

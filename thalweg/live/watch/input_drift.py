"""Have the inputs changed? A monitor over the rows that come, in episodes that begin and end."""

import copy
from typing import Any, Self

import numpy as np

from thalweg._types import Floats, State
from thalweg.drift.changes import Change, Windows, changes_in
from thalweg.drift.hellinger import HellingerMonitor
from thalweg.errors import StateError
from thalweg.live.watch.monitor_state import from_plain, saved, to_plain

REFERENCE, WINDOW, FALSE_ALARMS = 2000, 1000, 0.01
QUIET = 5  # windows without a change end an episode
MOST_EPISODES, MOST_INPUTS, MOST_WINDOWS = 20, 10, 64
KEPT = ("n_rows", "n_quiet", "n_episodes", "episodes", "_windows")


class InputDrift:
    """Episodes in which inputs change.

    Each 1,000 rows are compared with a reference of 2,000 rows by a `HellingerMonitor`, and the latest 2, 4,
    … 64 windows together. After a change the next 2,000 rows are the new reference, so that each change
    is found once; those that follow each other closely are one episode, which ends after 5 windows
    without a change. Of streams without any change, 1 % ever get an alarm.

    Attributes
    ----------
    n_rows : int
        Rows so far.
    n_quiet, n_episodes : int
        Windows since the last change, and episodes so far.
    episodes : list of dict
        The latest 20: when and at which row each began and ended, how many windows and inputs changed, and
        the ten inputs that changed most.
    """

    def __init__(self, names: list[str], categorical: list[int]) -> None:
        self.n_rows = self.n_quiet = self.n_episodes = 0
        self.episodes: list[dict[str, Any]] = []
        self._names, self._categorical = names, categorical
        self._windows: list[dict[str, Any]] = []
        settings: dict[str, Any] = {"false_alarms": FALSE_ALARMS, "categorical": categorical}
        self._monitor = HellingerMonitor(REFERENCE, WINDOW, **settings)
        if names:
            self._monitor.begin(len(names), names=names)

    @property
    def is_open(self) -> bool:
        """Whether inputs have changed lately."""
        return bool(self.episodes) and self.episodes[-1]["ended"] is None

    def add(self, X: Floats, times: Floats) -> None:
        """Add rows of the watched inputs, and when they came."""
        if not self._names:
            return
        start = 0
        while start < len(X):
            start += self._compare(X[start:], times[start:])

    def snapshot(self) -> dict[str, Any]:
        """Return the settings, the episodes, and how far each input was from the reference lately."""
        has_reference = bool(self._names) and self._monitor.bins_ is not None
        return {
            "rows": self.n_rows, "reference": REFERENCE, "window": WINDOW, "false_alarms": FALSE_ALARMS,
            "inputs": len(self._names), "has_reference": has_reference, "is_open": self.is_open,
            "n_episodes": self.n_episodes, "windows": self._latest(),
            "episodes": [{key: copy.deepcopy(value) for key, value in each.items() if key != "names"}
                         for each in self.episodes],
        }  # fmt: skip

    def state(self) -> State:
        """Return it as plain data."""
        content = {name: vars(self)[name] for name in KEPT}
        return copy.deepcopy(content) | {"monitor": to_plain(self._monitor)}

    def restore(self, state: Any) -> Self:
        """Go on from what `state` returned; raise StateError if it does not fit."""
        try:
            fresh = type(self)(self._names, self._categorical)
            for name in KEPT[:3]:
                setattr(fresh, name, int(state[name]))
            fresh.episodes = copy.deepcopy(list(state["episodes"]))
            fresh._windows = [_window(each, len(self._names)) for each in state["_windows"]]
            if self._names:
                fresh._monitor = from_plain(state["monitor"], fresh._monitor, fresh.n_rows)
        except StateError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            raise StateError(f"InputDrift: the state is damaged: {why}") from error
        self.__dict__ = vars(fresh)
        return self

    def _compare(self, X: Floats, times: Floats) -> int:
        """Compare rows up to the first window with a change; return how many rows that is.

        Several windows are compared in one call, which is faster. If one of them has changed, the call is
        made again up to its end, since the rows after it belong to the next reference.
        """
        before, n_windows = saved(self._monitor), (self.n_rows % WINDOW + len(X)) // WINDOW
        found = self._monitor.update_coded(X)
        changes = changes_in(found, self._monitor.watched_, FALSE_ALARMS)
        used = len(X)
        if changes and n_windows:
            used = changes[0].stop - self.n_rows
            self._monitor = before
            found = self._monitor.update_coded(X[:used])
            changes = changes_in(found, self._monitor.watched_, FALSE_ALARMS)
        for i, stop in enumerate(found.stops.tolist()):
            time = float(times[stop - self.n_rows - 1])
            self._judge(found, i, [each for each in changes if each.stop == stop], time)
        self.n_rows += used
        if changes:
            self._monitor.reset()
        return used

    def _judge(self, found: Windows, i: int, changes: list[Change], time: float) -> None:
        """Take note of a window, and of what changed in it or in those that end with it."""
        hit = sorted({each.watched.position for each in changes if each.watched.position is not None})
        window = {
            "start": int(found.starts[i]), "stop": int(found.stops[i]), "changed": hit,
            "distances": found.distances[i].astype(np.float32),
        }  # fmt: skip
        self._windows = [*self._windows[-MOST_WINDOWS + 1 :], window]
        self.n_quiet = 0 if changes else self.n_quiet + 1
        if changes:
            self._note(changes, time)
        elif self.is_open and self.n_quiet >= QUIET:
            self.episodes[-1]["ended"] = time

    def _note(self, changes: list[Change], time: float) -> None:
        if not self.is_open:
            begun: dict[str, Any] = {
                "began": time, "ended": None, "row": min(each.start for each in changes), "windows": 0,
                "inputs": 0, "changes": [], "names": [],
            }  # fmt: skip
            self.episodes, self.n_episodes = [*self.episodes, begun][-MOST_EPISODES:], self.n_episodes + 1
        episode = self.episodes[-1]
        best = {each["input"]: each for each in episode["changes"]}
        for each in changes:
            name = str(each.watched)
            if name not in best or each.p_value < best[name]["p_value"]:
                best[name] = {
                    "input": name, "row": each.start, "distance": each.distance, "expected": each.expected,
                    "p_value": each.p_value, "windows": each.scale,
                }  # fmt: skip
        names = sorted({*episode["names"], *(str(each.watched) for each in changes)})
        order = sorted(best.values(), key=lambda each: (each["p_value"], -each["distance"], each["input"]))
        episode |= {"windows": episode["windows"] + 1, "inputs": len(names), "names": names}
        episode["changes"] = order[:MOST_INPUTS]

    def _latest(self) -> dict[str, Any]:
        """Return the distances of the latest windows, of the inputs that changed or were farthest."""
        kept = self._windows
        if not kept:
            return {"starts": [], "stops": [], "names": [], "distances": [], "changed": []}
        distances = np.array([each["distances"] for each in kept], dtype=np.float64)
        n_changed = np.bincount([k for each in kept for k in each["changed"]], minlength=len(self._names))
        farthest = np.nan_to_num(distances).max(axis=0)
        order = np.lexsort([-farthest, -n_changed])[:MOST_INPUTS]
        order = np.sort(order)
        shown = [[None if v != v else round(v, 4) for v in line] for line in distances[:, order].tolist()]
        return {
            "starts": [each["start"] for each in kept], "stops": [each["stop"] for each in kept],
            "names": [self._names[k] for k in order.tolist()], "distances": shown,
            "changed": [[k in each["changed"] for k in order.tolist()] for each in kept],
        }  # fmt: skip


def _window(given: Any, n_inputs: int) -> dict[str, Any]:
    """Return a copy of what is known of a window; raise StateError if it has other inputs."""
    found = copy.deepcopy({name: given[name] for name in ("start", "stop", "changed", "distances")})
    numbers, distances = (found["start"], found["stop"], *found["changed"]), found["distances"]
    good = all(type(each) is int for each in numbers) and all(0 <= j < n_inputs for j in found["changed"])
    if not (good and distances.shape == (n_inputs,) and distances.dtype == np.float32):
        raise StateError("InputDrift: a window of the state has other inputs")
    return found

"""All sums of a LiveWatch, and how events are added to them."""

from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints, Mask, State
from thalweg.errors import StateError
from thalweg.evaluation.baselines import BASELINES, Baselines
from thalweg.live.watch.accuracy_alarm import AccuracyAlarm
from thalweg.live.watch.delays import Delays
from thalweg.live.watch.events import PendingEvents, in_order
from thalweg.live.watch.input_drift import InputDrift
from thalweg.live.watch.known_answers import KnownAnswers
from thalweg.live.watch.surprises import LabelsThatCame, Surprises
from thalweg.live.watch.traffic import Traffic
from thalweg.live.watch.watched_inputs import WatchedInputs
from thalweg.live.watch.windows import estimates_of
from thalweg.trust.accuracy_estimate import AccuracyEstimate

WINDOW, LEVEL = 1000, 0.95
MOST_CLASSES = 2**31 - 2
Answers: TypeAlias = NDArray[np.int32]
"""Rows × baselines: codes of their answers."""
PARTS = ("known", "delays", "surprises", "traffic", "alarm")


class Said(NamedTuple):
    """What was said of rows whose labels came: probabilities of label and answer, answers of baselines."""

    p_label: Floats
    p_answer: Floats
    baselines: Answers


class Sums:
    """Everything that is counted; events are added in blocks, and how they are cut makes no difference."""

    def __init__(self, watched: WatchedInputs, max_waiting: int) -> None:
        self.max_waiting, self.n_inputs = max_waiting, len(watched)
        self.n_labels = 0
        self.known, self.delays, self.surprises = KnownAnswers(), Delays(), Surprises()
        self.traffic, self.alarm = Traffic(), AccuracyAlarm()
        self.drift = InputDrift(watched.names, watched.categorical)
        self.estimate = AccuracyEstimate(WINDOW, level=LEVEL, max_waiting=max_waiting)
        self.kernel = self.estimate._begun()
        self.baselines = Baselines(2, MOST_CLASSES)
        self.said = np.zeros((len(self.kernel.arrays["row"]), len(BASELINES)), dtype=np.int32)

    def next_events(self) -> PendingEvents:
        """Return an empty PendingEvents for what comes now."""
        return PendingEvents(self.known.n_rows, self.n_labels)

    def add(self, events: PendingEvents) -> None:
        """Add rows and labels."""
        n_classes = max(events.most_classes(), self.n_classes)
        self.estimate._begun(n_classes)
        self.baselines.set_classes(n_classes)
        X, p, answers, row_times, n_known = events.rows(n_classes, self.n_inputs)
        new, said, codes, numbers, delays, seconds, times, after = events.labels(self.n_inputs)
        self._add_traffic(in_order(n_known - events.first_label, after, events.first_row), row_times, times)
        self._add_inputs(X, new, row_times, times, said < 0, n_known - events.first_label)
        self.baselines.add(codes, n_known)
        of_baselines = np.array(list(self.baselines.new_codes().values()), dtype=np.int32).T
        scored = np.flatnonzero((numbers >= 0) & (delays < self.max_waiting))
        found = self._find(numbers[scored], codes[scored], said[scored], p, of_baselines)
        self.known.add_rows(row_times)
        self._add_labels(numbers[scored], codes[scored], said[scored], times[scored], found)
        self.delays.add(delays[scored], seconds[scored])
        self.estimate._follow(p, answers, np.column_stack([after - 1, numbers, codes]))
        self._keep(events.first_row, of_baselines)
        self.n_labels += len(codes)

    @property
    def n_classes(self) -> int:
        """Number of classes so far."""
        return int(self.kernel.arrays["by_class"].shape[2])

    def snapshot(self, now: float) -> dict[str, Any]:
        """Return all of it as plain data."""
        n = self.known.n_labels
        return {
            "rows": self.known.n_rows, "labels": self.n_labels, "labels_of_rows": n,
            "waiting": self.kernel.n_waiting, "accuracy": self.known.snapshot(),
            "estimate": estimates_of(self.estimate), "alarm": self.alarm.snapshot(),
            "delay": self.delays.snapshot(), "drift": self.drift.snapshot(),
            "surprises": self.surprises.snapshot(), "traffic": self.traffic.snapshot(now),
        }  # fmt: skip

    def state(self) -> State:
        """Return it as plain data."""
        parts = {name: getattr(self, name).state() for name in PARTS}
        return parts | {
            "n_labels": self.n_labels, "drift": self.drift.state(), "estimate": self.estimate.state(),
            "baselines": self.baselines.state(), "said": self.said.copy(),
        }  # fmt: skip

    def restore(self, state: State) -> Self:
        """Go on from what `state` returned; do not use it after an error."""
        for name in (*PARTS, "drift", "estimate"):
            getattr(self, name).restore(state[name])
        self.kernel = self.estimate._begun()
        n_classes = state["baselines"]["n_classes"]
        if type(n_classes) is not int or not 0 <= n_classes <= self.n_classes:
            raise StateError("LiveWatch: the baselines of the state have other classes than its estimate")
        self.baselines.restore(state["baselines"])
        self.n_labels, said = int(state["n_labels"]), state["said"]
        if state["baselines"]["n_labels"] != self.n_labels:
            raise StateError("LiveWatch: the baselines of the state have learned other labels")
        wanted = (len(self.kernel.arrays["row"]), len(BASELINES))
        if said.shape != wanted or said.dtype != np.int32 or self.kernel.n_rows != self.known.n_rows:
            raise StateError("LiveWatch: the answers of the state do not belong to its rows")
        self.said = said.copy()
        return self

    def _add_traffic(self, are_labels: Mask, row_times: Floats, times: Floats) -> None:
        moments = np.empty(len(are_labels))
        moments[are_labels], moments[~are_labels] = times, row_times
        self.traffic.add(moments, are_labels)

    def _add_inputs(
        self, X: Floats, new: Floats, row_times: Floats, times: Floats, is_new: Mask, n_known: Ints
    ) -> None:
        """Add the rows that came, predicted or learned at once, in their order, to the watch over inputs."""
        if not len(new):
            self.drift.add(X, row_times)
            return
        n_new = np.concatenate([[0], np.cumsum(is_new)])[n_known]  # before each row that was predicted
        at = np.arange(len(X)) + n_new
        first = np.ones(len(X) + len(new), dtype=bool)
        first[at] = False
        rows, moments = np.empty((len(first), self.n_inputs)), np.empty(len(first))
        rows[at], rows[first] = X, new
        moments[at], moments[first] = row_times, times[is_new]
        self.drift.add(rows, moments)

    def _find(self, numbers: Ints, codes: Ints, said: Ints, p: Floats, of_baselines: Answers) -> Said:
        """Return what was said of rows, which are among those just predicted or were kept before."""
        first, row, kept = self.kernel.n_rows, self.kernel.arrays["row"], len(self.kernel.arrays["row"])
        shift = row.shape[1] - self.n_classes
        n, n_baselines = len(numbers), len(BASELINES)
        found = Said(np.zeros(n), np.zeros(n), np.zeros((n, n_baselines), dtype=np.int32))
        old = numbers < first
        place, here = numbers[old] % kept, numbers[~old] - first
        for target, wanted in ((found.p_label, codes), (found.p_answer, said)):
            target[old], target[~old] = row[place, shift + wanted[old]], p[here, wanted[~old]]
        found.baselines[old], found.baselines[~old] = self.said[place], of_baselines[here]
        return found

    def _add_labels(self, numbers: Ints, codes: Ints, said: Ints, times: Floats, found: Said) -> None:
        right = np.column_stack([said, found.baselines]) == codes[:, None]
        self.known.add_labels(numbers, right)
        self.alarm.add(right[:, 0], times)
        self.surprises.add(LabelsThatCame(numbers, codes, said, found.p_label, found.p_answer, times))

    def _keep(self, first: int, of_baselines: Answers) -> None:
        """Keep what the baselines said of rows, in places like those of the estimate."""
        self.kernel = self.estimate._begun()
        room, before = len(self.kernel.arrays["row"]), len(self.said)
        if room != before:
            numbers = np.arange(max(0, first - before), first)
            larger = np.zeros((room, len(BASELINES)), dtype=np.int32)
            larger[numbers % room] = self.said[numbers % before]
            self.said = larger
        kept = of_baselines[-room:]
        numbers = first + len(of_baselines) - len(kept) + np.arange(len(kept))
        self.said[numbers % room] = kept

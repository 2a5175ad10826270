"""Longer windows: the last 2, 4, 8, … windows taken together, compared with all rows before them.

Let C(t) be the counts of the reference and of the first t windows. The last s windows are compared whenever t
is a multiple of h and at least s, where h is s, and s/2 from 8 windows on:

    C(t) − C(t − s)  with  C(t − s).                                                                 (1)

The rows before grow as long as nothing changes: a reference of 2,000 rows could not show a shift of 0.08
standard deviations, however many rows come after it. Once a distribution differs, it is compared with

    C(t − s) of its first alarm,                                                                     (2)

so that changed rows do not count as normal. If the reference was given, it alone is compared with. Half of
the rate of false alarms goes to single windows, the other half in equal parts to the longer ones, and the
i-th comparison of a length may spend 1/(i (i + 1)) of its part.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.drift.changes import Windows, adjusted, joined_windows, spent
from thalweg.drift.distances import LEAST_ROWS, chance_by_ranks
from thalweg.drift.ragged import Histograms, chosen, compared, joined, of_watched, picked, repeated

if TYPE_CHECKING:
    from thalweg.drift.monitor import Monitor

HALF_FROM = 8  # windows: of shorter ones none overlap, to save time


class Comparison(NamedTuple):
    """Distances, distances expected by chance, raw p-values, and where there are enough rows."""

    distances: Floats
    expected: Floats
    chances: Floats
    possible: Mask


class Longer(NamedTuple):
    """The windows of one length that are complete: where they end, their counts and those before."""

    length: int
    at: Ints  # positions of their last single windows among those just added
    number: Ints  # how many comparisons of this length there were, from 1
    starts: Ints
    counts: Histograms
    before: Histograms


class Scales:
    """Counts of past windows, by which the last 2, 4, … `longest` of them are compared.

    Memory: 2 log₂(longest) + 2 times that of a window's counts.

    Attributes
    ----------
    n_checks : ndarray of int
        How often each length was compared; not forgotten with the reference.
    total, marks : ndarray of shape (n_watched, n_bins) and (n_lengths, 2, n_watched, n_bins)
        C now, and at the last two multiples of h.
    rows : ndarray of shape (n_lengths, 2)
        The first row after these windows.
    base, frozen : ndarray of shape (n_watched, n_bins) and (n_watched,)
        What a distribution is compared with by (2), and whether it is.
    alarms : ndarray of shape (n_lengths + 1, n_watched)
        The last window at whose end this or a shorter length gave an alarm, from 1; a large negative if none.
    """

    def __init__(self, longest: int) -> None:
        self.n_lengths = longest.bit_length() - 1
        self.n_checks = np.zeros(self.n_lengths, dtype=np.intp)

    @property
    def parts(self) -> tuple[float, float]:
        """The parts of the rate of false alarms for single windows and for each length above."""
        return (0.5, 0.5 / self.n_lengths) if self.n_lengths else (1.0, 0.0)

    def start(self, reference: Histograms, grows: bool) -> None:
        """Begin with the counts of a reference, of shape (watched, bins); `grows` if windows extend it."""
        n_watched = len(reference)
        self.n_windows = 0
        self.base, self.frozen = reference.copy(), np.full(n_watched, not grows)
        self.total = reference.copy()
        self.marks = repeated(reference, (self.n_lengths, 2))
        self.rows = np.zeros((self.n_lengths, 2), dtype=np.intp)
        self.alarms = np.full((self.n_lengths + 1, n_watched), -(1 << 60), dtype=np.intp)

    def add(self, monitor: "Monitor", windows: Windows, chances: Floats, number: Ints) -> Windows | None:
        """Add single windows with their raw p-values; return the longer ones that end with them, if any."""
        if not self.n_lengths or not len(windows.stops):
            return None
        if not self.n_windows:
            self.rows[:] = windows.starts[0]
        upto = self.total[None] + windows.counts.cumsum(axis=0)
        taken = [self._complete(j, upto, windows.stops) for j in range(self.n_lengths)]
        found = [self._compare(monitor, each, np.arange(len(self.frozen))) for each in taken]
        found = self._freeze(monitor, upto, taken, found, chances * spent(number, self.parts[0]))
        longer = self._judge(monitor.false_alarms, windows, taken, found)
        self.total, self.n_windows = upto[-1].copy(), self.n_windows + len(windows.stops)
        self.n_checks += [len(each.at) for each in taken]
        return joined_windows(longer)

    def _complete(self, j: int, upto: Histograms, stops: Ints) -> Longer:
        """Return the windows of length 2^(j + 1) that are complete, by (1); remember the last counts."""
        length = 2 << j
        lag = 1 if length < HALF_FROM else 2
        step = length // lag
        at = np.arange(step - 1 - self.n_windows % step, len(upto), step)
        counts = joined([self.marks[j], upto[at]])
        rows = np.concatenate([self.rows[j], stops[at]])
        kept = np.flatnonzero(self.n_windows + 1 + at >= length) + 2
        self.marks[j], self.rows[j] = counts[-2:], rows[-2:]
        before = counts[kept - lag]
        number = self.n_checks[j] + 1 + np.arange(len(kept))
        return Longer(length, at[kept - 2], number, rows[kept - lag], counts[kept] - before, before)

    def _compare(self, monitor: "Monitor", longer: Longer, columns: Ints) -> Comparison:
        """Compare the distributions in `columns` with their rows before, or with the base if frozen."""
        if not len(longer.at):  # which is often so where rows come in small blocks
            none = np.empty((0, len(columns)))
            return Comparison(none, none, none, none > 0)
        counts, unordered = of_watched(longer.counts, columns), monitor._unordered[columns]
        base, before = of_watched(self.base, columns), of_watched(longer.before, columns)
        before = chosen(self.frozen[columns], base, before)
        distances, expected, chances = compared(monitor._compare, before, counts, unordered)
        if monitor._by_ranks:
            by_ranks = compared(chance_by_ranks, before, counts)
            ranks = np.minimum(1, 2 * np.minimum(chances, by_ranks))
            chances = np.where(unordered, chances, ranks)
        possible = np.minimum(before.sum(axis=-1), counts.sum(axis=-1)) >= LEAST_ROWS
        return Comparison(distances, expected, np.where(possible, chances, 1.0), possible)

    def _freeze(
        self,
        monitor: "Monitor",
        upto: Histograms,
        taken: list[Longer],
        found: list[Comparison],
        singles: Floats,
    ) -> list[Comparison]:
        """Keep what distributions that differ now are compared with, by (2); return what changes by that.

        Bonferroni's bound decides, not Holm's: it depends on no other distribution.
        """
        level = monitor.false_alarms / len(self.frozen)
        before = joined([self.total[None], upto[:-1]])
        each_k = np.arange(len(self.frozen))
        first = np.full(len(self.frozen), len(upto))
        base = self.base.copy()
        kinds = [(np.arange(len(upto)), singles, before)]
        kinds += [
            (longer.at, each.chances * spent(longer.number, self.parts[1]), longer.before)
            for longer, each in zip(taken, found, strict=True)
        ]
        for at, chances, counts in kinds:
            if not len(at):
                continue
            differs = chances <= level
            place = differs.argmax(axis=0)
            hit = differs[place, each_k] & (at[place] <= first) & ~self.frozen
            first[hit], base = at[place[hit]], chosen(hit, picked(counts, place), base)
        new = np.flatnonzero(first < len(upto))
        if not len(new):
            return found
        self.frozen, self.base = self.frozen | (first < len(upto)), base
        return [self._again(monitor, *each, new, first[new]) for each in zip(taken, found, strict=True)]

    def _again(
        self, monitor: "Monitor", longer: Longer, found: Comparison, new: Ints, first: Ints
    ) -> Comparison:
        """Return comparisons with those of the frozen distributions after their first alarm replaced."""
        again = self._compare(monitor, longer, new)
        later = longer.at[:, None] > first
        replaced = Comparison(*(each.copy() for each in found))  # type: ignore[arg-type]
        for old, other in zip(replaced, again, strict=True):
            old[:, new] = np.where(later, other, old[:, new])
        return replaced

    def _judge(
        self, level: float, windows: Windows, taken: list[Longer], found: list[Comparison]
    ) -> list[Windows]:
        """Return windows with adjusted p-values, and whether a shorter one within them gave an alarm."""
        shorter = self._last(0, windows.p_values <= level)
        judged = []
        for j, (longer, each) in enumerate(zip(taken, found, strict=True)):
            p_values = adjusted(each.chances, each.possible, longer.number, self.parts[1])
            ends = self.n_windows + 1 + longer.at[:, None]
            known = shorter[longer.at] > ends - longer.length
            alarms = np.zeros(shorter.shape, dtype=bool)
            alarms[longer.at] = p_values <= level
            shorter = np.maximum(shorter, self._last(j + 1, alarms))
            judged.append(
                Windows(
                    longer.starts,
                    windows.stops[longer.at],
                    np.where(each.possible, each.distances, np.nan),
                    np.where(each.possible, each.expected, np.nan),
                    p_values,
                    longer.counts,
                    np.full(len(longer.at), longer.length),
                    known=known,
                )
            )
        return judged

    def _last(self, j: int, alarms: Mask) -> Ints:
        """Return for each window the number of the last one with an alarm of this length."""
        numbers = np.where(alarms, self.n_windows + 1 + np.arange(len(alarms))[:, None], self.alarms[j])
        last: Ints = np.maximum.accumulate(numbers, axis=0)
        self.alarms[j] = last[-1]
        return last

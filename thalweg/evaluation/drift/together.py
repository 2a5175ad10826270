"""What differs only in several windows taken together."""

from dataclasses import dataclass

import numpy as np

from thalweg._types import Ints, Mask
from thalweg.drift.changes import Windows
from thalweg.drift.ragged import row_of


@dataclass
class Together:
    """One distribution that differs in windows taken together.

    Attributes
    ----------
    scale : int
        The smallest number of windows that were enough.
    stop : int
        First row after the first of them that differ.
    spans : list of tuple
        First row and end of the rows that differ, one after the other, without overlap.
    distance, expected, at : float, float, int
        The largest distance, the one expected there by chance, and the first row of those windows.
    p_value : float
        The smallest p-value.
    counts : ndarray of int
        The histograms of all that differ, added.
    """

    scale: int
    stop: int
    spans: list[tuple[int, int]]
    distance: float
    expected: float
    at: int
    p_value: float
    counts: Ints

    def add(self, start: int, stop: int, other: "Together") -> None:
        """Add another alarm, with a later end. Longer windows begin before the change: they only extend."""
        if start <= self.spans[-1][1]:
            start = self.spans.pop()[0]
        self.spans.append((start, stop))
        if other.distance > self.distance:
            self.distance, self.expected, self.at = other.distance, other.expected, other.at
        self.scale, self.p_value = min(self.scale, other.scale), min(self.p_value, other.p_value)
        self.counts = self.counts + other.counts


def add_longer(found: dict[int, Together], longer: Windows, alarms: Mask) -> None:
    """Add the alarms of windows taken together to what was found, by position of the distribution."""
    for i, k in np.argwhere(alarms).tolist():
        start, stop = int(longer.starts[i]), int(longer.stops[i])
        distance, expected = float(longer.distances[i, k]), float(longer.expected[i, k])
        p_value, scale = float(longer.p_values[i, k]), int(longer.scales[i])
        counts = row_of(longer.counts, i, k).copy()
        each = Together(scale, stop, [(start, stop)], distance, expected, start, p_value, counts)
        if k in found:
            found[k].add(start, stop, each)
        else:
            found[k] = each

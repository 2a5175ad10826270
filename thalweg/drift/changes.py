"""What a monitor reports: the distributions watched, their distance in each window, and p-values."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from thalweg._types import Floats, Ints, Mask
from thalweg.drift.ragged import Histograms, joined


@dataclass(frozen=True)
class Watched:
    """One distribution that is watched: of an input, of the labels, or of an input given a label.

    Attributes
    ----------
    input : str or None
        The input's name; None for the labels themselves.
    label : object
        The label given which the input is watched; None if all rows count.
    position : int or None
        The input's position in a row.
    """

    input: str | None
    label: object = None
    position: int | None = None

    def __str__(self) -> str:
        if self.input is None:
            return "labels"
        return self.input if self.label is None else f"{self.input} | {self.label}"


@dataclass(frozen=True)
class Change:
    """A distribution that differs from the reference in one window, or in several taken together.

    Attributes
    ----------
    watched : Watched
        Which distribution.
    start, stop : int
        The window: its first row, and the first row after it, counted from the first row of all.
    distance : float
        How much the window differs from the reference.
    expected : float
        The distance to be expected by chance.
    p_value : float
        Probability that a stream without change ever gives an alarm with a p-value as small as this, over all
        inputs, windows and lengths of windows.
    scale : int
        How many windows were taken together; 1 if a single one differs.
    """

    watched: Watched
    start: int
    stop: int
    distance: float
    expected: float
    p_value: float
    scale: int = 1

    def __str__(self) -> str:
        together = "" if self.scale == 1 else f" ({self.scale} windows together)"
        return (
            f"{self.watched}: rows {self.start:,} to {self.stop - 1:,}{together} differ by "
            f"{self.distance:.3f} (by chance about {self.expected:.3f}), p = {self.p_value:.1g}"
        )


@dataclass(frozen=True)
class Windows:
    """The comparisons of consecutive windows with the reference.

    Attributes
    ----------
    starts, stops : ndarray of int, shape (n_windows,)
        The first row of each, and the first row after it.
    distances, expected, p_values : ndarray, shape (n_windows, n_watched)
        As in `Change`; where a histogram has fewer than 20 rows, the distance is NaN and the p-value 1.
    counts : Ragged or ndarray of int, shape (n_windows, n_watched, n_bins)
        The histograms of the windows; a Ragged if that of the labels is longer than others.
    scales : ndarray of int, shape (n_windows,)
        How many windows are taken together in each: 1, or 2, 4, 8, … in `longer`.
    longer : Windows or None
        The last 2, 4, 8, … windows taken together, by the row at which they end.
    known : ndarray of bool, shape (n_windows, n_watched), or None
        In `longer`, whether a shorter window within them differs; then they are no news.
    """

    starts: Ints
    stops: Ints
    distances: Floats
    expected: Floats
    p_values: Floats
    counts: Histograms
    scales: Ints
    longer: "Windows | None" = None
    known: Mask | None = None


def changes_in(windows: Windows, watched: Sequence[Watched], level: float) -> list[Change]:
    """Return what differs in windows and in several taken together, in the order of their ends."""
    found = [
        Change(
            watched[k],
            int(each.starts[i]),
            int(each.stops[i]),
            float(each.distances[i, k]),
            float(each.expected[i, k]),
            float(each.p_values[i, k]),
            int(each.scales[i]),
        )
        for each in (windows, windows.longer)
        if each is not None
        for i, k in np.argwhere((each.p_values <= level) & ~_known(each))
    ]
    return sorted(found, key=lambda change: change.stop)


def _known(windows: Windows) -> Mask:
    return np.zeros(windows.p_values.shape, dtype=bool) if windows.known is None else windows.known


def no_windows(n_watched: int) -> Windows:
    """Return no Windows."""
    none, no_rows = np.empty((0, n_watched)), np.empty(0, dtype=np.intp)
    return Windows(no_rows, no_rows, none, none, none, np.empty((0, n_watched, 0), np.intp), no_rows)


def joined_windows(parts: Sequence[Windows]) -> Windows:
    """Return windows in the order of their ends."""
    if len(parts) == 1:
        return parts[0]
    absent = {"longer"} if parts[0].known is not None else {"longer", "known"}
    names = [field.name for field in fields(Windows) if field.name not in absent]
    values = {name: joined([getattr(each, name) for each in parts]) for name in names}
    order = np.lexsort([values["scales"], values["stops"]])
    if (np.diff(order) != 1).any():
        values = {name: value[order] for name, value in values.items()}
    longer = [each.longer for each in parts if each.longer is not None]
    return Windows(**values, longer=joined_windows(longer) if longer else None)


def spent(number: Ints, part: float) -> Floats:
    """Return by what the p-values of the `number`-th comparison, from 1, are multiplied: n (n + 1)/part."""
    return (number * (number + 1.0))[:, None] / part


def adjusted(chances: Floats, possible: Mask, number: Ints, part: float = 1.0) -> Floats:
    """Return p-values adjusted for all windows and all distributions watched.

    The `number`-th window, from 1, gets 1/(number (number + 1)) of this part of the rate of false alarms, so
    that all windows together use it up at most once. Within a window, Holm's method divides it among the
    `possible` tests.
    """
    chances = np.where(possible, chances, 1.0)
    order = np.argsort(chances, axis=-1, kind="stable")
    n_tests = possible.sum(axis=-1, keepdims=True)
    left = np.maximum(n_tests - np.arange(chances.shape[-1]), 1)
    stepped = np.maximum.accumulate(np.take_along_axis(chances, order, -1) * left, axis=-1)
    holm = np.empty_like(chances)
    np.put_along_axis(holm, order, stepped, -1)
    return np.where(possible, np.minimum(1, holm * spent(number, part)), 1.0)

"""What a monitor reports: the distributions watched, their distance in each window, and p-values."""

from dataclasses import dataclass

import numpy as np

from thalweg._types import Floats, Ints, Mask


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
    """A distribution that differs from the reference in one window.

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
        inputs and windows.
    """

    watched: Watched
    start: int
    stop: int
    distance: float
    expected: float
    p_value: float

    def __str__(self) -> str:
        return (
            f"{self.watched}: rows {self.start:,} to {self.stop - 1:,} differ by {self.distance:.3f} "
            f"(by chance about {self.expected:.3f}), p = {self.p_value:.1g}"
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
    counts : ndarray of int, shape (n_windows, n_watched, n_bins)
        The histograms of the windows.
    """

    starts: Ints
    stops: Ints
    distances: Floats
    expected: Floats
    p_values: Floats
    counts: Ints


def adjusted(chances: Floats, possible: Mask, number: Ints) -> Floats:
    """Return p-values adjusted for all windows and all distributions watched.

    The `number`-th window, from 1, gets 1/(number (number + 1)) of the rate of false alarms, so that all
    windows together use it up at most once. Within a window, Holm's method divides it among the `possible`
    tests.
    """
    chances = np.where(possible, chances, 1.0)
    order = np.argsort(chances, axis=-1, kind="stable")
    n_tests = possible.sum(axis=-1, keepdims=True)
    left = np.maximum(n_tests - np.arange(chances.shape[-1]), 1)
    stepped = np.maximum.accumulate(np.take_along_axis(chances, order, -1) * left, axis=-1)
    holm = np.empty_like(chances)
    np.put_along_axis(holm, order, stepped, -1)
    spent = (number * (number + 1.0))[:, None]
    return np.where(possible, np.minimum(1, holm * spent), 1.0)

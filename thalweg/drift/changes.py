"""What a monitor reports: what it watches, what it found in each window, and how sure that is."""

from dataclasses import dataclass

import numpy as np


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

    def __str__(self):
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
        The distance that chance alone leads one to expect.
    p_value : float
        Probability that a stream without change ever gets an alarm as sure as this, all inputs and windows
        taken into account.
    """

    watched: Watched
    start: int
    stop: int
    distance: float
    expected: float
    p_value: float

    def __str__(self):
        return (
            f"{self.watched}: rows {self.start:,} to {self.stop - 1:,} differ by {self.distance:.3f} "
            f"(by chance about {self.expected:.3f}), p = {self.p_value:.1g}"
        )


@dataclass(frozen=True)
class Windows:
    """What was found in some windows, one after another.

    Attributes
    ----------
    stops : ndarray of int, shape (n_windows,)
        The first row after each.
    distances, expected, p_values : ndarray, shape (n_windows, n_watched)
        As in `Change`; distance NaN and p-value 1 where a histogram has fewer than 20 rows.
    counts : ndarray of int, shape (n_windows, n_watched, n_cells)
        The histograms of the windows.
    """

    stops: np.ndarray
    distances: np.ndarray
    expected: np.ndarray
    p_values: np.ndarray
    counts: np.ndarray


def adjusted(chances, possible, number):
    """Return p-values that hold for all windows and all that is watched together.

    The `number`-th window, from 1, may spend 1/(number (number + 1)) of the rate, so that all windows there
    will ever be spend it once; within a window it is divided by Holm's method among the `possible` tests.
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

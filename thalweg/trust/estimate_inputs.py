"""Checks of what an estimate is given: probabilities, labels and costs."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import wrong
from thalweg._types import Floats, Ints
from thalweg.errors import short_repr

ROUNDING = 0.01  # by which the sum of probabilities may be off
MOST_CLASSES = 1_000_000


def checked_probabilities(given: ArrayLike, n_classes: int | None, who: str) -> Floats:
    """Return probabilities as rows × classes; raise ValueError, with the row, if they are none."""
    try:
        p = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{who}: probabilities must be numbers: {error}") from None
    if p.ndim not in (1, 2) or (p.ndim == 2 and p.shape[1] < 2):
        raise ValueError(f"{who}: expected rows × classes, or one number a row, got shape {p.shape}")
    good = np.all((p >= 0) & (p <= 1), axis=tuple(range(1, p.ndim)))
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"{who}: a probability is not between 0 and 1 in row {row}: {p[row]}")
    p = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    sums = p.sum(axis=1)
    if len(p) and np.abs(sums - 1).max() > ROUNDING:
        row = int(np.argmax(np.abs(sums - 1)))
        raise ValueError(f"{who}: the probabilities of row {row} sum to {sums[row]:.4g}, not to 1")
    if n_classes is not None and p.shape[1] != n_classes:
        raise ValueError(f"{who}: got {p.shape[1]} columns for {n_classes} classes")
    return np.ascontiguousarray(p)


def codes_of(labels: Any, classes: NDArray[Any] | None, who: str) -> Ints:
    """Return the codes of labels; raise ValueError if one is not among the classes.

    Without classes, labels are their codes.
    """
    given = [labels] if isinstance(labels, str) or not isinstance(labels, Iterable) else labels
    found = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if classes is None:
        return _as_codes(found, who)
    places = {each: k for k, each in enumerate(classes.tolist())}
    try:
        return np.array([places[each] for each in found], dtype=np.intp)
    except (KeyError, TypeError):
        unknown = next(each for each in found if not _is_in(each, places))
        known = ", ".join(map(str, places))
        raise ValueError(f"{who}: the label {unknown!r} is none of the classes {known}") from None


def checked_costs(owner: object, given: ArrayLike) -> Floats:
    """Return costs as a square table of numbers."""
    try:
        costs = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        costs = np.full((1, 2), np.nan)
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or not np.isfinite(costs).all():
        raise wrong(owner, "costs", "a square table of numbers", given)
    return costs


def _as_codes(labels: list[Any], who: str) -> Ints:
    if not labels:
        return np.empty(0, dtype=np.intp)
    codes = np.asarray(labels)
    if codes.dtype.kind not in "iub" or codes.ndim != 1 or codes.min() < 0 or codes.max() > MOST_CLASSES:
        seen = short_repr(labels)
        raise ValueError(f"{who}: labels must be codes 0, 1, 2, …, or pass `classes`: got {seen}")
    return codes.astype(np.intp)


def _is_in(each: Any, places: dict[Any, int]) -> bool:
    try:
        return each in places
    except TypeError:
        return False

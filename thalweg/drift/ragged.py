"""Counts of many short histograms and one long one, such as that of a thousand labels."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Counts, Ints, Mask


class Ragged:
    """Histograms of shape (…, watched, bins) of which that at `place` alone has more bins.

    As one array all would have as many, and memory would grow with the square of the number of labels.

    Attributes
    ----------
    short : ndarray of int, shape (…, watched, bins)
        All histograms; that at `place` is empty here.
    long : ndarray of int, shape (…, more bins)
        The histogram at `place`.
    """

    def __init__(self, short: Ints, long: Ints, place: int) -> None:
        self.short, self.long, self.place = short, long, place

    @classmethod
    def split(cls, counts: Ints, place: int, n_bins: int) -> "Ragged":
        """Return counts of one array, whose histograms but that at `place` have only `n_bins`."""
        short = counts[..., :n_bins].copy()
        short[..., place, :] = 0
        return cls(short, counts[..., place, :].copy(), place)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as one array."""
        return (*self.short.shape[:-1], self.long.shape[-1])

    @property
    def size(self) -> int:
        """How many counts are kept."""
        return self.short.size + self.long.size

    def __len__(self) -> int:
        return len(self.short)

    def __getitem__(self, key: Any) -> "Ragged":
        """Return a part by the axes before the last two."""
        return Ragged(self.short[key], self.long[key], self.place)

    def __setitem__(self, key: Any, other: "Ragged") -> None:
        self.short[key], self.long[key] = other.short, other.long

    def __add__(self, other: Any) -> "Ragged":
        if isinstance(other, int):
            return Ragged(self.short + other, self.long + other, self.place)
        return Ragged(self.short + other.short, self.long + other.long, self.place)

    __radd__ = __add__

    def __sub__(self, other: "Ragged") -> "Ragged":
        return Ragged(self.short - other.short, self.long - other.long, self.place)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.zeros(self.shape, dtype=self.short.dtype if dtype is None else dtype)
        whole[..., : self.short.shape[-1]] = self.short
        whole[..., self.place, :] = self.long
        return whole

    def copy(self) -> "Ragged":
        """Return a copy."""
        return Ragged(self.short.copy(), self.long.copy(), self.place)

    def cumsum(self, axis: int) -> "Ragged":
        """Return the sums up to each entry of the first axis."""
        return Ragged(np.cumsum(self.short, axis), np.cumsum(self.long, axis), self.place)

    def sum(self, axis: int) -> Any:
        """Return the sums over the first axis, or over the last one: the rows of each histogram."""
        if axis == 0:
            return Ragged(self.short.sum(axis=0), self.long.sum(axis=0), self.place)
        rows = self.short.sum(axis=-1)
        rows[..., self.place] = self.long.sum(axis=-1)
        return rows


Histograms: TypeAlias = Any
"""A Ragged, or an array of shape (…, watched, bins) where no histogram is longer than the others."""


def joined(parts: Sequence[Histograms]) -> Histograms:
    """Return histograms one after the other on the first axis."""
    if not isinstance(parts[0], Ragged):
        return np.concatenate(parts)
    short, long = (np.concatenate([getattr(each, name) for each in parts]) for name in ("short", "long"))
    return Ragged(short, long, parts[0].place)


def repeated(counts: Histograms, shape: tuple[int, ...]) -> Histograms:
    """Return copies of histograms in an array of this shape."""
    if isinstance(counts, Ragged):
        return Ragged(repeated(counts.short, shape), repeated(counts.long, shape), counts.place)
    return np.tile(counts, (*shape, *np.ones(counts.ndim, dtype=int)))


def of_watched(counts: Histograms, columns: Ints) -> Histograms:
    """Return the histograms of some of those watched, of which there must be at least one."""
    if not isinstance(counts, Ragged):
        return counts[..., columns, :]
    short, found = counts.short[..., columns, :], np.flatnonzero(columns == counts.place)
    return Ragged(short, counts.long, int(found[0])) if len(found) else short


def chosen(mask: Mask, a: Histograms, b: Histograms) -> Histograms:
    """Return the histograms of `a` where the mask over those watched is True, else those of `b`."""
    if not isinstance(b, Ragged):
        return np.where(mask[:, None], a, b)
    long = np.broadcast_to(a.long, b.long.shape) if mask[b.place] else b.long
    return Ragged(np.where(mask[:, None], a.short, b.short), long, b.place)


def row_of(counts: Histograms, *place: int) -> Ints:
    """Return one histogram."""
    *before, k = place
    if isinstance(counts, Ragged):
        found: Ints = counts.long[tuple(before)] if k == counts.place else counts.short[place]
        return found
    found = counts[place]
    return found


def picked(counts: Histograms, at: Ints) -> Histograms:
    """Return for each of those watched its histogram at an entry of its own on the first axis."""
    each = np.arange(len(at))
    if not isinstance(counts, Ragged):
        return counts[at, each]
    return Ragged(counts.short[at, each], counts.long[at[counts.place]], counts.place)


def summed(counts: Histograms, mask: Mask) -> Histograms:
    """Return the sums of the histograms, on the first axis, where the mask of shape (n, watched) is True."""
    if not isinstance(counts, Ragged):
        return np.einsum("wt,wtc->tc", mask, counts)
    short = np.einsum("wt,wtc->tc", mask, counts.short)
    return Ragged(short, mask[:, counts.place] @ counts.long, counts.place)


def compared(compare: Any, before: Histograms, counts: Histograms, *about: Any) -> Any:
    """Return what `compare` returns for histograms: arrays of shape (…, watched).

    `about` are further arguments, of which arrays have an entry for each of those watched.
    """
    if not isinstance(counts, Ragged):
        return compare(before, counts, *about)
    k = counts.place
    short = compare(before.short, counts.short, *about)
    long = compare(
        before.long[..., None, :], counts.long[..., None, :], *(each[k : k + 1] for each in about)
    )
    if not isinstance(short, tuple):
        return _with(short, long, k)
    return tuple(_with(one, other, k) for one, other in zip(short, long, strict=True))


def _with(short: Counts, long: Counts, k: int) -> Counts:
    found = np.array(short)
    found[..., k] = np.asarray(long)[..., 0]
    return found

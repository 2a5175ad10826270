"""A limit on the memory of a learner and its members: what each needs, and how the rest is shared out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST_BYTES = 2**62


class Needs(NamedTuple):
    """What a learner that has just begun needs: bytes, and how many of its parts can make use of more."""

    least: int
    n_growing: int = 0


def sum_of(needs: Sequence[Needs]) -> Needs:
    """Return what several learners need together."""
    return Needs(sum(each.least for each in needs), sum(each.n_growing for each in needs))


def most_of(needs: Sequence[Needs]) -> Needs:
    """Return what a learner can need that is any of several."""
    return Needs(*map(max, zip(*needs, strict=True)))


def shares(most: int, own: int, held: Sequence[Needs], needs: Sequence[Needs]) -> list[int]:
    """Return the bytes for learners of these needs, whose owner may use `most` and needs `own` for itself.

    Each gets what it needs; what is left is shared out by the parts of all learners `held` that can make use
    of it.
    """
    total = sum_of(held)
    more = max(most - own - total.least, 0) // max(total.n_growing, 1)
    return [each.least + each.n_growing * more for each in needs]


def bytes_in(arrays: dict[str, Any] | None) -> int:
    """Return the bytes of a dict of arrays."""
    return sum(array.nbytes for array in (arrays or {}).values())

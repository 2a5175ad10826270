"""Which members an `AdaptiveStacking` has: chosen when it begins, and fewer where memory does not suffice."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from thalweg._parameters import is_whole
from thalweg._types import State
from thalweg.errors import StateError


class Chosen(NamedTuple):
    """What the choice of the members depended on."""

    width: int = 0  # inputs for which the default members were chosen
    n_large: int = 0  # inputs with so many categories that default members see their effects
    dropped: tuple[int, ...] = ()  # default members that were too large from the start, by their position
    retired: tuple[int, ...] = ()  # members that became too large later, by their position among the others

    @property
    def is_made(self) -> bool:
        """Whether the inputs were known."""
        return self.width > 0 or self.n_large > 0

    def without(self, members: Sequence[int], is_first: bool) -> Self:
        """Return the choice without these members; before the first row, as if they had not been named."""
        if not is_first:
            return self._replace(retired=tuple(sorted({*self.retired, *members})))
        named = range(max(members) + len(self.dropped) + 1)
        present = [i for i in named if i not in self.dropped]
        return self._replace(dropped=tuple(sorted({*self.dropped, *(present[m] for m in members)})))

    def state(self) -> State:
        """Return the choice as a part of a state."""
        counts = {"width": self.width, "n_large": self.n_large}
        return counts | {"dropped": list(self.dropped), "retired": list(self.retired)}

    @classmethod
    def from_state(cls, memory: dict[str, Any], who: str) -> Self:
        """Return the choice that a state holds; raise StateError if it is not valid."""
        counts = [memory["width"], memory.get("n_large", 0)]  # earlier releases had no effects
        for name, found in zip(cls._fields[:2], counts, strict=True):
            if not is_whole(found) or found < 0:
                raise StateError(f"{who}: the state's {name} must be a whole number, got {found!r}")
        lists = [memory[name] for name in cls._fields[2:]]
        for name, found in zip(cls._fields[2:], lists, strict=True):
            if not isinstance(found, list) or not all(is_whole(each) and each >= 0 for each in found):
                raise StateError(f"{who}: the state's {name!r} must be a list of positions, got {found!r}")
        dropped, retired = (tuple(int(each) for each in found) for found in lists)
        return cls(int(counts[0]), int(counts[1]), dropped, retired)


def largest(sizes: Sequence[int], excess: int, may_go: Sequence[bool]) -> list[int]:
    """Return the positions of the largest members that may go, enough of them to free `excess` bytes."""
    order = sorted((m for m in range(len(sizes)) if may_go[m]), key=lambda m: -sizes[m])
    found: list[int] = []
    for m in order:
        if excess <= 0:
            break
        found.append(m)
        excess -= sizes[m]
    return found

"""Classes that an operator adds or masks, apart from those that labels bring."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thalweg._misspelt import meant_class
from thalweg._types import Floats, State
from thalweg.errors import StateError
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.growth import Growing


class OpenClasses(Growing):
    """The part of a learner that adds classes, and masks those that must not be answered."""

    _masked: tuple[int, ...] = ()  # codes

    if TYPE_CHECKING:

        def _open_classes(self, n_before: int) -> None: ...

        @property
        def _writing(self) -> Any: ...

    @property
    def masked_classes_(self) -> list[Hashable]:
        """The classes that are never answered."""
        self._check_begun()
        return [self._labels.list[code] for code in self._masked]

    def add_class(self, label: Hashable) -> Self:
        """Add a class before its first label comes, also where classes are fixed; return self.

        It begins with the weight of a class that one row has shown. A class that is there already stays.
        """
        with self._writing:
            if label not in self._labels.code:
                self._all_or_nothing(self._add_label, label)
        return self

    def _add_label(self, label: Hashable) -> None:
        n = len(self._labels.list)
        self._make_room(self._names, Labels([*self._labels.list, label], self._labels.is_open))
        if self._labels.is_open:
            self._open_classes(n)

    def mask_class(self, label: Hashable, masked: bool = True) -> Self:
        """Never answer a class from now on, such as one that a mistyped label has made; return self.

        Its probability is 0, and the others sum to 1. What was learned of it stays, and its rows are still
        learned. With `masked=False` it is answered again. One class at least stays unmasked.
        """
        with self._writing:
            code = self._labels.code.get(label)
            if code is None:
                known = self._labels.list
                meant = meant_class(label, known)
                raise ValueError(f"{self._who}: {label!r} is none of the classes {known}{meant}")
            codes = {*self._masked, code} if masked else {*self._masked} - {code}
            if len(codes) == len(self._labels.list):
                raise ValueError(f"{self._who}: all classes would be masked; one must be left to answer")
            self._masked = tuple(sorted(codes))
        return self

    def _without_masked(self, p: Floats) -> Floats:
        """Return probabilities without those of masked classes; `p` is changed in place."""
        if self._masked:
            codes = [code for code in self._masked if code < p.shape[-1]]
            p[..., codes] = 0.0
            rest = np.ones(p.shape[-1])
            rest[codes] = 0.0
            with np.errstate(all="ignore"):  # rows that were not tested hold anything
                total = p.sum(axis=-1, keepdims=True)
                np.divide(p, total, out=p, where=total > 0)
                p += np.where(total > 0, 0.0, rest / max(rest.sum(), 1.0))
        return p

    def _restore_masked(self, state: State) -> None:
        codes = state.get("masked", [])
        n = len(self._labels.list)
        good = isinstance(codes, list) and all(type(each) is int and 0 <= each < n for each in codes)
        if not good or sorted(set(codes)) != codes or (codes and len(codes) >= n):
            raise StateError(f"{self._who}: the state masks classes that it does not have, or all of them")
        self._masked = tuple(codes)

"""What learners with members share: they build them from templates, replace them, and save them."""

from collections.abc import Collection
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._parameters import is_seed, is_whole
from thalweg._types import Ints, State
from thalweg.errors import ParameterError
from thalweg.learners.base.default_templates import RestoresDefaults, keep_defaults
from thalweg.learners.base.native import KeepsRows, NativeClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier

NAMING = ("categorical", "columns", "time_column")  # parameters that are positions or names of inputs


class MemberPool(RestoresDefaults, KeepsRows):
    """A learner whose kernel calls members, made from one or more templates by `_build`.

    A subclass returns the templates from `_templates`, the seeds of a fresh member from `_member_seeds`, and
    the first members from `_first_members` if others can be reset to how these began.
    """

    _made_from: list[StreamClassifier]  # the templates when it began
    _seeded: list[list[str]]  # [template]: the names of its seeds
    _pristine: list[State | None]  # [template]: what a member is reset to; None: a new one is made
    _member_bytes: list[int] | None = None  # [template]: bytes for a member, if they are limited
    # [template]: what a member begins as, in all slots, of a learner that never learns: only its sizes count,
    # or its members are replaced at once. None in others.
    _stand_ins: dict[int, tuple[StreamClassifier, Any]] | None = None

    # [slot]: members that were there before, extended, while the kernel is made again with a class more
    _extended: list[tuple[StreamClassifier, Any]] | None = None

    @property
    def can_be_saved(self) -> bool:
        """Whether `thalweg.save` can write the members, and so the learner."""
        return all(each.can_be_saved for each in self._templates())

    @property
    def takes_missing(self) -> bool:
        """Whether any member handles missing values; the others get running means instead."""
        return any(each.takes_missing for each in self._templates())

    @property
    def uses_weights(self) -> bool:
        """Whether weights of rows make a difference to the members."""
        return any(each.uses_weights for each in self._templates())

    @property
    def observes(self) -> bool:
        """Whether a member uses rows without a label."""
        return any(each.observes for each in self._templates())

    def _most_waiting(self) -> int:
        if hasattr(self, "max_waiting"):
            return super()._most_waiting()
        keep = [each for each in self._templates() if each.observes and each.takes_ids]
        return max((each._most_waiting() for each in keep), default=0)

    def _begin(self, n_features: int, n_classes: int) -> None:
        self._made_from = self._templates_with_defaults()
        self._seeded = [[name for name in each.get_params() if is_seed(name)] for each in self._made_from]
        self._pristine, self._member_bytes = [None] * len(self._made_from), None
        if self._stand_ins is not None:
            self._stand_ins = {}  # a stack may begin once more, with other templates
        super()._begin(n_features, n_classes)
        first_members = self._first_members()
        for template, first in enumerate(first_members):
            if self._can_reset(first, self._seeded[template]):
                self._pristine[template] = first._kernel.beginning()
        self._after_begin(first_members)

    def _begin_to_grow(self) -> None:
        """Do what `_begin_again` does, for members that those there were replace at once."""
        self._stand_ins = {}
        self._begin_again()
        self._stand_ins = None

    def _extend(self, firsts: list[Any], members: list[Any], kernels: list[Any]) -> bool:
        """Do what `_begin_to_grow` does if just a class is new, with members that know of it.

        `firsts` are one of each template. Returns False, with nothing done, if it is unknown what fresh
        members would be.
        """
        pristine = []
        for first, before in zip(firsts, self._pristine, strict=True):
            pristine.append(None if before is None else first._extended_beginning(before))
            if before is not None and pristine[-1] is None:
                return False
        self._pristine, self._member_bytes = pristine, None
        self._extended = list(zip(members, kernels, strict=True))
        NativeClassifier._begin(self, self.n_features_in_, self._n_columns)
        self._after_begin(firsts)
        self._extended = None
        return True

    def _first_members(self) -> list[Any]:
        """Return a member of each template as it begins; none if members are not replaced."""
        return []

    def _after_begin(self, first_members: list[Any]) -> None:
        """Finish `_begin`, whose first members can be reset where `_pristine` says so."""

    def _learners(self) -> list[StreamClassifier]:
        """Return all members as they are now."""
        raise NotImplementedError

    def _freeze(self) -> None:
        for member in self._learners():
            member._freeze()

    def _limit_again(self) -> None:
        super()._limit_again()
        if self._most_bytes is None:  # members may have a limit of their own
            for member in self._learners():
                member._limit_again()

    def _can_reset(self, member: StreamClassifier, seeded: list[str]) -> bool:
        """Return whether members can go back to the beginning of this one, the first of its template."""
        return isinstance(member, NativeClassifier) and member._starts_again(seeded)

    def _member_seeds(self, template: int, slot: int, n_built: int) -> dict[str, int]:
        """Return the seeds of a fresh member by their names."""
        raise NotImplementedError

    def _drawn_seeds(self, template: int, *entropy: int) -> dict[str, int]:
        names = self._seeded[template]
        drawn = np.random.SeedSequence(entropy).generate_state(len(names))
        return dict(zip(names, drawn.tolist(), strict=True))

    def _columns(self, slot: int, n_built: int) -> Ints | None:
        """Return the inputs that a fresh member in this slot sees, or None if it sees all."""
        return None

    def _categories(self, columns: Ints | None) -> Ints:
        return self.n_categories_ if columns is None else self.n_categories_[columns]

    def _build(self, template: int, slot: int, n_built: int, spare: Any) -> tuple[StreamClassifier, Any]:
        """Return a fresh member for a slot, made from this template, and the kernel to call it through.

        `n_built` members were in that slot before. Changes nothing but `spare`: a member of this template
        that is no longer in use, or None. So it can be interrupted anywhere, and called again.
        """
        if self._extended is not None:
            return self._extended[slot]
        if self._stand_ins is not None and template in self._stand_ins:
            return self._stand_ins[template]
        seeds, pristine = self._member_seeds(template, slot, n_built), self._pristine[template]
        columns = self._columns(slot, n_built)
        member = spare
        if spare is None or pristine is None:
            member = self._begun_member(self._made_from[template], seeds, self._categories(columns))
            if self._member_bytes is not None:
                member._limit_bytes(self._member_bytes[template])
        if pristine is not None:
            member._start_again(pristine, **seeds)
            member._begun_with = (member._begun_with or {}) | seeds
        found = member, self._kernel_of(member, columns)
        if self._stand_ins is not None:
            self._stand_ins[template] = found
        return found

    def _begun_member(
        self, template: StreamClassifier, seeds: dict[str, int], n_categories: Ints
    ) -> StreamClassifier:
        member = clone(template).set_params(**seeds)
        keep_defaults(template, member)
        member._lock = self._own_lock()
        if self._stand_ins is not None and isinstance(member, MemberPool):
            member._stand_ins = {}
        labels = self._labels
        if labels.is_open and len(labels.list) == 1:
            labels = labels.first(0)  # members have room for it, and hear of it when the second comes
        return member._begin_unlocked(len(n_categories), labels, n_categories=n_categories)

    def _check_named_inputs(self, template: StreamClassifier, places: Ints | None = None) -> None:
        """Raise ParameterError if a member names an input that is another one in the rows it gets.

        `places` are those of the inputs in its rows; None if they differ from member to member.
        """
        for name, value in template.get_params().items():
            if name.split("__")[-1] not in NAMING or value is None:
                continue
            given = list(value) if isinstance(value, list | tuple | range | np.ndarray) else [value]
            fixed = [] if places is None else places.tolist()
            if not all(is_whole(j) and 0 <= j < len(fixed) and fixed[j] == j for j in given):
                raise ParameterError(
                    f"{self._who}: {type(template).__name__} has {name}={value!r}, but as a member it gets "
                    "rows with other inputs or another order, in which that would be a different input. "
                    "Declare categories by begin(n_features, n_categories=[…]), or by text in dict rows"
                )

    def _kernel_of(self, member: StreamClassifier, columns: Ints | None) -> Any:
        """Return the kernel to call a fresh member through."""
        return member._handle()

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return False

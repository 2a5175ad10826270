"""The base class of learners that change rows and pass them on to one member."""

from collections.abc import Collection
from typing import Any

from sklearn.base import clone

from thalweg._parameters import seeds_of
from thalweg._types import Floats, Ints, State
from thalweg.learners.base.member_state import restored_member
from thalweg.learners.base.memory_limit import Needs, bytes_in
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.seeded import checked_seed
from thalweg.learners.base.stream_classifier import StreamClassifier


class OneMember(NativeClassifier):
    """A learner whose kernel calls one member through its handle.

    A subclass has a template of the member, and makes its kernel with a member from `_begun_member`, passed
    to `_set_member`.
    """

    _kernel: Any  # of several classes; each has a `member`
    _seeds: dict[str, int]
    _own_bytes: int
    _member_needs: Needs

    @property
    def uses_weights(self) -> bool:
        """Whether weights of rows make a difference to the member."""
        return self._template().uses_weights

    @property
    def can_be_filed(self) -> bool:
        """Whether `thalweg.save` can write the member, and so the learner."""
        return self._template().can_be_filed

    def _template(self) -> StreamClassifier:
        """Return what the member is made from."""
        raise NotImplementedError

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        self._seeds = seeds_of(self._template()) if seeds is None else seeds
        super()._begin(n_features, n_classes)
        self._own_bytes, self._member_needs = bytes_in(self._kernel.arrays), self._kernel.member._needs()

    def _begin_again(self) -> None:
        self._begin(self.n_features_in_, self._n_columns, self._seeds)

    def _begun_member(self, n_categories: Ints) -> StreamClassifier:
        member = clone(self._template()).set_params(**self._seeds)
        member._lock = self._own_lock()
        return member._begin_unlocked(len(n_categories), self._labels, n_categories=n_categories)

    def _set_member(self, kernel: Any, member: StreamClassifier) -> None:
        """Let a kernel call this member."""
        kernel.set_member(member, member._handle())

    def _current_member(self) -> Any:
        self._check_begun()
        with self._lock.read:
            return self._kernel.member

    def _needs(self) -> Needs:
        return Needs(self._own_bytes + self._member_needs.least, self._member_needs.n_growing)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes = most
        self._kernel.member._limit_bytes(max(most - self._own_bytes, 0))

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return False

    def _observe(self, X: Floats) -> None:
        self._kernel.observe(X)

    def _state(self) -> State:
        member = self._kernel.member
        return super()._state() | {"member": member._state_unlocked(), "seeds": dict(self._seeds)}

    def _check_size(self, memory: dict[str, Any]) -> None:
        super()._check_size(memory)
        clone(self._template())._check_size(memory["member"]["memory"])

    def _restore(self, memory: dict[str, Any]) -> None:
        parts = {name: memory[name] for name in ("member", "seeds")}
        seeds = {name: checked_seed(parts["seeds"][name], self._who) for name in self._seeds}
        if seeds != self._seeds:
            self._seeds = seeds
            self._begin_again()
        self._restore_kernel({name: value for name, value in memory.items() if name not in parts})
        member = restored_member(self, self._template(), parts["member"])
        self._check_member(member)
        self._set_member(self._kernel, member)

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        """Restore all but the seeds and the member."""
        super()._restore(memory)

    def _check_member(self, member: StreamClassifier) -> None:
        """Raise StateError if a restored member does not fit."""

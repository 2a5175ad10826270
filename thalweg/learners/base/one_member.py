"""The base class of learners that change rows and pass them on to one member."""

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from thalweg._parameters import seeds_of
from thalweg._types import State
from thalweg.learners.base.default_templates import keep_defaults, template_of
from thalweg.learners.base.member_pool import MemberPool
from thalweg.learners.base.member_state import restored_member
from thalweg.learners.base.memory_limit import Needs, bytes_in
from thalweg.learners.base.seeded import checked_seed
from thalweg.learners.base.stream_classifier import StreamClassifier


class OneMember(MemberPool):
    """A learner whose kernel calls one member through its handle.

    A subclass has a template of the member, whose seeds are drawn at `begin`, and makes its kernel with a
    member from `_begun_member`, passed to `_set_member`.
    """

    _kernel: Any  # of several classes; each has a `member`
    _seeds: dict[str, int]
    _own_bytes: int
    _member_needs: Needs

    def _template(self) -> StreamClassifier:
        """Return what the member is made from."""
        raise NotImplementedError

    def _one_default(self, make: Callable[[], StreamClassifier]) -> StreamClassifier:
        found = self._default(make)
        return found[0] if isinstance(found, list) else found

    def _templates(self) -> list[StreamClassifier]:
        return [self._template()]

    def _templates_in(self, memory: State) -> list[StreamClassifier] | None:
        return [template_of(memory["member"])]

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        self._seeds = seeds_of(self._template()) if seeds is None else seeds
        super()._begin(n_features, n_classes)
        self._own_bytes, self._member_needs = bytes_in(self._kernel.arrays), self._held()[0]._needs()

    def _begin_again(self) -> None:
        self._begin(self.n_features_in_, self._n_columns, self._seeds)

    def _member_seeds(self, template: int, slot: int, n_built: int) -> dict[str, int]:
        return self._seeds

    def _set_member(self, kernel: Any, member: StreamClassifier) -> None:
        """Let a kernel call this member."""
        kernel.set_member(member, member._handle())

    def _held(self) -> list[Any]:
        """Return the member, then others that are kept with it."""
        return [self._kernel.member]

    def _learners(self) -> list[StreamClassifier]:
        return self._held()

    def _current_member(self) -> Any:
        with self._reading:
            return self._held()[0]

    def _needs_as_begun(self) -> Needs | None:
        return self._needs() if type(self)._needs is OneMember._needs else None

    def _needs(self) -> Needs:
        n, (least, n_growing) = len(self._held()), self._member_needs
        return Needs(self._own_bytes + n * least, n * n_growing)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes, held = most, self._held()
        self._member_bytes = [max(most - self._own_bytes, 0) // len(held)]
        for member in held:
            member._limit_bytes(self._member_bytes[0])

    def _state(self) -> State:
        member = self._held()[0]
        return super()._state() | {"member": member._state_unlocked(), "seeds": dict(self._seeds)}

    def _check_size(self, memory: dict[str, Any]) -> None:
        super()._check_size(memory)
        template = self._templates_with_defaults()[0]
        member = clone(template)
        keep_defaults(template, member)
        member._check_size(memory["member"]["memory"])

    def _restore(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        given, seeds = memory.pop("member"), memory.pop("seeds")
        seeds = {name: checked_seed(seeds[name], self._who) for name in self._seeds}
        if seeds != self._seeds:
            self._seeds = seeds
            self._begin_again()
        self._restore_kernel(memory)
        self._set_member(self._kernel, self._restored_member(given))

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        """Restore all but the seeds and the member."""
        super()._restore(memory)

    def _restored_member(self, state: dict[str, Any]) -> StreamClassifier:
        member = restored_member(self, self._template(), state)
        self._check_member(member)
        return member

    def _check_member(self, member: StreamClassifier) -> None:
        """Raise StateError if a restored member does not fit."""

"""What ensembles share: members built from templates, saved with them, and shown over time."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thalweg._native.kernel import Kernel
from thalweg._parameters import count, is_seed
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of, weighted_mean
from thalweg.learners.base.member_list import MemberList, Members, as_members
from thalweg.learners.base.member_state import check_inputs, restored_member
from thalweg.learners.base.memory_limit import Needs, bytes_in, shares, sum_of
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.base.seeded import SeededClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.base import EnsembleKernel
from thalweg.learners.ensembles._native.member_view import AdapterKernel
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree


class Ensemble(HasImportance, MemberList, SeededClassifier):
    """A learner made of members, called through their handles by an ensemble's kernel.

    A subclass has the parameters `member` and `random_state`, and makes its kernel with `self._build`, which
    returns a fresh member. The kernel keeps the members. They are made from `member`, a template or a list of
    them that take turns. Each has a seed of its own wherever its template has a `random_state`. Where only
    some take missing values, the others have running means of their own.
    """

    _kernel: EnsembleKernel
    member: Members
    n_members: int | None
    _events: tuple[str, ...] = ("replaced",)  # kinds of them; the last is the end of a member
    _n_spares = 1  # members besides those in the slots: one that is being built, or kept to be built again
    _member_bytes: list[int] | None = None  # [template]: bytes for a member, if they are limited

    @property
    def takes_missing(self) -> bool:
        """Whether any member copes with missing values; those that do not get running means instead."""
        return any(each.takes_missing for each in self._templates())

    @property
    def uses_weights(self) -> bool:
        """Whether weights of rows make a difference to the members."""
        return any(each.uses_weights for each in self._templates())

    @property
    def observes(self) -> bool:
        """Whether rows without a label mean anything to a member."""
        return any(each.observes for each in self._templates())

    @property
    def members_(self) -> list[StreamClassifier]:
        """The members as they are now."""
        self._check_begun()
        with self._lock.read:
            return list(self._kernel.members)

    @property
    def n_replaced_(self) -> int:
        """Members that have been replaced or dropped so far."""
        self._check_begun()
        with self._lock.read:
            return int(self._kernel.arrays["n_events"][-1])

    @property
    def history_(self) -> dict[str, Any]:
        """What became of the members, in bounded memory: a dict of arrays.

        "row" are the numbers of learned rows at which a note was made, at most 128 spread over the whole run;
        "weight" (or "error") and "size" hold a number for each of them and each member, NaN where there was
        no such member; "event_row", "event_member" and "event" are the latest 1000 events.
        """
        self._check_begun()
        with self._lock.read:
            rows, numbers, sizes = self._kernel.history()
            event_rows, members, kinds = self._kernel.events()
        return {
            "row": rows,
            self.noted: numbers,
            "size": sizes,
            "event_row": event_rows,
            "event_member": members,
            "event": np.array(self._events, dtype=object)[kinds],
        }

    noted = "weight"  # what `history_` has of each member

    def plot_history(self, axes: Any | None = None) -> Any:
        """Draw the members' weights (or errors) and sizes over time with matplotlib; return the two axes."""
        from thalweg.learners.ensembles.plot import plot_history

        return plot_history(self.history_, self.noted, axes)

    def _importance(self) -> Floats | None:
        if not any(isinstance(each, HasImportance) for each in self._templates()):
            return None
        kernel, adapters, votes = self._kernel, self._kernel.adapters(), self._votes()
        parts = []
        for slot, vote in zip(self._voters(), votes.tolist(), strict=True):
            adapter = adapters[slot]
            columns = None if adapter is None else adapter.arrays["columns"]
            parts.append((importance_of(kernel.members[slot]), columns, vote))
        return weighted_mean(parts, self.n_features_in_)

    def _voters(self) -> list[int]:
        """Return which of the kernel's members vote."""
        return list(range(len(self._kernel.members)))

    def _votes(self) -> Floats:
        """Return what the votes of these members weigh."""
        n = len(self._voters())
        return self._kernel.numbers()[:n] if self.noted == "weight" else np.ones(n)

    def _default_member(self) -> StreamClassifier:
        """Return what the members are made from if `member` is None."""
        return HoeffdingTree()

    def _templates(self) -> list[StreamClassifier]:
        return as_members(self, self._default_member() if self.member is None else self.member)

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        self._made_from = self._templates()
        self._seeded = [[name for name in each.get_params() if is_seed(name)] for each in self._made_from]
        self._pristine: list[State | None] = [None] * len(self._made_from)
        self._member_bytes = None
        super()._begin(n_features, n_classes, seed)
        for template, first in enumerate(self._first_members()):
            if self._starts_members_again(first, self._seeded[template]):
                self._pristine[template] = first._kernel.beginning()
        self._kernel.resettable = [each is not None for each in self._pristine]
        self._own_bytes = self._bytes_besides_members()
        self._member_needs = [self._needs_of(*each) for each in enumerate(self._first_members())]

    def _first_members(self) -> list[Any]:
        """Return a member of each template as it begins."""
        templates = self._kernel.templates()
        return [self._kernel.members[templates.index(i)] for i in range(len(self._made_from))]

    def _bytes_besides_members(self) -> int:
        adapters = [each.arrays for each in self._kernel.adapters() if each is not None]
        return self._kernel.own_bytes + sum(map(bytes_in, adapters)) + sum(map(bytes_in, self._pristine))

    def _needs_of(self, template: int, first: StreamClassifier) -> Needs:
        """Return what a member of this template needs, of which `first` has just begun."""
        return first._needs()

    def _held_needs(self) -> list[Needs]:
        """Return what each member that there can be at a time needs."""
        templates = self._kernel.templates()
        return [*(self._member_needs[i] for i in templates), *self._n_spares * [max(self._member_needs)]]

    def _needs(self) -> Needs:
        total = sum_of(self._held_needs())
        return Needs(self._own_bytes + total.least, total.n_growing)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes = most
        by_slot = shares(most, self._own_bytes, self._held_needs())
        templates = self._kernel.templates()
        self._member_bytes = [by_slot[templates.index(i)] for i in range(len(self._made_from))]
        for member, template in zip(self._kernel.members, templates, strict=False):
            member._limit_bytes(self._member_bytes[template])

    def _build(self, template: int, slot: int, n_built: int, spare: Any) -> tuple[StreamClassifier, Any]:
        """Return a fresh member for a slot, made from this template, and the kernel to call it through.

        `n_built` members were in that slot before. Changes nothing but `spare`: a member of this template
        that is no longer in use, or None. So it can be interrupted anywhere, and called again.
        """
        seeded, pristine = self._seeded[template], self._pristine[template]
        drawn = np.random.SeedSequence([self._seed, slot, n_built]).generate_state(len(seeded))
        seeds = dict(zip(seeded, drawn.tolist(), strict=True))
        columns = self._columns(slot, n_built)
        member = spare
        if spare is None or pristine is None:
            member = self._begun_member(self._made_from[template], seeds, columns)
            if self._member_bytes is not None:
                member._limit_bytes(self._member_bytes[template])
        if pristine is not None:
            member._start_again(pristine, **seeds)
        return member, self._kernel_of(member, columns)

    def _begun_member(
        self, template: StreamClassifier, seeds: dict[str, int], columns: Ints | None
    ) -> StreamClassifier:
        member = clone(template).set_params(**seeds)
        member._lock = self._lock
        categories = self.n_categories_ if columns is None else self.n_categories_[columns]
        return member._begin_unlocked(len(categories), self._labels, n_categories=categories)

    def _columns(self, slot: int, n_built: int) -> Ints | None:
        """Return the inputs that a fresh member in this slot sees, or None if it sees all."""
        return None

    def _kernel_of(self, member: StreamClassifier, columns: Ints | None) -> Kernel:
        """Return the kernel to call a fresh member through: its own, or an adapter if it sees less."""
        if columns is None and not self._fills(member):
            return member._handle()
        return self._adapter(member, columns)

    def _fills(self, member: StreamClassifier) -> bool:
        # Missing values reach the ensemble's kernel, but this member does not take them.
        return self._means is None and not member.takes_missing

    def _adapter(self, member: StreamClassifier, columns: Ints | None = None) -> AdapterKernel:
        fills = self._fills(member)
        adapter = AdapterKernel(self._who, member._handle(), self.n_features_in_, columns, fills)
        if fills:  # asked alone, the member then answers as it does here
            member._means = adapter.arrays["mean"], adapter.arrays["count"]
        return adapter

    def _starts_members_again(self, member: StreamClassifier, seeded: list[str]) -> bool:
        """Whether members can go back to the beginning of this one, the first of its template."""
        return isinstance(member, NativeClassifier) and member._starts_again(dict.fromkeys(seeded))

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return False

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old = self._kernel
        self._begin_again()
        self._kernel.inherit(old, np.nan if self._means is None else 0.0)
        members, kernels = [], []
        for slot, (member, adapter) in enumerate(zip(old.members, old.adapters(), strict=True)):
            before = np.arange(n_features) if adapter is None else adapter.arrays["columns"]
            columns = self._grown_columns(slot, before, n_features)
            categories = self.n_categories_ if columns is None else self.n_categories_[columns]
            members.append(self._grown(slot, member, categories))
            kernels.append(self._kernel_of(members[slot], columns))
            if adapter is not None and isinstance(kernels[slot], AdapterKernel):
                kernels[slot].inherit(adapter)
        self._kernel.set_members(members, kernels)

    def _grown(self, slot: int, member: StreamClassifier, n_categories: Ints) -> StreamClassifier:
        """Return the member of a slot, extended to the labels of now and inputs of so many categories."""
        return grown_member(self, member, n_categories)

    def _grown_columns(self, slot: int, columns: Ints, n_features: int) -> Ints | None:
        """Return the inputs that the member of a slot sees from now on, or None if it sees all.

        It saw `columns`, of `n_features` inputs; these must come first.
        """
        return None

    def _keys(self, n: int) -> NDArray[Any]:
        return np.random.SeedSequence(self._seed).generate_state(n, np.uint64)

    def _observe(self, X: Floats) -> None:
        self._kernel.observe(X)

    def _state(self) -> State:
        state = super()._state()
        state["members"] = [member._state_unlocked() for member in self._kernel.members]
        adapters = self._kernel.adapters()
        if any(adapters):
            state["adapters"] = [None if adapter is None else adapter.state() for adapter in adapters]
        return state

    def _check_size(self, memory: dict[str, Any]) -> None:
        n, wanted = len(memory["n_built"]), self._n_slots()
        if n != wanted:
            raise StateError(f"{self._who}: the state has room for {n} members, the parameters for {wanted}")
        super()._check_size(memory)

    def _n_slots(self) -> int:
        """Return how many members there can be, the next trees of a forest included."""
        return self._n_members()

    def _n_members(self) -> int:
        n = len(self._templates())
        return n if self.n_members is None else count(self, "n_members", self.n_members, n)

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        given = memory.pop("members")
        adapters = memory.pop("adapters", [None] * len(given))
        super()._restore_kernel(memory)
        self._kernel.check_number(len(given))
        templates = [self._made_from[template] for template in self._kernel.templates()]
        members = [restored_member(self, *each) for each in zip(templates, given, strict=False)]
        kernels = [
            self._restored_kernel(member, slot, adapter)
            for slot, (member, adapter) in enumerate(zip(members, adapters, strict=True))
        ]
        self._kernel.set_members(members, kernels)

    def _restored_kernel(self, member: StreamClassifier, slot: int, adapter: Any) -> Kernel:
        if self._columns(slot, 0) is None and not self._fills(member):
            check_inputs(self, member, self.n_categories_)
            return member._handle()
        kernel = self._adapter(member)
        kernel.restore(adapter)
        check_inputs(self, member, self.n_categories_[kernel.arrays["columns"]])
        return kernel

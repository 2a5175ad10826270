"""What ensembles share: members built from templates, saved with them, and shown over time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._native.kernel import Kernel
from thalweg._parameters import count
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.learners.base._native.member_view import AdapterKernel
from thalweg.learners.base.default_templates import template_of
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of, weighted_mean
from thalweg.learners.base.member_list import MemberList, Members, as_members
from thalweg.learners.base.member_pool import MemberPool
from thalweg.learners.base.member_state import check_inputs, restored_member
from thalweg.learners.base.memory_limit import Needs, bytes_in, most_of, shares, sum_of
from thalweg.learners.base.seeded import SeededClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.base import EnsembleKernel
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree

ROWS, NOTES = 0, 1  # places in the kernel's array `progress`


class Ensemble(HasImportance, MemberList, SeededClassifier, MemberPool):
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
    _extends = False  # whether all slots have members, and `_begin` sets nothing else that knows the classes
    _n_spares = 1  # members besides those in the slots: one that is being built, or kept to be built again

    @property
    def members_(self) -> list[StreamClassifier]:
        """The members as they are now."""
        with self._reading:
            return list(self._kernel.members)

    @property
    def n_replaced_(self) -> int:
        """Members that have been replaced or dropped so far."""
        with self._reading:
            return int(self._kernel.arrays["n_events"][-1])

    @property
    def history_(self) -> dict[str, Any]:
        """Weights, sizes and replacements of the members over time: a dict of arrays, in bounded memory.

        "row" holds up to 128 numbers of learned rows, spread over the whole run; "weight" (or "error") and
        "size" hold a number for each of them and each member, NaN where there was no such member;
        "event_row", "event_member" and "event" are the latest 1000 events.
        """
        with self._reading:
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

    @property
    def _noted_rows(self) -> Ints:
        """The "row" of `history_` alone."""
        with self._reading:
            arrays = self._kernel.arrays
            rows: Ints = arrays["noted_row"][: arrays["progress"][NOTES]].copy()
            return rows

    @property
    def _rows_learned(self) -> int:
        """How many rows have been learned, as they are counted in `history_`."""
        with self._reading:
            return int(self._kernel.arrays["progress"][ROWS])

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
        """Return the weights of the votes of these members."""
        n = len(self._voters())
        return self._kernel.numbers()[:n] if self.noted == "weight" else np.ones(n)

    def _default_member(self) -> StreamClassifier | list[StreamClassifier]:
        """Return what the members are made from if `member` is None."""
        return HoeffdingTree()

    def _templates(self) -> list[StreamClassifier]:
        return as_members(self, self._default(self._default_member) if self.member is None else self.member)

    def _templates_in(self, memory: State) -> list[StreamClassifier] | None:
        members = [each for each in memory["members"] if "learner" in each]
        n = len(as_members(self, self._default_member() if self.member is None else self.member))
        numbers = memory.get("template", np.zeros(len(members)) if n == 1 else np.arange(len(members)) % n)
        found = dict(zip(np.asarray(numbers).tolist(), members, strict=False))
        return [template_of(found[i]) for i in range(n)] if sorted(found) == list(range(n)) else None

    def _learners(self) -> list[StreamClassifier]:
        return [each for each in self._kernel.members if isinstance(each, StreamClassifier)]

    def _after_begin(self, first_members: list[Any]) -> None:
        self._kernel.resettable = [each is not None for each in self._pristine]
        self._own_bytes = self._bytes_besides_members()
        self._member_needs = [self._needs_of(*each) for each in enumerate(first_members)]

    def _first_members(self) -> list[Any]:
        templates = self._kernel.templates()
        return [self._kernel.members[templates.index(i)] for i in range(len(self._made_from))]

    def _bytes_besides_members(self) -> int:
        adapters = [each.arrays for each in self._kernel.adapters() if each is not None]
        return self._kernel.own_bytes + sum(map(bytes_in, adapters)) + sum(map(bytes_in, self._pristine))

    def _needs_of(self, template: int, first: StreamClassifier) -> Needs:
        """Return what a member of this template needs, of which `first` has just begun."""
        needs = None if self._extended is None else first._needs_as_begun()
        if needs is None and self._extended is not None:
            first = self._begun_member(self._made_from[template], {}, self._categories(None))
        return first._needs() if needs is None else needs

    def _held_needs(self) -> list[Needs]:
        """Return the needs of each member that can exist at a time."""
        templates, largest = self._kernel.templates(), most_of(self._member_needs)
        is_fixed = "template" not in self._kernel.arrays  # else any slot may get a member of any template
        held = [self._member_needs[i] if is_fixed else largest for i in templates]
        return held + self._n_spares * [largest]

    def _needs(self) -> Needs:
        total = sum_of(self._held_needs())
        return Needs(self._own_bytes + total.least, total.n_growing)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes = most
        self._member_bytes = shares(most, self._own_bytes, self._held_needs(), self._member_needs)
        templates = self._kernel.templates()
        for member, template in zip(self._kernel.members, templates, strict=False):
            member._limit_bytes(self._member_bytes[template])

    def _member_seeds(self, template: int, slot: int, n_built: int) -> dict[str, int]:
        return self._drawn_seeds(template, self._seed, slot, n_built)

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

    def _widest(self) -> list[Kernel]:
        """Return the kernels of members that see all inputs, if each member draws some of them.

        How much memory a prediction needs depends on the inputs drawn; no later member needs more than these.
        Raises ParameterError if a member names inputs, which would be others in each.
        """
        if self._columns(0, 0) is None:
            return []
        for template in self._made_from:
            self._check_named_inputs(template)
        seeds = [dict.fromkeys(names, 0) for names in self._seeded]
        each = zip(self._made_from, seeds, strict=True)
        return [self._adapter(self._begun_member(*one, self.n_categories_)) for one in each]

    def _needs_as_begun(self) -> Needs | None:
        return self._needs() if type(self)._needs is Ensemble._needs else None

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old, missing = self._kernel, np.nan if self._means is None else 0.0
        if self._extends and n_features == self.n_features_in_:
            members, kernels = self._grown_members(old, n_features)
            templates = old.templates()
            firsts = [members[templates.index(i)] for i in range(len(self._made_from))]
            if self._extend(firsts, members, kernels):
                self._kernel.inherit(old, missing)
                self._kernel.set_members(members, kernels)
                return
        self._begin_to_grow()
        self._kernel.inherit(old, missing)
        self._kernel.set_members(*self._grown_members(old, n_features))

    def _grown_members(self, old: EnsembleKernel, n_features: int) -> tuple[list[Any], list[Any]]:
        """Return the members of a kernel, extended, and the kernels to call them through."""
        members: list[Any] = []
        kernels: list[Any] = []
        for slot, (member, adapter) in enumerate(zip(old.members, old.adapters(), strict=True)):
            before = np.arange(n_features) if adapter is None else adapter.arrays["columns"]
            columns = self._grown_columns(slot, before, n_features)
            members.append(self._grown(slot, member, self._categories(columns)))
            kernels.append(self._kernel_of(members[slot], columns))
            if adapter is not None and isinstance(kernels[slot], AdapterKernel):
                kernels[slot].inherit(adapter)
        return members, kernels

    def _grown(self, slot: int, member: StreamClassifier, n_categories: Ints) -> StreamClassifier:
        """Return the member of a slot, extended to the present labels and to inputs of so many categories."""
        return grown_member(self, member, n_categories)

    def _grown_columns(self, slot: int, columns: Ints, n_features: int) -> Ints | None:
        """Return the inputs that the member of a slot sees from now on, or None if it sees all.

        It saw `columns`, of `n_features` inputs; these must come first.
        """
        return None

    def _keys(self, n: int) -> NDArray[Any]:
        return np.random.SeedSequence(self._seed).generate_state(n, np.uint64)

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
        """Return the largest number of members, including the next trees of a forest."""
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

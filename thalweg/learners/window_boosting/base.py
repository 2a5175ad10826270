"""What boosting on a sliding window shares: stumps or learners as members, and the rows they learn."""

from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import whole_number, wrong
from thalweg._types import Floats, Ints, State
from thalweg.errors import StateError
from thalweg.learners.base.growth import grown_member
from thalweg.learners.base.importance import HasImportance, importance_of, shares, weighted_mean
from thalweg.learners.base.member_list import as_member
from thalweg.learners.base.member_pool import MemberPool
from thalweg.learners.base.member_state import check_inputs, restored_member
from thalweg.learners.base.seeded import SeededClassifier
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.window_boosting._native.iboost import IBoostKernel
from thalweg.learners.window_boosting._native.race import RaceKernel

MOST_MEMBERS, MOST_ANSWERS = 10_000, 400_000_000
Sizes: TypeAlias = tuple[int, Ints, int, int, int]  # inputs, their categories, classes, members, rows


class WindowBoost(HasImportance, SeededClassifier, MemberPool):
    """A vote of members that were trained on a window of rows.

    A subclass has the parameters `member`, `n_members`, `window` and `random_state`, and returns what else
    the kernel needs to know from `_settings`.
    """

    _kernel: IBoostKernel | RaceKernel
    member: StreamClassifier | None
    n_members: int
    uses_weights = True
    observes = False

    @property
    def weights_(self) -> Floats:
        """The weights of the members there are, in the order of `members_` or `stumps_` (paper: α)."""
        return self._of_members("alpha")

    @property
    def stumps_(self) -> dict[str, NDArray[Any]]:
        """The stumps, a dict of arrays: values up to `threshold`, or equal categories, get class `left`."""
        found = {name: self._of_members(f"stump_{name}") for name in ("feature", "threshold", "classes")}
        left, right = (self.classes_[found["classes"][:, side]] for side in (0, 1))
        return {"feature": found["feature"], "threshold": found["threshold"], "left": left, "right": right}

    @property
    def members_(self) -> list[StreamClassifier]:
        """The members that are learners, a list; empty where they are stumps."""
        with self._reading:
            return _present(self._leader)

    @property
    def window_(self) -> dict[str, NDArray[Any]]:
        """The rows in the window, the oldest first: a dict of `X`, `y`, `weight`, and `share` of the loss."""
        with self._writing:
            slots, arrays = self._leader.rows(), self._leader.arrays
            return {
                "X": arrays["X"][slots],
                "y": self.classes_[arrays["y"][slots]],
                "weight": np.exp(arrays["w"][slots]),
                "share": self._leader.shares()[0],
            }

    @property
    def loss_(self) -> float:
        """The exponential loss of the rows in the window (paper: E)."""
        with self._writing:
            return self._leader.shares()[1]

    def forget(self, rows: ArrayLike) -> Self:
        """Remove rows from the window, wherever they are; return self.

        `rows` are numbers of rows in `window_`, the oldest being 0 and the newest -1, or a True or False for
        each of them. The loss is from now on that of the rows that stay; members and their weights stay as
        they are until more rows are learned.
        """
        with self._writing:
            for kernel in self._kernels:
                kernel.finish()
            n_rows = len(self._leader.rows())
            keep = np.delete(np.arange(n_rows), _positions(rows, n_rows, self._who))
            for change in [kernel.keeping(keep) for kernel in self._kernels]:
                change()
        return self

    def _importance(self) -> Floats | None:
        # A stump counts by its vote: how far it parted the classes is not kept.
        arrays, n = self._leader.arrays, self.n_features_in_
        born = arrays["born"] > 0
        votes = arrays["alpha"][born]
        if self.member is None:
            parted = np.diff(arrays["stump_classes"][born], axis=1)[:, 0] != 0
            return shares(np.bincount(arrays["stump_feature"][born][parted], np.abs(votes[parted]), n))
        if not isinstance(self.member, HasImportance):
            return None
        members = zip(_present(self._leader), votes.tolist(), strict=True)
        return weighted_mean([(importance_of(each), None, vote) for each, vote in members], n)

    @property
    def _kernels(self) -> list[IBoostKernel]:
        return self._kernel.runners if isinstance(self._kernel, RaceKernel) else [self._kernel]

    @property
    def _leader(self) -> IBoostKernel:
        return self._kernels[self._kernel.leader if isinstance(self._kernel, RaceKernel) else 0]

    def _of_members(self, name: str) -> NDArray[Any]:
        with self._reading:
            arrays = self._leader.arrays
            if name not in arrays:
                raise AttributeError(f"{self._who}: the members are learners, not stumps; see members_")
            return arrays[name][arrays["born"] > 0]

    def _templates(self) -> list[StreamClassifier]:
        return [] if self.member is None else [as_member(self, self.member)]

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        if not all(each.uses_weights for each in self._templates()):
            raise wrong(self, "member", "a learner that uses the weights of rows", self.member)
        super()._begin(n_features, n_classes, seed)

    def _first_members(self) -> list[Any]:
        return self._leader.first_members()

    def _learners(self) -> list[StreamClassifier]:
        return [member for kernel in self._kernels for member in _present(kernel)]

    def _after_begin(self, first_members: list[Any]) -> None:
        for kernel in self._kernels:
            kernel.resettable = [each is not None for each in self._pristine]

    def _make_kernel(self, n_features: int, n_classes: int) -> IBoostKernel | RaceKernel:
        n_members = whole_number(self, "n_members", self.n_members, 1, MOST_MEMBERS)
        room, settings, caps, delta = self._settings()
        if n_members * room > MOST_ANSWERS:
            wanted = f"at most {MOST_ANSWERS // room} for a window of {room} rows"
            raise wrong(self, "n_members", wanted, n_members)
        sizes = n_features, self.n_categories_, n_classes, n_members, room
        made = [self._new_kernel(sizes, (*settings, cap), delta) for cap in caps]
        return made[0] if len(made) == 1 else RaceKernel(self._who, made)

    def _new_kernel(self, sizes: Sizes, settings: tuple[Any, ...], delta: float) -> IBoostKernel:
        return IBoostKernel(self._who, *sizes, settings, delta, self._builder)

    @property
    def _builder(self) -> Any:
        return None if self.member is None else self._build

    def _settings(self) -> Any:
        """Return the window's length, the kernel's settings, the caps (0: none), and ADWIN's delta or 0."""
        raise NotImplementedError

    def _member_seeds(self, template: int, slot: int, n_built: int) -> dict[str, int]:
        return self._drawn_seeds(template, self._seed, n_built)

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        old, before = self._kernel, self._kernels
        self._begin_to_grow()
        self._kernel.inherit(old, np.nan if self.takes_missing else 0.0)
        self._set_members([[grown_member(self, each) for each in _present(kernel)] for kernel in before])

    def _set_members(self, learners: list[list[StreamClassifier]]) -> None:
        if self.member is not None:
            for kernel, members in zip(self._kernels, learners, strict=True):
                kernel.set_members(kernel.member_slots(), members, [each._handle() for each in members])
        if isinstance(self._kernel, RaceKernel):
            self._kernel.make_scratch()

    def _state(self) -> State:
        kept = [[member._state_unlocked() for member in _present(kernel)] for kernel in self._kernels]
        return super()._state() | {"members": kept}

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        given = memory.pop("members")
        super()._restore_kernel(memory)
        slots = [len(kernel.member_slots()) for kernel in self._kernels]
        expected = [0] * len(slots) if self.member is None else slots
        if not isinstance(given, list) or [len(each) for each in given] != expected:
            raise StateError(f"{self._who}: the state must hold {expected} members")
        self._set_members([[self._restored(member) for member in each] for each in given])

    def _restored(self, state: dict[str, Any]) -> StreamClassifier:
        member = restored_member(self, as_member(self, self.member), state)
        check_inputs(self, member, self.n_categories_)
        return member


def _present(kernel: IBoostKernel) -> list[StreamClassifier]:
    return [member for member in kernel.members if member is not None]


def _positions(rows: ArrayLike, n_rows: int, who: str) -> Ints:
    found = np.asarray(rows)
    if found.dtype == bool and found.shape == (n_rows,):
        return np.flatnonzero(found)
    if found.size == 0:
        return np.zeros(0, dtype=np.intp)
    good = found.dtype.kind in "iu" and found.ndim <= 1 and ((found >= -n_rows) & (found < n_rows)).all()
    if not good:
        raise ValueError(
            f"{who}: rows must be numbers of rows below {n_rows}, or a True or False for each, got {rows!r}"
        )
    return np.atleast_1d(found)

"""What HUWRS and its sliding form share: members on random subspaces, weighted by distances of histograms."""

from typing import Any

import numpy as np

from thalweg._native.kernel import Kernel, call_counted
from thalweg._parameters import one_of, real_number, whole_number, wrong, yes_or_no
from thalweg._types import Floats, Ints, Numbers, State
from thalweg.errors import StateError
from thalweg.learners.base.memory_limit import Needs
from thalweg.learners.base.seeded import checked_seed
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.batch_trees._native.subspace_trees import SubspaceTrees
from thalweg.learners.ensembles.base import Ensemble
from thalweg.learners.subspaces._native.huwrs import HUWRSKernel

MOST_MEMBERS, MOST_ROWS = 10_000, 10_000_000
LEAST_OBSERVED, OBSERVED_SHARE = 30, 0.1
ROWS_A_BIN, FEWEST_BINS, MOST_BINS = 25, 3, 30
MOST_CATEGORIES = 1000
DISTANCES = ("corrected", "plain")
SHARES, NEW_INPUT = (0, 1, 1), (0, 1, 2)  # behind the seed: the numbers drawn for what they name


class SubspaceEnsemble(Ensemble):
    """Members on random shares of the inputs, replaced where these have changed.

    A subclass has the parameters `member`, `n_members`, `n_bins`, `threshold`, `distance`, `subspace`,
    `unlabelled` and `random_state`, and says which of its parameters is the number of rows compared.
    """

    _kernel: HUWRSKernel
    n_members: int
    n_bins: int | str
    threshold: float | str
    distance: str
    subspace: tuple[float, float]
    unlabelled: bool
    _events: tuple[str, ...] = ("retrained",)
    _compared = "chunk_size"
    _level = 0.2  # with threshold "auto": the chance that a member is retrained though nothing has changed
    _subspaces: list[Ints] | None = None  # where inputs came later; else they follow from the seed

    @property
    def observes(self) -> bool:
        """Whether the learner uses rows without a label."""
        return bool(self.unlabelled) or super().observes

    @property
    def weights_(self) -> Floats:
        """The members' votes: weight by the latest rows with labels plus that by the latest without."""
        with self._reading:
            return self._kernel.numbers()

    @property
    def subspaces_(self) -> list[Ints]:
        """The inputs each member sees."""
        self._check_begun()
        return [self._columns(m, 0) for m in range(self.n_members)]

    @property
    def n_retrained_(self) -> int:
        """Members retrained so far, the first ones not counted."""
        return self.n_replaced_

    def _columns(self, slot: int, n_built: int) -> Ints:
        known = self._subspaces
        return self._drawn(slot, self.n_features_in_) if known is None or slot >= len(known) else known[slot]

    def _drawn(self, slot: int, n_features: int) -> Ints:
        """Return the inputs that a member sees which knows all of them when it begins."""
        low, high = self._shares()
        most = max(int(high * n_features), 1)
        rng = np.random.default_rng([self._seed, slot])
        width = rng.integers(min(max(int(np.ceil(low * n_features)), 1), most), most + 1)
        return np.sort(rng.permutation(n_features)[:width])

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        if seed is None:
            self._subspaces = None
        super()._begin(n_features, n_classes, seed)

    def _shares(self) -> tuple[float, float]:
        try:
            low, high = self.subspace
        except (TypeError, ValueError):
            wanted = "the least and the largest share of inputs"
            raise wrong(self, "subspace", wanted, self.subspace) from None
        high = real_number(self, "subspace", high, above=0, most=1)
        return real_number(self, "subspace", low, least=0, most=high), high

    def _n_compared(self) -> int:
        return whole_number(self, self._compared, getattr(self, self._compared), 2, MOST_ROWS)

    def _new_kernel(
        self, n_features: int, n_classes: int, n_categories: Ints, period: int = 0,
        trees: SubspaceTrees | None = None,
    ) -> HUWRSKernel:
        """Return a kernel without members."""
        n_members = whole_number(self, "n_members", self.n_members, 1, MOST_MEMBERS)
        n_rows = self._n_compared()
        yes_or_no(self, "unlabelled", self.unlabelled)
        settings = (
            n_rows,
            period,
            max(LEAST_OBSERVED, int(OBSERVED_SHARE * n_rows)),
            *self._limits(),
            one_of(self, "distance", self.distance, DISTANCES) == "corrected",
            bool(self.unlabelled),
        )
        subspaces = [self._columns(m, 0) for m in range(n_members)]
        bins = self._bins(n_categories, n_rows)
        rows = self._who, n_features, n_classes
        build = len(self._made_from), self._build
        return HUWRSKernel(*rows, subspaces, bins, n_categories, settings, *build, trees)

    def _limits(self) -> tuple[float, float]:
        """Return the weight below which members are retrained, and the level of the test, 0 for none."""
        if isinstance(self.threshold, str):
            one_of(self, "threshold", self.threshold, ("auto",))
            return float(np.finfo(float).tiny), self._level  # members with other classes have a weight of 0
        return real_number(self, "threshold", self.threshold, least=0, most=2), 0.0

    def _bins(self, n_categories: Ints, n_rows: int) -> list[int]:
        # Of each input: one is for missing values, and one for categories that were not known at first.
        if isinstance(self.n_bins, str):
            one_of(self, "n_bins", self.n_bins, ("auto",))
            n_bins = min(max(n_rows // ROWS_A_BIN, FEWEST_BINS), MOST_BINS)
        else:
            n_bins = whole_number(self, "n_bins", self.n_bins, 2, MOST_CATEGORIES)
        return [1 + (n_bins if n < 2 else min(n + 1, MOST_CATEGORIES)) for n in n_categories.tolist()]

    def _first_members(self) -> list[Any]:
        return []

    def _needs(self) -> Needs:
        return Needs(self._kernel.bytes)

    def _limit_bytes(self, most: int) -> None:
        # Members are grown on one chunk each, so that their size is bounded by it.
        pass

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        self._extend_subspaces(n_features)
        super()._grow_from(n_features, n_classes)

    def _grown_columns(self, slot: int, columns: Ints, n_features: int) -> Ints | None:
        return self._columns(slot, 0)

    def _extend_subspaces(self, n_features: int) -> None:
        """Let each slot see the new inputs with a probability of its own, and those it saw as before."""
        if self.n_features_in_ == n_features:
            return
        n_members = len(self._kernel.members)
        found = self._subspaces or [self._drawn(slot, n_features) for slot in range(n_members)]
        low, high = self._shares()
        share = low + (high - low) * np.random.default_rng([self._seed, *SHARES]).random(n_members)
        new = np.arange(n_features, self.n_features_in_)
        # From a seed for each input, so that it does not matter how many come at once.
        draws = [np.random.default_rng([self._seed, *NEW_INPUT, j]).random(n_members) for j in new.tolist()]
        chosen = np.array(draws) < share
        self._subspaces = [np.append(seen, new[chosen[:, slot]]) for slot, seen in enumerate(found)]

    def _state(self) -> State:
        return super()._state() | self._saved_subspaces()

    def _saved_subspaces(self) -> State:
        return {} if self._subspaces is None else {"subspaces": list(self._subspaces)}

    def _restore(self, memory: dict[str, Any]) -> None:
        memory = dict(memory)
        given = memory.pop("subspaces", None)
        if given is not None:
            self._subspaces = [self._checked_subspace(each) for each in given]
            self._seed = checked_seed(memory["random_state"], self._who)
            self._begin_again()
            self._kernel.check_number(len(given))
        super()._restore(memory)

    def _restored_kernel(self, member: StreamClassifier, slot: int, adapter: Any) -> Kernel:
        kernel = super()._restored_kernel(member, slot, adapter)
        if not np.array_equal(kernel.arrays["columns"], self._columns(slot, 0)):
            raise StateError(f"{self._who}: member {slot} has other inputs than its subspace")
        return kernel

    def _checked_subspace(self, columns: Any) -> Ints:
        found = np.asarray(columns)
        good = found.ndim == 1 and found.dtype.kind == "i" and len(found) > 0 and found[0] >= 0
        if not good or (np.diff(found) <= 0).any() or found[-1] >= self.n_features_in_:
            raise StateError(f"{self._who}: a subspace of the state must have some inputs in growing order")
        return found.astype(np.intp)

    def _predict_observe(self, X: Floats, p: Floats, ids: Numbers | None = None) -> None:
        if super().observes:
            # Members change with each row.
            call_counted(self, "_n_observed", len(X), Kernel.predict_observe, self._kernel, X, p, ids)
        else:
            super()._predict_observe(X, p, ids)

    def _check_size(self, memory: dict[str, Any]) -> None:
        super()._check_size(memory)
        wanted = getattr(self, self._compared)
        if len(memory["X"]) != wanted:
            raise StateError(
                f"{self._who}: the state has {len(memory['X'])} rows, the parameters say "
                f"{self._compared}={wanted}"
            )

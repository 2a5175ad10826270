"""What all Hoeffding trees share: their settings, their numbers, and how they are shown."""

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np

from thalweg._parameters import columns, is_real, is_whole, one_of, real_number, whole_number, wrong
from thalweg._types import Floats, Ints, State
from thalweg.learners.base.importance import HasImportance
from thalweg.learners.base.memory_limit import MOST_BYTES, Needs
from thalweg.learners.base.seeded import SeededClassifier
from thalweg.learners.trees import view as tree_view
from thalweg.learners.trees._native.nodes import TreeKernel
from thalweg.learners.trees.importance import of_hoeffding_tree


class Columns(Protocol):
    """Says what a condition on an input means in terms of a file; see `evaluation.InputColumns`."""

    def condition(self, name: str, sign: str, value: float) -> str:
        """Return a condition in words."""


class Tree(HasImportance, SeededClassifier):
    """A learner whose kernel is a tree (`thalweg.learners.trees._native.nodes.TreeKernel`)."""

    _kernel: TreeKernel
    takes_missing = True
    grace_period: float
    delta: float
    tie: float
    criterion: str
    leaf: str
    max_features: int | float | str | None
    max_bytes: int
    categorical: Sequence[int]

    def describe(self, columns: Columns | None = None) -> str:
        """Return the tree as text: a line for each branch, with class, share and weight at the leaves.

        With `columns`, an `evaluation.InputColumns`, conditions speak of the columns and values of a file,
        such as `sensor = s17`; those on text in dict rows do so without.
        """
        nodes, names, classes = self._shown()
        n_known = {self._names[name]: len(codes) for name, codes in self._names.texts.items()}
        return tree_view.describe(tree_view.without_spare(nodes, n_known), names, classes, self._say(columns))

    def plot_tree(self, ax: Any | None = None, columns: Columns | None = None) -> Any:
        """Draw the tree with matplotlib; return the axes. `columns` are as for `describe`."""
        return tree_view.plot_tree(*self._shown(), ax=ax, say=self._say(columns))

    @property
    def n_nodes_(self) -> int:
        """Number of tests and leaves."""
        return len(self._nodes())

    @property
    def n_leaves_(self) -> int:
        """Number of leaves."""
        return sum(node.is_leaf for node in self._nodes())

    @property
    def depth_(self) -> int:
        """Number of tests on the longest path to a leaf."""
        return max(node.depth for node in self._nodes())

    @property
    def n_bytes_(self) -> int:
        """Bytes of memory, including rows of its arrays held in reserve."""
        with self._reading:
            return self._kernel.bytes

    def _extended_kernel(self, n_features: int) -> TreeKernel | None:
        n = self.n_features_in_
        if n > n_features and (len(self.categorical) or self.n_categories_.any()):
            return None
        return self._kernel.extended(n, self._n_columns, subset_size(self, self.max_features, n))

    def _extended_beginning(self, pristine: State) -> State | None:
        return self._kernel.extended_beginning(pristine)

    def _needs_as_begun(self) -> Needs:
        return self._needs()

    def _needs(self) -> Needs:
        return Needs(self._kernel.least_bytes, 1)

    def _limit_bytes(self, most: int) -> None:
        self._most_bytes = most
        most = min(most, self.max_bytes)
        if not self._kernel.limit(most):
            # Since a class or an input came its nodes are too large: it starts again.
            fresh = self._make_kernel(self._n_places(self.n_features_in_), self._n_columns)
            self._kernel.reset(fresh.beginning())
            self._kernel.limit(most)

    def _starts_again(self, seeds: Collection[str]) -> bool:
        return list(seeds) == ["random_state"]

    def _start_again(self, pristine: State, **seeds: int) -> None:
        super()._start_again(pristine, **seeds)
        self.random_state = self._seed = seeds["random_state"]

    def _beginning(self, pristine: State, **seeds: int) -> State:
        return pristine | {"random": np.array([short_seed(seeds["random_state"])], dtype=np.uint64)}

    def _importance(self) -> Floats:
        return of_hoeffding_tree(self._kernel.arrays, self.n_features_in_, self.criterion)

    def _nodes(self) -> list[tree_view.Node]:
        with self._reading:
            return list(tree_view.walk(self._kernel.arrays))

    def _shown(self) -> tuple[list[tree_view.Node], list[str], list[Any]]:
        self._check_begun()
        names = list(self._names) if len(self._names) == self.n_features_in_ else None
        return self._nodes(), names or [f"x{j}" for j in range(self.n_features_in_)], self.classes_.tolist()

    def _say(self, columns: Columns | None) -> tree_view.Say:
        return self._names.condition if columns is None else columns.condition

    def _options(self, n_features: int) -> dict[str, Any]:
        """Return the settings every tree kernel needs."""
        return {
            "who": self._who,
            "grace_period": real_number(self, "grace_period", self.grace_period, least=0),
            "delta": real_number(self, "delta", self.delta, least=0, most=1),
            "tie": real_number(self, "tie", self.tie, least=0),
            "criterion": one_of(self, "criterion", self.criterion, ("gain", "gini")),
            "leaf": one_of(self, "leaf", self.leaf, ("majority", "bayes", "adaptive")),
            "n_points": 10,
            "min_share": 0.01 if self.criterion == "gain" else 0.0,
            "max_features": subset_size(self, self.max_features, n_features),
            "max_bytes": whole_number(self, "max_bytes", self.max_bytes, 1, MOST_BYTES),
            "seed": short_seed(self._seed),
        }

    def _category_counts(self, n_features: int) -> Ints:
        counts = self.n_categories_.copy()
        for j in columns(self, "categorical", self.categorical, n_features):
            counts[j] = max(counts[j], 1)
        return counts


def short_seed(seed: int) -> int:
    """Return a seed of 32 bits for a seed of any size: itself if it is short enough."""
    return seed if seed < 2**32 else int(np.random.default_rng(seed).integers(2**32))


def subset_size(owner: object, max_features: Any, n_features: int) -> int | None:
    """Return the number of inputs for `max_features`: a number, a share or "sqrt"; None if it is None."""
    if max_features is None:
        return None
    if isinstance(max_features, str) and max_features == "sqrt":
        return min(int(np.sqrt(n_features)) + 1, n_features)
    if is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_features)
    if is_real(max_features) and not is_whole(max_features) and 0 < max_features <= 1:
        return max(round(float(max_features) * n_features), 1)
    wanted = "None, 'sqrt', a number of inputs, or their share above 0 and at most 1.0"
    raise wrong(owner, "max_features", wanted, max_features)

"""What all Hoeffding trees share: their settings, their numbers, and how they are shown."""

import numbers

import numpy as np

from thalweg.learners import tree_view
from thalweg.learners.native import NativeClassifier


class Tree(NativeClassifier):
    """A learner whose kernel is a tree (`thalweg._kernels.tree_nodes.TreeKernel`)."""

    takes_missing = True

    def describe(self):
        """Return the tree as text: a line for each branch, with class, share and weight at the leaves."""
        return tree_view.describe(*self._shown())

    def plot_tree(self, ax=None):
        """Draw the tree with matplotlib; return the axes."""
        return tree_view.plot_tree(*self._shown(), ax=ax)

    @property
    def n_nodes_(self):
        """Tests and leaves of the tree."""
        return len(self._nodes())

    @property
    def n_leaves_(self):
        """Leaves of the tree."""
        return sum(node.is_leaf for node in self._nodes())

    @property
    def depth_(self):
        """Tests on the longest way down."""
        return max(node.depth for node in self._nodes())

    @property
    def n_bytes_(self):
        """Bytes the tree takes, rows of its arrays held in reserve included."""
        self._check_begun()
        return self._kernel.bytes

    def _starts_again(self, seeds):
        return list(seeds) == ["random_state"]

    def _start_again(self, pristine, random_state):
        self._restore(pristine)
        self.random_state = random_state
        if self.max_features is not None:
            self._kernel.arrays["random"][0] = self._seed()

    def _nodes(self):
        self._check_begun()
        return list(tree_view.walk(self._kernel.arrays))

    def _shown(self):
        self._check_begun()
        names = list(self._names) if len(self._names) == self.n_features_in_ else None
        return self._nodes(), names or [f"x{j}" for j in range(self.n_features_in_)], self.classes_.tolist()

    def _options(self, n_features):
        """Return the settings every tree kernel needs."""
        return {
            "who": self._who,
            "grace_period": self._checked_number("grace_period", 0),
            "delta": self._checked_number("delta", 0, 1),
            "tie": self._checked_number("tie", 0),
            "criterion": self._checked_choice("criterion", ("gain", "gini")),
            "leaf": self._checked_choice("leaf", ("majority", "bayes", "adaptive")),
            "n_points": 10,
            "min_share": 0.01 if self.criterion == "gain" else 0.0,
            "max_features": self._subset_size(n_features),
            "max_bytes": int(self._checked_number("max_bytes", 1)),
            "seed": self._seed(),
        }

    def _seed(self):
        seed = self.random_state
        if isinstance(seed, numbers.Integral) and 0 <= seed < 2**32:
            return int(seed)
        return int(np.random.default_rng(seed).integers(2**32))

    def _checked_number(self, name, low, high=np.inf):
        value = getattr(self, name)
        if isinstance(value, str) or not low <= value <= high:
            raise ValueError(f"{self._who}: {name} must lie between {low} and {high}, got {value!r}")
        return value

    def _checked_choice(self, name, choices):
        value = getattr(self, name)
        if value not in choices:
            raise ValueError(f"{self._who}: {name} must be one of {list(choices)}, got {value!r}")
        return value

    def _subset_size(self, n_features):
        wanted = self.max_features
        if wanted is None:
            return None
        if wanted == "sqrt":
            return min(int(np.sqrt(n_features)) + 1, n_features)
        if isinstance(wanted, float) and 0 < wanted <= 1:
            return max(round(wanted * n_features), 1)
        if isinstance(wanted, numbers.Integral) and wanted >= 1:
            return wanted
        raise ValueError(
            f"{self._who}: max_features must be None, 'sqrt', a number of inputs or a share, got {wanted!r}"
        )

    def _category_counts(self, n_features):
        counts = self.n_categories_.copy()
        for j in self.categorical:
            if not -n_features <= j < n_features:
                raise ValueError(f"{self._who}: categorical names column {j} of {n_features} inputs")
            counts[j] = max(counts[j], 1)
        return counts

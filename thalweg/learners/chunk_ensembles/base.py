"""What chunk ensembles share: members fitted once, each on a chunk of rows, and weighed when a chunk ends."""

from typing import Any

from thalweg._native.kernel import Kernel
from thalweg._parameters import real_number, whole_number
from thalweg._types import Floats
from thalweg.learners.base.arguments import MOST_ROWS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.batch_trees.decision_tree import DecisionTree
from thalweg.learners.bayes.naive_bayes import NaiveBayes
from thalweg.learners.chunk_ensembles._native.base import ChunkEnsembleKernel
from thalweg.learners.ensembles.base import Ensemble

MOST_MEMBERS, MOST_FOLDS = 10_000, 1000


class ChunkEnsemble(Ensemble):
    """Gathers rows into chunks; at the end of each a fresh member is fitted on it and all are weighed.

    Chunks are counted in learned rows, however these come. A subclass has the parameters `member`,
    `n_members`, `chunk_size` and `random_state`, and returns its kernel from `_make_chunk_kernel`.
    """

    _kernel: ChunkEnsembleKernel
    n_members: int
    chunk_size: int
    holdout: float | None
    folds: int
    observes = False  # members are fitted on chunks, and see no single rows
    _events: tuple[str, ...] = ("came", "went")
    _kept_rows = "chunk_size"

    @property
    def members_(self) -> list[StreamClassifier]:
        """The members that vote, as they are now."""
        with self._reading:
            return list(self._kernel.members[: self._n_voters])

    @property
    def weights_(self) -> Floats:
        """The weights of `members_`."""
        with self._reading:
            return self._kernel.arrays["weight"][: self._n_voters].copy()

    @property
    def n_chunks_(self) -> int:
        """Chunks that have ended so far."""
        with self._reading:
            return int(self._kernel.arrays["counts"][3])

    @property
    def _n_voters(self) -> int:
        return int(self._kernel.arrays["counts"][2])

    def _voters(self) -> list[int]:
        return list(range(self._n_voters))

    def _default_member(self) -> StreamClassifier | list[StreamClassifier]:
        return [NaiveBayes(), DecisionTree(max_leaves=8, window=1)]

    def _make_kernel(self, n_features: int, n_classes: int) -> Kernel:
        n_members = whole_number(self, "n_members", self.n_members, 1, MOST_MEMBERS)
        chunk_size = whole_number(self, "chunk_size", self.chunk_size, 2, MOST_ROWS)
        return self._make_chunk_kernel(n_features, n_classes, n_members, chunk_size)

    def _make_chunk_kernel(self, n_features: int, n_classes: int, n_members: int, chunk_size: int) -> Kernel:
        """Return the kernel for rows of this shape."""
        raise NotImplementedError

    def _first_members(self) -> list[Any]:
        return self._kernel.prepare()

    def _n_held_out(self, chunk_size: int) -> int:
        """Return how many rows of a chunk the parameter `holdout` keeps to weigh members; 0 if it is None."""
        if self.holdout is None:
            return 0
        share = real_number(self, "holdout", self.holdout, above=0, below=1)
        return min(max(round(share * chunk_size), 1), chunk_size - 1)

    def _n_folds(self) -> int:
        return whole_number(self, "folds", self.folds, 2, MOST_FOLDS)

    def _n_slots(self) -> int:
        return self.n_members + 1

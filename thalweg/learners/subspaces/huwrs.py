"""HUWRS: trees on random subspaces, retrained where the inputs they know have changed."""

from typing import Any

import numpy as np

from thalweg._types import Floats, RandomState, State
from thalweg.learners.base.importance import of_batch_tree, weighted_mean
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.batch_trees._native.subspace_trees import SubspaceTrees
from thalweg.learners.batch_trees.decision_tree import DecisionStump, DecisionTree, tree_settings
from thalweg.learners.ensembles.base import Ensemble
from thalweg.learners.subspaces._native.huwrs import HUWRSKernel
from thalweg.learners.subspaces.base import SubspaceEnsemble


class HUWRS(SubspaceEnsemble):
    """Heuristic updatable weighted random subspaces: a forest that is retrained where inputs have changed.

    Each member is a tree on its own random share of the inputs. When a chunk of rows with labels is complete,
    every input's histogram, class by class, is compared with that of the chunk a member was trained on: the
    more its worst input has changed, the less it votes, and if its inputs have changed by more than chance
    explains, it is trained on the new chunk. Rows without a label, given to `observe`, lower the votes of
    members whose inputs have changed since.

    Made for streams in which some inputs drift and others do not, and where labels come in batches or only
    at first. It looks at one input at a time, so a change of how inputs act together goes unnoticed. A member
    knows its chunk and nothing older, so choose `chunk_size` accordingly. Where all inputs drift this is a
    forest retrained on every chunk.

    Chunks go by rows, whatever the calls. Rows of an unfinished chunk wait, but before the first is complete
    members are trained on the rows so far after 1, 2, 4, 8, … of them, and at the end of `fit`. A row counts
    once in histograms and chunks, whatever its weight, which the members use.

    Memory: the chunk and twice its sorted inputs; a tenth of a chunk of rows without labels; a tree for each
    member, once more as it predicts, and another in reserve; and for each chunk that members were trained on,
    n_members at most, 4 bytes for each class and bin of each input.

    Parameters
    ----------
    member : learner, default=None
        What is trained on a chunk; `DecisionTree()` if None. Trees are much faster than other learners.
    n_members : int, default=100
        Members (n).
    chunk_size : int, default=500
        Rows with labels between two updates.
    n_bins : int or "auto", default=30
        Bins of equal width of a numeric input's histogram (b); "auto" for one in 25 rows, 3 to 30.
        Each category known at first has a bin, all others share one, and missing values have one.
    threshold : float or "auto", default="auto"
        Members whose weight falls below it are retrained (t): 0.7 in the paper, 0 for never, 2 for always.
        "auto" retrains those whose inputs have changed by more than chance explains, and about one in five
        of the others: members of many chunks make a better forest.
    distance : {"corrected", "plain"}, default="corrected"
        The Hellinger distance without what chance adds to it, or as in the paper, where it makes members be
        retrained on every chunk if chunks are small.
    subspace : pair of float, default=(0.1, 0.9)
        Least and largest share of the inputs that a member sees, drawn once for each. An input that comes
        later is seen by a share of the members between the two.
    unlabelled : bool, default=True
        Whether rows without a label change votes.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the subspaces and the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    weights_ : ndarray
        The members' votes: weight by the latest chunk, plus that by the latest rows without labels.
    subspaces_ : list of ndarray
        The inputs each member sees.
    n_retrained_ : int
        Members retrained so far, those of the first chunk not counted.
    n_chunks_ : int
        Complete chunks so far.
    trees_ : list of dict
        The trees, as `DecisionTree.nodes_`, if members are trees; else `members_` has the learners.
    history_ : dict of arrays
        Votes and sizes of the members over time and the latest retrainings, bounded; drawn by `plot_history`.

    Notes
    -----
    *Differs from the paper*, which has `threshold=0.7` and `distance="plain"`: there two chunks of 100 rows
    seem different though nothing has changed, while a change of labels in long ones goes unnoticed
    (docs/huwrs.md). Trees are as of `DecisionTree`; its docs say how to have C4.4. There may be several
    classes; where an input had one value only, others have a bin of their own. Labels that come at once do
    not count as rows without.

    References
    ----------
    T. R. Hoens, N. V. Chawla, R. Polikar. Heuristic updatable weighted random subspaces for non-stationary
    environments. ICDM 2011.

    Examples
    --------
    >>> from thalweg.learners import HUWRS
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = HUWRS(n_members=20, chunk_size=250).begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_retrained_
    (0.75, 52)
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 100,
        *,
        chunk_size: int = 500,
        n_bins: int | str = 30,
        threshold: float | str = "auto",
        distance: str = "corrected",
        subspace: tuple[float, float] = (0.1, 0.9),
        unlabelled: bool = True,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.chunk_size = chunk_size
        self.n_bins = n_bins
        self.threshold = threshold
        self.distance = distance
        self.subspace = subspace
        self.unlabelled = unlabelled
        self.random_state = random_state

    @property
    def n_chunks_(self) -> int:
        """Complete chunks so far."""
        with self._reading:
            return self._kernel.n_updates

    @property
    def members_(self) -> list[StreamClassifier]:
        """The members that are learners; empty where they are trees."""
        members = super().members_
        return [] if self._grows_trees else members

    @property
    def trees_(self) -> list[dict[str, Any]]:
        """The trees, as `DecisionTree.nodes_`; empty where members are other learners."""
        with self._reading:
            return [tree.nodes() for tree in self._kernel.members] if self._grows_trees else []

    @property
    def _grows_trees(self) -> bool:
        templates = self._templates()
        if len(templates) != 1 or type(templates[0]) not in (DecisionTree, DecisionStump):
            return False
        return not getattr(templates[0], "by_distance", False)

    def _importance(self) -> Floats | None:
        template = self._templates()[0]
        if not self._grows_trees or not isinstance(template, DecisionTree):
            return super()._importance()
        trees, n, criterion = self._kernel.members, self.n_features_in_, template.criterion
        found = [of_batch_tree(tree.nodes(), n, criterion) for tree in trees]
        return weighted_mean([(each, None, vote) for each, vote in zip(found, self._votes(), strict=True)], n)

    def _default_member(self) -> StreamClassifier:
        return DecisionTree()

    def _templates_in(self, memory: State) -> list[StreamClassifier] | None:
        found = super()._templates_in(memory)
        # The trees in a state have no parameters.
        return [DecisionTree()] if found is None and self.member is None else found

    def _make_kernel(self, n_features: int, n_classes: int) -> HUWRSKernel:
        template = self._templates()[0]
        if self._grows_trees and isinstance(template, DecisionTree):
            settings = tree_settings(template, self.n_categories_, self._n_compared())
            trees = SubspaceTrees(n_features, n_classes, *settings)
            kernel = self._new_kernel(n_features, n_classes, settings[0], trees=trees)
            kernel.plant()
        else:
            kernel = self._new_kernel(n_features, n_classes, self.n_categories_)
            kernel.build_members(self.n_members, self._widest())
        return kernel

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        if not self._grows_trees:
            super()._grow_from(n_features, n_classes)
            return
        self._extend_subspaces(n_features)
        old = self._kernel
        self._begin_again()
        self._kernel.inherit(old, np.nan if self._means is None else 0.0)
        for new, before in zip(self._kernel.members, old.members, strict=True):
            new.inherit(before)
        self._kernel.pack()

    def _state(self) -> State:
        if not self._grows_trees:
            return super()._state()
        members = [tree.state() for tree in self._kernel.members]
        return super(Ensemble, self)._state() | {"members": members} | self._saved_subspaces()

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        if not self._grows_trees:
            super()._restore_kernel(memory)
            return
        memory = dict(memory)
        given = memory.pop("members")
        super(Ensemble, self)._restore_kernel(memory)
        self._kernel.check_number(len(given))
        self._kernel.plant(given)

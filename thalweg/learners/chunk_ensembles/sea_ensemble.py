"""SEA, the streaming ensemble algorithm."""

from thalweg._native.kernel import Kernel
from thalweg._parameters import one_of
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.chunk_ensembles._native.sea_ensemble import SEAKernel
from thalweg.learners.chunk_ensembles.base import ChunkEnsemble


class SEAEnsemble(ChunkEnsemble):
    """Streaming ensemble algorithm (SEA): equal votes of members fitted on chunks, the best of which stay.

    Simple, fast and steady where little changes. After an abrupt change most members are wrong until they are
    replaced, one a chunk, which takes half of `n_members` chunks at least. Until the first chunk ends, a
    member fitted on its rows so far predicts. Chunks count rows, whatever their weights.

    Memory: the members, one more that waits, and a chunk.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What is fitted on a chunk; `NaiveBayes()` and `DecisionTree(max_leaves=8)` in turn if None. Learners
        in a list take turns.
    n_members : int, default=25
        Members at most.
    chunk_size : int, default=100
        Rows of a chunk (d).
    replacement : {"quality", "oldest"}, default="quality"
        The new member replaces the worst one, if it is better on the chunk after its own; or the oldest one,
        at once and unseen: the "Bagging" that Chu, Wang and Zaniolo compare with.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members that vote.
    history_ : dict of arrays
        Sizes of the members over time, and which came and went, bounded; drawn by `plot_history`.

    Notes
    -----
    *Differs from the paper*: the first member votes at once, since there is no other; a row's gain of quality
    is multiplied by its weight. The defaults are the best of those tried on sixteen streams
    (docs/chunk_ensembles.md); the paper has 25 decision trees on chunks of 500 rows:
    `SEAEnsemble(DecisionTree(max_leaves=32, window=1), chunk_size=500)`.

    References
    ----------
    W. N. Street and Y. Kim. A streaming ensemble algorithm (SEA) for large-scale classification. KDD 2001.
    F. Chu, Y. Wang, C. Zaniolo. An adaptive learning approach for noisy data streams. ICDM 2004.

    Examples
    --------
    >>> from thalweg.learners import SEAEnsemble
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> learner = SEAEnsemble().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), len(learner.members_)
    (0.87, 25)
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 25,
        *,
        chunk_size: int = 100,
        replacement: str = "quality",
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.chunk_size = chunk_size
        self.replacement = replacement
        self.random_state = random_state

    def _make_chunk_kernel(self, n_features: int, n_classes: int, n_members: int, chunk_size: int) -> Kernel:
        by_quality = one_of(self, "replacement", self.replacement, ("quality", "oldest")) == "quality"
        shape = self._who, n_features, n_classes, n_members, chunk_size
        return SEAKernel(*shape, by_quality, len(self._made_from), self._build)

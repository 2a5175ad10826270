"""The accuracy-weighted ensemble."""

from thalweg._native.kernel import Kernel
from thalweg._parameters import one_of
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.batch_trees.decision_tree import DecisionTree
from thalweg.learners.chunk_ensembles._native.accuracy_weighted_ensemble import AccuracyWeightedKernel
from thalweg.learners.chunk_ensembles.base import ChunkEnsemble


class AccuracyWeightedEnsemble(ChunkEnsemble):
    """Accuracy-weighted ensemble (AWE): members fitted on chunks, weighed by how much they beat chance.

    All members are weighed on the latest chunk, so that those of another concept lose their weight at once,
    and get it back should the concept return. The chunk's own member gets its weight by cross-validation,
    which costs `folds` more fits, or by rows held out. Until the first chunk ends, a member fitted on its
    rows so far predicts. Chunks count rows, whatever their weights.

    Memory: the members and a chunk.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What is fitted on a chunk; `DecisionTree(max_leaves=32)` if None. Learners in a list take turns.
    n_members : int, default=10
        Members at most (K).
    chunk_size : int, default=500
        Rows of a chunk.
    folds : int, default=10
        Folds of the cross-validation.
    holdout : float, default=None
        Share of each chunk, drawn at random, that is kept to weigh members, instead of cross-validation.
    replacement : {"weight", "oldest"}, default="weight"
        Of all members and the new one those of the highest weight stay; or the latest ones, which is the
        "Weighted Bagging" that Chu, Wang and Zaniolo compare with.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the folds and of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    weights_ : ndarray
        Their weights: the mean square error of chance minus theirs, on the latest chunk.
    history_ : dict of arrays
        Weights and sizes of the members over time, and which came and went, bounded; drawn by
        `plot_history`.

    Notes
    -----
    Follows the paper, for errors all of the same cost. *Beyond it*: `holdout`; if no member beats chance, all
    vote equally.

    References
    ----------
    H. Wang, W. Fan, P. S. Yu, J. Han. Mining concept-drifting data streams using ensemble classifiers. KDD
    2003.

    Examples
    --------
    >>> from thalweg.learners import AccuracyWeightedEnsemble
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = AccuracyWeightedEnsemble().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.weights_.round(2).tolist()
    (0.78, [0.0, 0.0, 0.0, 0.0, 0.0, 0.08, 0.09, 0.08, 0.06, 0.09])
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        chunk_size: int = 500,
        folds: int = 10,
        holdout: float | None = None,
        replacement: str = "weight",
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.chunk_size = chunk_size
        self.folds = folds
        self.holdout = holdout
        self.replacement = replacement
        self.random_state = random_state

    def _default_member(self) -> StreamClassifier:
        return DecisionTree(max_leaves=32, window=1)

    def _make_chunk_kernel(self, n_features: int, n_classes: int, n_members: int, chunk_size: int) -> Kernel:
        keeps_latest = one_of(self, "replacement", self.replacement, ("weight", "oldest")) == "oldest"
        return AccuracyWeightedKernel(
            self._who, n_features, n_classes, n_members, chunk_size, self._n_held_out(chunk_size),
            self._n_folds(), keeps_latest, self._keys(1)[0], len(self._made_from), self._build,
        )

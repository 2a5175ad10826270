"""Streaming random patches."""

import numpy as np

from thalweg._parameters import is_real, is_whole
from thalweg._types import Ints, RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.memory_limit import Needs
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.forest import ForestKernel
from thalweg.learners.ensembles.forest import Forest
from thalweg.learners.trees.base import subset_size
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree


class StreamingRandomPatches(Forest):
    """Streaming random patches (SRP): members on random inputs and weights, replaced as they fall behind.

    Like `AdaptiveRandomForest`, but each member sees one random subset of the inputs throughout its life, so
    that any learner can be the member. Its detectors are more patient. Members are independent, so they run
    on threads with `n_jobs`, with the same result bit for bit.

    Memory: at most 2 n_members + n_jobs members, 9 n_members + 25 kilobytes for ADWINs and record, and about
    a megabyte for the block of rows at work.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree(grace_period=50, delta=0.01)` if None. Learners in a list take turns from
        member to member.
    n_members : int or None, default=10
        Members (the paper's experiments have 100); None for one of each learner in the list.
    max_features : int, float or "sqrt", default=0.6
        Random inputs a member sees, their share (but two at least), or √inputs + 1 (m).
    poisson_mean : float, default=6.0
        Mean of the Poisson number each member multiplies a row's weight by (λ), at most 50.
    warning_delta : float, default=0.0001
        Chance of a false warning of ADWIN.
    drift_delta : float, default=0.00001
        Chance of a false alarm of ADWIN.
    n_jobs : int or None, default=1
        Threads; -1 for all cores, -2 for all but one.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the Poisson numbers, the inputs and the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members that vote.
    n_replaced_ : int
        Members replaced so far.
    history_ : dict of arrays
        Votes and sizes of the members over time, the latest warnings and replacements, bounded; drawn by
        `plot_history`.

    Notes
    -----
    Follows the paper. MOA goes on training the successor after it has taken over, so that it learns each row
    twice until the next warning; here it learns it once, as the paper says.

    References
    ----------
    H. M. Gomes, J. Read and A. Bifet. Streaming random patches for evolving data stream classification.
    ICDM 2019.

    Examples
    --------
    >>> from thalweg.learners import StreamingRandomPatches
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = StreamingRandomPatches().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_replaced_
    (0.82, 10)
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        max_features: int | float | str | None = 0.6,
        poisson_mean: float = 6.0,
        warning_delta: float = 0.0001,
        drift_delta: float = 0.00001,
        n_jobs: int | None = 1,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.max_features = max_features
        self.poisson_mean = poisson_mean
        self.warning_delta = warning_delta
        self.drift_delta = drift_delta
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_member(self) -> StreamClassifier:
        return HoeffdingTree(grace_period=50, delta=0.01)

    def _make_kernel(self, n_features: int, n_classes: int) -> ForestKernel:
        self._width = self._width_of(n_features)
        return self._forest(n_features, n_classes)

    def _width_of(self, n_features: int) -> int:
        width = subset_size(self, self.max_features, n_features) or n_features
        is_share = is_real(self.max_features) and not is_whole(self.max_features)
        return min(max(width, 2) if is_share else width, n_features)

    def _columns(self, slot: int, n_built: int) -> Ints | None:
        if self._width == self.n_features_in_:
            return None
        rng = np.random.default_rng([self._seed, slot, n_built + 1, 1])
        return np.sort(rng.permutation(self.n_features_in_)[: self._width])

    def _grown_columns(self, slot: int, columns: Ints, n_features: int) -> Ints | None:
        # Members see as many inputs as if all had been there; those they do not see yet are new ones.
        if self._width == self.n_features_in_:
            return None
        rng = np.random.default_rng([self._seed, slot, self.n_features_in_, 2])
        new = rng.permutation(np.arange(n_features, self.n_features_in_))
        return np.concatenate([columns, np.sort(new[: self._width - len(columns)])])

    def _needs_of(self, template: int, first: StreamClassifier) -> Needs:
        if not self.n_categories_.any() or self._width == self.n_features_in_:
            return first._needs()
        # What the dearest inputs need: a leaf keeps a count for each category, six numbers for a number.
        cost = np.where(self.n_categories_ > 0, self.n_categories_, 6)
        columns = np.sort(np.argsort(-cost, kind="stable")[: self._width])
        return self._begun_member(self._made_from[template], {}, self.n_categories_[columns])._needs()

    def _can_reset(self, member: StreamClassifier, seeded: list[str]) -> bool:
        return super()._can_reset(member, seeded) and not self.n_categories_.any()

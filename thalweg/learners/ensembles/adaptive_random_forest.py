"""The adaptive random forest."""

from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.forest import ForestKernel
from thalweg.learners.ensembles.forest import Forest
from thalweg.learners.trees.base import subset_size
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree


class AdaptiveRandomForest(Forest):
    """Adaptive random forest (ARF): trees whose leaves look at random inputs, replaced as they fall behind.

    Among the most accurate on drifting streams, with many inputs above all. A tree whose error may be rising
    gets a successor that learns beside it, and gives way to it once the rise is sure. Trees vote with their
    accuracy since they took over. Members are independent, so they run on threads with `n_jobs`, with the
    same result bit for bit.

    Memory: at most 2 n_members + n_jobs trees, 9 n_members + 25 kilobytes for ADWINs and record, and about a
    megabyte for the block of rows at work.

    Parameters
    ----------
    member : learner, default=None
        The tree; `HoeffdingTree(grace_period=50, delta=0.01, max_features=max_features)` if None. Any learner
        will do, but only a tree has random inputs.
    n_members : int, default=10
        Trees (the paper's experiments have 100).
    max_features : int, float or "sqrt", default=0.6
        Random inputs a leaf of the default tree looks at, their share, or √inputs + 1 (m).
    poisson_mean : float, default=6.0
        Mean of the Poisson number each member multiplies a row's weight by (λ), at most 50.
    warning_delta : float, default=0.01
        Chance of a false warning of ADWIN (δ_w).
    drift_delta : float, default=0.001
        Chance of a false alarm of ADWIN (δ_d).
    n_jobs : int or None, default=1
        Threads; -1 for all cores, -2 for all but one.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the Poisson numbers and of the trees.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The trees that vote.
    n_replaced_ : int
        Trees replaced so far.
    history_ : dict of arrays
        Votes and sizes of the trees over time, the latest warnings and replacements, bounded; drawn by
        `plot_history`.

    Notes
    -----
    *Differs from the paper* in m: the paper has √inputs + 1, MOA 60 % of the inputs by now, which is better
    on streams with many weak inputs and is the default here. All else follows paper and MOA; ADWIN gets the
    error a tree makes after it has learned the row, as in MOA, and only of rows whose Poisson number is above
    0.

    References
    ----------
    H. M. Gomes, A. Bifet, J. Read et al. Adaptive random forests for evolving data stream classification.
    Machine Learning 106, 2017.

    Examples
    --------
    >>> from thalweg.learners import AdaptiveRandomForest
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = AdaptiveRandomForest().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_replaced_
    (0.86, 10)
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        max_features: int | float | str | None = 0.6,
        poisson_mean: float = 6.0,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
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
        return HoeffdingTree(grace_period=50, delta=0.01, max_features=self.max_features)

    def _make_kernel(self, n_features: int, n_classes: int) -> ForestKernel:
        subset_size(self, self.max_features, n_features)
        return self._forest(n_features, n_classes)

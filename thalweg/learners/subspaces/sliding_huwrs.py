"""HUWRS row by row: incremental members on random subspaces, replaced where their inputs have changed."""

from thalweg._parameters import count
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.subspaces._native.huwrs import HUWRSKernel
from thalweg.learners.subspaces.base import SubspaceEnsemble
from thalweg.learners.trees.hoeffding_adaptive_tree import HoeffdingAdaptiveTree


class SlidingHUWRS(SubspaceEnsemble):
    """HUWRS without chunks: members that learn every row, and histograms of the latest `window` rows.

    As in `HUWRS`, each member sees its own random share of the inputs. Every `period` rows the histograms of
    the latest rows, class by class, are compared with those of the window the member began with: the more its
    worst input has changed, the less it votes, and if its inputs have changed by more than chance explains, a
    fresh member, trained on the window, takes its place. Until then a member knows all rows since it began,
    where one of HUWRS knows a chunk.

    So it is the better of the two where most inputs stay as they are and concepts need many rows, and at the
    start of a stream. Where many inputs drift fast, members are replaced before they know enough. It takes
    several times as long.

    Memory: the members, the window, and for each window that members began with, n_members at most, 4 bytes
    for each class and bin of each input.

    Parameters
    ----------
    member : learner, default=None
        What learns; `HoeffdingAdaptiveTree(grace_period=50, delta=0.01)` if None.
    n_members : int, default=30
        Members (n).
    window : int, default=500
        Latest rows with labels that are compared.
    period : int, default=50
        Rows from one comparison to the next.
    n_bins : int or "auto", default=30
        Bins of equal width of a numeric input's histogram (b); "auto" for one in 25 rows, 3 to 30.
        Each category known at first has a bin, all others share one, and missing values have one.
    threshold : float or "auto", default="auto"
        Members whose weight falls below it are replaced (t); "auto" replaces those whose inputs have changed
        by more than chance explains once in a thousand comparisons.
    distance : {"corrected", "plain"}, default="corrected"
        The Hellinger distance without what chance adds to it, or with it.
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
        The members' votes: weight by the latest rows with labels, plus that by the latest without.
    subspaces_ : list of ndarray
        The inputs each member sees.
    n_retrained_ : int
        Members replaced so far.
    members_ : list
        The members.
    history_ : dict of arrays
        Votes and sizes of the members over time and the latest replacements, bounded; drawn by
        `plot_history`.

    Notes
    -----
    This is what the paper's authors wish for in their outlook. Rows without a label are compared in stretches
    of max(30, window/10) rows, as in HUWRS, and their weights stay until the next.

    References
    ----------
    T. R. Hoens, N. V. Chawla, R. Polikar. Heuristic updatable weighted random subspaces for non-stationary
    environments. ICDM 2011.

    Examples
    --------
    >>> from thalweg.learners import SlidingHUWRS
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = SlidingHUWRS(n_members=20, window=250).begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_retrained_
    (0.78, 19)
    """

    _compared = "window"
    _level = 0.001  # of each comparison: a member replaced by chance loses what it knows

    def __init__(
        self,
        member: Members = None,
        n_members: int = 30,
        *,
        window: int = 500,
        period: int = 50,
        n_bins: int | str = 30,
        threshold: float | str = "auto",
        distance: str = "corrected",
        subspace: tuple[float, float] = (0.1, 0.9),
        unlabelled: bool = True,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.n_bins = n_bins
        self.threshold = threshold
        self.distance = distance
        self.subspace = subspace
        self.unlabelled = unlabelled
        self.random_state = random_state

    def _default_member(self) -> StreamClassifier:
        return HoeffdingAdaptiveTree(grace_period=50, delta=0.01)

    def _make_kernel(self, n_features: int, n_classes: int) -> HUWRSKernel:
        period = count(self, "period", self.period, 1)
        kernel = self._new_kernel(n_features, n_classes, self.n_categories_, period)
        kernel.build_members(self.n_members, self._widest())
        return kernel

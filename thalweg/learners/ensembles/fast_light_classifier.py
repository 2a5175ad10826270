"""The fast and light classifier: online boosting that learns harder when its errors change."""

from thalweg._parameters import real_number
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.ensembles._native.fast_light_classifier import FastLightKernel
from thalweg.learners.ensembles.base import Ensemble


class FastLightClassifier(Ensemble):
    """Fast and light classifier (FLC): online boosting, and rows that weigh more where ADWIN sees a change.

    ADWIN watches the errors of the vote. At a row where it cuts its window, each member learns the row with
    the weight (1 - e)/e, e being the member's error so far: good members learn it many times. Only these few
    rows weigh more and no member ever goes, so it follows drift little better than `OnlineBoost`; see
    docs/boosting.md. A row of weight w starts through the members with weight w. No threads.

    Memory: the members, 3 kilobytes for ADWIN, and 2 n_members + 25 kilobytes for the record.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree()` if None. Learners in a list take turns from member to member.
    n_members : int or None, default=10
        Members (M); None for one of each learner in the list.
    delta : float, default=0.002
        Chance of a false alarm of ADWIN (δ).
    random_state : int, None, Generator or RandomState, default=1
        Seed of the Poisson numbers and of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    n_changes_ : int
        Changes seen so far.
    history_ : dict of arrays
        Voting weights and sizes of the members over time, and the latest changes, bounded; drawn by
        `plot_history`.

    Notes
    -----
    Built from the description in Grbovic and Vucetic (2011); the authors' own paper was not at hand. ADWIN is
    that of its authors with its bound by `delta`, where the description has a number of standard deviations,
    and looks at every row; a fall of the errors is a change, too. e is at least 0.001. Members vote with
    their probabilities, and one wrong on more than half its weight has no vote.

    References
    ----------
    V. Attar, P. Sinha, K. Wankhade. A fast and light classifier for data streams. Evolving Systems 1, 2010.
    M. Grbovic, S. Vucetic. Tracking concept change with incremental boosting by minimization of the evolving
    exponential loss. ECML PKDD 2011.

    Examples
    --------
    >>> from thalweg.learners import FastLightClassifier
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = FastLightClassifier().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_changes_
    (0.83, 16)
    """

    _events: tuple[str, ...] = ("changed", "replaced")

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        delta: float = 0.002,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.delta = delta
        self.random_state = random_state

    @property
    def n_changes_(self) -> int:
        """Changes that ADWIN has seen so far."""
        with self._reading:
            return int(self._kernel.arrays["n_events"][0])

    def _make_kernel(self, n_features: int, n_classes: int) -> FastLightKernel:
        n_members = self._n_members()
        delta, key = real_number(self, "delta", self.delta, above=0, most=1), self._keys(1)[0]
        kernel = FastLightKernel(
            self._who, n_features, n_classes, n_members, key, delta, len(self._made_from), self._build
        )
        kernel.build_members(n_members)
        return kernel

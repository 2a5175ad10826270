"""Online coordinate boosting: AdaBoost on the first rows, its weights kept up to date by all that follow."""

from typing import Any

from thalweg._parameters import whole_number
from thalweg._types import RandomState
from thalweg.learners.base.arguments import MOST_ROWS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.window_boosting._native.online_coordinate_boost import CoordinateKernel
from thalweg.learners.window_boosting.base import Sizes, WindowBoost

MOST_ORDER = 100


class OnlineCoordinateBoost(WindowBoost):
    """Online coordinate boosting (OCB): AdaBoost's members stay, their weights follow AdaBoost's on all rows.

    The first `window` rows train the members. Each later row moves the members' weights, without the rows of
    before, to nearly what AdaBoost with the same members would give them on all rows so far. Good where the
    first rows tell which members are needed and later ones how much each is worth. It never adds a member nor
    forgets a row, so it does not follow drift. A row costs O(order · n_members).

    A row of weight w counts w times. Several classes as in SAMME. Memory: the window, n_members, two bits
    for each row and member, and 2 (order + 1) numbers for each member.

    Parameters
    ----------
    member : learner, default=None
        What is trained on the weighted first rows, such as `NaiveBayes()`; it must use the rows' weights.
        None is for stumps of smallest error.
    n_members : int, default=200
        Members at most (M); fewer if one is no better than guessing.
    window : int, default=200
        First rows, on which members are trained (n). Before there are so many, AdaBoost is trained on the
        first 1, 2, 4, … of them.
    order : int, default=5
        For how many members before it a member's weight follows their changes (o); 0 for none, which is
        what `OnlineBoost` does. At most 100.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the members, where they have one.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the stumps, by their votes, or in members that are trees.
    weights_ : ndarray
        Weights of the members (α); below 0 for one that is mostly wrong.
    stumps_ : dict of ndarray
        The stumps, if members are stumps.
    members_ : list
        The members, if they are learners.
    window_ : dict of ndarray
        The first rows and their shares of the loss; empty once the members are trained.
    loss_ : float
        The exponential loss of these rows (E).

    Notes
    -----
    Built from what is known of the method and from the description in Grbovic and Vucetic (2011); the
    authors' own paper was not at hand. The sums over pairs of members are scaled along their own member
    exactly, and along others as if answers were independent, which makes the weights of two members exact.
    Shares of weight below 0.001 count as 0.001, so that weights stay finite. The paper lets weights start
    from AdaBoost on some rows or from zero; here always from AdaBoost.

    References
    ----------
    R. Pelossof, M. Jones, I. Vovsha, C. Rudin. Online coordinate boosting. On-line Learning for Computer
    Vision Workshop, ICCV 2009.
    M. Grbovic, S. Vucetic. Tracking concept change with incremental boosting by minimization of the evolving
    exponential loss. ECML PKDD 2011.

    Examples
    --------
    >>> from thalweg.learners import OnlineCoordinateBoost
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(noise=0, seed=1).blocks(5000))
    >>> p = OnlineCoordinateBoost(n_members=50).begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.95
    """

    def __init__(
        self,
        member: StreamClassifier | None = None,
        n_members: int = 200,
        *,
        window: int = 200,
        order: int = 5,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.window = window
        self.order = order
        self.random_state = random_state

    def _settings(self) -> Any:
        settings = 1, True, 1, 0, 4, 1.0, 1
        return whole_number(self, "window", self.window, 2, MOST_ROWS), settings, [0.0], 0.0

    def _new_kernel(self, sizes: Sizes, settings: tuple[Any, ...], delta: float) -> CoordinateKernel:
        order = whole_number(self, "order", self.order, 0, MOST_ORDER)
        return CoordinateKernel(self._who, *sizes, settings, order, self._builder)

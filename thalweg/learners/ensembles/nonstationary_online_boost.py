"""Online boosting that replaces members which do harm on the latest rows."""

from thalweg._parameters import count, whole_number
from thalweg._types import RandomState
from thalweg.learners.base.arguments import MOST_ROWS
from thalweg.learners.base.member_list import Members
from thalweg.learners.ensembles._native.nonstationary_online_boost import NonstationaryKernel
from thalweg.learners.ensembles.base import Ensemble


class NonstationaryOnlineBoost(Ensemble):
    """Online non-stationary boosting: online boosting that replaces members which do harm on the latest rows.

    Every `period` rows it asks how well the vote would do on the latest rows without each member; the one
    that does most harm, if any does, makes room for a fresh one. Follows drift better than `OnlineBoost`, one
    member at a time, for the price of window × n_members predictions every `period` rows. Members depend on
    each other row by row, so there are no threads. A row of weight w starts through the members with weight
    w, and counts w times among the latest rows.

    Memory: the members and a spare one, the window, and 2 n_members + 25 kilobytes for the record.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree()` if None. Learners in a list take turns from member to member.
    n_members : int or None, default=10
        Members (M); None for one of each learner in the list.
    window : int, default=200
        Latest rows on which members are judged (n).
    period : int, default=10
        Rows from one judgement to the next (p).
    min_rows : int, default=100
        Rows that a member has learned before it can be replaced (K).
    random_state : int, None, Generator or RandomState, default=1
        Seed of the Poisson numbers and of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    n_replaced_ : int
        Members replaced so far.
    history_ : dict of arrays
        Voting weights and sizes of the members over time and the latest replacements, bounded; drawn by
        `plot_history`.

    Notes
    -----
    Built from the description in Grbovic and Vucetic (2011); the authors' own paper was not at hand. Of
    several members that do harm only the one that does most is replaced, and the fresh one takes its place in
    the order in which rows go through the members; it has no vote until it has learned `min_rows` rows. The
    description allows other readings: with votes of young members, or the fresh one last in order, accuracy
    on SEA was below the published 96.9 %, as it is read here it is 96.9 %. Members vote with their
    probabilities, where the paper counts their classes, one wrong on more than half its weight has no vote,
    and the only member with a vote is never replaced.

    References
    ----------
    A. Pocock, P. Yiapanis, J. Singer, M. Luján, G. Brown. Online non-stationary boosting. MCS 2010.
    M. Grbovic, S. Vucetic. Tracking concept change with incremental boosting by minimization of the evolving
    exponential loss. ECML PKDD 2011.

    Examples
    --------
    >>> from thalweg.learners import NonstationaryOnlineBoost
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = NonstationaryOnlineBoost().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_replaced_
    (0.83, 356)
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        window: int = 200,
        period: int = 10,
        min_rows: int = 100,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.min_rows = min_rows
        self.random_state = random_state

    def _make_kernel(self, n_features: int, n_classes: int) -> NonstationaryKernel:
        n_members, key = self._n_members(), self._keys(1)[0]
        settings = (
            whole_number(self, "window", self.window, 2, MOST_ROWS),
            count(self, "period", self.period, 1),
            count(self, "min_rows", self.min_rows, 1),
        )
        kernel = NonstationaryKernel(
            self._who, n_features, n_classes, n_members, key, *settings, len(self._made_from), self._build
        )
        kernel.build_members(n_members)
        return kernel

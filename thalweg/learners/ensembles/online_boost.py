"""Online boosting of Oza and Russell."""


from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.ensembles._native.online_boost import BoostingKernel
from thalweg.learners.ensembles.base import Ensemble


class OnlineBoost(Ensemble):
    """Online boosting (OzaBoost): a row weighs more for the next member where the last one erred.

    Stronger than bagging on clean streams without drift; noise in the labels draws its members to the noisy
    rows, and it never forgets unless its member does (see `BOLE`). Members depend on each other row by row,
    so there are no threads. A row of weight w starts through the members with weight w.

    Memory: the members, and 2 n_members + 25 kilobytes for the record.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree()` if None. Learners in a list take turns from member to member.
    n_members : int or None, default=10
        Members (M); None for one of each learner in the list.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the Poisson numbers and of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    history_ : dict of arrays
        Voting weights and sizes of the members over time, bounded; drawn by `plot_history`.

    Notes
    -----
    As in MOA's OzaBoost, members vote with their probabilities, where the paper counts their classes, and a
    member wrong on more than half the weight ends the vote, as in AdaBoost.M1; the paper lets all vote.
    Differs from both: if not even the first member may vote, all do alike, where MOA answers with the first
    class (as it does on all rows of a stream of 24 classes).

    References
    ----------
    N. Oza and S. Russell. Online bagging and boosting. AISTATS 2001.

    Examples
    --------
    >>> from thalweg.learners import OnlineBoost
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = OnlineBoost().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.86
    """

    _n_spares = 0

    _extends = True

    def __init__(self, member: Members = None, n_members: int = 10, *, random_state: RandomState = 1) -> None:
        self.member = member
        self.n_members = n_members
        self.random_state = random_state

    def _make_kernel(self, n_features: int, n_classes: int) -> BoostingKernel:
        return self._boosting(n_features, n_classes, False, 0.5, 0.0)

    def _boosting(
        self, n_features: int, n_classes: int, by_accuracy: bool, bound: float, shift: float
    ) -> BoostingKernel:
        n_members, key = self._n_members(), self._keys(1)[0]
        settings = n_members, key, by_accuracy, bound, shift, len(self._made_from)
        kernel = BoostingKernel(self._who, n_features, n_classes, *settings, self._build)
        kernel.build_members(n_members)
        return kernel

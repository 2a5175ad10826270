"""Online bagging watched by ADWIN."""

from thalweg._parameters import real_number
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.ensembles._native.online_bagging import BaggingKernel
from thalweg.learners.ensembles.online_bagging import OnlineBagging


class AdwinBagging(OnlineBagging):
    """ADWIN bagging: online bagging with ADWIN on each member's errors.

    When the error of any member rises, the worst member is replaced by a fresh one. As all members tend to
    alarm at the same row, an abrupt drift replaces only some; the others must learn it. `LeveragingBagging`
    is the same with larger random weights and mostly more accurate; here trees grow slower and stay smaller.
    Threads as there.

    Memory: the members and a spare one, 3 kilobytes for each one's ADWIN, and what `OnlineBagging` keeps.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree(delta=0.01)` if None. Learners in a list take turns from member to
        member.
    n_members : int or None, default=10
        Members; None for one of each learner in the list.
    delta : float, default=0.002
        Chance of a false alarm of ADWIN (δ).
    n_jobs : int or None, default=1
        Threads; -1 for all cores, -2 for all but one.
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
        Error rates and sizes of the members over time and the latest replacements, bounded; drawn by
        `plot_history`.

    Notes
    -----
    Follows the paper; δ is MOA's, the paper names none. As in MOA, ADWIN gets the error a member makes after
    it has learned the row; the paper does not say which. To replace every member whose own error rises, not
    only the worst, use `OnlineBagging(DriftReset(member))`. MOA's trees are `AdwinBagging(HoeffdingTree())`;
    the default splits sooner, which is better over sixteen streams (docs/ensembles.md).

    References
    ----------
    A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby and R. Gavaldà. New ensemble methods for evolving data
    streams. KDD 2009.

    Examples
    --------
    >>> from thalweg.learners import AdwinBagging
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = AdwinBagging().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), learner.n_replaced_
    (0.83, 7)
    """

    noted = "error"

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        delta: float = 0.002,
        n_jobs: int | None = 1,
        random_state: RandomState = 1,
    ) -> None:
        super().__init__(member, n_members, n_jobs=n_jobs, random_state=random_state)
        self.delta = delta

    def _make_kernel(self, n_features: int, n_classes: int) -> BaggingKernel:
        delta = real_number(self, "delta", self.delta, above=0, most=1)
        return self._bagging(n_features, n_classes, 1.0, delta)

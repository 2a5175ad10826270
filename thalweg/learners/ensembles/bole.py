"""The boosting-like online learning ensemble."""

from thalweg._parameters import real_number
from thalweg._types import RandomState
from thalweg.drift import DDM
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.online_boost import BoostingKernel
from thalweg.learners.ensembles.drift_reset import DriftReset
from thalweg.learners.ensembles.online_boost import OnlineBoost
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree

MOST_SHIFT = 1e100  # votes stay finite


class BOLE(OnlineBoost):
    """BOLE: online boosting that takes members by their accuracy, each reset when its errors rise.

    A row goes through the members from the worst up while they err, and from the best down while they are
    right. Follows abrupt drift quickly through the detectors of its members. No threads: members depend on
    each other row by row.

    Memory: the members (by default two trees each), and 2 n_members + 25 kilobytes for the record.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; the authors' choice, `DriftReset(HoeffdingTree(), DDM(1.2, 1.95, min_values=7))`, if
        None. Learners in a list take turns from member to member.
    n_members : int or None, default=10
        Members; None for one of each learner in the list.
    error_bound : float, default=0.5
        A member wrong on more than this share of the weight has no vote.
    weight_shift : float, default=0.0
        Added to the logarithm that is a member's vote.
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
    Defaults are those of the authors' code in MOA; their quick detector is part of the method, and on real
    streams it is the better one (docs/ensembles.md). It costs accuracy on streams with noisy labels, where it
    sees drifts that are none: `BOLE(DriftReset(HoeffdingTree(), DDM()))` has the usual, slower one. Differs
    from the authors' code: if no member may vote, all do alike, where MOA answers with the first class; and
    `DriftReset` drops the member begun at a warning that passed.

    References
    ----------
    R. S. M. de Barros, S. G. T. de Carvalho Santos and P. M. Gonçalves Jr. A boosting-like online learning
    ensemble. IJCNN 2016.

    Examples
    --------
    >>> from thalweg.learners import BOLE
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> p = BOLE().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.8
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        error_bound: float = 0.5,
        weight_shift: float = 0.0,
        random_state: RandomState = 1,
    ) -> None:
        super().__init__(member, n_members, random_state=random_state)
        self.error_bound = error_bound
        self.weight_shift = weight_shift

    def _default_member(self) -> StreamClassifier:
        return DriftReset(HoeffdingTree(), DDM(1.2, 1.95, min_values=7))

    def _make_kernel(self, n_features: int, n_classes: int) -> BoostingKernel:
        bound = real_number(self, "error_bound", self.error_bound, above=0, most=1)
        shift = real_number(self, "weight_shift", self.weight_shift, least=-MOST_SHIFT, most=MOST_SHIFT)
        return self._boosting(n_features, n_classes, True, bound, shift)

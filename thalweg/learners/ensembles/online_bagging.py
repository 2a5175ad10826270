"""Online bagging."""

from thalweg._parameters import n_threads
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.online_bagging import BaggingKernel
from thalweg.learners.ensembles.base import Ensemble
from thalweg.learners.trees.hoeffding_tree import HoeffdingTree


class OnlineBagging(Ensemble):
    """Online bagging: each member learns each row as often as a Poisson number of mean 1 says.

    Steadier and as a rule more accurate than its member alone, at n_members times the cost. Forgets nothing
    unless the member does: for drifting streams see `LeveragingBagging`. Members are independent, so they
    run on threads with `n_jobs`, with the same result bit for bit. A row of weight w counts w times its
    Poisson number.

    Memory: the members, 2 n_members + 25 kilobytes for the record, and about a megabyte for the block of rows
    at work (65,536 probabilities, or 16 rows of every member's if that is more).

    Parameters
    ----------
    member : learner or list of learners, default=None
        What learns; `HoeffdingTree(delta=0.01)` if None. Learners in a list take turns from member to
        member.
    n_members : int or None, default=10
        Members (M); None for one of each learner in the list.
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
    history_ : dict of arrays
        Sizes of the members over time, bounded; drawn by `plot_history`.

    Notes
    -----
    Follows the paper. Members vote with their probabilities, as in MOA's OzaBag, where the paper counts their
    classes. MOA's trees are `OnlineBagging(HoeffdingTree())`; the default splits sooner, which is better over
    sixteen streams (docs/ensembles.md).

    References
    ----------
    N. Oza and S. Russell. Online bagging and boosting. AISTATS 2001.

    Examples
    --------
    >>> from thalweg.learners import OnlineBagging
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = OnlineBagging().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.87
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 10,
        *,
        n_jobs: int | None = 1,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_member(self) -> StreamClassifier:
        return HoeffdingTree(delta=0.01)

    def _make_kernel(self, n_features: int, n_classes: int) -> BaggingKernel:
        return self._bagging(n_features, n_classes, 1.0, None)

    def _bagging(
        self, n_features: int, n_classes: int, poisson_mean: float, delta: float | None
    ) -> BaggingKernel:
        keys = self._keys(self._n_members())
        threads = n_threads(self, self.n_jobs)
        shape = self._who, n_features, n_classes
        kernel = BaggingKernel(*shape, keys, poisson_mean, delta, threads, len(self._made_from), self._build)
        kernel.build_members(len(keys))
        return kernel

"""AdaBoost trained again and again on the latest rows."""

from typing import Any

from thalweg._parameters import count, one_of, whole_number
from thalweg._types import RandomState
from thalweg.learners.base.arguments import MOST_ROWS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.window_boosting._native.iboost import ADDING, REMOVING, UPDATES
from thalweg.learners.window_boosting.base import WindowBoost


class AdaBoostWindow(WindowBoost):
    """AdaBoost on the latest rows, trained from scratch after a row that it gets wrong.

    What `IBoost` improves on: it knows no more than the window tells, and follows drift within its length.
    The window's rows have the weights they were learned with; each takes one place. Several classes as in
    SAMME. Memory: the window, n_members, and two bits for each row and member.

    Parameters
    ----------
    member : learner, default=None
        What is trained on the weighted window, such as `NaiveBayes()`; it must use the rows'
        weights. None is for stumps of smallest error.
    n_members : int, default=200
        Members at most (M); fewer if one is no better than guessing.
    window : int, default=200
        Rows in the window (n).
    period : int, default=1
        Only every so many rows it may be trained (p).
    retrain : {"errors", "always"}, default="errors"
        Whether it is trained after a row that it got wrong, or after every row, if `period` allows. Without
        members it is trained whatever `period` says.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the members, where they have one.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the stumps, by their votes, or in members that are trees.
    weights_ : ndarray
        Weights of the members (α).
    stumps_ : dict of ndarray
        The stumps, if members are stumps.
    members_ : list
        The members, if they are learners.
    window_ : dict of ndarray
        The rows in the window and their shares of the loss.
    loss_ : float
        The exponential loss of the window (E).

    References
    ----------
    Y. Freund, R. Schapire. Experiments with a new boosting algorithm. ICML 1996.
    J. Zhu, H. Zou, S. Rosset, T. Hastie. Multi-class AdaBoost. Statistics and its Interface 2, 2009.

    Examples
    --------
    >>> from thalweg.learners import AdaBoostWindow
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(noise=0, seed=1).blocks(5000))
    >>> p = AdaBoostWindow(n_members=50).begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.95
    """

    def __init__(
        self,
        member: StreamClassifier | None = None,
        n_members: int = 200,
        *,
        window: int = 200,
        period: int = 1,
        retrain: str = "errors",
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.retrain = retrain
        self.random_state = random_state

    def _settings(self) -> Any:
        period = count(self, "period", self.period, 1)
        retrain = ADDING[one_of(self, "retrain", self.retrain, ("errors", "always"))]
        settings = period, True, retrain, REMOVING["lightest"], UPDATES["none"], 1.0, 1
        return whole_number(self, "window", self.window, 2, MOST_ROWS), settings, [0.0], 0.0

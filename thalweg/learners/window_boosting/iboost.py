"""IBoost: boosting kept up to date on a window of rows."""

from typing import Any, Self

from thalweg._parameters import count, one_of, real_number, whole_number
from thalweg._types import RandomState
from thalweg.learners.base.arguments import MOST_ROWS
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.window_boosting._native.iboost import ADDING, REMOVING, UPDATES
from thalweg.learners.window_boosting._native.race import RaceKernel
from thalweg.learners.window_boosting.base import WindowBoost

RATES = {"stochastic": 0.05, "implicit": 1.0, "coordinate": 0.1, "none": 1.0}
MOST_CAP = 1e6
MOST_UPDATES = 10_000  # each goes through the window
AUTO_CAPS = [0.0, 10.0, 3.0, 1.0]


class IBoost(WindowBoost):
    """IBoost: a boosted vote, kept up to date as a window of rows slides, by moving the members' weights.

    Every row moves the members' weights so that the exponential loss of the window falls, and a row that the
    vote gets wrong adds a member, trained on the rows' shares of the loss, in the place of the lightest. Old
    members stay for as long as they help, so it knows more than the window tells, and still follows drift.
    With stumps it is strong where classes are clean and parted by sums of inputs. Noisy labels would mislead
    it badly if `cap` did not bound the vote; so would strong members such as naive Bayes, which a cap of 3
    suits. Several classes as in SAMME.

    A row of weight w counts w times in the loss and takes one place in the window; weights do not count for
    `period`. Memory: the window, n_members, and two bits for each row and member.

    Parameters
    ----------
    member : learner, default=None
        What is trained on the weighted window, such as `NaiveBayes()` or `DecisionTree(max_leaves=8)`. It
        must use the rows' weights. None is for stumps of smallest error, which are much faster than
        `DecisionStump()`.
    n_members : int, default=200
        Members at most (M).
    window : int or "adwin", default=200
        Rows in the window (n), or "adwin" to cut it where ADWIN finds that the vote's errors have changed.
    period : int, default=1
        Only every so many rows a member may be added (p).
    update : {"stochastic", "batch", "implicit", "coordinate", "none"}, default="stochastic"
        How weights move: along the newest row's answers; along the gradient of the whole window; as
        stochastic, but by a step that cannot overshoot; one weight after another; not at all.
    n_updates : int, default=None
        Steps after each row (b), at most 10,000; None is for 5, or 1 if implicit or coordinate.
    rate : float, default=None
        Length of the steps (η), at most 1; None is for 0.05 if stochastic, 1/n_members if batch, 1 if
        implicit, 0.1 if coordinate.
    cap : float, "auto" or None, default=10.0
        Most that the weights may sum to; None for no bound, as in the paper. "auto" runs the caps None, 10, 3
        and 1 side by side and answers with the one that erred least of late, at four times the cost.
    add : {"errors", "always", "until_full"}, default="errors"
        When members are added: after a row that the vote got wrong; after every row; after errors, until
        there are n_members, and again only when members of negative weight have been dropped.
    remove : {"lightest", "oldest", "worst"}, default="lightest"
        Which member makes room: of least weight, the oldest, or with most errors in the window.
    max_window : int, default=2000
        Most rows that a window cut by ADWIN has.
    delta : float, default=0.002
        ADWIN's chance of a false alarm.
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
    cap_ : float or None
        The current cap.

    Notes
    -----
    *Differs from the paper*, which leaves out the rate, without which weights grow without bound, and moves
    them by weights e^(-margin) where these are shares of the window's loss. A new member has half the weight
    of the paper's (3), which belongs to other example weights than the paper's (9); its error is cut to at
    least 0.001. The first row makes the first member. The stochastic step needs the newest row's share of the
    loss and so costs O(n M/8 + b n), not O(M), where M/8 is for bytes of eight answers each. The paper has no
    cap: on sixteen streams a cap of 10 is right on 77.6 % of the rows instead of 66.1 (docs/boosting.md).

    References
    ----------
    M. Grbovic, S. Vucetic. Tracking concept change with incremental boosting by minimization of the evolving
    exponential loss. ECML PKDD 2011.
    J. Zhu, H. Zou, S. Rosset, T. Hastie. Multi-class AdaBoost. Statistics and its Interface 2, 2009.

    Examples
    --------
    >>> from thalweg.learners import IBoost
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(noise=0, seed=1).blocks(5000))
    >>> learner = IBoost().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), len(learner.weights_)
    (0.95, 75)
    """

    def __init__(
        self,
        member: StreamClassifier | None = None,
        n_members: int = 200,
        *,
        window: int | str = 200,
        period: int = 1,
        update: str = "stochastic",
        n_updates: int | None = None,
        rate: float | None = None,
        cap: float | str | None = 10.0,
        add: str = "errors",
        remove: str = "lightest",
        max_window: int = 2000,
        delta: float = 0.002,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.update = update
        self.n_updates = n_updates
        self.rate = rate
        self.cap = cap
        self.add = add
        self.remove = remove
        self.max_window = max_window
        self.delta = delta
        self.random_state = random_state

    @property
    def cap_(self) -> float | None:
        """The current bound on the sum of the weights, None if there is none."""
        with self._reading:
            if isinstance(self._kernel, RaceKernel):
                return AUTO_CAPS[self._kernel.leader] or None
            return None if isinstance(self.cap, str) else self.cap

    def improve(self) -> Self:
        """Move the members' weights as after a row, on the window as it is now; return self.

        Of use after `forget`; a row that is learned does the same.
        """
        with self._writing:
            for kernel in self._kernels:
                kernel.improve()
        return self

    def _settings(self) -> Any:
        update = one_of(self, "update", self.update, UPDATES)
        few = update in ("implicit", "coordinate")
        default = 1 if few else 5
        n_updates = default
        if self.n_updates is not None:
            n_updates = whole_number(self, "n_updates", self.n_updates, 1, MOST_UPDATES)
        settings = (
            count(self, "period", self.period, 1),
            False,
            ADDING[one_of(self, "add", self.add, ADDING)],
            REMOVING[one_of(self, "remove", self.remove, REMOVING)],
            UPDATES[update],
            self._rate(update),
            n_updates,
        )
        most = whole_number(self, "max_window", self.max_window, 2, MOST_ROWS)
        delta = real_number(self, "delta", self.delta, above=0, below=1)
        if not isinstance(self.window, str):
            return whole_number(self, "window", self.window, 2, MOST_ROWS), settings, self._caps(), 0.0
        one_of(self, "window", self.window, ("adwin",))
        return most, settings, self._caps(), delta

    def _rate(self, update: str) -> float:
        if self.rate is not None:
            return real_number(self, "rate", self.rate, above=0, most=1)
        return 1.0 / self.n_members if update == "batch" else RATES[update]

    def _caps(self) -> list[float]:
        # As the kernel has them: 0 for none.
        if self.cap is None:
            return [0.0]
        if isinstance(self.cap, str):
            one_of(self, "cap", self.cap, ("auto",))
            return AUTO_CAPS
        return [real_number(self, "cap", self.cap, above=0, most=MOST_CAP)]

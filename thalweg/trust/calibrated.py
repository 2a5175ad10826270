"""A learner around a learner whose probabilities are right."""

from typing import Any

from thalweg._parameters import whole_number, yes_or_no
from thalweg._types import Floats, Ints
from thalweg.learners.base.contract import MOST_WAITING
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.trust._native.calibrated import CalibratedKernel
from thalweg.trust.around_learner import AroundLearner
from thalweg.trust.costs import cost_matrix, least_cost


class Calibrated(AroundLearner):
    """Calibrated: a learner whose probabilities are right, also after drift and with late labels.

    Of the rows to which it gives 80 %, about 80 % are right. Most learners are too sure, some are not sure
    enough, and how much changes as they learn. Their probabilities are scaled by a mixture of scalings that
    forget at different rates, for any number of classes; which of them to believe is learned from the labels
    too, and the learner as it is is one of them. Then the chance of the likeliest class is corrected by a
    regression. The answers stay those of the learner, unless `keep_answers` is False or there are `costs`.

    Call `observe` for rows whose labels come later: what was said about a row is kept until its label comes,
    and is judged by it. The evaluation does so by itself. Nothing can be known about rows that come after a
    change before the first of their labels.

    Memory: the learner, and about as many numbers as there are classes for each row that waits for its label;
    five times as many without `keep_answers`.

    Parameters
    ----------
    learner : learner, default=None
        What learns; `NaiveBayes()` if None.
    keep_answers : bool, default=True
        Whether the likeliest class stays the one that the learner says. If not, the scalings have a bias for
        each class, which follows how often classes come: often better if labels come at once, worse if they
        come late.
    costs : array-like or dict, default=None
        What wrong answers cost; then `predict` answers with the class of the least expected cost, and
        probabilities stay what they are. Either what it costs to miss each class, or a matrix with a row for
        each true class and a column for each answer. An array is in the order of `classes_`; a dict has
        labels, `{"fraud": 50}` or `{"fraud": {"fine": 50}}`, and what it leaves out costs 1.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    learner_ : learner
        The learner as it is now.
    slope_ : float
        By how much the log-probabilities of the learner are multiplied now: below 1 if it is too sure, above
        1 if it is not sure enough.
    importance_ : ndarray
        How much each input counts, if the learner is made of trees.

    References
    ----------
    Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. On calibration of modern neural networks. ICML 2017.
    Platt, J. Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods. Advances in Large Margin Classifiers, 1999.

    Examples
    --------
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.streams import SEA
    >>> from thalweg.trust import Calibrated
    >>> X, y = next(SEA(4000, seed=1).blocks(4000))
    >>> for learner in (NaiveBayes(), Calibrated(NaiveBayes())):
    ...     p = learner.begin(3, [0, 1]).test_then_train(X, y)
    ...     print(f"sure {p.max(axis=1).mean():.2f}, right {(p.argmax(axis=1) == y).mean():.2f}")
    sure 0.78, right 0.88
    sure 0.86, right 0.88
    """

    _kernel: CalibratedKernel
    observes = True

    def __init__(
        self,
        learner: StreamClassifier | None = None,
        *,
        keep_answers: bool = True,
        costs: Any = None,
        max_waiting: int = 10_000,
    ) -> None:
        self.learner = learner
        self.keep_answers = keep_answers
        self.costs = costs
        self.max_waiting = max_waiting

    @property
    def slope_(self) -> float:
        """By how much the log-probabilities of the learner are multiplied now."""
        self._check_begun()
        with self._reading:
            trust, slope = self._kernel.arrays["trust"], self._kernel.arrays["slope"]
            return float(trust[0] + trust[1:] @ slope)

    def _begin(self, n_features: int, n_classes: int, seeds: dict[str, int] | None = None) -> None:
        if self.costs is not None and seeds is None:
            self._cost_matrix()
        super()._begin(n_features, n_classes, seeds)

    def _new_kernel(self, n_features: int, n_classes: int) -> CalibratedKernel:
        keeps_answers = yes_or_no(self, "keep_answers", self.keep_answers)
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        return CalibratedKernel(self._who, n_features, n_classes, keeps_answers, most_kept)

    def _cost_matrix(self) -> Floats:
        return cost_matrix(self, self.costs, self._labels.list, more_classes=self._labels.is_open)

    def _answers(self, p: Floats) -> Ints:
        if self.costs is None:
            return super()._answers(p)
        return least_cost(p, self._cost_matrix(), without=[k for k in self._masked if k < p.shape[1]])

    def _answer(self, p: Floats) -> int:
        return super()._answer(p) if self.costs is None else int(self._answers(p[None])[0])

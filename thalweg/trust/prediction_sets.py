"""Sets of classes that hold the true one as often as wanted, under drift and with late labels."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import real_number, whole_number
from thalweg._types import Floats, Mask, RowsLike, State
from thalweg.errors import StateError
from thalweg.learners.base.arguments import Row
from thalweg.learners.base.contract import MOST_WAITING
from thalweg.learners.base.named_rows import named_row
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.trust._native.prediction_sets import FIELDS, PredictionSetsKernel
from thalweg.trust.around_learner import AroundLearner

MOST_LABELS = 100_000


class Thresholds:
    """The thresholds of the sets of tested rows, in an array that grows: a class that reaches it is in."""

    def __init__(self) -> None:
        self.n = 0
        self.values: Floats = np.empty(1024)

    def reserve(self, n: int) -> None:
        """Make room for so many more."""
        if self.n + n > len(self.values):
            larger = np.empty(max(self.n + n, 2 * len(self.values)))
            larger[: self.n] = self.values[: self.n]
            self.values = larger

    def take(self) -> Floats:
        """Return those since the last call."""
        found, self.n = self.values[: self.n].copy(), 0
        return found


class PredictionSets(AroundLearner):
    """PredictionSets: sets of classes that hold the true one as often as wanted.

    Its probabilities and predictions are those of its learner. In addition `predict_set` answers each row
    with as many classes as it takes to be right in the wanted share of rows, whatever the learner and
    however much the stream drifts: a class is in the set if its probability is not among the lowest that true
    classes got lately, and how low is allowed follows the errors of the sets so far. A set is judged when its
    label comes, by what was said when the row was predicted; call `observe` for rows whose labels come later,
    as the evaluation does by itself.

    The coverage is that over time, not given the inputs and not of each class. It is exact before the rule
    that no set is empty (`raw_coverage_`); a learner that is right more often than that covers more. Just
    after a change of the concept the sets miss until labels of rows after the change have come: the later the
    labels, the longer.

    Memory: the learner, the window, and a number for each class and row that waits for its label.

    Parameters
    ----------
    learner : learner, default=None
        What learns; `NaiveBayes()` if None.
    coverage : float, default=0.9
        Share of the rows whose sets are to hold the label.
    window : int, default=1000
        How many labels say which probabilities true classes get.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    learner_ : learner
        The learner as it is now.
    level_ : float
        The level now: a class is in the set if at least this share of the true classes in the window got a
        probability as low as it has, or lower. It starts at 1 - coverage; below 0 every class is in.
    n_sets_ : int
        Number of sets that were judged because their labels came.
    coverage_, raw_coverage_ : float
        Share of them that held the label, and the same without the rule that a set is never empty.
    set_size_, single_share_ : float
        Mean number of classes in them, and share of them with one class.
    importance_ : ndarray
        How much each input counts, if the learner is made of trees.

    Notes
    -----
    Differs from Gibbs and Candès (2021): a set is judged by the level at the time when its row was predicted,
    which matters if labels are late; the step falls with the delay, since a large step would swing between
    all classes and one; and before 50 labels have come, sets follow the probabilities.

    References
    ----------
    I. Gibbs, E. Candès, "Adaptive conformal inference under distribution shift", NeurIPS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.trust import PredictionSets
    >>> rng = np.random.default_rng(1)
    >>> codes = rng.integers(0, 3, 2000)
    >>> X = codes[:, None] + rng.normal(0, 0.7, (2000, 1))
    >>> learner = PredictionSets(NaiveBayes()).begin(1, ["low", "middle", "high"])
    >>> p = learner.test_then_train_coded(X, codes)
    >>> learner.predict_set_one([0.4]), learner.predict_set_one([-1.0])
    (['low', 'middle'], ['low'])
    >>> round(learner.coverage_, 2), round(learner.set_size_, 1)
    (0.9, 1.7)
    """

    _kernel: PredictionSetsKernel
    _thresholds: Thresholds | None = None  # of tested rows, while an evaluation records them
    observes = True

    def __init__(
        self,
        learner: StreamClassifier | None = None,
        *,
        coverage: float = 0.9,
        window: int = 1000,
        max_waiting: int = 10_000,
    ) -> None:
        self.learner = learner
        self.coverage = coverage
        self.window = window
        self.max_waiting = max_waiting

    @property
    def level_(self) -> float:
        """The current level."""
        return self._number("level")

    @property
    def n_sets_(self) -> int:
        """Number of sets whose labels came."""
        return int(self._number("n_labels"))

    @property
    def coverage_(self) -> float:
        """Share of the sets that held the label; NaN before the first label."""
        return self._share("n_covered")

    @property
    def raw_coverage_(self) -> float:
        """The same without the rule that a set is never empty."""
        return self._share("n_held")

    @property
    def set_size_(self) -> float:
        """Mean number of classes in the sets whose labels came; NaN before the first."""
        return self._share("n_members")

    @property
    def single_share_(self) -> float:
        """Share of these sets that have one class; NaN before the first."""
        return self._share("n_single")

    def predict_set(self, X: RowsLike) -> list[NDArray[Any]]:
        """Return for each row the labels in its set, in the order of `classes_`; never none.

        Before the first label there are no classes, and the arrays are empty.
        """
        mask = self.predict_set_mask(X)
        classes = self.classes_[: mask.shape[1]]
        return [classes[row] for row in mask]

    def predict_set_mask(self, X: RowsLike) -> Mask:
        """Return which classes are in the set of each row: booleans of shape (n_rows, n_classes)."""
        with self._reading:
            rows, has_missing = self._checked(X)
            p = np.empty((len(rows), self._n_columns))
            if len(rows):
                self._predict(self._filled(rows, has_missing), p)
            return self._mask(p)[:, : len(self.classes_)]

    def predict_set_one(self, x: Row) -> list[Hashable]:
        """Return the labels in the set of one row, an array of inputs or a dict of named inputs."""
        x = named_row(x)
        if not self._begun:
            return []
        mask = self.sets_of(self._predict_row(x)[None])[0]
        return [label for label, is_in in zip(self._labels.list, mask, strict=False) if is_in]

    def sets_of(self, p: ArrayLike) -> Mask:
        """Return which classes are in the sets of rows with these probabilities, at the current level.

        For probabilities that were predicted just before, when `predict_set` would predict again.
        """
        self._check_begun()
        given = np.asarray(p, dtype=np.float64)
        with self._reading:
            if given.ndim != 2 or given.shape[1] > self._n_columns:
                raise ValueError(f"{self._who}: p must be rows × {len(self.classes_)} classes")
            # Another thread may have added classes since: they had no probability.
            wider = np.zeros((len(given), self._n_columns))
            wider[:, : given.shape[1]] = given
            return self._mask(wider)[:, : given.shape[1]]

    def _mask(self, p: Floats) -> Mask:
        mask = np.zeros(p.shape, dtype=np.uint8)
        if len(p):
            self._kernel.sets(p, mask)
            mask[:, list(self._masked)] = 0
        return mask.view(np.bool_)

    def record_thresholds(self, thresholds: Thresholds | None) -> None:
        """Append the thresholds of the sets of all rows tested from now on to `thresholds`; None to stop.

        A row is tested by the methods that also learn or observe it. For evaluations, which so find out what
        the set of each row was.
        """
        with self._writing:
            self._thresholds = self._kernel.record = thresholds

    def record_sets_of(self, p: Floats) -> None:
        """Append the thresholds of sets of rows with these probabilities, if they are recorded."""
        if self._thresholds is not None and p.size:
            self._thresholds.reserve(len(p))
            first, self._thresholds.n = self._thresholds.n, self._thresholds.n + len(p)
            with self._reading:
                found = self._thresholds.values[first : self._thresholds.n]
                self._kernel.thresholds(np.ascontiguousarray(p), found)

    def _number(self, name: str) -> float:
        self._check_begun()
        with self._reading:
            return float(self._kernel.arrays["sets"][list(FIELDS).index(name)])

    def _share(self, name: str) -> float:
        self._check_begun()
        with self._reading:
            numbers = dict(zip(FIELDS, self._kernel.arrays["sets"].tolist(), strict=True))
            return numbers[name] / numbers["n_labels"] if numbers["n_labels"] else float("nan")

    def _new_kernel(self, n_features: int, n_classes: int) -> PredictionSetsKernel:
        coverage = real_number(self, "coverage", self.coverage, above=0, below=1)
        window = whole_number(self, "window", self.window, 1, MOST_LABELS)
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        kernel = PredictionSetsKernel(self._who, n_features, n_classes, coverage, window, most_kept)
        kernel.record = self._thresholds
        return kernel

    def _check_size(self, memory: State) -> None:
        super()._check_size(memory)
        n = len(memory["arrival"])
        if n != self.window:
            raise StateError(
                f"{self._who}: the state has room for {n} labels, the parameters say window={self.window}"
            )

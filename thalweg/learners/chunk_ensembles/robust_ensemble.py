"""The robust-regression ensemble."""

from typing import Any

import numpy as np

from thalweg._native.kernel import Kernel
from thalweg._parameters import is_real, real_number, wrong
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.chunk_ensembles._native.robust_ensemble import RobustKernel
from thalweg.learners.chunk_ensembles.base import ChunkEnsemble

MOST_PENALTY, MOST_RIDGE, MOST_CLASS_WEIGHT = 1e6, 1e9, 1e6


class RobustEnsemble(ChunkEnsemble):
    """Robust-regression ensemble: the latest members, weighed by logistic regression without the outliers.

    Made for noisy labels: rows that the ensemble finds too unlikely are left out when members are weighed,
    and kept for a person to look at. The weights may be negative, and make more of small trees than votes do.
    All rows of a chunk fit its member and weigh all members, which costs `folds` more fits; `holdout` draws
    rows that only weigh, which is cheaper and less accurate.
    Until the first chunk ends, a member fitted on its rows so far predicts. Chunks count rows, not weights.

    Memory: the members and three chunks; four if none of their rows are held out.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What is fitted on a chunk; `NaiveBayes()` and `DecisionTree(max_leaves=8)` in turn if None. Learners
        in a list take turns.
    n_members : int, default=40
        Members at most; the latest stay (K).
    chunk_size : int, default=100
        Rows of a chunk.
    penalty : float, default=1.5
        What an outlier costs, in units of log-likelihood (e). Below log 2 rows that the ensemble gets right
        can be outliers. None: no outliers, plain logistic weights.
    ridge : float, default=10.0
        Half of it times the squared weights is subtracted from the log-likelihood.
    holdout : float or None, default=None
        Share of a chunk, drawn at random, that weighs members; the rest is what the new one is fitted on.
        None: all rows do both, and members fitted on the other folds speak for the new one.
    folds : int, default=3
        Folds of this cross-validation.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, by label; 1 for those not named. "balanced": each class weighs as much as any
        other in a chunk.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the choice of rows and of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    outliers_ : dict of ndarray
        The latest 1000 outliers, the latest first: `row` is the number of rows learned before it, `label` and
        `believed` what it was called and what the ensemble believed, `likelihood` the probability it gave the
        label.
    members_ : list
        The members.
    weights_ : ndarray
        Their weights in the logistic regression (w).
    history_ : dict of arrays
        Weights and sizes of the members over time, and which came and went, bounded; drawn by
        `plot_history`.

    Notes
    -----
    *Differs from the paper*: equations 3 and 4 are the objective (5 lacks a logarithm and has a wrong sign);
    ridge and halved steps in Newton's method, without which fits fail; at most half of the rows are outliers;
    the penalty is 1.5 instead of 0.2 to 0.3, which removes rows that are right and is no better than no
    outliers at all. *Beyond it*: several classes, with one weight a member; class weights; members of any
    kind; cross-validation. Outliers are looked for among the rows that weigh members. The defaults are the
    best of those tried on sixteen streams (docs/chunk_ensembles.md). The paper has ten trees of 8 leaves, and
    chunks of 1,000 rows, half of them held out: `RobustEnsemble(DecisionTree(max_leaves=8, window=1), 10,
    chunk_size=1000, penalty=0.25, ridge=1.0, holdout=0.5)`.

    References
    ----------
    F. Chu, Y. Wang, C. Zaniolo. An adaptive learning approach for noisy data streams. ICDM 2004.

    Examples
    --------
    >>> from thalweg.learners import RobustEnsemble
    >>> from thalweg.streams import Sphere
    >>> X, y = next(Sphere(20_000, seed=1).blocks(20_000))
    >>> learner = RobustEnsemble().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2), len(learner.outliers_["row"])
    (0.83, 958)
    """

    _kernel: RobustKernel

    def __init__(
        self,
        member: Members = None,
        n_members: int = 40,
        *,
        chunk_size: int = 100,
        penalty: float | None = 1.5,
        ridge: float = 10.0,
        holdout: float | None = None,
        folds: int = 3,
        class_weight: dict[Any, float] | str | None = None,
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.chunk_size = chunk_size
        self.penalty = penalty
        self.ridge = ridge
        self.holdout = holdout
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def outliers_(self) -> dict[str, Any]:
        """The latest outliers, the latest first."""
        with self._reading:
            row, label, believed, likelihood = self._kernel.latest_outliers()
        classes = np.asarray(self.classes_)
        return {
            "row": row, "label": classes[label], "believed": classes[believed], "likelihood": likelihood
        }

    def _make_chunk_kernel(self, n_features: int, n_classes: int, n_members: int, chunk_size: int) -> Kernel:
        penalty = -1.0
        if self.penalty is not None:
            penalty = real_number(self, "penalty", self.penalty, least=0, most=MOST_PENALTY)
        return RobustKernel(
            self._who, n_features, n_classes, n_members, chunk_size, self._n_held_out(chunk_size),
            self._n_folds(), self._keys(1)[0], len(self._made_from), self._build, penalty,
            real_number(self, "ridge", self.ridge, least=1e-6, most=MOST_RIDGE),
            self._class_weights(n_classes),
        )

    def _class_weights(self, n_classes: int) -> Any:
        """Return a weight for each class, or None for balanced ones."""
        given: Any = {} if self.class_weight is None else self.class_weight
        if isinstance(given, str) and given == "balanced":
            return None
        good = isinstance(given, dict) and all(
            is_real(value) and 0 <= value <= MOST_CLASS_WEIGHT for value in given.values()
        )
        if not good:
            wanted = 'a dict of weights from 0 to 1e6 by label, "balanced" or None'
            raise wrong(self, "class_weight", wanted, self.class_weight)
        if not self._labels.is_open and not set(given) <= set(self._labels.list):
            raise wrong(self, "class_weight", f"weights of {self._labels.list}", self.class_weight)
        weights = np.ones(n_classes)
        for place, label in enumerate(self._labels.list):
            weights[place] = given.get(label, 1.0)
        return weights

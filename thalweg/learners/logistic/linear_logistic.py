"""Logistic regression for thousands of inputs, dense or sparse."""

import numpy as np

from thalweg._parameters import real_number
from thalweg._types import Floats
from thalweg.learners.base.sparse_one_hot import SparseOneHot
from thalweg.learners.logistic._native.linear_logistic import LinearKernel


class LinearLogistic(SparseOneHot):
    """Logistic regression for many inputs: time and memory grow with their number, not with its square.

    For text and other wide rows, where `LogisticMixture` takes too long: a row costs as much as it has values
    that are not 0. `test_then_train`, `predict_proba_block` and scikit-learn's verbs take SciPy's sparse rows
    too, and answer as for the same rows in full. It cannot bend, and does not see how inputs go together
    while it learns: with few inputs `LogisticMixture` is better.

    Three regressions learn side by side. A quick one follows every surprise, most of all where rare inputs
    are concerned; a bold and a careful one take steps that grow shorter for inputs that were often wrong
    (AdaGrad). A small regression on their answers weighs them, by what they were worth in the last few
    hundred rows. So no learning rate has to be chosen, and drift is followed.

    Inputs need no scaling. Those that are mostly 0 are measured in multiples of their usual size, the others
    in standard deviations from their mean, at most three. A missing value is left out of the row. A row of
    weight v counts v times in the bold and the careful regression; the quick one makes little of weights
    above 1. Three or more categories are an input each, 0 or 1; what sparse rows do not store is the first.

    Parameters
    ----------
    rate : float, default=1.0
        All steps are that many times as long.
    decay : float, default=0.9999
        Share of past gradients kept whenever an input is not 0. Below 1, steps do not vanish.
    l2 : float, default=0.0
        Penalty on the coefficients: β²/2 times l2, for each row in which their input is not 0.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The coefficients of the answer, for inputs as they are given: those of the three regressions times
        `weights_`; one row for two classes (the second one's), else one for each class. Values and scores are
        bounded besides.
    input_names_ : list of str
        What the columns of `coef_` belong to: the inputs' names, and for three or more categories one each.
    weights_ : ndarray
        Factors of the scores of the quick, the bold and the careful regression.

    Notes
    -----
    Steps and weights were chosen on fourteen simulated and ten real streams, one setting for all. Memory: for
    each input 6 numbers and 5 for each class, 5 in all for two classes; as many again while learning.

    References
    ----------
    Duchi, Hazan, Singer: Adaptive subgradient methods for online learning and stochastic optimization. JMLR,
    2011. Kulis, Bartlett: Implicit online learning. ICML, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import random
    >>> from thalweg.learners import LinearLogistic
    >>> X = random(4000, 1000, density=0.02, random_state=1, format="csr")
    >>> y = X @ np.random.default_rng(1).normal(size=1000) > 0
    >>> p = LinearLogistic().begin(1000, [False, True]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y)[2000:].mean()), 2)
    0.82
    """

    _kernel: LinearKernel

    def __init__(self, rate: float = 1.0, decay: float = 0.9999, *, l2: float = 0.0) -> None:
        self.rate = rate
        self.decay = decay
        self.l2 = l2

    def _make_kernel(self, n_features: int, n_classes: int) -> LinearKernel:
        return LinearKernel(
            self._who,
            n_features,
            n_classes,
            rate=real_number(self, "rate", self.rate, above=0, most=1e6),
            decay=real_number(self, "decay", self.decay, above=0, most=1),
            l2=real_number(self, "l2", self.l2, least=0, most=1e6),
        )

    @property
    def weights_(self) -> Floats:
        """Factors of the scores of the quick, the bold and the careful regression."""
        with self._reading:
            return self._kernel.arrays["weights"].copy()

    def _coefficients(self) -> tuple[Floats, Floats]:
        arrays = self._kernel.arrays
        weights = arrays["weights"]
        beta = arrays["beta"].reshape(len(arrays["beta"]), len(weights), -1)
        coef = np.einsum("jmk,m->kj", beta, weights) * arrays["scale"]
        constant = weights @ arrays["constant"].reshape(len(weights), -1)
        return coef, constant - coef @ arrays["centre"]

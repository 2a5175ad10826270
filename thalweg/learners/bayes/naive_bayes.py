"""Naive Bayes for numeric and categorical inputs."""

from collections.abc import Sequence

import numpy as np

from thalweg._parameters import columns
from thalweg._types import State
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.bayes._native.naive_bayes import NaiveBayesKernel

UNSURE = 20.0  # rows that a copy which is less sure counts for


class NaiveBayes(NativeClassifier):
    """Naive Bayes: inputs are independent given the class, Gaussian or categorical.

    Quick, with nothing to set, and good from the first rows on; it never forgets, so after a drift it is slow
    to follow, and it is over-confident where inputs repeat each other. Missing values are skipped.

    A row of weight 2 counts as the row twice. Memory: three numbers for each class and numeric input, one for
    each class and category seen; categories beyond 65,536 of one input are treated as missing.

    Parameters
    ----------
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes 0, 1, 2, …; streams that know their categories say so
        themselves.

    Notes
    -----
    Follows MOA's naive Bayes (sample variance; density 1 at the mean where the variance is 0; categories
    smoothed by one), but works with logarithms, so that with many inputs the products do not vanish and
    every row gets a meaningful answer, and it bounds what a single wild value can do to a class.

    Examples
    --------
    >>> from thalweg.learners import NaiveBayes
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = NaiveBayes().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.88
    """

    takes_missing = True

    def __init__(self, categorical: Sequence[int] = ()) -> None:
        self.categorical = categorical

    def _less_sure(self) -> State:
        """Return arrays with the same means, variances and frequencies, as if from at most UNSURE rows."""
        arrays = {name: self._kernel.arrays[name].copy() for name in self._kernel.layout}
        weight, n = arrays["weight"], arrays["n"]
        share = np.minimum(UNSURE / max(weight.sum(), UNSURE) * np.ones(len(weight)), 1.0)
        # A class keeps the weight of two rows, so that its variances stay known.
        share = np.where(weight > 2.0, np.maximum(share, 2.0 / np.maximum(weight, 2.0)), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.where(n > 1.0, arrays["squares"] / (n - 1.0), 0.0)
        weight *= share
        n *= share[:, None]
        arrays["squares"][...] = variance * np.maximum(n - 1.0, 0.0)
        arrays["counts"] *= share
        arrays["seen"] *= share
        return arrays

    def _make_kernel(self, n_features: int, n_classes: int) -> NaiveBayesKernel:
        n_categories = self.n_categories_.copy()
        for j in columns(self, "categorical", self.categorical, n_features):
            n_categories[j] = max(n_categories[j], 1)
        return NaiveBayesKernel(n_features, n_classes, n_categories)

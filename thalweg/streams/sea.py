"""SEA: a threshold on the sum of two inputs, which jumps."""

import numpy as np

from thalweg._parameters import whole_number
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator


class SEA(Generator):
    """Three uniform inputs; class 1 where the first two add up to no more than a threshold that jumps.

    The third input says nothing. Thresholds follow each other every `period` rows and start again after the
    last. The defaults are Street and Kim's: four concepts and a tenth of the labels flipped. Grbovic and
    Vucetic (IBoost) use the same rows without noise, `SEA(noise=0)`; Fok, An and Wang (PF-LR) use
    `SEA(40_000, period=10_000, scaled=True)`. Whether a sum that equals the threshold is class 1 (IBoost) or
    0 (PF-LR) never matters, as it does not happen.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    thresholds : sequence of float
        One threshold a concept, between 0 and 20 (paper: θ, b or μ).
    period : int
        Rows a concept lasts.
    noise : float
        Share of flipped labels.
    scaled : bool
        Inputs in [0, 1] instead of [0, 10]; the concepts stay the same.
    seed : int
        The same seed gives the same stream.

    References
    ----------
    Street, Kim: A streaming ensemble algorithm (SEA) for large-scale classification. KDD 2001.

    Examples
    --------
    >>> from thalweg.streams import SEA
    >>> X, y = SEA(noise=0).sample(t=0, n=100_000)
    >>> round(float(y.mean()), 2)  # 8² / 200
    0.32
    """

    n_features = 3

    def __init__(
        self, n_rows=50_000, thresholds=(8, 9, 7, 9.5), period=12_500, noise=0.1, scaled=False, seed=0
    ):
        super().__init__(n_rows, noise, seed)
        self.thresholds = np.asarray(thresholds, dtype=float)
        if self.thresholds.ndim != 1 or not len(self.thresholds):
            raise ParameterError(f"SEA: thresholds must be a list of numbers, got {thresholds!r}")
        self.period = whole_number(self, "period", period, 1)
        self.scaled = scaled
        self.drifts = np.arange(self.period, self.n_rows, self.period)

    def _draw(self, rng, t, noise):
        X = rng.random((len(t), 3))
        concept = t // self.period % len(self.thresholds)
        codes = (X[:, 0] + X[:, 1] <= self.thresholds[concept] / 10).astype(np.intp)
        if not self.scaled:
            X *= 10
        return X, self._flip(rng, codes, noise)

"""SEA: a threshold on the sum of two inputs that changes abruptly."""

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import whole_number
from thalweg._types import Block, Ints
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator


class SEA(Generator):
    """Three uniform inputs; class 1 if the sum of the first two does not exceed a threshold that changes.

    The third input is irrelevant. Thresholds follow each other every `period` rows and start again after the
    last. The defaults are Street and Kim's: four concepts and a tenth of the labels flipped. Grbovic and
    Vucetic (IBoost) use the same rows without noise, `SEA(noise=0)`; Fok, An and Wang (PF-LR) use
    `SEA(40_000, period=10_000, scaled=True)`. A sum equal to the threshold is class 1 for IBoost and class 0
    for PF-LR, but such a sum does not occur.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    thresholds : sequence of float
        The threshold of each concept, between 0 and 20 (paper: θ, b or μ).
    period : int
        Number of rows of a concept.
    noise : float
        Share of flipped labels.
    scaled : bool
        Whether inputs lie in [0, 1] instead of [0, 10]; the concepts are the same.
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
        self,
        n_rows: int = 50_000,
        thresholds: ArrayLike = (8, 9, 7, 9.5),
        *,
        period: int = 12_500,
        noise: float = 0.1,
        scaled: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.thresholds = np.asarray(thresholds, dtype=float)
        if self.thresholds.ndim != 1 or not len(self.thresholds):
            raise ParameterError(f"SEA: thresholds must be a list of numbers, got {thresholds!r}")
        self.period = whole_number(self, "period", period, 1)
        self.scaled = scaled
        self.drifts = np.arange(self.period, self.n_rows, self.period)

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        X = rng.random((len(t), 3))
        concept = t // self.period % len(self.thresholds)
        codes = (X[:, 0] + X[:, 1] <= self.thresholds[concept] / 10).astype(np.intp)
        if not self.scaled:
            X *= 10
        return X, self._flip(rng, codes, noise)

"""HYPERPLANE: a plane through the middle of a cube that changes abruptly or rotates."""

import numpy as np

from thalweg._parameters import whole_number
from thalweg._types import Block, Floats, Ints
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator, bounce

WINDOWS = np.array([0, 1, 3, 6])


class Hyperplane(Generator):
    """Ten uniform inputs in [0, 1], separated by a plane through the middle that changes or rotates.

    By default the concepts are those of Fok, An and Wang (PF-LR): class 1 if the mean of three neighbouring
    inputs exceeds 0.5; the first of them is number 1, 2, 4 and 7 in turn, for `period` rows each. With
    `rotating=True` it is the moving plane of Hulten, Spencer and Domingos: class 1 if Σ wⱼxⱼ > ½ Σ wⱼ, and
    `n_drifting` of the weights move through [0, 1] by `speed` per row. That drift is continuous, so `drifts`
    is empty. Both classes are always equally frequent.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    period : int
        Number of rows of a concept (not if rotating).
    rotating : bool
        Whether the plane rotates slowly instead of changing abruptly.
    n_features : int
        Number of inputs; ten unless rotating.
    n_drifting : int
        Number of inputs, counted from the first, whose weights move (only if rotating).
    speed : float
        Distance that such a weight moves in one row (only if rotating).
    noise : float
        Share of flipped labels.
    seed : int
        The same seed gives the same stream.

    Differs from the paper
    ----------------------
    The paper gives neither the length of the stream nor that of a concept; both are those of its SEA. A
    weight of the rotating plane reverses at 0 and 1 instead of at random moments.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. 2013, appendix C.
    Hulten, Spencer, Domingos: Mining time-changing data streams. KDD 2001.

    Examples
    --------
    >>> from thalweg.streams import Hyperplane
    >>> stream = Hyperplane()
    >>> X, y = stream.sample(t=10_000, n=1000)
    >>> bool((y == (X[:, 1:4].mean(axis=1) > 0.5)).all())
    True
    >>> stream.drifts.tolist()
    [10000, 20000, 30000]
    """

    def __init__(
        self,
        n_rows: int = 40_000,
        period: int = 10_000,
        *,
        rotating: bool = False,
        n_features: int = 10,
        n_drifting: int = 2,
        speed: float = 0.001,
        noise: float = 0.1,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.period = whole_number(self, "period", period, 1)
        self.rotating = rotating
        self.n_features = whole_number(self, "n_features", n_features, 1)
        if not rotating and n_features != 10:
            raise ParameterError(f"Hyperplane: windows have 10 inputs, not {n_features}; set rotating=True")
        self.n_drifting = whole_number(self, "n_drifting", n_drifting, 0)
        if n_drifting > n_features:
            raise ParameterError(f"Hyperplane: n_drifting={n_drifting} exceeds the {n_features} inputs")
        self.speed = speed
        if rotating:
            self._start = self._random(2).random(n_features)
            self._moves = np.arange(n_features) < n_drifting
        else:
            self.drifts = np.arange(self.period, self.n_rows, self.period)

    def weights(self, t: int | Ints) -> Floats:
        """Return the weights of the rotating plane at row `t`, or at each of an array of rows."""
        return bounce(self._start + np.multiply.outer(t, self.speed * self._moves))

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        X = rng.random((len(t), self.n_features))
        if self.rotating:
            above = (self.weights(t) * (X - 0.5)).sum(axis=1) > 0
        else:
            first = WINDOWS[t // self.period % len(WINDOWS)]
            above = np.take_along_axis(X, first[:, None] + np.arange(3), axis=1).sum(axis=1) > 1.5
        return X, self._flip(rng, above.astype(np.intp), noise)

"""HYPERPLANE: a plane through the middle of a cube, which changes its inputs or turns."""

import numpy as np

from thalweg._parameters import whole_number
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator, bounce

WINDOWS = np.array([0, 1, 3, 6])


class Hyperplane(Generator):
    """Ten uniform inputs in [0, 1], split by a plane through the middle that jumps or turns.

    By default the concepts are those of Fok, An and Wang (PF-LR): class 1 where the mean of three
    neighbouring inputs exceeds 0.5, the first of them being number 1, 2, 4 and 7 in turn; each concept lasts
    `period` rows. With `rotating=True` it is the moving plane of Hulten, Spencer and Domingos: class 1 where
    Σ wⱼxⱼ > ½ Σ wⱼ, and `n_drifting` of the weights wander through [0, 1] by `speed` a row. That drift is
    continuous, so `drifts` is empty. Both classes are equally frequent throughout.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    period : int
        Rows a concept lasts (windows only).
    rotating : bool
        A plane that turns slowly instead of one that jumps.
    n_features : int
        Inputs (rotating only; the windows have ten).
    n_drifting : int
        Inputs whose weight moves, the first ones (rotating only).
    speed : float
        How far such a weight moves in one row (rotating only).
    noise : float
        Share of flipped labels.
    seed : int
        The same seed gives the same stream.

    Differs from the paper
    ----------------------
    Neither the length of the stream nor that of a concept is given; both are as in its SEA. A weight of the
    rotating plane turns round at 0 and 1 instead of at random moments.

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
        n_rows=40_000,
        period=10_000,
        rotating=False,
        n_features=10,
        n_drifting=2,
        speed=0.001,
        noise=0.1,
        seed=0,
    ):
        super().__init__(n_rows, noise, seed)
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

    def weights(self, t):
        """Return the plane's weights at the rows numbered `t`, an array: one row each (rotating only)."""
        return bounce(self._start + np.multiply.outer(t, self.speed * self._moves))

    def _draw(self, rng, t, noise):
        X = rng.random((len(t), self.n_features))
        if self.rotating:
            above = (self.weights(t) * (X - 0.5)).sum(axis=1) > 0
        else:
            first = WINDOWS[t // self.period % len(WINDOWS)]
            above = np.take_along_axis(X, first[:, None] + np.arange(3), axis=1).sum(axis=1) > 1.5
        return X, self._flip(rng, above.astype(np.intp), noise)

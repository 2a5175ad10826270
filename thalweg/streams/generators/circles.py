"""CIRCLES: a small circle in a square, which moves and grows."""

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import whole_number
from thalweg._types import Block, Floats, Ints, Labelled, Mask
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator

TABLE_1 = ((0.15, 0.2, 0.5), (0.2, 0.4, 0.5), (0.25, 0.6, 0.5), (0.3, 0.8, 0.5))


class Circles(Generator):
    """Two uniform inputs in [0, 2]²; class 1 inside a small circle that differs from concept to concept.

    Class 1 is rare (1.8 to 7.1 % of the rows), so that with a tenth of the labels flipped most labels 1 are
    wrong. Fok, An and Wang therefore test on as many rows of one class as of the other: `balanced=True` makes
    `sample` do so; it does not change the stream itself.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    circles : sequence of (float, float, float)
        Radius and centre of each concept (paper: β₀, β₁, β₂ of table 1); each circle lies within the square.
    period : int
        Number of rows of a concept; after the last concept the first one returns.
    noise : float
        Share of flipped labels.
    balanced : bool
        Whether `sample` draws equally many rows inside and outside the circle.
    seed : int
        The same seed gives the same stream.

    References
    ----------
    Nishida, Yamauchi: Detecting concept drift using statistical testing. Discovery Science 2007.
    Fok, An, Wang: Mining evolving data streams with particle filters. 2013, section 4.2.

    Examples
    --------
    >>> from thalweg.streams import Circles
    >>> X, y = Circles(balanced=True).sample(t=0, n=1000)
    >>> int(y.sum())
    500
    """

    n_features = 2

    def __init__(
        self,
        n_rows: int = 40_000,
        circles: ArrayLike = TABLE_1,
        *,
        period: int = 10_000,
        noise: float = 0.1,
        balanced: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.circles = np.asarray(circles, dtype=float)
        if self.circles.ndim != 2 or self.circles.shape[1] != 3 or not len(self.circles):
            raise ParameterError(f"Circles: circles must be rows of (radius, x, y), got {circles!r}")
        radius, centre = self.circles[:, :1], self.circles[:, 1:]
        if (radius <= 0).any() or (np.abs(centre - 1) + radius > 1).any():
            raise ParameterError("Circles: each circle needs a positive radius and must lie within [0, 2]²")
        self.period = whole_number(self, "period", period, 1)
        self.balanced = balanced
        self.drifts = np.arange(self.period, self.n_rows, self.period)

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        X = 2 * rng.random((len(t), 2))
        codes = self._inside(X, t).astype(np.intp)
        return X, self._flip(rng, codes, noise)

    def _inside(self, X: Floats, t: Ints) -> Mask:
        radius, x, y = self.circles[t // self.period % len(self.circles)].T
        return (X[:, 0] - x) ** 2 + (X[:, 1] - y) ** 2 < radius**2

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise; half of them inside the circle if `balanced`."""
        if not self.balanced:
            return super().sample(t, n, seed=seed)
        rng = self._random(1, whole_number(self, "t", t, 0), 0 if seed is None else seed + 1)
        codes = rng.permutation(np.arange(n) % 2)
        radius, *centre = self.circles[t // self.period % len(self.circles)]
        # A point uniform in a disc: its squared distance from the centre is uniform.
        distance, angle = radius * np.sqrt(rng.random(n)), 2 * np.pi * rng.random(n)
        X = centre + distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        wrong = np.flatnonzero(codes == 0)
        while len(wrong):
            X[wrong] = 2 * rng.random((len(wrong), 2))
            wrong = wrong[self._inside(X[wrong], np.full(len(wrong), t))]
        return X, self.classes[codes]

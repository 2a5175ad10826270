"""Gaussian classes that are constant, drift or are replaced."""

from typing import Any

import numpy as np
from scipy.signal import lfilter

from thalweg._parameters import one_of, whole_number
from thalweg._types import Block, Floats, Ints
from thalweg.streams.base import CHUNK, Generator

PERIODS = {"static": 1000, "drift": 5000, "abrupt": 1000}


class DriftingGaussians(Generator):
    """Normally distributed classes whose means and covariances are constant, drift or change abruptly.

    The classes are equally frequent. Means start uniform in [−2, 2]ᵖ; covariances are Wishart draws divided
    by their degrees of freedom. `kind` is one of the paper's three:

    - "static": nothing changes.
    - "drift": each mean follows a damped random walk, μₜ = damping·μₜ₋₁ + N(0, speed²), and each covariance
      moves linearly to a new one within `period` rows, then to the next. The drift is continuous, so `drifts`
      is empty.
    - "abrupt": new means and covariances are drawn every `period` rows.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    kind : {"static", "drift", "abrupt"}
        How the classes change.
    n_features, n_classes : int
        Inputs (paper: p) and classes.
    speed : float
        Standard deviation of a mean's step along each axis (paper: σ).
    damping : float
        Factor by which the distance of a mean from 0 shrinks in one row.
    period : int, optional
        Number of rows between two abrupt changes (paper: τ), by default 1000; or for the way from one
        covariance to the next, by default 5000.
    degrees : int, optional
        Degrees of freedom of the Wishart draws (paper: q); five times `n_features` by default.
    seed : int
        The same seed gives the same stream.

    Differs from the paper
    ----------------------
    The paper does not divide the Wishart draws: then the Bayes error would be 0.25 instead of its very low
    one. Its covariances move once from the start of the stream to its end; here they move within `period`
    rows, so that a longer stream starts like a shorter one.

    References
    ----------
    Anagnostopoulos, Tasoulis, Adams, Hand: Temporally adaptive estimation of logistic classifiers on data
    streams. Advances in Data Analysis and Classification, 2009, section 4.

    Examples
    --------
    >>> from thalweg.streams import DriftingGaussians
    >>> stream = DriftingGaussians(kind="abrupt", seed=1)
    >>> stream.drifts.tolist()
    [1000, 2000, 3000, 4000]
    >>> means, covariances = stream.concept(1000)
    >>> means[0].round(2).tolist()
    [1.14, 1.05, 1.1, -1.72, 1.54]
    """

    def __init__(
        self,
        n_rows: int = 5000,
        kind: str = "static",
        *,
        n_features: int = 5,
        n_classes: int = 2,
        speed: float = 0.1,
        damping: float = 0.99,
        period: int | None = None,
        degrees: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, 0.0, seed=seed)
        self.kind = one_of(self, "kind", kind, PERIODS)
        self.n_features = whole_number(self, "n_features", n_features, 1)
        self.n_classes = whole_number(self, "n_classes", n_classes, 2)
        self.classes = np.arange(n_classes)
        self.speed, self.damping = speed, damping
        self.period = whole_number(self, "period", PERIODS[kind] if period is None else period, 1)
        degrees = 5 * n_features if degrees is None else degrees
        self.degrees = whole_number(self, "degrees", degrees, n_features)
        if kind == "abrupt":
            self.drifts = np.arange(self.period, self.n_rows, self.period)
        # Random walk of the means, for "drift": their values at the start of each chunk, and the latest
        # chunk.
        self._starts = [self._draw_concept(0)[0]]
        self._walked: tuple[int, Floats] = -1, self._starts[0]

    def concept(self, t: int) -> tuple[Floats, Floats]:
        """Return the means and the covariances at row `t`, one of each for every class."""
        means, covariances = self._draw_concept(self._number(t))
        if self.kind == "drift":
            way = t % self.period / self.period
            after = self._draw_concept(self._number(t) + 1)[1]
            return self._means(np.array([t]))[0], (1 - way) * covariances + way * after
        return means, covariances

    def _number(self, t: Any) -> Any:
        return 0 * t if self.kind == "static" else t // self.period

    def _draw_concept(self, number: int) -> tuple[Floats, Floats]:
        rng = self._random(2, number)
        means = rng.uniform(-2, 2, (self.n_classes, self.n_features))
        A = rng.standard_normal((self.n_classes, self.degrees, self.n_features))
        return means, A.transpose(0, 2, 1) @ A / self.degrees

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        codes = rng.integers(self.n_classes, size=len(t))
        X = np.empty((len(t), self.n_features))
        numbers = self._number(t)
        for number in np.unique(numbers):
            rows = numbers == number
            X[rows] = self._draw_rows(rng, number, t[rows], codes[rows])
        return X, codes

    def _draw_rows(self, rng: np.random.Generator, number: int, t: Ints, codes: Ints) -> Floats:
        means, covariances = self._draw_concept(number)
        X = _scatter(rng, covariances, codes)
        if self.kind != "drift":
            return means[codes] + X
        # The sum of two independent draws has the mixture (1 − way)·Σ + way·Σ' as its covariance.
        way = (t % self.period / self.period)[:, None]
        after = _scatter(rng, self._draw_concept(number + 1)[1], codes)
        return self._means(t)[np.arange(len(t)), codes] + np.sqrt(1 - way) * X + np.sqrt(way) * after

    def _means(self, t: Ints) -> Floats:
        """Return the drifting means at the rows `t`, which belong to one chunk."""
        chunk = int(t[0]) // CHUNK
        while len(self._starts) <= chunk:
            last = self._walk(len(self._starts) - 1)[-1]
            self._starts.append(self.damping * last + self._steps(len(self._starts))[0])
        if self._walked[0] != chunk:
            self._walked = chunk, self._walk(chunk)
        return self._walked[1][t - chunk * CHUNK]

    def _steps(self, chunk: int) -> Floats:
        return self.speed * self._random(3, chunk).standard_normal((CHUNK, self.n_classes, self.n_features))

    def _walk(self, chunk: int) -> Floats:
        steps = self._steps(chunk)
        steps[0] = self._starts[chunk]
        return lfilter([1.0], [1.0, -self.damping], steps, axis=0)


def _scatter(rng: np.random.Generator, covariances: Floats, codes: Ints) -> Floats:
    X = rng.standard_normal((len(codes), covariances.shape[1]))
    for code, factor in enumerate(np.linalg.cholesky(covariances)):
        rows = codes == code
        X[rows] = X[rows] @ factor.T
    return X

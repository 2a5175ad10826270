"""LED: a digit on a seven-segment display whose wires are swapped at times."""

import numpy as np

from thalweg._parameters import whole_number
from thalweg._types import Block, Ints
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator

# Segments from top to bottom: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=float,
)
NOT_ROUND = np.isin(np.arange(10), [1, 2, 4, 5, 7]).astype(np.intp)


class LED(Generator):
    """Which digit does a faulty seven-segment display show? Segments swap places with random inputs.

    Every segment is inverted with probability `noise`; the other inputs are random bits. Every `period` rows
    `n_drifting` of the segments swap places with other inputs, which differ from concept to concept; in the
    first concept the segments are the first seven inputs. With a noise of 0.1 no classifier gets more than
    74 % of the digits right. Samples have no inverted segments.

    The defaults are those of Grbovic and Vucetic (IBoost), who separate the round digits 3, 6, 8, 9, 0
    (class 0) from the others (class 1): that is `binary=True`.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    n_irrelevant : int
        Number of inputs that are not segments.
    n_drifting : int
        Number of segments that swap places, at most 7 and at most `n_irrelevant`.
    period : int
        Number of rows of a concept.
    binary : bool
        Whether the classes are round and not round instead of ten digits.
    noise : float
        Probability that a segment is inverted.
    seed : int
        The same seed gives the same stream.

    Differs from the paper
    ----------------------
    The paper does not say when its four attributes drift; a quarter of its million rows is an assumption.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and regression trees. 1984.
    Grbovic, Vucetic: Tracking concept change with incremental boosting. 2011, section 3.1.

    Examples
    --------
    >>> from thalweg.streams import LED
    >>> X, y = next(LED().blocks(1000))
    >>> X.shape, int(X[0, :7].sum()), int(y[0])
    ((1000, 24), 6, 0)
    """

    def __init__(
        self, n_rows: int = 1_000_000, n_irrelevant: int = 17, *, n_drifting: int = 4, period: int = 250_000,
        binary: bool = False, noise: float = 0.1, seed: int = 0
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.n_irrelevant = whole_number(self, "n_irrelevant", n_irrelevant, 0)
        self.n_drifting = whole_number(self, "n_drifting", n_drifting, 0)
        if n_drifting > min(7, n_irrelevant):
            raise ParameterError(
                f"LED: {n_drifting} segments cannot swap places with {n_irrelevant} other inputs; "
                f"set n_drifting to at most {min(7, n_irrelevant)}"
            )
        self.period = whole_number(self, "period", period, 1)
        self.binary = binary
        self.classes = np.arange(2 if binary else 10)
        self.n_features = 7 + n_irrelevant
        if n_drifting:
            self.drifts = np.arange(self.period, self.n_rows, self.period)

    @property
    def n_categories(self) -> Ints:
        """Two for each input: off and on."""
        return np.full(self.n_features, 2, dtype=np.intp)

    def order(self, t: int) -> Ints:
        """Return what each input is at row `t`: a segment, 0 to 6, or a random bit, 7 and above."""
        order = np.arange(self.n_features)
        if self.n_drifting and t >= self.period:
            rng = self._random(2, t // self.period)
            segments = rng.choice(7, self.n_drifting, replace=False)
            others = 7 + rng.choice(self.n_irrelevant, self.n_drifting, replace=False)
            order[segments], order[others] = others, segments
        return order

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        digits = rng.integers(10, size=len(t))
        X = rng.integers(0, 2, (len(t), self.n_features)).astype(float)
        X[:, :7] = SEGMENTS[digits]
        if noise and self.noise:
            X[:, :7] = np.abs(X[:, :7] - (rng.random((len(t), 7)) < self.noise))
        concept = t // self.period
        for number in np.unique(concept[concept > 0]):
            rows = np.flatnonzero(concept == number)
            X[rows] = X[np.ix_(rows, self.order(number * self.period))]
        return X, NOT_ROUND[digits] if self.binary else digits

"""MANY: twenty planes in quick succession."""

import numpy as np

from thalweg._parameters import whole_number
from thalweg._types import Block, Ints
from thalweg.streams.base import Generator

# β₀, β₁, β₂, β₃ of the twenty concepts.
TABLE_2 = np.array(
    [
        [8.3, 0.5, 0.7, 0.6],
        [8.0, 0.72, 0.41, 0.52],
        [8.5, 0.66, 0.55, 0.56],
        [8.1, 0.52, 0.6, 0.62],
        [8.5, 0.44, 0.35, 0.44],
        [8.6, 0.78, 0.5, 0.68],
        [8.5, 0.54, 0.55, 0.54],
        [7.8, 0.78, 0.58, 0.68],
        [8.1, 0.43, 0.51, 0.43],
        [8.0, 0.44, 0.54, 0.54],
        [8.5, 0.49, 0.38, 0.49],
        [8.0, 0.59, 0.6, 0.49],
        [8.2, 0.64, 0.4, 0.64],
        [8.0, 0.65, 0.5, 0.65],
        [8.5, 0.68, 0.4, 0.68],
        [8.1, 0.71, 0.55, 0.71],
        [7.6, 0.75, 0.31, 0.65],
        [7.3, 0.46, 0.31, 0.66],
        [7.0, 0.4, 0.7, 0.5],
        [8.0, 0.5, 0.5, 0.5],
    ]
)


class Many(Generator):
    """Three uniform inputs; class 1 below a plane, with a new plane every hundred rows.

    A row x in [0, 10]³ has class 1 if β₁x₁ + β₂x₂ + β₃x₃ < β₀. The twenty planes of the paper's table 2
    follow each other every `period` rows, which are two of its batches of 50, and start again after the last.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    period : int
        Number of rows of a concept.
    noise : float
        Share of flipped labels.
    scaled : bool
        Whether inputs lie in [0, 1], as in the paper, or in [0, 10]; the concepts are the same.
    seed : int
        The same seed gives the same stream.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. 2013, section 4.3.

    Examples
    --------
    >>> from thalweg.streams import Many
    >>> stream = Many()
    >>> len(stream.drifts)
    19
    >>> X, y = stream.sample(t=400, n=100_000)  # 0.44 x₁ + 0.35 x₂ + 0.44 x₃ < 8.5
    >>> round(float(y.mean()), 2)
    0.86
    """

    n_features = 3

    def __init__(
        self, n_rows: int = 2000, period: int = 100, *, noise: float = 0.1, scaled: bool = True, seed: int = 0
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.period = whole_number(self, "period", period, 1)
        self.scaled = scaled
        self.drifts = np.arange(self.period, self.n_rows, self.period)

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        X = rng.random((len(t), 3))
        plane = TABLE_2[t // self.period % len(TABLE_2)]
        codes = (10 * (plane[:, 1:] * X).sum(axis=1) < plane[:, 0]).astype(np.intp)
        if not self.scaled:
            X *= 10
        return X, self._flip(rng, codes, noise)

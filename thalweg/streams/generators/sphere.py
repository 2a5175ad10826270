"""Sphere: inside or outside a ball whose centre moves from block to block."""

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import whole_number
from thalweg._types import Block, Floats, Ints
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator


class Sphere(Generator):
    """Three uniform inputs in [0, 1]; class 1 inside a ball whose centre moves between blocks of rows.

    Every `jump_every` blocks the centre jumps by `jump` along each axis, up or down at random. Between jumps
    it is constant (figure 1 of the paper) or moves after every block by a small random step, `step=(0.005,
    0.03)` (figure 2). A step that would lead out of `bounds` goes the other way, which keeps class 1 between
    41 and 55 % of the rows, as in the paper.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    period : int
        Number of rows of a block.
    jump : float
        Length of the jump along each axis (paper: δ).
    jump_every : int
        Number of blocks between two jumps.
    step : (float, float)
        Shortest and longest small step along each axis; (0, 0) for none.
    radius : float
        Radius of the ball (paper: r).
    bounds : (float, float)
        The centre starts in the middle of these and never leaves them.
    noise : float
        Share of flipped labels.
    seed : int
        The same seed gives the same stream.

    Differs from the paper
    ----------------------
    The paper gives neither the radius, the block, the bounds nor the start: these are assumptions.

    References
    ----------
    Chu, Wang, Zaniolo: An adaptive learning approach for noisy data streams. ICDM 2004, section 5.1.

    Examples
    --------
    >>> from thalweg.streams import Sphere
    >>> stream = Sphere()
    >>> stream.drifts.tolist()
    [40000, 80000, 120000]
    >>> stream.centre(40_000).round(2).tolist()
    [0.4, 0.6, 0.4]
    """

    n_features = 3

    def __init__(
        self,
        n_rows: int = 160_000,
        period: int = 1000,
        *,
        jump: float = 0.1,
        jump_every: int = 40,
        step: tuple[float, float] = (0.0, 0.0),
        radius: float = 0.5,
        bounds: tuple[float, float] = (0.35, 0.65),
        noise: float = 0.1,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.period = whole_number(self, "period", period, 1)
        self.jump_every = whole_number(self, "jump_every", jump_every, 1)
        self.jump, self.step, self.radius, self.bounds = jump, step, radius, bounds
        if not 0 <= step[0] <= step[1]:
            raise ParameterError(f"Sphere: step must be two lengths, the shorter first, got {step!r}")
        if not bounds[0] < bounds[1] or max(jump, step[1]) > (bounds[1] - bounds[0]) / 2:
            move = max(jump, step[1])
            raise ParameterError(f"Sphere: a move of {move} needs bounds twice as far apart, got {bounds!r}")
        self._centres = np.full((1, 3), sum(bounds) / 2)
        self.drifts = np.arange(self.period, self.n_rows, self.period)
        if not step[1]:
            self.drifts = self.drifts[self.drifts % (self.period * self.jump_every) == 0]

    def centre(self, t: ArrayLike) -> Floats:
        """Return the centre of the ball at row `t`, or at each of an array of rows."""
        block = np.asarray(t) // self.period
        if block.max(initial=0) >= len(self._centres):
            self._centres = self._walk(2 * int(block.max(initial=0)) + 1)
        return self._centres[block]

    def _walk(self, n_blocks: int) -> Floats:
        low, high = self.bounds
        draws = self._random(2).random((n_blocks, 4))
        length = self.step[0] + (self.step[1] - self.step[0]) * draws[:, 3]
        length[:: self.jump_every] = self.jump
        moves = np.where(draws[:, :3] < 0.5, -1, 1) * length[:, None]
        centres = np.empty((n_blocks, 3))
        centres[0] = centre = np.full(3, (low + high) / 2)
        for block in range(1, n_blocks):
            there = centre + moves[block]
            centre = np.where((there < low) | (there > high), centre - moves[block], there)
            centres[block] = centre
        return centres

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        X = rng.random((len(t), 3))
        inside = ((X - self.centre(t)) ** 2).sum(axis=1) <= self.radius**2
        return X, self._flip(rng, inside.astype(np.intp), noise)

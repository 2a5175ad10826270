"""Random RBF: points around centroids that move."""

import numpy as np

from thalweg._parameters import one_of, whole_number
from thalweg._types import Block, Floats, Ints
from thalweg.errors import ParameterError
from thalweg.streams.base import Generator, bounce

SHIFT_ROWS = 1_000_000


def stopped(start: Floats, velocity: Floats, t: Ints | int) -> Floats:
    """Return positions in [0, 1] after `t` steps; one that leads out ends at the wall, and the next turns."""
    step = np.abs(velocity)
    up = velocity > 0
    start = np.where(up, start, 1 - start)  # downwards is the mirror image of upwards
    with np.errstate(divide="ignore", invalid="ignore"):
        # A way there or back: the wall, then n_inside steps.
        n_inside, before = np.floor(1 / step), np.floor((1 - start) / step) + 1
        phase = (t - before) % (2 * (n_inside + 1))
        way = step * (phase % (n_inside + 1))
    there = np.where(t < before, start + step * t, np.where(phase <= n_inside, 1 - way, way))
    return np.where(up, there, 1 - there)


class RandomRBF(Generator):
    """Points around random centroids, each of one class, which move through the unit cube.

    For each row a centroid is drawn by weight; the row lies in a random direction from it, at a normally
    distributed distance times the spread of the centroid. Each centroid moves straight on by `speed` per row
    and turns back at the walls. The defaults are those of Grbovic and Vucetic (IBoost): 10 centroids, two
    classes, speed 0.001, a million rows.

    Hoens, Chawla and Polikar (HUWRS) write that only some inputs drift: Gaussian noise whose centre moves is
    added to 4 of 20 inputs, `RandomRBF(n_features=20, speed=0, n_shifted=4, shift=0.5)` with shift 0.5, 1, 2,
    5 or 10. Accuracies of the size of theirs come from another stream, `RandomRBF(n_features=20,
    n_centroids=50, speed=0.5, walls="stop")` (docs/huwrs.md). All kinds of drift are continuous, so `drifts`
    is empty.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    n_features, n_centroids, n_classes : int
        Number of inputs, centroids and classes; centroids are divided evenly among the classes.
    speed : float
        Distance that a centroid moves in one row.
    walls : {"reflect", "stop"}
        Whether a step into a wall is reflected, or ends at the wall, as in MOA. The difference matters if
        steps are long: those that cross the cube then go from wall to wall.
    n_shifted : int
        Number of inputs, chosen at random, to which noise with a moving centre is added.
    shift : float
        Distance that this centre moves in a million rows, up or down.
    spread : float
        Standard deviation of this noise.
    noise : float
        Share of flipped labels.
    seed : int
        The same seed gives the same stream.

    Attributes
    ----------
    shifted : ndarray of int
        The inputs to which noise with a moving centre is added.

    Differs from the paper
    ----------------------
    HUWRS gives neither the unit of its rate of drift, nor the spread of the noise, nor the number of
    centroids: a million rows (its stream), 0.1 (about that of a cloud in one input) and 10 are assumptions.

    References
    ----------
    Bifet, Holmes, Pfahringer, Kirkby, Gavaldà: New ensemble methods for evolving data streams. KDD 2009.
    Grbovic, Vucetic: Tracking concept change with incremental boosting. 2011, section 3.1.
    Hoens, Chawla, Polikar: Heuristic updatable weighted random subspaces. ICDM 2011.

    Examples
    --------
    >>> from thalweg.streams import RandomRBF
    >>> X, y = next(RandomRBF(seed=1).blocks(10_000))
    >>> X.shape, round(float(y.mean()), 2)
    ((10000, 10), 0.46)
    """

    def __init__(
        self,
        n_rows: int = 1_000_000,
        n_features: int = 10,
        *,
        n_centroids: int = 10,
        n_classes: int = 2,
        speed: float = 0.001,
        walls: str = "reflect",
        n_shifted: int = 0,
        shift: float = 0.5,
        spread: float = 0.1,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(n_rows, noise, seed=seed)
        self.n_features = whole_number(self, "n_features", n_features, 1)
        self.n_classes = whole_number(self, "n_classes", n_classes, 2)
        self.n_centroids = whole_number(self, "n_centroids", n_centroids, n_classes)
        self.n_shifted = whole_number(self, "n_shifted", n_shifted, 0)
        if n_shifted > n_features:
            raise ParameterError(f"RandomRBF: n_shifted={n_shifted} exceeds the {n_features} inputs")
        self.walls = one_of(self, "walls", walls, ("reflect", "stop"))
        self.speed, self.shift, self.spread = speed, shift, spread
        self.classes = np.arange(n_classes)
        self._place_centroids(self._random(2))

    def _place_centroids(self, rng: np.random.Generator) -> None:
        k, d = self.n_centroids, self.n_features
        self._start = rng.random((k, d))
        direction = rng.standard_normal((k, d))
        self._velocity = self.speed * direction / np.linalg.norm(direction, axis=1, keepdims=True)
        self._scale = rng.random(k)
        self._cumulative = np.cumsum(rng.random(k))
        self._code = rng.permutation(np.arange(k) % self.n_classes)
        self.shifted = np.sort(rng.choice(d, self.n_shifted, replace=False))
        self._shift_rate = rng.choice([-1.0, 1.0], self.n_shifted) * self.shift / SHIFT_ROWS

    def centroids(self, t: int) -> Floats:
        """Return the positions of the centroids at row `t`, one row each."""
        return self._moved(self._start, self._velocity, t)

    def _moved(self, start: Floats, velocity: Floats, t: Ints | int) -> Floats:
        if self.walls == "reflect":
            return bounce(start + velocity * t)
        return stopped(start, velocity, t)

    def _draw(self, rng: np.random.Generator, t: Ints, noise: bool) -> Block:
        picked = np.searchsorted(self._cumulative, self._cumulative[-1] * rng.random(len(t)), side="right")
        X = rng.uniform(-1, 1, (len(t), self.n_features))
        distance = self._scale[picked] * rng.standard_normal(len(t))
        X *= (distance / np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]
        X += self._moved(self._start[picked], self._velocity[picked], t[:, None])
        if self.n_shifted:
            moved = self.spread * rng.standard_normal((len(t), self.n_shifted))
            X[:, self.shifted] += moved + np.multiply.outer(t, self._shift_rate)
        return X, self._flip(rng, self._code[picked], noise)

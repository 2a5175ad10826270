"""The nearest neighbours for several k and windows at once."""

from collections.abc import Sequence

from thalweg._parameters import columns, real_number, whole_number, wrong
from thalweg._types import Floats
from thalweg.learners.base.native import KeepsRows
from thalweg.learners.neighbours._native.neighbour_mixture import NeighbourMixtureKernel

MOST_NEIGHBOURS, MOST_ROWS, MOST_LISTED, MOST_WAITING = 1000, 10_000_000, 100, 1_000_000


class NeighbourMixture(KeepsRows):
    """Nearest neighbours for several k and windows, weighted by their recent log-loss.

    For the user who does not want to choose how many neighbours, and how far back: it is close to the best
    choice, or better, and its distances are measured once for all of them. Inputs are scaled by their range
    in the longest window; the rest is as in `NearestNeighbours`. Where labels come late, call `observe` for
    each row when it is predicted: the weights then follow what was said at that time.

    Memory: that of `NearestNeighbours` with the longest window; with E pairs of k and window and K classes
    (E K + 6) numbers for each row that waits for its label.

    Parameters
    ----------
    n_neighbours : sequence of int, default=(1, 4, 10)
        Neighbours that vote (k).
    windows : sequence of int, default=(200, 1000, 5000)
        Latest rows among which they are searched.
    switching : float, default=0.001
        Chance, row by row, that another pair of k and window becomes the best.
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes; streams that know their categories say so themselves.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Attributes
    ----------
    trust_ : ndarray
        Share in the answer of each window (row) and number of neighbours (column, rising).

    References
    ----------
    M. Herbster, M. Warmuth. Tracking the best expert. Machine Learning 32, 1998.

    Examples
    --------
    >>> from thalweg.learners import NeighbourMixture
    >>> from thalweg.streams import RandomRBF
    >>> X, y = next(RandomRBF(seed=1).blocks(5000))
    >>> learner = NeighbourMixture().begin(10, [0, 1])
    >>> round(float((learner.test_then_train(X, y).argmax(axis=1) == y).mean()), 2)
    0.97
    """

    takes_missing = True
    observes = True

    def __init__(
        self,
        n_neighbours: Sequence[int] = (1, 4, 10),
        windows: Sequence[int] = (200, 1000, 5000),
        *,
        switching: float = 0.001,
        categorical: Sequence[int] = (),
        max_waiting: int = 10_000,
    ) -> None:
        self.n_neighbours = n_neighbours
        self.windows = windows
        self.switching = switching
        self.categorical = categorical
        self.max_waiting = max_waiting

    @property
    def trust_(self) -> Floats:
        """Shares in the prediction, by window and number of neighbours."""
        with self._reading:
            return self._kernel.arrays["trust"].reshape(len(self.windows), -1).copy()

    def _make_kernel(self, n_features: int, n_classes: int) -> NeighbourMixtureKernel:
        is_category = self.n_categories_ > 0
        is_category[columns(self, "categorical", self.categorical, n_features)] = True
        return NeighbourMixtureKernel(
            self._who,
            n_features,
            n_classes,
            self._numbers("n_neighbours", self.n_neighbours, MOST_NEIGHBOURS),
            self._numbers("windows", self.windows, MOST_ROWS),
            real_number(self, "switching", self.switching, least=0, below=1),
            whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING),
            is_category,
        )

    def _numbers(self, name: str, value: Sequence[int], most: int) -> list[int]:
        try:
            numbers = list(value)
        except TypeError:
            numbers = []
        if not 1 <= len(numbers) <= MOST_LISTED:
            raise wrong(self, name, "a sequence of whole numbers from 1 on", value)
        return [whole_number(self, f"each number of {name}", each, 1, most) for each in numbers]

"""The nearest neighbours in a window of the latest rows."""

from collections.abc import Sequence

from thalweg._parameters import columns, count
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.neighbours._native.nearest_neighbours import NearestNeighboursKernel


class NearestNeighbours(NativeClassifier):
    """The k nearest neighbours among the latest rows vote.

    Learns any shape of boundary and follows drift at the pace of the window, with nothing to tune but its
    length. Every prediction looks at the whole window, but measures only rows that may be near; with many
    useless inputs distances say little. Inputs are scaled by their range in the window. Rows as near as the
    k-th nearest all vote, with their weights; the window counts rows, whatever their weight.

    Memory: (window + 32) × (inputs + 2 + (inputs + 1)/4) + 14 × inputs numbers of 8 bytes, and 2 × window
    while it predicts.

    Parameters
    ----------
    n_neighbours : int, default=10
        Neighbours that vote (k).
    window : int, default=1000
        Latest rows that are kept (w).
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes; streams that know their categories say so themselves.

    Notes
    -----
    Follows MOA's kNN: Euclidean distance of inputs scaled to [0, 1], 1 between different categories, a
    missing value as far as it could be.

    References
    ----------
    D. W. Aha, D. Kibler and M. K. Albert. Instance-based learning algorithms. Machine Learning 6, 1991.

    Examples
    --------
    >>> from thalweg.learners import NearestNeighbours
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = NearestNeighbours().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.88
    """

    takes_missing = True
    _kept_rows = "window"

    def __init__(
        self, n_neighbours: int = 10, window: int = 1000, *, categorical: Sequence[int] = ()
    ) -> None:
        self.n_neighbours = n_neighbours
        self.window = window
        self.categorical = categorical

    def _make_kernel(self, n_features: int, n_classes: int) -> NearestNeighboursKernel:
        n_neighbours = count(self, "n_neighbours", self.n_neighbours, 1)
        window = count(self, "window", self.window, 1)
        is_category = self.n_categories_ > 0
        is_category[columns(self, "categorical", self.categorical, n_features)] = True
        return NearestNeighboursKernel(self._who, n_features, n_classes, n_neighbours, window, is_category)

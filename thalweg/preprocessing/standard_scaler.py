"""Numbers in terms of their running mean and standard deviation."""

from thalweg._parameters import real_number
from thalweg._types import Floats
from thalweg.preprocessing._native.standard_scaler import ScalerKernel
from thalweg.preprocessing.base import Columns, Outputs, Step


class StandardScaler(Step):
    """StandardScaler: a number as standard deviations from its mean, both of the rows so far.

    Values farther than ten standard deviations count as ten, when they are scaled and when they are learned,
    so that one wild value spoils nothing. Before two different values were learned the output is 0. A missing
    value stays missing.

    Parameters
    ----------
    columns : sequence of int or str, default=None
        Positions or names of the inputs; if None, those without categories.
    decay : float, default=1.0
        Weight of a row relative to the next one; 1 never forgets, 0.999 forgets within some 1000 rows.

    Attributes
    ----------
    mean_, var_ : ndarray
        Mean and variance of each column.

    Examples
    --------
    >>> from thalweg.preprocessing import StandardScaler
    >>> StandardScaler().fit([[1.0], [3.0]]).transform([[4.0]])
    array([[2.]])
    """

    def __init__(self, columns: Columns = None, decay: float = 1.0) -> None:
        self.columns = columns
        self.decay = decay

    @property
    def mean_(self) -> Floats:
        """Mean of each column."""
        return self._copy_of("mean")

    @property
    def var_(self) -> Floats:
        """Variance of each column."""
        return self._copy_of("variance")

    def _copy_of(self, name: str) -> Floats:
        with self._reading:
            return self._kernel.arrays[name].copy()

    def _is_default(self, n_categories: int) -> bool:
        return n_categories == 0

    def _outputs(self, n_categories: int) -> Outputs:
        return [("", 0)]

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> ScalerKernel:
        decay = real_number(self, "decay", self.decay, above=0, most=1)
        return ScalerKernel(self._who, self.n_features_in_, self._columns, sizes, decay)

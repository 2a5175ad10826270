"""Values instead of missing ones."""

from thalweg._parameters import one_of
from thalweg.preprocessing._native.imputer import ImputerKernel
from thalweg.preprocessing.base import Columns, Outputs, Step

STRATEGIES = ("mean", "last", "flag")


class Imputer(Step):
    """Imputer: the running mean, or the last value, instead of a missing one.

    A pipeline fills gaps with the running mean anyway before a learner that cannot handle them. Use this step
    for another value, for a learner that could handle gaps but should not, or for flags: where it matters
    that a value is missing. Before the first value the output is 0.

    Parameters
    ----------
    strategy : {"mean", "last", "flag"}, default="mean"
        What to fill in: the mean of the rows so far; the last value; the mean, with a further input that is
        1 where the value was missing and else 0.
    columns : sequence of int or str, default=None
        Positions or names of the inputs; if None, those without categories, or all for "last".

    Examples
    --------
    >>> from thalweg.preprocessing import Imputer
    >>> Imputer("flag").fit([[1.0], [3.0]]).transform([[None], [5.0]])
    array([[2., 1.],
           [5., 0.]])
    """

    def __init__(self, strategy: str = "mean", columns: Columns = None) -> None:
        self.strategy = strategy
        self.columns = columns

    def _way(self) -> str:
        return one_of(self, "strategy", self.strategy, STRATEGIES)

    def _is_default(self, n_categories: int) -> bool:
        return n_categories == 0 or self._way() == "last"

    def _outputs(self, n_categories: int) -> Outputs:
        return [("", n_categories), ("_missing", 2)][: 2 if self._way() == "flag" else 1]

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> ImputerKernel:
        way = self._way()
        return ImputerKernel(
            self._who, self.n_features_in_, self._columns, sizes, way == "last", way == "flag"
        )

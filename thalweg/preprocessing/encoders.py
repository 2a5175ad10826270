"""Categories as numbers: an input of 0 or 1 for each, or a code."""

from thalweg._parameters import one_of, whole_number
from thalweg.preprocessing._native.encoders import CategoriesKernel
from thalweg.preprocessing.base import Columns, Outputs, Step

MOST_CATEGORIES = 1024


class _Encoder(Step):
    """What both encoders share: the categories of each column, in bounded number."""

    max_categories: int
    unseen: str
    _ways: tuple[str, ...]  # to treat unseen categories
    _one_hot: bool

    def _is_default(self, n_categories: int) -> bool:
        return n_categories > 0

    def _room(self, n_categories: int) -> int:
        """Return how many categories of a column are known at most."""
        most = whole_number(self, "max_categories", self.max_categories, 1, MOST_CATEGORIES)
        return min(n_categories, most) if n_categories else most

    def _marks_unseen(self) -> bool:
        return one_of(self, "unseen", self.unseen, self._ways) == "own"

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> CategoriesKernel:
        self._room(1)  # checks the parameter, also if there is no column
        marks_unseen = self._marks_unseen()
        room = [self._room(n) for n in n_categories]
        known = [k if n else 0 for k, n in zip(room, n_categories, strict=True)]
        return CategoriesKernel(
            self._who, self.n_features_in_, self._columns, sizes, room, known, self._one_hot, marks_unseen
        )

    @property
    def categories_(self) -> dict[int, list[float]]:
        """The categories known so far of each column, in the order of their codes."""
        with self._reading:
            known = self._kernel.arrays["known"]
            return {j: row[row == row].tolist() for j, row in zip(self._columns, known, strict=True)}


class OneHotEncoder(_Encoder):
    """OneHotEncoder: an input of 0 or 1 for each category.

    A category that was not learned yet is 0 everywhere, or 1 in a place of its own; a missing one is 0
    everywhere. Inputs whose number of categories is known when the learner begins have a place for each
    of them (0, 1, 2, …); others have `max_categories` places, given to values in the order in which they
    are learned.

    Parameters
    ----------
    columns : sequence of int or str, default=None
        Positions or names of the inputs; if None, those with a known number of categories.
    max_categories : int, default=32
        Most places of an input. All categories beyond stay unseen.
    unseen : {"zeros", "own"}, default="zeros"
        Whether all unseen categories together have a place of their own.

    Attributes
    ----------
    categories_ : dict
        For each column the categories known so far.

    Examples
    --------
    >>> from thalweg.preprocessing import OneHotEncoder
    >>> encoder = OneHotEncoder(columns=[0], max_categories=2).fit([[7.0, 0.5], [3.0, 0.1]])
    >>> encoder.transform([[3.0, 0.2], [9.0, 0.3]])
    array([[0. , 1. , 0.2],
           [0. , 0. , 0.3]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0=7', 'x0=3', 'x1']
    """

    _ways = ("zeros", "own")
    _one_hot = True

    def __init__(self, columns: Columns = None, max_categories: int = 32, *, unseen: str = "zeros") -> None:
        self.columns = columns
        self.max_categories = max_categories
        self.unseen = unseen

    def _outputs(self, n_categories: int) -> Outputs:
        return [(None, 2)] * (self._room(n_categories) + self._marks_unseen())

    def _endings(self, c: int) -> list[str]:
        known = self._kernel.arrays["known"][c, : self._room(int(self.n_categories_[self._columns[c]]))]
        free = [f"={value:.15g}" if value == value else f"[{place}]" for place, value in enumerate(known)]
        return free + ["=other"] * self._marks_unseen()


class OrdinalEncoder(_Encoder):
    """OrdinalEncoder: each category as a code 0, 1, 2, …, given in the order in which they are learned.

    Makes any numbers, such as postcodes, the compact codes that trees and naive Bayes use for categories.
    Codes of inputs whose number of categories is known when the learner begins stay what they are.

    Parameters
    ----------
    columns : sequence of int or str, default=None
        Positions or names of the inputs; if None, those with a known number of categories.
    max_categories : int, default=32
        Most codes of an input. All categories beyond stay unseen.
    unseen : {"own", "missing"}, default="own"
        What stands for an unseen category: a code of its own, the one after the last, or a missing value.

    Attributes
    ----------
    categories_ : dict
        For each column the categories known so far.

    Examples
    --------
    >>> from thalweg.preprocessing import OrdinalEncoder
    >>> encoder = OrdinalEncoder(columns=[0], max_categories=2).fit([[8001.0], [1010.0], [8001.0]])
    >>> encoder.transform([[1010.0], [8001.0], [5.0]]).ravel().tolist()
    [1.0, 0.0, 2.0]
    """

    _ways = ("own", "missing")
    _one_hot = False

    def __init__(self, columns: Columns = None, max_categories: int = 32, *, unseen: str = "own") -> None:
        self.columns = columns
        self.max_categories = max_categories
        self.unseen = unseen

    def _outputs(self, n_categories: int) -> Outputs:
        return [("", self._room(n_categories) + self._marks_unseen())]

"""Moments as inputs that mean something."""

from collections.abc import Sequence

from thalweg._parameters import wrong
from thalweg.preprocessing._native.dates import DatesKernel
from thalweg.preprocessing.base import Columns, Outputs, Step

INPUTS = {
    "elapsed": ("_elapsed",),
    "time": ("_hour", "_time_sin", "_time_cos"),
    "weekday": ("_weekday_sin", "_weekday_cos"),
    "month": ("_month_sin", "_month_cos"),
}


class Dates(Step):
    """Dates: seconds since 1970 as elapsed days, time of day, weekday and month.

    Time of day, weekday and month are each a sine and a cosine, so that 23:59 is next to 0:00 and December
    next to January; the time is also a number of hours, which trees can split once. They are those of the
    clock that the seconds count, UTC unless you have added an offset. A missing date, and one farther from
    1970 than three million years, is missing in all of them.

    Parameters
    ----------
    columns : sequence of int or str
        Positions or names of the inputs.
    parts : sequence of str, default=("elapsed", "time", "weekday", "month")
        What to make of a date. "elapsed" are days since the first row learned.

    Examples
    --------
    >>> from thalweg.preprocessing import Dates
    >>> noon_in_july = 1752148800.0
    >>> dates = Dates(columns=[0], parts=["time", "month"]).fit([[noon_in_july]])
    >>> dates.transform([[noon_in_july]]).round(2)
    array([[12.,  0., -1.,  0., -1.]])
    >>> dates.get_feature_names_out().tolist()
    ['x0_hour', 'x0_time_sin', 'x0_time_cos', 'x0_month_sin', 'x0_month_cos']
    """

    def __init__(self, columns: Columns = None, parts: Sequence[str] = tuple(INPUTS)) -> None:
        self.columns = columns
        self.parts = parts

    def _is_default(self, n_categories: int) -> bool:
        raise wrong(self, "columns", "positions or names of the inputs that are dates", None)

    def _known_parts(self) -> list[str]:
        good = isinstance(self.parts, list | tuple) and len(self.parts) > 0
        if not good or not all(isinstance(part, str) and part in INPUTS for part in self.parts):
            raise wrong(self, "parts", f"some of {', '.join(map(repr, INPUTS))}", self.parts)
        return [part for part in INPUTS if part in self.parts]

    def _outputs(self, n_categories: int) -> Outputs:
        return [(ending, 0) for part in self._known_parts() for ending in INPUTS[part]]

    def _make_kernel(self, sizes: list[int], n_categories: list[int]) -> DatesKernel:
        return DatesKernel(self._who, self.n_features_in_, self._columns, sizes, self._known_parts())

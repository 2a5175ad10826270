"""Which number the row of an id has."""

from collections import OrderedDict

from thalweg.errors import WaitingError
from thalweg.waiting import Ids, plain_ids


class RowNumbers:
    """Numbers of rows by their ids; where rows have no ids, their numbers serve as ids.

    Attributes
    ----------
    of : dict of id to int
        The numbers of rows with ids, oldest first.
    has_ids : bool or None
        Whether rows have ids; None before the first row.
    """

    def __init__(self, who: str) -> None:
        self._who = who
        # To find its first entry, a dict walks over all that were deleted before it.
        self.of: OrderedDict[int | str, int] = OrderedDict()
        self.has_ids: bool | None = None

    def checked(self, ids: Ids | None, n: int) -> list[int | str] | None:
        """Return the ids of `n` new rows, None if they have none; raise an error if an id is waiting."""
        given = ids is not None
        if self.has_ids is not None and given != self.has_ids:
            raise ValueError(f"{self._who}: give ids for all rows, or for none")
        known = None if ids is None else plain_ids(list(ids), self._who)
        if known is not None:
            if len(known) != n:
                raise ValueError(f"{self._who}: got {n} rows and {len(known)} ids")
            if len(set(known)) < n:
                raise WaitingError("an id occurs twice among those of the rows")
            twice = next((each for each in known if each in self.of), None)
            if twice is not None:
                raise WaitingError(f"a row with the id {twice!r} is waiting already")
        self.has_ids = given if n else self.has_ids
        return known

    def find(self, each: int | str) -> int:
        """Return the number of the row with this id, -1 if there is none."""
        if self.has_ids:
            return self.of.get(each, -1)
        return each if isinstance(each, int) and 0 <= each < 2**62 else -1

    def drop_before(self, oldest: int) -> None:
        """Forget the ids of rows with numbers below `oldest`."""
        while self.of:
            first = next(iter(self.of))
            if self.of[first] >= oldest:
                return
            del self.of[first]

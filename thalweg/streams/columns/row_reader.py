"""One record as a row of inputs, without a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from thalweg._types import Floats
from thalweg.streams.columns.column import Column


class RowReader:
    """Reads records one by one; those that it cannot read take a table."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns

    def read(self, record: Mapping[str, Any], learns: bool) -> Floats | None:
        """Return the inputs of a record; None if it takes a table to read it."""
        return None

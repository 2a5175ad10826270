from collections.abc import Collection, Sequence

from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns.missing import Missing

class DateCell(Cell):
    def __init__(
        self,
        missing: Missing,
        markers: Collection[str],
        layouts: Sequence[tuple[str, str, int]],
        parts: Collection[str],
        origin: float,
    ) -> None: ...

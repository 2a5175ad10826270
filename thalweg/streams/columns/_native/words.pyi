from collections.abc import Callable, Collection
from typing import Any

from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns.missing import Missing

class WordsCell(Cell):
    def __init__(
        self,
        width: int,
        missing: Missing,
        spelling: Callable[[Any], str | None],
        markers: Collection[str],
    ) -> None: ...

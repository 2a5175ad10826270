from collections.abc import Callable
from typing import Any

from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns.missing import Missing

class CategoryCell(Cell):
    def __init__(
        self, missing: Missing, spelling: Callable[[Any], str | None], by_spelling: dict[str | None, int]
    ) -> None: ...

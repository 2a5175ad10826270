from collections.abc import Collection

from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns.missing import Missing

class NumberCell(Cell):
    def __init__(self, missing: Missing, markers: Collection[str], is_flag: bool) -> None: ...

class EmptyCell(NumberCell): ...

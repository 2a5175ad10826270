from collections.abc import Mapping, Sequence
from typing import Any

from thalweg._types import Floats
from thalweg.streams.columns._native.cell import Cell
from thalweg.streams.columns.codes import Codes

class RowKernel:
    def __init__(
        self, names: Sequence[str], cells: Sequence[Cell], codes: Sequence[Codes], most_text: int
    ) -> None: ...
    def read(self, record: Mapping[str, Any], learns: bool) -> Floats | None: ...

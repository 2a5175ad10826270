from collections.abc import Collection

from thalweg.streams.columns._native.numbers import NumberCell
from thalweg.streams.columns.missing import Missing

class DecimalCell(NumberCell):
    def __init__(
        self, missing: Missing, markers: Collection[str], point: str, units: Collection[str]
    ) -> None: ...

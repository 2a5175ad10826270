from typing import Any

from thalweg._types import Floats

def parse_rows(
    body: bytes, width: int, max_rows: int
) -> tuple[Floats, list[int | str] | None, list[Any] | None] | None: ...

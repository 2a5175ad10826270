from typing import Any

NOT_SPARSE: int
UNCLOSED: int

def sparse_cells(text: bytes | memoryview, n_columns: int) -> tuple[Any, ...]: ...

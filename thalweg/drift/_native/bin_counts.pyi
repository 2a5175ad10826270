from thalweg._types import Floats, Ints

def count_cells(
    X: Floats, groups: Ints, edges: Floats, starts: Ints, table: Ints, filled: int, window: int, counts: Ints
) -> None: ...

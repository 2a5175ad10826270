from thalweg._types import Floats, Ints

def count_bins(
    X: Floats, groups: Ints, edges: Floats, starts: Ints, table: Ints, filled: int, window: int, counts: Ints
) -> None: ...

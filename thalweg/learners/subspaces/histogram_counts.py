"""Do the counts of histograms in a state belong together?"""

import numpy as np

from thalweg._native.layout import require
from thalweg._types import Ints


def check_counts(counts: Ints, starts: Ints, most_rows: int, who: str) -> None:
    """Raise StateError unless every input has counts of the same 1 to `most_rows` rows.

    `counts` is of reference × class × bin; `starts` are the first bins of the inputs.
    """
    n_rows = np.add.reduceat(counts.astype(np.int64), starts, axis=2)
    good = bool((n_rows == n_rows[:, :, :1]).all())
    require(good, who, "counts", "has not the same number of rows for each input")
    total = n_rows[:, :, 0].sum(axis=1)
    good = bool((total >= 1).all() and (total <= most_rows).all())
    require(good, who, "counts", f"must have 1 to {most_rows} rows in all")

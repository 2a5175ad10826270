"""How late labels come: quantiles over the latest of them."""

from typing import Any

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.live.watch.part import Part

WINDOW = 1000
QUANTILES = {"median": 0.5, "p90": 0.9, "p99": 0.99}


class Delays(Part):
    """The delays of the latest 1,000 labels, in rows and in seconds; that of label i is in line i % 1000."""

    def __init__(self) -> None:
        self.n = 0
        self.latest = np.zeros((WINDOW, 2))

    def add(self, rows: Ints, seconds: Floats) -> None:
        """Add the delays of labels, in the order in which they came."""
        kept = np.column_stack([rows, seconds])[-WINDOW:]
        places = (self.n + len(rows) - len(kept) + np.arange(len(kept))) % WINDOW
        self.latest[places] = kept
        self.n += len(rows)

    def snapshot(self) -> dict[str, Any]:
        """Return the number of labels that the quantiles are of, and quantiles of rows and seconds."""
        n = min(self.n, WINDOW)
        if not n:
            return {"labels": 0, "rows": None, "seconds": None}
        found = np.quantile(self.latest[:n], list(QUANTILES.values()), axis=0)
        named = [dict(zip(QUANTILES, column, strict=True)) for column in found.T.tolist()]
        return {"labels": n, "rows": named[0], "seconds": named[1]}

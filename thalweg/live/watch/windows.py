"""The estimated accuracy as plain data: now, and over the rows."""

from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.trust.accuracy_estimate import AccuracyEstimate

MOST_POINTS = 64


def estimates_of(estimate: AccuracyEstimate) -> dict[str, Any]:
    """Return the estimate of the latest rows, and up to 64 estimates over the rows."""
    if not estimate.n_rows_:
        return {"now": None, "over_time": {"rows": [], "estimate": [], "low": [], "high": []}}
    now = {name: None if value != value else value for name, value in estimate.now()._asdict().items()}
    found = estimate.estimates()
    starts = np.arange(0, len(found), -(-len(found) // MOST_POINTS))
    sizes = (found.stop - found.start).astype(np.float64)
    over_time: dict[str, Any] = {"rows": np.append(found.start[starts[1:]], found.stop[-1]).tolist()}
    for name in ("estimate", "low", "high"):
        over_time[name] = _means(getattr(found, name), sizes, starts)
    return {"now": now | {"level": estimate.level}, "over_time": over_time}


def _means(values: Floats, sizes: Floats, starts: Any) -> list[float]:
    found: list[float] = (np.add.reduceat(values * sizes, starts) / np.add.reduceat(sizes, starts)).tolist()
    return found

"""Arrays of rows that wait for their labels: made longer, and checked when restored."""

import numpy as np

from thalweg._types import Arrays

from . import layout as layouts
from .layout import INDEX, require

COUNT, CURSOR, OBSERVED = 0, 1, 2


def grown_kept(arrays: Arrays, room: int) -> Arrays:
    """Return the arrays with so much room; the rows kept are in the order in which they were observed."""
    number = arrays["kept_number"]
    order = np.argsort(number, kind="stable")[np.count_nonzero(number == 0) :]
    new = {"kept_chain": layouts.new_array((2, room), INDEX)}
    for name in ("kept_key", "kept_number", "kept_values"):
        old = arrays[name]
        new[name] = layouts.new_array((room, *old.shape[1:]), old.dtype)
        new[name][: len(order)] = old[order]
    new["kept_counts"] = layouts.new_array(3, INDEX)
    new["kept_counts"][:] = len(order), len(order) % room, arrays["kept_counts"][OBSERVED]
    return new


def check_kept(arrays: Arrays, most: int, who: str) -> None:
    """Raise StateError if the arrays of the rows kept contradict each other."""
    number, (count, cursor, observed) = arrays["kept_number"], arrays["kept_counts"].tolist()
    room, used = len(number), number[number > 0]
    require(1 <= room <= most, who, "kept_number", f"has room for {room} rows, not for 1 to {most}")
    require(len(arrays["kept_key"]) == room, who, "kept_key", f"must hold {room} numbers")
    require(cursor < room, who, "kept_counts", f"says that the next row goes to place {cursor} of {room}")
    require(count == len(used), who, "kept_counts", f"says {count} rows for {len(used)}")
    good = len(np.unique(used)) == len(used) and (used <= observed).all()
    require(good, who, "kept_number", f"must hold different numbers up to {observed}")
    # From the cursor on, numbers grow: the row at the cursor has waited longest.
    good = bool((np.diff(np.roll(number, -cursor)[np.roll(number, -cursor) > 0]) > 0).all())
    require(good, who, "kept_number", "must grow from the place of the next row on")

"""The state of a monitor as plain data, checked when it comes back."""

import copy
from typing import Any

import numpy as np

from thalweg._native.layout import MOST_COUNTED
from thalweg._types import State
from thalweg.drift.bins import Bins
from thalweg.drift.hellinger import HellingerMonitor
from thalweg.drift.scales import Scales
from thalweg.errors import StateError, short_repr


def to_plain(monitor: HellingerMonitor) -> State:
    """Return the state of a monitor as arrays, numbers, text, and lists and dicts of them."""
    state = copy.deepcopy(monitor.__getstate__())
    if "_categorical" in state:
        state["_categorical"] = sorted(map(int, state["_categorical"]))
    if state.get("_cells") is not None:
        state["_cells"]["categorical"] = sorted(map(int, state["_cells"]["categorical"]))
    return state


def saved(monitor: HellingerMonitor) -> HellingerMonitor:
    """Return a copy of a monitor, for what `update_coded` changes; it shares all else."""
    made = HellingerMonitor.__new__(HellingerMonitor)
    vars(made).update(vars(monitor))
    made._scales = Scales.__new__(Scales)
    for name, value in vars(monitor._scales).items():
        setattr(made._scales, name, value.copy() if isinstance(value, np.ndarray) else value)
    return made


SETTINGS = (
    "reference", "window", "n_bins", "false_alarms", "longest", "n_features_", "_window", "_length",
    "classes_", "_n_others",
)  # fmt: skip


def from_plain(state: Any, fresh: HellingerMonitor, n_rows: int) -> HellingerMonitor:
    """Return a monitor with the state that `to_plain` returned, after so many rows.

    Raises StateError, or another error about what is missing, if the state is not that of a monitor like
    `fresh`, which has just begun.
    """
    given, n_features = copy.deepcopy(dict(state)), fresh.n_features_
    strange = [name for name in SETTINGS if not _is_same(given.get(name), getattr(fresh, name))]
    if strange or given["n_rows_"] != n_rows or not _are_counts(given):
        raise StateError(f"InputDrift: the monitor of the state is another: {', '.join(strange) or 'counts'}")
    given["_categorical"] = _places(given["_categorical"], n_features)
    if given["_cells"] is not None:
        given["_cells"]["categorical"] = _places(given["_cells"]["categorical"], n_features)
    monitor = HellingerMonitor.__new__(HellingerMonitor)
    monitor.__setstate__(given)
    good = monitor.n_features_ == n_features == len(monitor.watched_) and monitor.classes_ is None
    good = good and monitor._n_others == 0  # so that all rows are counted in group 0
    bins = monitor.bins_
    good = good and monitor._unordered.dtype == bool and monitor._unordered.shape == (n_features,)
    if not good or not (_rows_fit(monitor) if bins is None else _counts_fit(monitor, bins)):
        raise StateError("InputDrift: the state of the monitor is damaged")
    if not _scales_fit(monitor._scales, fresh._scales, n_features, bins):
        raise StateError("InputDrift: the counts of several windows of the monitor are damaged")
    return monitor


def _is_same(value: Any, wanted: Any) -> bool:
    return type(value) is type(wanted) and bool(value == wanted)


def _are_counts(given: State) -> bool:
    """Return whether numbers of rows and windows are counts, and those of parts below that of a whole one."""
    found = [given[name] for name in ("n_rows_", "n_windows_", "_n_kept", "_filled")]
    if any(type(each) is not int for each in found):
        return False
    n_rows, n_windows, n_kept, filled = found
    good = 0 <= n_rows <= MOST_COUNTED and 0 <= n_windows <= n_rows
    return good and 0 <= n_kept < given["_length"] and 0 <= filled < given["_window"]


def _scales_fit(scales: Scales, fresh: Scales, n_watched: int, bins: Bins | None) -> bool:
    """Return whether the counts of the latest 2, 4, … windows are counts, and have the shapes of others."""
    n, integer = fresh.n_lengths, np.dtype(np.intp)
    if type(scales.n_lengths) is not int or scales.n_lengths != n:
        return False
    arrays: dict[str, tuple[int, ...]] = {"n_checks": (n,)}
    if bins is not None:
        table = n_watched, bins.n_bins
        arrays |= {"base": table, "total": table, "marks": (n, 2, *table), "rows": (n, 2)}
        alarms, frozen = scales.alarms, scales.frozen
        good = alarms.shape == (n + 1, n_watched) and alarms.dtype == integer
        if not (good and frozen.shape == (n_watched,) and frozen.dtype == bool):
            return False
        if type(scales.n_windows) is not int or not 0 <= scales.n_windows <= MOST_COUNTED:
            return False
    for name, shape in arrays.items():
        found = getattr(scales, name)
        if found.shape != shape or found.dtype != integer or ((found < 0) | (found > MOST_COUNTED)).any():
            return False
    return True


def _places(given: Any, n_features: int) -> set[int]:
    """Return a set of inputs; raise StateError if one is none."""
    if not all(type(j) is int and 0 <= j < n_features for j in given):
        raise StateError(f"InputDrift: {short_repr(given)} are no inputs")
    return {*given}


def _rows_fit(monitor: HellingerMonitor) -> bool:
    """Return whether the rows kept for a reference have the right shape and number."""
    parts = [(X.shape, len(groups)) for X, groups in monitor._kept]
    good = all(shape == (n, monitor.n_features_) for shape, n in parts)
    good = good and not any(groups.any() for _, groups in monitor._kept)
    return good and sum(n for _, n in parts) == monitor._n_kept < monitor._length


def _counts_fit(monitor: HellingerMonitor, bins: Bins) -> bool:
    """Return whether counting stays within the arrays of the monitor."""
    n, integer = monitor.n_features_, np.dtype(np.intp)
    arrays = (bins.starts, bins.table, monitor._counts, monitor._reference)
    if bins.padded.dtype != np.float64 or any(each.dtype != integer for each in arrays):
        return False
    width = bins.padded.shape[-1]
    if bins.padded.shape != (n, width) or width & (width + 1) or bins.starts.shape != (n + 1,):
        return False
    if bins.starts[0] != 0 or (np.diff(bins.starts) < 0).any() or bins.starts[-1] != len(bins.table):
        return False
    if len(bins.table) and not 0 <= bins.table.min() <= bins.table.max() < bins.n_bins:
        return False
    # Bisection finds no bin beyond the finite edges if these come first, in increasing order.
    if not (bins.padded > -np.inf).all() or (bins.padded[:, 1:] < bins.padded[:, :-1]).any():
        return False
    if np.isfinite(bins.padded).sum(axis=1).max(initial=0) + 1 >= bins.n_bins:
        return False
    if not 0 <= monitor._filled < monitor._window:
        return False
    shapes: list[tuple[int, ...]] = [monitor._counts.shape, monitor._reference.shape]
    return shapes == 2 * [(1, 1, n, bins.n_bins)]

"""The distances of one row from those of a window in plain NumPy, summed in the order of the kernel."""

import numpy as np

STEEP = 1e300


def distances(x, rows, is_category):
    """Return the squared distance of each row."""
    gaps = np.isnan(x) | np.isnan(rows).any(axis=0)
    total = np.zeros(len(rows))
    for j in np.flatnonzero(is_category):
        total += rows[:, j] != x[j]
    for chosen in (gaps, ~gaps):
        for j in np.flatnonzero(chosen & ~is_category):
            off = differences(x[j], rows[:, j])
            total += off * off
    return total


def differences(value, column):
    """Return how far a number is from each of its input, in units of the input's range."""
    known = column[~np.isnan(column)]
    low, width = (known.min(), known.max() - known.min()) if len(known) else (0.0, 0.0)
    inverse = min(1 / width, STEEP) if width > 0 else 0.0
    if np.isnan(value):
        scaled = (column - low) * inverse
        return np.where(np.isnan(column), 1.0, np.maximum(scaled, 1 - scaled))
    scaled = (value - low) * inverse
    return np.where(np.isnan(column), max(scaled, 1 - scaled), (value - column) * inverse)

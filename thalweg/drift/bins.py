"""Histogram bins for every input, defined by a sample of the reference and counted in compiled code."""

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.drift._native.bin_counts import count_bins

MISSING, OTHER = 0, 1
MOST_CODES = 1 << 20                    # categories with higher codes are counted as other ones
MOST_VALUES = 1 << 21                   # counted between two looks for signals


class Bins:
    """The histogram bins of each input.

    Bin 0 counts missing values. The bins of a numeric input lie between quantiles of the sample; if the
    sample has only a few different values, each value and each gap between values has a bin, so that a
    constant has three. The most frequent categories have a bin each; all others, also unseen ones, share
    bin 1.

    Parameters
    ----------
    sample : ndarray of shape (n_rows, n_features)
        Rows that define the bins. They must not be counted as part of the reference, or rare values would
        seem to become rarer.
    categorical : set of int
        Inputs whose values are categories, coded 0, 1, 2, ….
    n_bins : int
        Most bins of an input, without the one for missing values.
    """

    def __init__(self, sample: Floats, categorical: set[int], n_bins: int) -> None:
        n_features = sample.shape[1]
        columns = [np.sort(column[~np.isnan(column)]) for column in sample.T]
        self.categorical = categorical
        self.edges = [
            np.empty(0) if j in categorical else _edges(columns[j], n_bins) for j in range(n_features)
        ]
        self.kept = [
            _frequent(columns[j], n_bins - 1) if j in categorical else None for j in range(n_features)
        ]
        tables = [np.empty(0, dtype=np.intp) if kept is None else _table(kept) for kept in self.kept]
        self.starts = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.intp)
        self.table = np.concatenate(tables) if tables else np.empty(0, dtype=np.intp)
        width = (1 << max(map(len, self.edges)).bit_length()) - 1
        self.padded = np.full((n_features, width), np.inf)
        for j, edges in enumerate(self.edges):
            self.padded[j, : len(edges)] = edges

    @property
    def n_bins(self) -> int:
        """Largest number of bins of an input, with those for missing values and for other categories."""
        return 2 + max(max(map(len, self.edges)), max(0 if kept is None else len(kept) for kept in self.kept))

    def add(self, X: Floats, groups: Ints, filled: int, window: int, counts: Ints) -> None:
        """Add rows to `counts`, of shape (windows, groups, inputs, bins), in short steps."""
        step = max(1, MOST_VALUES // X.shape[1])
        for start in range(0, len(X), step):
            done = filled + start
            part = slice(start, start + step)
            count_bins(X[part], groups[part], self.padded, self.starts, self.table, done % window, window,
                       counts[done // window :])


def _edges(values: Floats, n_bins: int) -> Floats:
    """Return the edges of the bins for sorted `values`; a bin includes its upper edge."""
    if not len(values):
        return np.empty(0)
    distinct = np.unique(values)
    if 2 * len(distinct) + 1 <= n_bins:
        return np.unique([np.nextafter(distinct, -np.inf), distinct])
    places = (np.arange(1, n_bins) * len(values)) // n_bins
    return np.unique(values[places])


def _frequent(values: Floats, most: int) -> Ints:
    """Return the codes of the most frequent categories, the most frequent first."""
    codes, counts = np.unique(values[(values >= 0) & (values < MOST_CODES)], return_counts=True)
    return codes[np.lexsort([codes, -counts])][:most].astype(np.intp)


def _table(kept: Ints) -> Ints:
    table = np.full(max(kept, default=0) + 1, OTHER, dtype=np.intp)
    table[kept] = np.arange(len(kept)) + OTHER + 1
    return table

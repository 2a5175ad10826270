"""Cells of a histogram for every input, cut by a sample of the reference and counted in compiled code."""

import numpy as np

from thalweg._kernels.cell_counts import count_cells

MISSING, OTHER = 0, 1
MOST_CODES = 1 << 20                    # categories coded higher share the cell of the others
MOST_VALUES = 1 << 21                   # counted between two looks for signals


class Cells:
    """The cells into which the values of each input fall.

    Cell 0 is for missing values. The cells of a number lie between quantiles of the sample; where it has few
    different values, each has a cell and so have the gaps between them, so that a constant has three. The
    most frequent categories have a cell each, all others, unseen ones too, share cell 1.

    Parameters
    ----------
    sample : ndarray of shape (n_rows, n_features)
        Rows to cut by; they must not be among those counted as the reference, or rare values would seem to
        become rarer.
    categorical : set of int
        Inputs whose values are categories, coded 0, 1, 2, ….
    n_bins : int
        Cells an input has at most, the one for missing values not counted.
    """

    def __init__(self, sample, categorical, n_bins):
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
        self.n_cells = max(len(edges) + 2 if kept is None else len(kept) + 2
                           for edges, kept in zip(self.edges, self.kept, strict=True))

    def add(self, X, groups, filled, window, counts):
        """Add rows to `counts`, of shape (windows, groups, inputs, cells at least), in steps short enough."""
        step = max(1, MOST_VALUES // X.shape[1])
        for start in range(0, len(X), step):
            done = filled + start
            part = slice(start, start + step)
            count_cells(X[part], groups[part], self.padded, self.starts, self.table, done % window, window,
                        counts[done // window :])


def _edges(values, n_bins):
    """Return the edges between the cells of a number, of sorted `values`; a cell includes its upper edge."""
    if not len(values):
        return np.empty(0)
    distinct = np.unique(values)
    if 2 * len(distinct) + 1 <= n_bins:
        return np.unique([np.nextafter(distinct, -np.inf), distinct])
    places = (np.arange(1, n_bins) * len(values)) // n_bins
    return np.unique(values[places])


def _frequent(values, most):
    """Return the codes of the most frequent categories, the most frequent first."""
    codes, counts = np.unique(values[(values >= 0) & (values < MOST_CODES)], return_counts=True)
    return codes[np.lexsort([codes, -counts])][:most].astype(np.intp)


def _table(kept):
    table = np.full(max(kept, default=0) + 1, OTHER, dtype=np.intp)
    table[kept] = np.arange(len(kept)) + OTHER + 1
    return table

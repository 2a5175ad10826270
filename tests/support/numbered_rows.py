"""A stream whose rows are their own numbers, for tests of what happens when."""

import numpy as np

from thalweg.streams.base import Stream, recut


class Numbered(Stream):
    """Rows that carry their own number."""

    n_features = 1
    classes = np.array(["a", "b", "c"])

    def __init__(self, codes, drifts=()):
        self.codes = np.asarray(codes)
        self.n_rows = len(codes)
        self.drifts = np.array(drifts, dtype=int)

    def coded_blocks(self, size=1000):
        return recut([(np.arange(len(self.codes), dtype=float)[:, None], self.codes)], size)

    def sample(self, t, n, *, seed=None):
        return np.full((n, 1), float(t)), np.array(["c", "a"])[np.arange(n) % 2]

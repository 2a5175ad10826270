"""A stream whose classes are not all known at the start."""

import numpy as np

from thalweg.streams.base import Stream, recut

N_ROWS = 3000


def as_learned(X, y, n_known):
    """Return rows as they are learned: the first of a class beyond these when it comes again."""
    order = [*range(len(y))]
    for k in range(n_known, y.max() + 1):
        first, second = np.flatnonzero(y == k)[:2].tolist()
        order.remove(first)
        order.insert(order.index(second), first)
    return X[order], y[order]


class Late(Stream):
    """Rows of five classes, of which three turn up later; they may come in chunks of any size."""

    n_features, name = 3, "late"

    def __init__(self, is_open=True, chunk=500, names=("m", "q", "z", "a", "n"), n_first=2):
        rng = np.random.default_rng(1)
        self.codes = np.minimum(rng.integers(0, len(names), N_ROWS), np.arange(N_ROWS) // 400 + 1)
        order = dict.fromkeys(self.codes[self.codes >= n_first].tolist())
        place = np.array([*range(n_first), *order])
        self.codes = np.argsort(place)[self.codes]
        centres = 2.0 * np.arange(15).reshape(5, 3)[:, ::-1]
        self.X = rng.normal(size=(N_ROWS, 3)) + centres[self.codes % 5]
        self.codes[rng.random(N_ROWS) < 0.05] = -1
        self.all_classes = np.array(names)[place]
        self.is_open, self.chunk, self.n_first = is_open, chunk, n_first
        self.classes = self.first_classes

    @property
    def first_classes(self):
        return self.all_classes[: self.n_first] if self.is_open else self.all_classes

    def coded_blocks(self, size=1000):
        return recut(self._chunks(), size)

    def _chunks(self):
        self.classes = self.first_classes
        for start in range(0, N_ROWS, self.chunk):
            part = slice(start, start + self.chunk)
            found = max(len(self.classes), self.codes[part].max() + 1)
            self.classes = self.all_classes[:found]
            yield self.X[part], self.codes[part].astype(np.intp)

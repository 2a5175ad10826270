"""What a stream is: rows in order, each with a label."""

import numpy as np

from thalweg._parameters import real_number, whole_number

CHUNK = 4096


class Stream:
    """Rows in order, each with a label; cut into blocks of any size it stays the same stream.

    A subclass sets the attributes below and writes `coded_blocks`.

    Attributes
    ----------
    n_features : int
        Inputs a row has.
    classes : ndarray
        The labels, in the order of their codes.
    is_open : bool
        Whether more labels may turn up while rows are read: `classes` then grows, and `first_classes` are
        those known before the first row.
    n_rows : int or None
        Rows the stream has; None if that is not known before its end.
    names : tuple of str
        One name an input.
    n_categories : ndarray of int
        For each input the number of categories known so far, 0 where it is numeric. Categories are coded
        0, 1, 2, … and a missing value is NaN everywhere.
    drifts : ndarray of int
        Rows at which the concept is known to change: the first row of each new concept.
    """

    n_features: int
    classes: np.ndarray
    is_open: bool = False
    n_rows: int | None = None
    drifts = np.empty(0, dtype=np.intp)

    @property
    def first_classes(self) -> np.ndarray:
        """The labels known before the first row is read."""
        return self.classes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(f"x{j}" for j in range(self.n_features))

    @property
    def n_categories(self) -> np.ndarray:
        """Categories of each input known so far, 0 where it is numeric."""
        return np.zeros(self.n_features, dtype=np.intp)

    def coded_blocks(self, size: int = 1000):
        """Yield (X, codes): rows, and the position of each row's label in `classes` (-1 where it is missing).

        Every block but the last has `size` rows. Each call starts at the first row again.
        """
        raise NotImplementedError

    def blocks(self, size: int = 1000):
        """Yield (X, y): rows, and their labels as named in `classes`. Rows without a label are left out."""
        for X, codes in self.coded_blocks(size):
            known = codes >= 0
            if not known.all():
                X, codes = X[known], codes[known]
            yield X, self.classes[codes]

    def sample(self, t: int, n: int, seed: int | None = None):
        """Return `n` fresh rows and labels, free of noise, of the concept in force at row `t`."""
        raise NotImplementedError(f"{type(self).__name__} cannot draw samples: its concept is not known")


class Generator(Stream):
    """A stream made by a formula: a subclass writes `_draw`, and sets `drifts` where it knows them.

    Rows are drawn in chunks of a fixed length, each from a random generator of its own, so that neither the
    size of the blocks nor the length of the stream changes a row.

    Parameters
    ----------
    n_rows : int
        Length of the stream.
    noise : float
        Share of rows whose label is flipped, that is replaced by one of the other classes.
    seed : int
        The same seed gives the same stream.
    """

    classes = np.array([0, 1])

    def __init__(self, n_rows, noise, seed):
        self.n_rows = whole_number(self, "n_rows", n_rows, 1)
        self.noise = real_number(self, "noise", noise, least=0, most=1)
        self.seed = whole_number(self, "seed", seed, 0)

    def _draw(self, rng, t, noise):
        """Return X and the label codes of the rows numbered `t`, an array; `noise` says whether to add it."""
        raise NotImplementedError

    def _flip(self, rng, codes, noise):
        return flipped(rng, codes, self.noise, len(self.classes)) if noise and self.noise else codes

    def _random(self, *key):
        """Return a random generator of its own for `key`: rows are (0, chunk), samples (1, t, seed)."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def coded_blocks(self, size: int = 1000):
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self):
        for number, start in enumerate(range(0, self.n_rows, CHUNK)):
            X, codes = self._draw(self._random(0, number), np.arange(start, start + CHUNK), True)
            left = self.n_rows - start
            yield X[:left], codes[:left]

    def sample(self, t: int, n: int, seed: int | None = None):
        """Return `n` fresh rows and labels, free of noise, of the concept in force at row `t`.

        The same `t`, `n` and `seed` give the same sample; it shares no randomness with the stream's rows.
        """
        rng = self._random(1, whole_number(self, "t", t, 0), 0 if seed is None else seed + 1)
        X, codes = self._draw(rng, np.full(n, t), False)
        return X, self.classes[codes]


def check_closed(stream, who):
    """Raise ValueError if more labels may turn up in `stream`, which `who` cannot follow."""
    if stream.is_open:
        name = getattr(stream, "name", type(stream).__name__)
        raise ValueError(
            f"{who}: {name} may have labels that its first rows do not show; name all labels, classes=[…], "
            "or let from_file find them, scan_labels=True"
        )


def recut(chunks, size):
    """Cut (X, codes) chunks of any lengths anew into blocks of `size` rows, the last one shorter."""
    if size < 1:
        raise ValueError(f"a block needs at least one row, got size={size}")
    kept_X, kept_y, n_kept = [], [], 0
    for X, y in chunks:
        start = 0
        while n_kept + len(X) - start >= size:
            stop = start + size - n_kept
            yield _joined([*kept_X, X[start:stop]]), _joined([*kept_y, y[start:stop]])
            kept_X, kept_y, n_kept, start = [], [], 0, stop
        if start < len(X):
            kept_X.append(X[start:])
            kept_y.append(y[start:])
            n_kept += len(X) - start
    if n_kept:
        yield _joined(kept_X), _joined(kept_y)


def _joined(parts):
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def flipped(rng, codes, share, n_classes):
    """Return a copy of `codes` in which each known label is, with probability `share`, another one."""
    rows = np.flatnonzero((rng.random(len(codes)) < share) & (codes >= 0))
    codes = codes.copy()
    codes[rows] = (codes[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    return codes


def bounce(x):
    """Fold the line into [0, 1] as a ball between two walls: 0.3 stays, 1.1 is 0.9, 2.3 is 0.3 again."""
    return 1 - np.abs(x % 2 - 1)

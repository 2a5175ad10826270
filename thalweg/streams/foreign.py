"""Streams that are not a `Stream`: any object with `n_features`, `classes` and `blocks(size)`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Block, Floats, Ints, Labelled
from thalweg.errors import StreamError
from thalweg.streams.base import Stream, recut
from thalweg.streams.labels import LabelCodes, label_array, plain_label

OPTIONAL = ("n_rows", "drifts", "is_once", "messages")


def is_stream(source: Any) -> bool:
    """Return whether `source` has what a stream must have."""
    return not isinstance(source, type) and all(
        hasattr(source, name) for name in ("n_features", "classes", "blocks")
    )


class ForeignStream(Stream):
    """Any object with `n_features`, `classes` and `blocks(size)`, which yields rows and their labels.

    Blocks may have any length. What else a Stream has is used if the object has it: `names`, `n_categories`,
    `n_rows`, `drifts`, `sample`, `is_once`, `skipped`, `messages`.
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self.name = str(getattr(source, "name", type(source).__name__))
        n_features = source.n_features
        if isinstance(n_features, bool) or not isinstance(n_features, int | np.integer) or n_features < 1:
            raise StreamError(f"{self.name}: n_features must be a whole number above 0, got {n_features!r}")
        self.n_features = int(n_features)
        self.classes = label_array(map(plain_label, np.asarray(source.classes).tolist()))
        for name in OPTIONAL:
            if getattr(source, name, None) is not None:
                setattr(self, name, getattr(source, name))
        self.drifts = np.asarray(self.drifts, dtype=np.intp)

    @property
    def columns(self) -> Any:
        """What the columns of a file were taken for, if the object says so."""
        return getattr(self._source, "columns", None)

    @property
    def skipped(self) -> int:
        """Number of rows that the object left out so far."""
        return int(getattr(self._source, "skipped", 0))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs; x0, x1, … if the object has none."""
        given = getattr(self._source, "names", None)
        return super().names if given is None else tuple(map(str, given))

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input, 0 if it is numeric."""
        given = getattr(self._source, "n_categories", None)
        return super().n_categories if given is None else np.asarray(given, dtype=np.intp)

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._coded(size), size)

    def _coded(self, size: int) -> Iterator[Block]:
        labels, start = LabelCodes(self.classes.tolist(), False, self.name), 0
        for block in self._source.blocks(size):
            X, y = self._block(block, start)
            yield X, labels.of(y.tolist(), start)
            start += len(X)

    def _block(self, block: Any, start: int) -> tuple[Floats, NDArray[Any]]:
        if not isinstance(block, list | tuple) or len(block) != 2:
            raise StreamError(f"{self.name}: blocks(size) must yield (X, y), got {type(block).__name__}")
        try:
            X = np.ascontiguousarray(block[0], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise StreamError(f"{self.name}: the block from row {start} on has no numbers: {error}") from None
        y = np.asarray(block[1])
        if X.ndim != 2 or X.shape[1] != self.n_features or y.shape != (len(X),):
            raise StreamError(
                f"{self.name}: the block from row {start} on has rows of shape {X.shape} and labels of shape "
                f"{y.shape}; expected (n, {self.n_features}) and (n,)"
            )
        return X, y

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels, as the object's own `sample` does."""
        if not hasattr(self._source, "sample"):
            raise NotImplementedError(f"{self.name} cannot draw samples: it has no sample(t, n, seed)")
        return self._source.sample(t, n, seed=seed)

"""A stream in which some labels are flipped."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from thalweg._parameters import real_number, whole_number
from thalweg._types import Block, Ints, Labelled
from thalweg.errors import ParameterError
from thalweg.streams.base import CHUNK, Stream, check_closed, flipped, recut
from thalweg.streams.source import Source, as_stream


def noisy(stream: Source, share: float, *, seed: int = 0) -> "Noisy":
    """Return a stream in which a share of the labels is replaced by other classes; samples have no noise.

    Which labels change depends only on the seed and the row number. Missing labels stay missing.

    Parameters
    ----------
    stream : Stream, or what `as_stream` takes
        Any stream: a generator, a file, a joined stream.
    share : float
        Probability that a label is replaced.
    seed : int
        The same seed changes the same rows.

    Examples
    --------
    >>> from thalweg.streams import SEA, noisy
    >>> clean, flipped = SEA(noise=0), noisy(SEA(noise=0), 0.2)
    >>> (_, y), (_, z) = next(clean.blocks(50_000)), next(flipped.blocks(50_000))
    >>> round(float((y != z).mean()), 2)
    0.2
    """
    return Noisy(as_stream(stream, who="noisy"), share, seed)


class Noisy(Stream):
    """What `noisy` returns: the stream with some labels replaced."""

    def __init__(self, stream: Stream, share: float, seed: int) -> None:
        self.stream = stream
        self.share = real_number("noisy", "share", share, least=0, most=1)
        self.seed = whole_number("noisy", "seed", seed, 0)
        check_closed(stream, "noisy")
        if len(stream.classes) < 2:
            raise ParameterError(f"noisy: flipping labels needs two classes, got {stream.classes.tolist()}")
        self.n_features = stream.n_features
        self.classes = stream.classes
        self.n_rows = stream.n_rows
        self.drifts = stream.drifts

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.stream.names

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each input known so far, 0 if it is numeric."""
        return self.stream.n_categories

    def schema(self) -> dict[str, Any]:
        """Return the inputs and classes as plain data."""
        return self.stream.schema()

    def coded_blocks(self, size: int = 1000) -> Iterator[Block]:
        """Yield (X, codes) in blocks of `size` rows."""
        return recut(self._chunks(), size)

    def _chunks(self) -> Iterator[Block]:
        for number, (X, codes) in enumerate(self.stream.coded_blocks(CHUNK)):
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
            yield X, flipped(rng, codes, self.share, len(self.classes))

    def sample(self, t: int, n: int, *, seed: int | None = None) -> Labelled:
        """Return `n` new rows and labels without noise, of the current concept at row `t`."""
        return self.stream.sample(t, n, seed=seed)

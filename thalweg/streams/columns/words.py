"""Text as inputs: how often words occur, each word counted in one of a fixed number of places."""

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from thalweg.streams.columns.codes import spelling
from thalweg.streams.columns.column import Problems, distinct

WORD = re.compile(r"\w+")
MOST_WORDS = 2**20  # inputs of a text
MOST_NAMED, MOST_SHARING = 1000, 2  # words that are remembered, in all and of one place


@dataclass(frozen=True)
class Words:
    """Reads a column of text as `n` inputs.

    Each word adds 1 to the input that its checksum points to, so words can share an input. A missing text has
    no words. `known` has the most frequent words of some inputs, in the first rows.
    """

    n: int
    known: tuple[tuple[int, str], ...] = ()

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs within the column."""
        return tuple(f"word{j}" for j in range(self.n))

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        return {"n_words": self.n, "words": [list(pair) for pair in self.known]}

    def read(self, array: Any) -> tuple[Any, Problems]:
        """Return rows × inputs, a sparse matrix of SciPy; every text can be read."""
        values, positions = distinct(array)
        texts = [(spelling(value) or "").lower() for value in values]
        found = [[_place(word, self.n) for word in WORD.findall(text)] for text in texts]
        starts = np.cumsum([0, *map(len, found), 0])  # a missing text comes last
        places = np.fromiter(chain.from_iterable(found), dtype=np.int32, count=starts[-1])
        rows = csr_array((np.ones(len(places)), places, starts), shape=(len(starts) - 1, self.n))
        rows.sum_duplicates()
        return rows[positions], []


def named_words(arrays: Iterable[Any], n: int) -> Words:
    """Return a reader of text as `n` inputs, which knows the frequent words of the first rows."""
    counts: Counter[str] = Counter()
    for array in arrays:
        for value in distinct(array)[0]:
            counts.update(WORD.findall((spelling(value) or "").lower()))
    places: dict[int, list[str]] = {}
    for word, _ in counts.most_common(MOST_NAMED):
        places.setdefault(_place(word, n), []).append(word)
    return Words(n, tuple((place, "/".join(places[place][:MOST_SHARING])) for place in sorted(places)))


def _place(word: str, n: int) -> int:
    return zlib.crc32(word.encode()) % n

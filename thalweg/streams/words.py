"""Text as inputs: how often words occur, each word counted in one of a fixed number of places."""

import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from thalweg._types import Floats
from thalweg.streams.codes import spelling
from thalweg.streams.columns import Problems, distinct

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Words:
    """Reads a column of text as `n` inputs.

    Each word adds 1 to the input that its checksum points to, so words can share an input. A missing text has
    no words.
    """

    n: int

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs within the column."""
        return tuple(f"word{j}" for j in range(self.n))

    def to_plain(self) -> dict[str, Any]:
        """Return its part of a schema."""
        return {"n_words": self.n}

    def read(self, array: Any) -> tuple[Floats, Problems]:
        """Return rows × inputs; every text can be read."""
        values, positions = distinct(array)
        places: list[int] = []
        for row, value in enumerate(values):
            text = (spelling(value) or "").lower()
            start = row * self.n
            places += [start + zlib.crc32(word.encode()) % self.n for word in WORD.findall(text)]
        counts = np.bincount(np.array(places, dtype=np.intp), minlength=(len(values) + 1) * self.n)
        return counts.astype(float).reshape(-1, self.n)[positions], []

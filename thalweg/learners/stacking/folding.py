"""Very many inputs in few places, for learners that need dense rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.learners.base._native.one_hot import sparse_places, widened_sparse
from thalweg.learners.base.one_hot import own_places
from thalweg.learners.base.sparse_one_hot import SparseOneHot
from thalweg.learners.stacking._native.wide_rows import row_keys, wide_rows, width_with_values
from thalweg.rows.sparse_rows import SparseRows

N_FOLDED = 256  # places that inputs share
MOST_KEPT = 256  # inputs that keep a place each


class Folding(NamedTuple):
    """Where each input goes in a dense row: those that are kept come first, the others share places."""

    place: Ints  # [input]; -1 if it has none
    n_kept: int
    n_categories: Ints  # [place]
    own: Ints | None  # as OneHot's: categories with an input of their own in sparse rows; None if none have
    sparse_places: tuple[Ints, Ints] | None  # what follows from it

    @classmethod
    def of(cls, n_categories: Ints, words: Sequence[int] | Ints = ()) -> Self:
        """Return how to fold inputs of these numbers of categories; those at `words` count words of a text.

        Categories keep their places, and numbers beside words; input j of the others shares place j % 256.
        """
        is_word = np.zeros(len(n_categories), dtype=bool)
        is_word[np.asarray(words, dtype=np.intp)] = True
        kept = np.flatnonzero((n_categories > 0) | (~is_word if is_word.any() else False))
        if len(kept) > MOST_KEPT:
            kept = kept[n_categories[kept] > 0][:MOST_KEPT]
        place = np.full(len(n_categories), -1, dtype=np.intp)
        place[kept] = np.arange(len(kept))
        others = np.flatnonzero((place < 0) & (n_categories == 0))
        place[others] = len(kept) + np.arange(len(others)) % N_FOLDED
        seen = np.zeros(len(kept) + N_FOLDED, dtype=n_categories.dtype)
        seen[: len(kept)] = n_categories[kept]
        own = own_places(n_categories, SparseOneHot.most_places) if n_categories.any() else None
        return cls(place, len(kept), seen, own, None if own is None else sparse_places(own))

    @property
    def n_dense(self) -> int:
        """Number of places."""
        return len(self.n_categories)

    @property
    def width(self) -> int:
        """Length of a row with both parts."""
        return width_with_values(self.n_dense)

    def wide(self, X: SparseRows) -> tuple[Floats, Any]:
        """Return rows with both parts, and what has to be kept as long as they are."""
        rows = X.starts, X.columns, X.values
        whole = rows if self.own is None else widened_sparse(*rows, self.own, self.sparse_places)
        return wide_rows(rows, whole, self.place, self.n_kept, self.n_dense), whole

    def unfolded(self, importance: Floats) -> Floats:
        """Return what each input counts: of a place that several share, an equal part."""
        n_sharing = np.bincount(self.place[self.place >= 0], minlength=self.n_dense)
        each = importance / np.maximum(n_sharing, 1)
        return np.where(self.place >= 0, each[self.place], 0.0)


def sparse_rows(X: Floats | SparseRows) -> SparseRows:
    """Return the values of rows that are not 0."""
    return X if isinstance(X, SparseRows) else SparseRows.of_dense(X)


def dense_rows(X: Floats | SparseRows) -> Floats:
    """Return rows in full."""
    if not isinstance(X, SparseRows):
        return X
    rows, used = np.zeros(X.shape), slice(int(X.starts[0]), int(X.starts[-1]))
    rows[np.repeat(np.arange(len(X)), np.diff(X.starts)), X.columns[used]] = X.values[used]
    return rows


def keys_of(X: Floats | SparseRows) -> Floats:
    """Return numbers by which rows are found again, dense or sparse."""
    rows = sparse_rows(X)
    return row_keys(rows.starts, rows.columns, rows.values)

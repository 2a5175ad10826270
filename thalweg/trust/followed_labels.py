"""Labels that are known beforehand, given to an estimate when they come."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from thalweg._types import Ints

if TYPE_CHECKING:
    from thalweg.trust.accuracy_estimate import AccuracyEstimate

NEVER = np.iinfo(np.int64).max


class FollowedLabels:
    """Gives rows to an estimate in blocks, and the label of each after the row that is told.

    Labels under way are kept here until they come.
    """

    def __init__(self, estimate: "AccuracyEstimate") -> None:
        self.estimate = estimate
        self._due = np.empty((0, 3), dtype=np.intp)

    def add(self, p: ArrayLike, codes: ArrayLike, comes: ArrayLike, answers: Ints | None = None) -> None:
        """Take rows: what the model said, the codes of labels (-1: none), and after which row each comes."""
        estimate = self.estimate
        with estimate._own_lock().write:
            given, known = estimate._checked(p), np.asarray(codes, dtype=np.intp)
            first = estimate._begun(max(given.shape[1], 1 + int(known.max(initial=0)))).n_rows
            rows = np.arange(first, first + len(given))
            after = np.maximum(np.asarray(comes), rows)
            coming = (known >= 0) & (after < NEVER)
            new = np.column_stack([after[coming], rows[coming], known[coming]]).astype(np.intp)
            due = np.concatenate([self._due, new])
            due = due[np.lexsort((due[:, 1], due[:, 0]))]
            n_now = int(np.searchsorted(due[:, 0], first + len(given)))
            estimate._follow(given, answers, due[:n_now])
            self._due = due[n_now:]

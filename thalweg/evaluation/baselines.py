"""Baselines that any learner must beat: the most frequent class, the latest label, and what follows it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.learners.baselines._native.label_chain import following_labels

_ROWS_AT_A_TIME = 65_536
CHAIN_DECAY = 0.999  # as of LabelChain


class Baselines:
    """Predictions for each tested row of the majority class, the last label, and what most often followed it.

    They learn the same labels as the learner, at the same time and in the same order: with late labels the
    last label is the one that came last. "label_chain" predicts what `LabelChain` does if labels come at
    once. As in MOA, all predict class 0 before the first label, and the first of equally frequent classes.
    Predictions are computed now and then, so that little is left for the end.
    """

    def __init__(self, n_classes: int, most_classes: int | None = None) -> None:
        self.dtype = np.min_scalar_type(-(most_classes or n_classes) - 1)
        self._n_seen = np.zeros(n_classes, dtype=np.int64)  # of each class so far
        self._n_labels = 0
        self._last: NDArray[Any] = np.zeros(1, self.dtype)
        self._leading: NDArray[Any] = np.zeros(1, self.dtype)
        self._following: NDArray[Any] = np.zeros(1, self.dtype)
        self._counts = np.zeros((n_classes + 1, n_classes))
        self._chain_end = np.full(1, -1, dtype=np.intp)
        self._answers = [(self._last[:0], self._leading[:0], self._following[:0])]
        self._learned: list[NDArray[Any]] = []
        self._n_known: list[NDArray[np.int64]] = []
        self._n_left = 0

    def set_classes(self, n_classes: int) -> None:
        """Increase the number of classes."""
        self._predict()
        n_new = n_classes - len(self._n_seen)
        self._n_seen = np.pad(self._n_seen, (0, n_new))
        self._counts = np.pad(self._counts, (0, n_new))

    def add(self, learned: NDArray[Any], n_known: NDArray[np.int64]) -> None:
        """Add the codes of learned labels, and for each tested row the number of labels learned before it."""
        self._learned.append(learned.astype(self.dtype))
        self._n_known.append(n_known)
        self._n_left += len(learned) + len(n_known)
        if self._n_left > _ROWS_AT_A_TIME:
            self._predict()

    def codes(self, n: int) -> dict[str, NDArray[Any]]:
        """Return the predictions for the first `n` tested rows."""
        self._predict()
        # There are more than `n` if Ctrl-C came before the last rows were recorded.
        last, leading, following = (
            np.concatenate(parts)[:n].copy() for parts in zip(*self._answers, strict=True)
        )
        return {"no_change": last, "majority": leading, "label_chain": following}

    def new_codes(self) -> dict[str, NDArray[Any]]:
        """Return the predictions for the rows tested since the last call, and keep them no longer."""
        self._predict()
        answers, self._answers = self._answers, self._answers[:1]
        last, leading, following = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        return {"no_change": last, "majority": leading, "label_chain": following}

    def _predict(self) -> None:
        learned = np.concatenate([self._last[:0], *self._learned])
        known = np.concatenate([np.empty(0, np.int64), *self._n_known]) - self._n_labels
        last = np.concatenate([self._last, learned])
        leading, n_seen = _leading_class(learned, self._n_seen)
        leading = np.concatenate([self._leading, leading])
        counts, chain_end = self._counts.copy(), self._chain_end.copy()
        following = following_labels(learned.astype(np.intp), counts, chain_end, CHAIN_DECAY)
        following = np.concatenate([self._following, following.astype(self.dtype)])
        answers = [*self._answers, (last[known], leading[known], following[known])]
        n_labels = self._n_labels + len(learned)
        last, leading, following = last[-1:], leading[-1:], following[-1:]
        # No call between these assignments, so that Ctrl-C cannot come between them.
        self._last, self._leading, self._following, self._answers = last, leading, following, answers
        self._counts, self._chain_end = counts, chain_end
        self._n_labels, self._n_seen = n_labels, n_seen
        self._learned, self._n_known, self._n_left = [], [], 0


def _leading_class(codes: NDArray[Any], n_seen: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the most frequent class after each row, the first of equals, and the final counts."""
    leading = np.empty_like(codes)
    stretch = max(1, 2**21 // len(n_seen))
    for start in range(0, len(codes), stretch):
        part = codes[start : start + stretch]
        counts = np.zeros((len(part), len(n_seen)), dtype=np.int64)
        counts[np.arange(len(part)), part] = 1
        counts = n_seen + counts.cumsum(axis=0)
        leading[start : start + stretch] = counts.argmax(axis=1)
        n_seen = counts[-1].copy()
    return leading, n_seen

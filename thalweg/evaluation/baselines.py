"""The two answers any learner must beat: the class seen most often, and the label seen last."""

import numpy as np

_ROWS_AT_A_TIME = 65_536


class Baselines:
    """What the majority class and repeating the last label answer, given what was known when.

    Both learn the labels the learner learned, when it did, in the same order: with late labels the last label
    is the one that came last. Before the first label they answer class 0, and of classes seen equally often
    the first, as MOA does. Answers are worked out now and then, so that little is left for the end of a run.
    """

    def __init__(self, n_classes, most_classes=None):
        self.dtype = np.min_scalar_type(-(most_classes or n_classes) - 1)
        self._n_seen = np.zeros(n_classes, dtype=np.int64)  # of each class, and below: as far as worked out
        self._n_labels = 0
        self._last, self._leading = np.zeros(1, self.dtype), np.zeros(1, self.dtype)
        self._answers = [(self._last[:0], self._leading[:0])]
        self._learned, self._n_known, self._n_left = [], [], 0

    def set_classes(self, n_classes):
        """Let there be more classes than before."""
        self._work_out()
        self._n_seen = np.pad(self._n_seen, (0, n_classes - len(self._n_seen)))

    def add(self, learned, n_known):
        """Add learned labels, as codes, and tested rows, each with the number of labels known when it was."""
        self._learned.append(learned.astype(self.dtype))
        self._n_known.append(n_known)
        self._n_left += len(learned) + len(n_known)
        if self._n_left > _ROWS_AT_A_TIME:
            self._work_out()

    def codes(self, n):
        """Return the answers to the first `n` tested rows."""
        self._work_out()
        last, leading = (np.concatenate(parts) for parts in zip(*self._answers, strict=True))
        # More than `n` if Ctrl-C came before the last rows were recorded.
        return {"no_change": last[:n].copy(), "majority": leading[:n].copy()}

    def _work_out(self):
        learned = np.concatenate([self._last[:0], *self._learned])
        known = np.concatenate([np.empty(0, np.int64), *self._n_known]) - self._n_labels
        last = np.concatenate([self._last, learned])
        leading, n_seen = _leading_class(learned, self._n_seen)
        leading = np.concatenate([self._leading, leading])
        answers, n_labels = [*self._answers, (last[known], leading[known])], self._n_labels + len(learned)
        last, leading = last[-1:], leading[-1:]
        # No call between these: Ctrl-C finds all of it done or none.
        self._last, self._leading, self._answers = last, leading, answers
        self._n_labels, self._n_seen = n_labels, n_seen
        self._learned, self._n_known, self._n_left = [], [], 0


def _leading_class(codes, n_seen):
    """Return the class with most rows after each row, the first of equals, and the rows of each class."""
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

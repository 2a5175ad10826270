"""The two answers any learner must beat: the class seen most often, and the label seen last."""

import numpy as np


def baseline_codes(learned, n_known, n_classes):
    """Return what repeating the last label and the majority class answer, given what was known when.

    Both learn the labels the learner learned, when it did, in the same order: with late labels the last
    label is the one that came last. Before the first label they answer class 0, and of classes seen equally
    often the first, as MOA does.

    Parameters
    ----------
    learned : array of int
        Codes of the labels in the order they were learned.
    n_known : array of int
        For each tested row the number of labels learned before it was tested.
    n_classes : int
        Number of classes.
    """
    last = np.concatenate([np.zeros(1, learned.dtype), learned])
    most = np.concatenate([np.zeros(1, learned.dtype), _leading_class(learned, n_classes)])
    return {"no_change": last[n_known], "majority": most[n_known]}


def _leading_class(codes, n_classes):
    """Return the class with most rows after each row, the first of equals."""
    leading = np.empty_like(codes)
    seen = np.zeros(n_classes, dtype=np.int64)
    stretch = max(1, 2**21 // n_classes)
    for start in range(0, len(codes), stretch):
        part = codes[start : start + stretch]
        counts = np.zeros((len(part), n_classes), dtype=np.int64)
        counts[np.arange(len(part)), part] = 1
        counts = seen + counts.cumsum(axis=0)
        leading[start : start + stretch] = counts.argmax(axis=1)
        seen = counts[-1]
    return leading

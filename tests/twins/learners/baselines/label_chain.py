"""A chain of labels in plain Python: a dict from contexts to counts."""

from collections import deque

import numpy as np


def run(y, n_classes, order, decay):
    """Return the probabilities before each label."""
    counts, last, found = {}, deque(maxlen=order), []
    for label in y:
        contexts = [tuple(last)[:o] for o in range(len(last) + 1)]
        p = np.full(n_classes, 1 / n_classes)
        for context in contexts:
            n = counts.get(context, np.zeros(n_classes))
            p = (n + p) / (n.sum() + 1)
        found.append(p)
        for context in contexts:
            n = counts.setdefault(context, np.zeros(n_classes))
            n *= decay
            n[label] += 1
        last.appendleft(label)
    return np.array(found)

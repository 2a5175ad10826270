"""What a learner knows, made longer for a class that appears later."""

import numpy as np


def with_labels(learner, labels):
    """Return a learner that goes on from `learner` with these labels, one more than it has."""
    new = object.__new__(type(learner))
    vars(new).update(vars(learner))
    new._labels, new.classes_ = labels, labels.classes
    new._grow_classes(len(labels.list))
    return new


def grown(old, fresh, n_classes):
    """Return `old`, known for one class less, with what is new taken from `fresh`, begun for `n_classes`.

    Axes of arrays that are as long as there are classes are lengthened; members grow by themselves; all else
    stays as it was.
    """
    if isinstance(old, np.ndarray) and isinstance(fresh, np.ndarray) and old.ndim == fresh.ndim:
        return _lengthened(old, fresh, n_classes)
    if isinstance(old, list | tuple) and isinstance(fresh, list | tuple) and len(old) == len(fresh):
        return type(old)(grown(*each, n_classes) for each in zip(old, fresh, strict=True))
    if isinstance(old, dict) and isinstance(fresh, dict) and old.keys() == fresh.keys():
        return {key: grown(old[key], fresh[key], n_classes) for key in old}
    if hasattr(old, "_grow_classes") and len(fresh.classes_) == n_classes:
        return with_labels(old, fresh._labels)
    return old


def _lengthened(old, fresh, n_classes):
    grows = [pair == (n_classes - 1, n_classes) for pair in zip(old.shape, fresh.shape, strict=True)]
    if not any(grows):
        return old
    shape = [n_classes if longer else n for longer, n in zip(grows, old.shape, strict=True)]
    new = np.zeros(shape, dtype=old.dtype)
    if new.shape == fresh.shape:
        new[...] = fresh
    new[tuple(slice(length) for length in old.shape)] = old
    return new

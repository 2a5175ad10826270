"""The codes of labels that are met one after another, of any type; new ones may be allowed."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.errors import StreamError


class LabelCodes:
    """Labels in the order of their codes.

    Parameters
    ----------
    known : iterable
        The labels known from the start.
    is_open : bool
        Whether other labels get the next codes; if not, they are an error.
    name : str
        The name of the stream, for messages.
    """

    def __init__(self, known: Iterable[Any], is_open: bool, name: str) -> None:
        self.is_open, self.name = is_open, name
        self._codes = {plain_label(label): code for code, label in enumerate(known)}
        self.classes = label_array(self._codes)

    def of(self, labels: Sequence[Any], first_row: int) -> Ints:
        """Return the code of each label, -1 if it is missing; the first one is that of row `first_row`."""
        codes = np.empty(len(labels), dtype=np.intp)
        n_known = len(self._codes)
        for i, given in enumerate(labels):
            label = plain_label(given)
            if is_missing(label):
                codes[i] = -1
                continue
            code = self._codes.get(label)
            if code is None:
                code = self._add(label, first_row + i)
            codes[i] = code
        if len(self._codes) > n_known:
            self.classes = label_array(self._codes)
        return codes

    def _add(self, label: Any, row: int) -> int:
        if not self.is_open:
            known = ", ".join(map(repr, list(self._codes)[:10]))
            raise StreamError(f"{self.name}: row {row} has the label {label!r}; the classes are {known}")
        return self._codes.setdefault(label, len(self._codes))


def plain_label(label: Any) -> Any:
    """Return a label as a plain Python value, if it is a scalar of NumPy or of another array library."""
    return label.item() if hasattr(label, "item") and getattr(label, "ndim", 0) == 0 else label


def is_missing(label: Any) -> bool:
    """Return whether a plain label is None, NaN or pandas.NA, which equals nothing, not even itself."""
    return label is None or (label != label) is not False


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Return the different labels that are not missing: sorted, if they can be."""
    plain = dict.fromkeys(map(plain_label, labels))
    found = [label for label in plain if not is_missing(label)]
    try:
        return sorted(found)
    except TypeError:
        return found


def label_array(labels: Iterable[Any]) -> NDArray[Any]:
    """Return labels as an array: of their type if they have one, else of objects."""
    values = list(labels)
    if len({type(value) for value in values}) == 1 and isinstance(values[0], bool | int | float | str):
        return np.array(values)
    classes = np.empty(len(values), dtype=object)
    classes[:] = values
    return classes

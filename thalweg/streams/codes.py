"""Codes of categories and labels: 0, 1, 2, …, the same however a file spells the value."""

import math

import numpy as np

from thalweg.errors import StreamError

MISSING_TEXT = ("", "?", "NA", "NaN", "nan", "null")
MISSING, UNKNOWN = -1, -2
MAX_TEXT = 1 << 16


def number(text):
    """Return the number that `text` spells; None if it spells none."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def spelling(value):
    """Return the one spelling of `value` (1, 1.0, "1" and " 1.0" are all "1"); None if it is missing."""
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        text = value.strip()
        if text in MISSING_TEXT:
            return None
        value = number(text)
        if value is None or math.isinf(value) or abs(value) >= 2**53:
            return text
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if value != value:
        return None
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def holds_rows(text):
    """Tell whether `text` is long and of several lines, as rows that follow a quote which never ends."""
    return len(text) > MAX_TEXT and ("\n" in text or "\r" in text)


class Codes:
    """Numbers values from 0 on: known ones in the order given, and new ones as they turn up if `grows`.

    A text that `holds_rows` is never a new value.
    """

    def __init__(self, values=(), grows=False, where="classes"):
        self.values = list(values)
        self.grows = grows
        self._code = {spelling(value): code for code, value in enumerate(self.values)}
        if len(self._code) < len(self.values):
            raise StreamError(f"{where}: a value is listed twice: {', '.join(map(str, self.values))}")

    def __len__(self):
        return len(self.values)

    def of(self, values):
        """Return the codes of `values`, MISSING or UNKNOWN where there is none."""
        return np.array([self._of_one(value) for value in values], dtype=np.intp)

    def _of_one(self, value):
        text = spelling(value)
        if text is None:
            return MISSING
        code = self._code.get(text, UNKNOWN)
        if code == UNKNOWN and self.grows and not holds_rows(text):
            code = self._code[text] = len(self.values)
            self.values.append(value.strip() if isinstance(value, str) else value)
        return code


def as_classes(values, ordered=False):
    """Return labels as an array: whole numbers as integers, other numbers as floats, else text.

    They are sorted, unless their order is already that of a declared list (`ordered`).
    """
    values = list(values)
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        classes = np.array(values)
    else:
        spelled = [spelling(value) for value in values]
        numbers = [number(text) for text in spelled]
        if any(value is None or not abs(value) < 2**53 for value in numbers):
            classes = np.array([str(value) for value in values])
        elif all(value == int(value) for value in numbers):
            classes = np.array([int(text) for text in spelled], dtype=np.int64)
        else:
            classes = np.array(numbers)
    return classes if ordered else np.sort(classes)

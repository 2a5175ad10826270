"""Codes 0, 1, 2, … of categories and labels, regardless of how a file spells a value."""

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from thalweg._types import Ints
from thalweg.errors import StreamError

MISSING_TEXT = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
MISSING, UNKNOWN = -1, -2
MOST_TEXT = 512  # characters of a new category or label
BOOLEANS = ("False", "True")
YES = {"yes", "y", "true", "t", "on", "ja", "j", "oui", "si", "sí"}
NO = {"no", "n", "false", "f", "off", "nein", "non"}
LETTERS = ({"y", "n", "j"}, {"t", "f"})


def number(text: str) -> float | None:
    """Return `text` as a number, or None if it is none."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def spelling(value: Any) -> str | None:
    """Return the canonical text of `value`; None if it is missing.

    1, 1.0, "1" and " 1.0" are all "1"; True, "TRUE" and "true" are all "True".
    """
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
            return text.capitalize() if text.capitalize() in BOOLEANS else text
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, int):
        return str(value)
    if value != value:
        return None
    if not isinstance(value, Real | Decimal):
        return str(value)
    if math.isfinite(value) and value == math.floor(value):
        return str(math.floor(value))
    return repr(float(value))


def _codes_spelling(value: Any) -> str | None:
    """Return the canonical text of `value`, where NA is a code such as that of Namibia."""
    return "NA" if isinstance(value, str) and value.strip() == "NA" else spelling(value)


def _caseless(value: Any) -> str | None:
    text = spelling(value)
    return None if text is None else text.casefold()


def _yes_no(value: Any) -> str | None:
    """Return "yes" for yes, Y, TRUE and the like, "no" for their opposites, and other texts without case."""
    text = _caseless(value)
    return "yes" if text in YES else "no" if text in NO else text


MATCHES: dict[str, Callable[[Any], str | None]] = {
    "exact": spelling, "codes": _codes_spelling, "caseless": _caseless, "yes/no": _yes_no,
}


def is_yes_no(texts: Iterable[str]) -> bool:
    """Return whether all texts are spellings of yes and no, or true and false, and both of them are there.

    Single letters must be those of one pair: Y and N, or T and F.
    """
    folded = {text.casefold() for text in texts}
    n_pairs = sum(bool(folded & pair) for pair in LETTERS)
    return folded <= YES | NO and bool(folded & YES) and bool(folded & NO) and n_pairs <= 1


def length_problem(value: Any) -> str | None:
    """Return what is wrong with a value whose text is too long for a category or a label; None if it is not.

    A text of several lines may be rows after a quote that is never closed.
    """
    text = spelling(value) or ""
    if len(text) <= MOST_TEXT:
        return None
    if "\n" in text or "\r" in text:
        return f"has {len(text):,} characters in several lines; is there a quote that never ends?"
    return f"has {len(text):,} characters; a category or a label may have up to {MOST_TEXT}"


class Codes:
    """Assigns the codes 0, 1, 2, … to values in the order given; if `grows`, new values get the next codes.

    A text of more than `MOST_TEXT` characters is never a new value. `match` says which spellings are one
    value: "exact" (only numbers and booleans may be written differently), "codes" (NA is a value), "caseless"
    or "yes/no".
    """

    def __init__(
        self, values: Iterable[Any] = (), grows: bool = False, where: str = "classes", match: str = "exact"
    ) -> None:
        self.values = list(values)
        self.grows = grows
        self.match = match
        self._spelling = MATCHES[match]
        self._code = {self._spelling(value): code for code, value in enumerate(self.values)}
        if len(self._code) < len(self.values):
            raise StreamError(f"{where}: a value is listed twice: {', '.join(map(str, self.values))}")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def spelling(self) -> Callable[[Any], str | None]:
        """The function that returns the canonical text of a value, None if it is missing."""
        return self._spelling

    @property
    def by_spelling(self) -> dict[str | None, int]:
        """The codes by canonical text, as long as they grow."""
        return self._code

    def of(self, values: Iterable[Any]) -> Ints:
        """Return the codes of `values`; MISSING or UNKNOWN for values without one."""
        return np.array([self._of_one(value) for value in values], dtype=np.intp)

    def copy(self) -> "Codes":
        """Return the same codes, which grow by themselves; much faster than to spell all values again."""
        found = Codes(grows=self.grows, match=self.match)
        found.values, found._code = self.values.copy(), self._code.copy()
        return found

    def grown(self, values: Sequence[Any]) -> "Codes":
        """Return the codes of `values`, which are mostly those known here and some after them."""
        n = len(self)
        if values[:n] != self.values:
            return Codes(values, self.grows, match=self.match)
        found = self.copy()
        found.values += values[n:]
        found._code |= {self._spelling(value): code for code, value in enumerate(values[n:], n)}
        return found

    def extend(self, values: Sequence[Any]) -> bool:
        """Add values that another of these has added, however long they are; False if one is not new."""
        new = {self._spelling(value): code for code, value in enumerate(values, len(self))}
        is_new = len(new) == len(values) and None not in new and self._code.keys().isdisjoint(new)
        if not is_new or (values and not self.grows):
            return False
        self._code |= new
        self.values += values
        return True

    def forget_last(self) -> None:
        """Remove the value that was added last."""
        del self._code[self._spelling(self.values.pop())]

    def _of_one(self, value: Any) -> int:
        text = self._spelling(value)
        if text is None:
            return MISSING
        code = self._code.get(text, UNKNOWN)
        if code == UNKNOWN and self.grows and len(text) <= MOST_TEXT:
            code = self._code[text] = len(self.values)
            self.values.append(value.strip() if isinstance(value, str) else value)
        return code

"""The codes of labels, which keep their type and text: 1067, "1067" and "01067" may be three classes."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import StreamError
from thalweg.streams.columns.codes import (
    MATCHES,
    MISSING,
    MISSING_TEXT,
    UNKNOWN,
    Codes,
    length_problem,
    number,
    spelling,
)

# Where labels come from. Text in a CELL of a file or record may be a number; a TYPED column has another type
# for numbers; labels GIVEN beside the rows are taken as they are.
CELL, TYPED, GIVEN = "cell", "typed", "given"
LARGEST = 2**53  # up to here a float has all whole numbers
FAR = 2**63  # from here on a whole number does not fit in an array of integers
WHOLE = re.compile(r"-?[1-9]\d{,511}")


class ClassCodes(Codes):
    """The codes of labels.

    A label has the code of the class that it equals in type and text; else that of the one class that is
    written in another way: "1" of 1, 1 of "1", "true" of True, and, unless it is `GIVEN`, what `match` says.
    `decoded` has the labels that stand in a column as another text, because the column has several types.
    """

    def __init__(
        self, values: Iterable[Any] = (), grows: bool = False, where: str = "classes", match: str = "exact",
        form: str = CELL, decoded: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(grows=grows, where=where, match=match)
        self.form, self._decoded = form, decoded or {}
        given = list(values)
        self.values = [as_label(value) for value in given]
        self._index()
        if len(self._exact) < len(self.values):
            raise StreamError(f"{where}: a value is listed twice: {', '.join(map(str, given))}")

    def _index(self) -> None:
        self._exact: dict[Any, int] = {}
        self._texts: dict[str, int] = {}  # UNKNOWN where it is that of several classes
        self._numbers: dict[str, int] = {}
        for code, value in enumerate(self.values):
            self._enter(value, code)

    def _enter(self, value: Any, code: int) -> None:
        self._exact[value] = code
        if isinstance(value, str | bool):
            text = folded(str(value), self.match)
            self._texts[text] = UNKNOWN if text in self._texts else code
        if not isinstance(value, str):
            self._numbers[spelling(float(value) if isinstance(value, bool) else value) or ""] = code

    def knows(self, label: Any) -> bool:
        """Return whether this is a class, of this type and text."""
        label = as_label(label)
        return label is not None and label != "" and label in self._exact

    def is_missing(self, label: Any) -> bool:
        """Return whether a label is missing; a class is not, though it is written as what is missing."""
        label = as_label(label)
        if label is None or self.form == GIVEN or not isinstance(label, str):
            return label is None
        text = label.strip()
        is_code = self.match == "codes" and text == "NA"
        return not text or (text in MISSING_TEXT and text not in self._exact and not is_code)

    def copy(self) -> "ClassCodes":
        """Return the same codes, which grow by themselves."""
        return ClassCodes(self.values, self.grows, match=self.match, form=self.form, decoded=self._decoded)

    def extend(self, values: Sequence[Any]) -> bool:
        """Add values that another of these has added, however long they are; False if one is not new."""
        new = [as_label(value) for value in values]
        if len(set(new)) < len(new) or None in new or not self._exact.keys().isdisjoint(new):
            return False
        if new and not self.grows:
            return False
        for label in new:
            self._add(label)
        return True

    def add(self, label: Any) -> None:
        """Add a label, also where labels are fixed."""
        self._add(as_label(label))

    def forget_last(self) -> None:
        """Remove the value that was added last."""
        self.forget_after(len(self) - 1)

    def forget_after(self, n: int) -> None:
        """Remove all values but the first `n`."""
        del self.values[n:]
        self._index()

    def code_of(self, value: Any, adds: bool) -> int:
        """Return the code of a value as `of` does; whether a new one is added does not depend on `grows`."""
        grows, self.grows = self.grows, adds
        try:
            return self._of_one(value)
        finally:
            self.grows = grows

    def _add(self, label: Any) -> int:
        code = len(self.values)
        self.values.append(label)
        self._enter(label, code)
        return code

    def _of_one(self, value: Any) -> int:
        label = as_label(self._decoded.get(value, value) if self._decoded else value)
        if self.is_missing(label):
            return MISSING
        if self.form != GIVEN and isinstance(label, str):
            label = label.strip()
        code = self._exact.get(label)
        code = self._similar(label) if code is None else code
        if code == UNKNOWN and self.grows and length_problem(label) is None:
            code = self._add(self._as_class(label))
        return code

    def _similar(self, label: Any) -> int:
        """Return the code of the one class that is this label written in another way; UNKNOWN if none is."""
        if not isinstance(label, str):
            texts = [str(label), *([f"{label}.0"] if type(label) is int else [])]
            found = [self._texts.get(folded(text, self.match), UNKNOWN) for text in texts]
            return next((code for code in found if code != UNKNOWN), UNKNOWN)
        code = UNKNOWN
        if self.form != GIVEN:
            code = self._texts.get(folded(label, self.match), UNKNOWN)
        if code == UNKNOWN and not _has_padding(label):
            text = spelling(label) or ""
            code = self._numbers.get({"True": "1", "False": "0"}.get(text, text), UNKNOWN)
            if text in ("True", "False") and code != UNKNOWN and not isinstance(self.values[code], bool):
                code = UNKNOWN
        return code

    def _as_class(self, label: Any) -> Any:
        """Return a new label as a class: text of a cell is a number if it is written as the others are."""
        if self.form == CELL and isinstance(label, str) and (not self.values or self._numbers):
            value = written_number(label)
            return label if value is None else value
        return label


def folded(text: str, match: str) -> str:
    """Return a text without what `match` ignores; a number stays as it is written, as 01067 is not 1067."""
    text = text.strip()
    return text if number(text) is not None else MATCHES[match](text) or text


def _has_padding(text: str) -> bool:
    """Return whether a text is a number with a plus or zeros in front, such as a code has."""
    digits = text.removeprefix("-")
    return digits[:1] == "+" or (digits[:1] == "0" and digits[1:2].isdigit())


def written_number(text: str) -> int | float | None:
    """Return the number of a text such as 1067, 0.5 or 1.0; None of 01067, +1, 0.50, 1e3 and of words."""
    value = number(text)
    if value is None or not abs(value) < LARGEST:
        return int(text) if value is not None and WHOLE.fullmatch(text) else None
    if value == int(value):
        return int(value) if text in (str(int(value)), repr(value)) else None
    return value if text == repr(value) else None


def labels_of_cells(values: Iterable[Any]) -> list[Any]:
    """Return the labels of cells: numbers if all texts are written as numbers are, else the texts."""
    listed = list(values)
    found = [written_number(value.strip()) if isinstance(value, str) else value for value in listed]
    return listed if None in found else found


def as_label(value: Any) -> Any:
    """Return a label as a class has it: text, a boolean, a whole number or a float; None if it is missing."""
    if type(value) is str or value is None:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating | Decimal):
        return _as_number(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if value == value else None


def _as_number(value: Any) -> Any:
    if not math.isfinite(value):
        return None if math.isnan(value) else spelling(value)
    is_whole = value == math.floor(value)
    if is_whole and abs(value) < LARGEST:
        return int(value)
    return str(value) if is_whole and isinstance(value, Decimal) else float(value)


def as_classes(values: Iterable[Any], ordered: bool = False) -> NDArray[Any]:
    """Return labels as an array: of integers, floats, booleans or text; of objects if they are a mixture.

    They are sorted, unless they are `ordered` already: numbers first, then text.
    """
    labels = [as_label(value) for value in values]
    if None in labels:
        raise StreamError("a missing value cannot be one of the classes")
    labels = labels if ordered else sorted_classes(labels)
    kinds = set(map(type, labels))
    most = LARGEST if float in kinds else FAR
    is_plain = kinds <= {int, float} and (kinds == {float} or all(-most <= label < most for label in labels))
    if is_plain:
        return np.array(labels, dtype=np.float64 if float in kinds else np.int64)
    if kinds in ({str}, {bool}) and not any(label.endswith("\0") for label in labels if kinds == {str}):
        return np.array(labels)
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    return classes


def sorted_classes(labels: Iterable[Any]) -> list[Any]:
    """Return labels in their order: numbers first, then text."""
    listed = list(labels)
    return [listed[place] for place in class_order(listed)]


def class_order(labels: Sequence[Any]) -> list[int]:
    """Return the places of labels in their order."""
    return sorted(range(len(labels)), key=lambda i: (isinstance(labels[i], str), labels[i]))

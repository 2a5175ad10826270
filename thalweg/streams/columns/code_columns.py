"""Columns of codes: zip codes and phone numbers are categories, though they have digits only."""

import re
from typing import Any

import numpy as np
import pyarrow.compute as pc

from thalweg._types import Floats
from thalweg.streams.columns.column import is_text, texts_in

WORDS = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])")
ZIP_NAMES = {"zip", "zips", "zipcode", "plz", "postcode", "postalcode", "postleitzahl", "postal"}
PHONE_NAMES = {"phone", "phonenumber", "telephone", "telefon", "tel", "fax", "mobile", "handy"}
MIN_ZIP, MIN_PHONE = 100, 100_000  # three and six digits
PADDED_WIDTH, PHONE_WIDTH = 5, 7
PHONE = r"^\+?[\d\s()/.-]+$"
FEW = 20
NAMED, PADDED = "a code by its name", "a code: leading zeros"


def code_note(name: str, arrays: list[Any], numbers: Floats) -> str:
    """Return why a column of numbers is one of codes; nothing if it is not.

    It is if its name is that of zip codes or phone numbers, and its numbers are whole and long enough; or if
    zeros lead and all numbers have the same five digits or more, or most of them lead and all have seven.
    """
    if not len(numbers) or not 0 <= numbers.min() <= numbers.max() < np.inf or (numbers % 1).any():
        return ""
    words = {word.lower() for word in WORDS.findall(name)}
    least = float(np.min(numbers[numbers > 0], initial=np.inf))
    if (words & ZIP_NAMES and least >= MIN_ZIP) or (words & PHONE_NAMES and least >= MIN_PHONE):
        return NAMED
    if not all(is_text(array) for array in arrays):
        return ""
    texts = texts_in(arrays)
    leading = np.asarray(pc.match_substring_regex(texts, r"^0\d"))
    if not leading.any() or not pc.all(pc.match_substring_regex(texts, r"^\d+$")).as_py():
        return ""
    widths = np.asarray(pc.utf8_length(texts))
    is_padded = widths.min() == widths.max() >= PADDED_WIDTH
    return PADDED if is_padded or (widths.min() >= PHONE_WIDTH and leading.mean() > 0.5) else ""


def are_phone_numbers(name: str, texts: Any) -> bool:
    """Return whether texts are phone numbers: such a name, or a plus, and seven digits or more in all."""
    for part in (texts[:FEW], texts):  # most columns are told by their first cells
        if not len(part) or not pc.all(pc.match_substring_regex(part, PHONE)).as_py():
            return False
    digits = np.asarray(pc.utf8_length(pc.replace_substring_regex(texts, r"\D", "")))
    plus = np.asarray(pc.match_substring_regex(texts, r"^\+\d{1,3}[ (/-]"))
    is_named = bool({word.lower() for word in WORDS.findall(name)} & PHONE_NAMES)
    return bool(digits.min() >= PHONE_WIDTH and (is_named or plus.mean() > 0.5))

"""Numbers as people write them: €4,222.11, 12,50 EUR, 13 %, (1,200), 1 234, 1'234, 100-.

A number may have a sign of money in front or behind, a percent sign behind, marks between thousands, and a
minus in front, behind, or as parentheses. 13 % is 13, in the unit of its column.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg._types import Floats

_CODES = (
    "JPY|CNY|RMB|INR|AUD|CAD|NZD|SGD|HKD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|HRK|RSD|UAH|RUB|TRY"
    "|ILS|AED|SAR|ZAR|NGN|KES|EGP|BRL|MXN|ARS|CLP|COP|PEN|KRW|THB|IDR|MYR|PHP|VND|TWD|PKR|BDT|LKR"
)
_SIGNS = r"(?:US|CA|AU|NZ|HK|[ACRS])?\$|\p{Sc}|kr\.?|zł|Kč|Ft|Fr\.?|Rs\.?"
_MONEY = rf"(?:{_SIGNS}|(?i:EUR|USD|GBP|CHF)|{_CODES})"
_UNIT = rf"(?:{_MONEY}|[%‰])"
_WHOLE = {
    # [1-9] first, since 0,125 has a decimal comma; the last one is written in India: 12,34,567
    ".": r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+)|[1-9]\d?(?:,\d{2})+,\d{3}|\d+",
    ",": r"[1-9]\d{0,2}(?:(?:\.\d{3})+|(?: \d{3})+|(?:'\d{3})+)|\d+",
}
_SAME_MONEY = {
    "€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "₹": "INR", "RS": "INR", "ZŁ": "PLN", "KČ": "CZK",
    "FT": "HUF", "₽": "RUB", "FR": "CHF", "R$": "BRL",
}
# What may stand in front of or behind a number, without a point; there are more signs.
MONEY = frozenset([
    *"$€£¥₹₽₩₺₪₫₴₦฿₱₲₡₵₸", "US$", "CA$", "AU$", "NZ$", "HK$", "A$", "C$", "R$", "S$", "kr", "zł", "Kč", "Ft",
    "Fr", "Rs", *_CODES.split("|"),
    *(form for code in ("EUR", "USD", "GBP", "CHF") for form in (code, code.lower(), code.capitalize())),
])
MARKS = {",": "commas", ".": "points", " ": "spaces", "'": "apostrophes"}


@dataclass(frozen=True)
class Decoration:
    """What stands around and inside the numbers of a column.

    `units` are signs of money and percent, `marks` those between thousands. `is_partial` if some cells have a
    percent sign and others, not 0, have none.
    """

    units: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    parentheses: bool = False
    is_partial: bool = False

    @property
    def n_units(self) -> int:
        """Number of different units; € and EUR are one."""
        return len({_SAME_MONEY.get(unit.upper(), unit.upper()) for unit in self.units})


def are_numbers(texts: Any, point: str) -> Any:
    """Return which texts are numbers whose decimal point is `point`, as an Arrow array."""
    return _matches(_plain_marks(texts), point)


def parsed(texts: Any, point: str) -> Floats:
    """Return texts as numbers whose decimal point is `point`; NaN where one is null or no number."""
    texts = _plain_marks(texts)
    good = _matches(texts, point)
    if not _any(texts, r"[^\d., '+-]|[^+-].*[+-]|[+-] "):
        for mark in MARKS:
            texts = texts if mark == point else pc.replace_substring(texts, mark, "")
        return _cast(pc.if_else(good, texts, None))
    is_power = pc.match_substring_regex(texts, r"\d[,.]?[eE][+-]?\d")
    digits = pc.replace_substring_regex(texts, rf"\p{{L}}+\.?|[^\d\p{{L}}{point}]+", "")
    other = "." if point == "," else ","
    digits = pc.if_else(is_power, pc.replace_substring_regex(texts, rf"[ '{other}]", ""), digits)
    numbers = _cast(pc.if_else(good, digits, None))
    is_minus = pc.and_not(pc.match_substring_regex(texts, r"^[^\d]*[-(]|-[^\d]*$"), is_power)
    return np.where(np.asarray(is_minus.fill_null(False)), -numbers, numbers)


def decoration(texts: Any, point: str) -> Decoration:
    """Return what stands around and inside the numbers among `texts`."""
    texts = _plain_marks(texts)
    bare = pc.match_substring_regex(texts, rf"^[-+]?\d*[{point}]?\d*$")
    is_partial = bool((parsed(texts.filter(bare), point) != 0).any())
    texts = texts.filter(pc.invert(bare))
    texts = texts.filter(_matches(texts, point))
    around = [pc.replace_substring_regex(texts, rest, "") for rest in (r"[\d].*$", r"^.*\d")]
    found = [pc.utf8_trim(pc.unique(part), " ()+-.,").to_pylist() for part in around]
    units = tuple(dict.fromkeys(unit for part in found for unit in part if unit))
    marks = tuple(mark for mark in MARKS if mark != point and _any(texts, rf"\d[{mark}]\d"))
    return Decoration(units, marks, _any(texts, r"\("), is_partial and "%" in units)


def _body(point: str) -> str:
    mark = rf"\{point}" if point == "." else point
    return rf"(?:(?:{_WHOLE[point]})(?:{mark}\d*)?|{mark}\d+)"


def _pattern(point: str) -> str:
    body = _body(point)
    money, unit = rf"(?:{_MONEY} *)?", rf"(?: *{_UNIT})?"
    forms = (
        rf"[-+]? *{money}{body}{unit}",
        rf"{money}[-+] *{body}{unit}",
        rf"{money}{body}{unit} *-",
        rf"{money}{body}-{unit}",
        rf"{money}\( *{money}{body}{unit} *\){unit}",
        rf"[-+]?{body}[eE][+-]?\d+",
    )
    return f"^(?:{'|'.join(forms)})$"


_PATTERNS = {point: _pattern(point) for point in (".", ",")}
_BARE = {point: rf"^[-+]?{_body(point)}$" for point in (".", ",")}


def _matches(texts: Any, point: str) -> Any:
    # The short pattern is enough for most columns; the long one takes a millisecond to compile.
    found = pc.match_substring_regex(texts, _BARE[point])
    if pc.all(found).as_py() is not False:
        return found
    return pc.match_substring_regex(texts, _PATTERNS[point])


def _plain_marks(texts: Any) -> Any:
    """Return texts with plain blanks, minus signs and apostrophes instead of typographic ones."""
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return texts
    for marks, plain in ((r"[\x{a0}\x{202f}\x{2007}\x{2009}]", " "), (r"[−–]", "-"), (r"[’‘]", "'")):
        texts = pc.replace_substring_regex(texts, marks, plain)
    return texts


def _cast(texts: Any) -> Floats:
    return np.asarray(pc.replace_substring(texts, ",", ".").cast(pa.float64()).fill_null(np.nan))


def _any(texts: Any, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())

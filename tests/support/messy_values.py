"""Values as people have them in their records: numbers, dates and words in many forms, right and wrong."""

import datetime
from decimal import Decimal

import numpy as np
import pandas

from thalweg.streams.columns.missing import NOT_NUMBERS

NUMBERS = (
    "0", "1", "-0", "0.0", "-0.0", "1.", "00", "01", ".5", "-.5", "+1", "1_000", "0x10", "inf", "-inf", "nan",
    "NAN", "nAn", "Infinity", "1e400", "1e-400", "5e-324", "12.5", "-999", "-999.0", "0,125", "1,234",
    "1.234", "12,34,567", "9007199254740993", "1e", "e5", "--5", "(5", "5)", "5%%", "1 23", "٣", "1\x00", "+",
)  # fmt: skip
UNITS = ("€", "$", "£", "US$", "EUR", "eur", "kr", "kr.", "Rs.", "zł", "%", "‰", "SEK", "foo", "R$", " ")
WORDS = (
    "red", "RED", "Red ", "yes", "Y", "no", "N", "True", "true", "TRUE", "f", "NA", "Na", "gone", "x", "blue",
    "1", "1.0", "2.50", "ja", "", "  ", "\xa0", "two words", "Straße", "İstanbul", "N/A", "half \ud800 pair",
)  # fmt: skip
PLAIN = (
    None, True, False, 0, 1, 3, -999, 2**53 + 1, -(2**63), 2**63, 2**70, 1709285400, 1709285400123, 20240131,
    0.0, -0.0, 2.5, 12.5, -999.0, float("nan"), float("inf"), 1e16, 1e300, 5e-324, 1709285400.25, 20240131.0,
)  # fmt: skip
SPECIAL = (
    np.float64(1.5), np.float32(0.1), np.float16(0.1), np.float32("nan"), np.float32("inf"), np.longdouble(1),
    np.int8(1), np.int64(1709285400), np.int32(20240131), np.uint64(2**63 + 1), np.bool_(True),
    np.str_("red"), np.datetime64("2024-03-01"), Decimal("1"), Decimal("1.0"), Decimal("2.50"),
    Decimal("0.3"), Decimal("1e3"), Decimal("NaN"), Decimal("Infinity"), Decimal("0.1234567890123456789"),
    b"red", b"1", [1], {"b": 1}, (1,), 1j, datetime.timedelta(1),
    datetime.date(2024, 2, 29), datetime.time(9, 30, 1, 250000), pandas.NaT,
    pandas.NA, pandas.Timestamp("2024-03-01 09:30:01.123456789"), pandas.Timestamp("2024-03-01", tz="UTC"),
    datetime.datetime(2024, 3, 1, 9, 30), datetime.datetime(1, 1, 1), object(),
)  # fmt: skip
SOME = (*NUMBERS, *WORDS, *PLAIN, *SPECIAL, *NOT_NUMBERS)


def number(rng):
    x = rng.uniform(0, 1e7)
    return rng.choice([
        lambda: str(rng.randrange(-1000, 1000)),
        lambda: repr(x - 5e6),
        lambda: f"{x:,.2f}",
        lambda: f"{x:,.2f}".translate({44: rng.choice(". '\xa0\u202f’"), 46: ","}),
        lambda: f"{x * 10.0 ** rng.randrange(-300, 300):.{rng.randrange(20)}e}",
        lambda: str(rng.randrange(10 ** rng.randrange(1, 30))),
        lambda: f"{x / 1e4:.{rng.randrange(25)}f}",
        lambda: f"{rng.randrange(1000)},{rng.randrange(100):02}",
        lambda: f"{rng.randrange(1, 1000)} {rng.randrange(1000):03}",
        lambda: str(rng.randrange(2)),
        lambda: f"{rng.randrange(10**15)}e{rng.randrange(-45, 45)}",
    ])()  # fmt: skip


def decorated(rng):
    sign, gap = rng.choice(["", "", "-", "+", "−", "–", "(", "- "]), rng.choice(["", " ", "\xa0"])
    front, back = (rng.choice(UNITS) if rng.random() < 0.4 else "" for _ in range(2))
    end = ")" if sign == "(" else rng.choice(["", "", "-", " -"])
    ordered = (sign, front, gap) if rng.random() < 0.5 else (front, gap, sign)
    return "".join([*ordered, number(rng), gap, back, end])


def day(rng):
    at = a_datetime(rng)
    year, mark = f"{rng.choice([2024, 1999, 1850, 50, 9999, at.year]):04}", rng.choice("-/.")
    m = rng.choice([str(at.month), f"{at.month:02}"])
    d = rng.choice([str(at.day), f"{at.day:02}", str(rng.randrange(33))])
    name = rng.choice([f"{at:%b}", f"{at:%B}", f"{at:%b}".upper(), "Foo", "Sept"])
    return rng.choice([
        mark.join([year, m, d]), mark.join([d, m, year]), mark.join([m, d, year]), f"{d}.{m}/{year}",
        f"{d} {name} {year}", f"{d}. {name}, {year}", f"{name} {d}, {year}", f"{name}-{d} {year}",
        f"{year}{at:%m%d}", mark.join([d, m, year[2:]]), mark.join([m, d, year[2:]]),
    ])  # fmt: skip


def clock(rng):
    text = f"{rng.choice(['9', '09', '12', '21', '24'])}:{rng.choice(['00', '30', '59', '60'])}"
    if rng.random() < 0.6:
        text += rng.choice([":00", ":59", ":60", ":61"])
        text += rng.choice(["", "", ".5", ",123456", f".{rng.randrange(10**9)}", ".1234567891", "."])
    text += rng.choice(["", "", "", "am", " PM", " p.m.", " a.m", "pm", " x"])
    return text + rng.choice(["", "", "", "Z", " UTC", "z", " GMT", "+01:00", "-0530", "+02", " +1", "+01:0"])


def date(rng):
    share = rng.random()
    if share < 0.3:
        return day(rng)
    if share < 0.4:
        return clock(rng)
    return day(rng) + rng.choice([" ", "T", "  ", ", ", ",", "T "]) + clock(rng)


def words(rng):
    parts = ("a", "B", "é", "ß", "İ", " ", " ", "_", "1", "-", ".", "日本", "𝔘", "Ǆ", "ⅷ", "١٢", "NA", "\n")
    return "".join(rng.choice(parts) for _ in range(rng.randrange(12)))


def a_datetime(rng):
    days = datetime.timedelta(days=rng.randrange(3_000_000), microseconds=rng.randrange(86_400_000_000))
    minutes = datetime.timedelta(minutes=rng.randrange(-700, 700))
    zone = rng.choice([None, None, datetime.UTC, datetime.timezone(minutes)])
    return (datetime.datetime(5, 1, 1) + days).replace(tzinfo=zone)


def any_value(rng):
    """Return a value; text may have blanks around it, or something that does not belong there."""
    value = rng.choice([
        number, decorated, date, date, words, a_datetime, lambda rng: rng.choice(SOME)
    ])(rng)  # fmt: skip
    if not isinstance(value, str) or rng.random() < 0.6:
        return value
    front, back = ("", " ", "\t", "\xa0"), ("", " ", "\r\n", "\u2003", "x", "\x00", "é")
    return rng.choice(front) + value + rng.choice(back)

"""Formats of dates."""

import re
from typing import NamedTuple


class Layout(NamedTuple):
    """A format of dates: its name for messages, and a regular expression of what is before the time."""

    name: str
    day: str

    @property
    def order(self) -> str:
        """The order of its numbers, such as "dmy"."""
        return "".join(re.findall(r"\?P<([dmy])>", self.day))


YEAR_FIRST = Layout("year-month-day", r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})")
DAY_FIRST = Layout("day.month.year", r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4})")
MONTH_FIRST = Layout("month/day/year", r"(?P<m>\d{1,2})[-/.](?P<d>\d{1,2})[-/.](?P<y>\d{4})")
DAY_NAMED = Layout("day month year", r"(?P<d>\d{1,2})[- .]+(?P<b>[A-Za-z]{3,9})[- .,]+(?P<y>\d{4})")
MONTH_NAMED = Layout("month day, year", r"(?P<b>[A-Za-z]{3,9})[- .]+(?P<d>\d{1,2})[ ,]+(?P<y>\d{4})")
CLOCK = Layout("a time of day", "")
NUMBER = Layout("seconds since 1970", "")
ARROW = Layout("dates", "")
LAYOUTS = (YEAR_FIRST, DAY_FIRST, MONTH_FIRST, DAY_NAMED, MONTH_NAMED, CLOCK)
SHORT_LAYOUTS = (  # too much like numbers and versions to be found without being asked for
    Layout("yearmonthday", r"(?P<y>(?:19|20|21)\d{2})(?P<m>\d{2})(?P<d>\d{2})"),
    Layout("day.month.yy", r"(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{2})"),
    Layout("month/day/yy", r"(?P<m>\d{1,2})[-/.](?P<d>\d{1,2})[-/.](?P<y>\d{2})"),
    NUMBER,
)
YEAR_SHORT = Layout("yy-month-day", r"(?P<y>\d{2})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})")  # only as told
DATE_ORDERS = ("mdy", "dmy", "ymd")


def _by_mark(mark: str, year: str, name: str) -> tuple[Layout, Layout]:
    """Return day and month in both orders, with one mark between them."""
    d, m, y = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", rf"(?P<y>{year})"
    return (
        Layout(mark.join(("dd", "mm", name)), rf"{d}[{mark}]{m}[{mark}]{y}"),
        Layout(mark.join(("mm", "dd", name)), rf"{m}[{mark}]{d}[{mark}]{y}"),
    )


# In a column of several formats each mark has its own order of day and month: 31.01.2024 and 01/31/2024.
ORDERS = tuple(_by_mark(mark, r"\d{4}", "yyyy") for mark in "./-")
SHORT_ORDERS = tuple(_by_mark(mark, r"\d{2}", "yy") for mark in "./-")
CHOICES = ((YEAR_FIRST,), *ORDERS, (DAY_NAMED,), (MONTH_NAMED,))
SHORT_CHOICES = (SHORT_LAYOUTS[:1], *SHORT_ORDERS)
ALIKE = r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}[- .]+[A-Za-z]{3}|^[A-Za-z]{3,9}[- .]+\d{1,2}\D"
_ORDERED = (layout for pair in ORDERS + SHORT_ORDERS for layout in pair)
BY_NAME = {layout.name: layout for layout in (*LAYOUTS, *SHORT_LAYOUTS, YEAR_SHORT, ARROW, *_ORDERED)}

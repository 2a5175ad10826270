"""A date as its parts: text in the layouts of its column, or a datetime, date or time of Python.

Objects become seconds as a table of Arrow would have them: a datetime as microseconds × 10⁻⁶.
"""

from cpython.datetime cimport (
    PyDate_CheckExact,
    PyDateTime_Check,
    PyDateTime_CheckExact,
    PyTime_CheckExact,
    date_day,
    date_month,
    date_year,
    datetime_day,
    datetime_hour,
    datetime_microsecond,
    datetime_minute,
    datetime_month,
    datetime_second,
    datetime_tzinfo,
    datetime_year,
    import_datetime,
    time_hour,
    time_microsecond,
    time_minute,
    time_second,
    time_tzinfo,
)
from libc.math cimport NAN, fabs

from datetime import timezone

from thalweg._native.calendar cimport parts_of, parts_t, write_inputs
from .cell cimport DECLINED, GOOD, Cell, PyUnicode_IS_ASCII, is_short, span_of, span_t
from .date_text cimport (
    DAY_MONTH_YEAR,
    DAY_NAME_YEAR,
    DIGITS_ONLY,
    MONTH_DAY_YEAR,
    NAME_DAY_YEAR,
    SINCE_1970,
    TIME_ONLY,
    YEAR_MONTH_DAY,
    days_since_1970,
    layout_t,
    scan_date,
)
from .numbers cimport scan_number

import_datetime()

cdef enum:
    MOST_LAYOUTS = 16

cdef dict ORDERS = {
    "year month day": YEAR_MONTH_DAY,
    "day month year": DAY_MONTH_YEAR,
    "month day year": MONTH_DAY_YEAR,
    "day name year": DAY_NAME_YEAR,
    "name day year": NAME_DAY_YEAR,
    "digits": DIGITS_ONLY,
    "time": TIME_ONLY,
    "since 1970": SINCE_1970,
}


cdef class DateCell(Cell):
    """Reads a date as `parts`; no `layouts` stand for dates and times of Python.

    A layout is its order, a key of `ORDERS`, the mark between numbers, and the digits of its year.
    """

    cdef object markers
    cdef parts_t parts
    cdef bint has_days
    cdef double origin
    cdef int n_layouts
    cdef layout_t[MOST_LAYOUTS] layouts

    def __init__(self, missing, markers, layouts, parts, origin):
        cdef int k
        self.parts, self.has_days = parts_of(parts), set(parts) != {"time"}
        width = self.parts.elapsed + 3 * self.parts.time + 2 * self.parts.weekday + 2 * self.parts.month
        Cell.__init__(self, width, missing)
        if len(layouts) > MOST_LAYOUTS:
            raise ValueError(f"a date has {len(layouts)} layouts; there may be {MOST_LAYOUTS}")
        self.markers, self.origin, self.n_layouts = markers, origin, len(layouts)
        for k, (order, mark, n_year) in enumerate(layouts):
            self.layouts[k].order, self.layouts[k].n_year = ORDERS[order], n_year
            self.layouts[k].mark = ord(mark) if mark else 0

    cdef int read(self, object value, double* out) except -1:
        cdef double wall = NAN, utc = NAN
        cdef int status = GOOD
        if value is None:
            pass
        elif self.n_layouts == 0:
            status = self.read_object(value, &wall, &utc)
        elif type(value) is str:
            status = self.read_text(value, &wall, &utc)
        elif (type(value) is int and is_short(value)) or type(value) is float:
            status = GOOD if self.is_named(value, True) else self.read_text(str(value), &wall, &utc)
        else:
            return DECLINED
        if status == GOOD:
            write_inputs(&self.parts, wall, utc - self.origin, out)
        return status

    cdef int read_text(self, str text, double* wall, double* utc) except -1:
        cdef span_t span
        cdef int k
        if not PyUnicode_IS_ASCII(text):
            text = text.strip()
        if self.missing is not None and self.is_named(text.strip(), True):
            return GOOD
        if PyUnicode_IS_ASCII(text):
            span = span_of(text)
            for k in range(self.n_layouts):
                if self.layouts[k].order == SINCE_1970:
                    if scan_number(span, wall):
                        wall[0] = utc[0] = wall[0] * unit_of(wall[0])
                        return GOOD
                elif scan_date(&self.layouts[k], span, wall, utc):
                    return GOOD
        return GOOD if text.strip() in self.markers else DECLINED

    cdef int read_object(self, value, double* wall, double* utc) except -1:
        cdef long long seconds, offset = 0
        if PyDate_CheckExact(value):
            seconds = 86400 * days_since_1970(date_year(value), date_month(value), date_day(value))
            wall[0] = utc[0] = <double> seconds
            return GOOD
        if PyTime_CheckExact(value):
            if self.has_days or time_tzinfo(value) is not None:
                return DECLINED
            seconds = 3600 * time_hour(value) + 60 * time_minute(value) + time_second(value)
            wall[0] = utc[0] = <double> (1000000 * seconds + time_microsecond(value)) * 1e-6
            return GOOD
        if not is_datetime(value):
            return DECLINED
        if datetime_tzinfo(value) is not None:
            if type(datetime_tzinfo(value)) is not timezone:
                return DECLINED
            ahead = value.utcoffset()
            offset = 86400 * ahead.days + ahead.seconds
            if ahead.microseconds or offset % 60:
                return DECLINED
        seconds = 86400 * days_since_1970(datetime_year(value), datetime_month(value), datetime_day(value))
        seconds += 3600 * datetime_hour(value) + 60 * datetime_minute(value) + datetime_second(value)
        wall[0] = <double> (1000000 * seconds + datetime_microsecond(value)) * 1e-6
        utc[0] = <double> (1000000 * (seconds - offset) + datetime_microsecond(value)) * 1e-6
        return GOOD


cdef bint is_datetime(value) except -1:
    # Whether its fields are those of a datetime: a Timestamp of pandas beyond the year 9999 has others.
    if PyDateTime_CheckExact(value):
        return True
    if not PyDateTime_Check(value) or type(value).__name__ != "Timestamp":
        return False
    return value.year == datetime_year(value)


cdef double unit_of(double number) noexcept nogil:
    # Of a number since 1970: s, ms, µs or ns, by its magnitude.
    cdef double size = fabs(number)
    if size > 1e17:
        return 1e-9
    if size > 1e14:
        return 1e-6
    return 1e-3 if size > 1e11 else 1.0

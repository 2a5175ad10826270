"""Dates and times of day as text: scanners of what the regular expressions in `date_layouts` match.

What may follow a part never continues it, so that one pass, without going back, finds the only match.
"""

from libc.stdint cimport int64_t

from .cell cimport is_digit, span_t

cdef double DAY = 86400.0
cdef const char* MONTHS = b"janfebmaraprmayjunjulaugsepoctnovdec"
cdef double[10] TENS = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

ctypedef struct date_t:
    int year, month, day


cdef bint scan_date(const layout_t* layout, span_t text, double* wall, double* utc) noexcept nogil:
    cdef date_t date
    cdef double days = 0.0, offset = 0.0
    cdef double[3] seconds
    seconds[0] = seconds[1] = seconds[2] = 0.0
    if layout.order != TIME_ONLY:
        if not scan_day(layout, &text, &date) or not is_day(&date):
            return False
        days = <double> days_since_1970(date.year, date.month, date.day)
        if text.at < text.end and not skip_before_time(&text):
            return False
    if layout.order == TIME_ONLY or text.at < text.end:
        if not scan_time(&text, &seconds[0], &offset):
            return False
    wall[0] = days * DAY + 3600 * seconds[0] + 60 * seconds[1] + seconds[2]
    utc[0] = wall[0] - offset
    return True


cdef bint scan_day(const layout_t* layout, span_t* text, date_t* date) noexcept nogil:
    cdef int order = layout.order
    if order == DIGITS_ONLY:
        return (scan_digits(text, 4, 4, &date.year) and 1900 <= date.year < 2200
                and scan_digits(text, 2, 2, &date.month) and scan_digits(text, 2, 2, &date.day))
    if order == DAY_NAME_YEAR:
        return (scan_digits(text, 1, 2, &date.day) and skip_some(text, b"- .")
                and scan_name(text, &date.month) and skip_some(text, b"- .,")
                and scan_digits(text, 4, 4, &date.year))
    if order == NAME_DAY_YEAR:
        return (scan_name(text, &date.month) and skip_some(text, b"- .")
                and scan_digits(text, 1, 2, &date.day) and skip_some(text, b" ,")
                and scan_digits(text, 4, 4, &date.year))
    if order == YEAR_MONTH_DAY:
        return (scan_digits(text, layout.n_year, layout.n_year, &date.year) and skip_mark(text, layout.mark)
                and scan_digits(text, 1, 2, &date.month) and skip_mark(text, layout.mark)
                and scan_digits(text, 1, 2, &date.day))
    return (scan_digits(text, 1, 2, &date.day if order == DAY_MONTH_YEAR else &date.month)
            and skip_mark(text, layout.mark)
            and scan_digits(text, 1, 2, &date.month if order == DAY_MONTH_YEAR else &date.day)
            and skip_mark(text, layout.mark) and scan_digits(text, layout.n_year, layout.n_year, &date.year))


cdef bint is_day(date_t* date) noexcept nogil:
    # Whether the calendar has the day. Years of two digits are 1970 to 2069.
    cdef int length = 31
    if date.year < 100:
        date.year += 2000 if date.year < 70 else 1900
    if date.month == 2:
        length = 29 if date.year % 4 == 0 and (date.year % 100 != 0 or date.year % 400 == 0) else 28
    elif date.month == 4 or date.month == 6 or date.month == 9 or date.month == 11:
        length = 30
    return 1 <= date.month <= 12 and 1 <= date.day <= length


cdef bint scan_time(span_t* text, double* seconds, double* offset) noexcept nogil:
    # Hours, minutes and seconds, then am or pm, then a time zone; nothing may follow.
    cdef int hour = 0, minute = 0
    if not scan_digits(text, 1, 2, &hour) or not skip_one(text, b":") or not scan_digits(text, 2, 2, &minute):
        return False
    if skip_one(text, b":") and not scan_seconds(text, &seconds[2]):
        return False
    if not scan_half(text, &hour) or not scan_zone(text, offset):
        return False
    seconds[0], seconds[1] = hour, minute
    return text.at == text.end and hour < 24 and minute < 60 and seconds[2] < 61


cdef bint scan_seconds(span_t* text, double* seconds) noexcept nogil:
    # 30 or 30.123456789 or 30,5: a mantissa below 2**53 over a power of ten, rounded once.
    cdef int whole = 0, n = 0
    cdef int64_t mantissa
    if not scan_digits(text, 2, 2, &whole):
        return False
    mantissa = whole
    if skip_one(text, b".,"):
        while n < 9 and text.at < text.end and is_digit(text.at[0]):
            mantissa = 10 * mantissa + (text.at[0] - c"0")
            text.at += 1
            n += 1
        if n == 0:
            return False
    seconds[0] = <double> mantissa / TENS[n]
    return True


cdef bint scan_half(span_t* text, int* hour) noexcept nogil:
    # am or p.m., if it is there; False if half of it is.
    cdef const char* at = text.at
    cdef char half
    if at < text.end and at[0] == c" ":
        at += 1
    if at == text.end or (at[0] | 32 != c"a" and at[0] | 32 != c"p"):
        return True
    half = at[0] | 32
    text.at = at + 1
    skip_one(text, b".")
    if not skip_one(text, b"Mm"):
        return False
    skip_one(text, b".")
    if half == c"p" and hour[0] < 12:
        hour[0] += 12
    elif half == c"a" and hour[0] == 12:
        hour[0] = 0
    return True


cdef bint scan_zone(span_t* text, double* offset) noexcept nogil:
    # Z, UTC, GMT, +01, +0100 or +01:00, if anything is left; False if it is something else.
    cdef int hours = 0, minutes = 0
    cdef bint is_minus
    if text.at == text.end:
        return True
    skip_one(text, b" ")
    if skip_one(text, b"Zz"):
        return True
    if text.end - text.at == 3 and (is_name(text.at, b"UTC") or is_name(text.at, b"GMT")):
        text.at += 3
        return True
    is_minus = text.at < text.end and text.at[0] == c"-"
    if not skip_one(text, b"+-") or not scan_digits(text, 2, 2, &hours):
        return False
    if text.at < text.end:
        skip_one(text, b":")
        if not scan_digits(text, 2, 2, &minutes):
            return False
    offset[0] = 3600.0 * hours + 60.0 * minutes
    offset[0] = -offset[0] if is_minus else offset[0]
    return True


cdef bint skip_before_time(span_t* text) noexcept nogil:
    if skip_one(text, b","):
        return skip_one(text, b" ")
    return skip_some(text, b"T ")


cdef inline bint scan_digits(span_t* text, int least, int most, int* value) noexcept nogil:
    cdef int n = 0
    value[0] = 0
    while n < most and text.at < text.end and is_digit(text.at[0]):
        value[0] = 10 * value[0] + (text.at[0] - c"0")
        text.at += 1
        n += 1
    return n >= least


cdef bint scan_name(span_t* text, int* month) noexcept nogil:
    # From 3 to 9 letters; 0 if they do not begin as a month does.
    cdef const char* start = text.at
    cdef char[3] letters
    cdef int i
    while text.at < text.end and text.at - start < 9 and c"a" <= text.at[0] | 32 <= c"z":
        text.at += 1
    month[0] = 0
    if text.at - start < 3:
        return False
    for i in range(3):
        letters[i] = start[i] | 32
    for i in range(12):
        if is_name(&letters[0], MONTHS + 3 * i):
            month[0] = i + 1
    return True


cdef inline bint is_name(const char* at, const char* name) noexcept nogil:
    return at[0] == name[0] and at[1] == name[1] and at[2] == name[2]


cdef inline bint skip_mark(span_t* text, char mark) noexcept nogil:
    if text.at < text.end and text.at[0] == mark:
        text.at += 1
        return True
    return mark == 0 and skip_one(text, b"-/.")


cdef inline bint skip_one(span_t* text, const char* marks) noexcept nogil:
    if text.at == text.end:
        return False
    while marks[0]:
        if text.at[0] == marks[0]:
            text.at += 1
            return True
        marks += 1
    return False


cdef inline bint skip_some(span_t* text, const char* marks) noexcept nogil:
    if not skip_one(text, marks):
        return False
    while skip_one(text, marks):
        pass
    return True


cdef long long days_since_1970(long long year, int month, int day) noexcept nogil:
    # In years that begin in March (Hinnant, "chrono-compatible low-level date algorithms").
    cdef long long y = year - (month <= 2)
    cdef long long era = (y if y >= 0 else y - 399) // 400
    cdef long long of_era = y - era * 400
    cdef long long of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468

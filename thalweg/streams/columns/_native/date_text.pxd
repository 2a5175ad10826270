# Dates and times of day as text, in the forms of date_layouts.

from .cell cimport span_t

cdef enum:                              # the order in which a date is written
    YEAR_MONTH_DAY
    DAY_MONTH_YEAR
    MONTH_DAY_YEAR
    DAY_NAME_YEAR
    NAME_DAY_YEAR
    DIGITS_ONLY                         # 20240131
    TIME_ONLY
    SINCE_1970                          # a number

ctypedef struct layout_t:
    int order
    char mark                           # between the numbers; 0 if it may be any of - / .
    int n_year                          # digits of the year

# Read a whole text as seconds since 1970, by the clock that is written and in UTC; False if it is no date.
cdef bint scan_date(const layout_t* layout, span_t text, double* wall, double* utc) noexcept nogil

# Days since 1970-01-01 of a day of the Gregorian calendar.
cdef long long days_since_1970(long long year, int month, int day) noexcept nogil

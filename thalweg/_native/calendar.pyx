"""The parts of times: elapsed days, and cycles as points on a circle.

Pipeline steps and file readers both use the formula here. The month is found from the days since
1970-01-01 in years that begin in March, so that the leap day is the last of its year (Hinnant,
"chrono-compatible low-level date algorithms").
"""

import numpy as np

from libc.math cimport M_PI, NAN, cos, fmod, rint, sin
from libc.stdint cimport int64_t

cdef double DAY = 86400.0


def date_inputs(const double[::1] wall, const double[::1] utc, double origin, parts):
    """Return times as rows × inputs, NaN for those that are missing or outside of all dates.

    `wall` are seconds in local time, for the time of day, weekday and month; `utc`, of the same length,
    those from which `origin` is subtracted for the elapsed days. The inputs are in the order elapsed, time,
    weekday, month, whatever the order of `parts`.
    """
    cdef parts_t chosen = parts_of(parts)
    cdef Py_ssize_t i
    cdef Py_ssize_t width = chosen.elapsed + 3 * chosen.time + 2 * chosen.weekday + 2 * chosen.month
    X = np.empty((wall.shape[0], width))
    cdef double[:, ::1] out = X
    if width:
        with nogil:
            for i in range(wall.shape[0]):
                write_inputs(&chosen, wall[i], utc[i] - origin, &out[i, 0])
    return X


cdef parts_t parts_of(parts):
    cdef parts_t found
    found.elapsed, found.time = "elapsed" in parts, "time" in parts
    found.weekday, found.month = "weekday" in parts, "month" in parts
    return found


cdef void write_inputs(const parts_t* parts, double wall, double since, double* out) noexcept nogil:
    cdef bint good = is_moment(wall)
    cdef double seconds = fmod(wall, DAY) if good else NAN
    cdef double days
    if seconds < 0:
        seconds += DAY
    if seconds >= DAY:                  # closer to midnight than a double can tell
        seconds = 0
    days = rint((wall - seconds) / DAY)
    if parts.elapsed:
        out[0] = since / DAY if good else NAN
        out += 1
    if parts.time:
        out[0] = seconds / 3600
        out = circle(seconds / DAY, out + 1)
    if parts.weekday:                   # 1970 began on a Thursday
        out = circle(fmod(fmod(days + 3, 7) + 7, 7) / 7, out)
    if parts.month:
        circle(month_of(<int64_t> days) / 12.0 if good else NAN, out)


cdef int month_of(int64_t days) noexcept nogil:
    # From 0 for January.
    cdef int64_t since = days + 719468  # 0000-03-01
    cdef int64_t era = (since if since >= 0 else since - 146096) // 146097
    cdef int64_t day = since - era * 146097
    cdef int64_t year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    cdef int64_t day_of_year = day - (365 * year + year // 4 - year // 100)
    return ((5 * day_of_year + 2) // 153 + 2) % 12


cdef inline double* circle(double turn, double* out) noexcept nogil:
    # The part of a cycle, from 0 to 1.
    out[0], out[1] = sin(2 * M_PI * turn), cos(2 * M_PI * turn)
    return out + 2

"""Moments, as seconds since 1970, as inputs: elapsed days, and cycles as places on a circle.

The month is found from the days since 1970-01-01 in years that begin in March, so that the leap day is the
last of its year (Hinnant, "chrono-compatible low-level date algorithms").
"""

from libc.math cimport M_PI, NAN, cos, fabs, floor, isnan, sin
from libc.stdint cimport int64_t

from .layout import FLOAT, MOST_VALUE, Array

from .pointers cimport doubles
from .step cimport StepKernel

cdef double DAY = 86400.0
cdef double FARTHEST = 1e14             # seconds, three million years: beyond it there are no dates

ctypedef struct dates_t:
    bint elapsed
    bint time
    bint weekday
    bint month
    double* origin                      # [column]: the first moment learned, NaN before


cdef class DatesKernel(StepKernel):
    """The given parts of the moments at `columns`."""

    cdef dates_t core

    def __init__(self, who, n_inputs, columns, sizes, parts):
        origin = Array(FLOAT, "column", low=-MOST_VALUE, high=MOST_VALUE, fill=NAN, missing=True)
        self.allocate(who, {"origin": origin}, {"column": len(columns)})
        self.core.elapsed, self.core.time = "elapsed" in parts, "time" in parts
        self.core.weekday, self.core.month = "weekday" in parts, "month" in parts
        self.set_step(<void*> &self.core, n_inputs, columns, sizes, convert, learn)
        if not self.core.elapsed:
            self.step.update = NULL
        self.bind()

    cdef void bind(self):
        self.core.origin = doubles(self.arrays["origin"])


cdef int month_of(int64_t days) noexcept nogil:
    # From 0 for January.
    cdef int64_t since = days + 719468  # 0000-03-01
    cdef int64_t era = (since if since >= 0 else since - 146096) // 146097
    cdef int64_t day = since - era * 146097
    cdef int64_t year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    cdef int64_t day_of_year = day - (365 * year + year // 4 - year // 100)
    return ((5 * day_of_year + 2) // 153 + 2) % 12


cdef inline double* circle(double turn, double* out) noexcept nogil:
    # How far round, as a fraction of 1.
    out[0], out[1] = sin(2 * M_PI * turn), cos(2 * M_PI * turn)
    return out + 2


cdef void convert(const void* state, Py_ssize_t c, double value, double* out) noexcept nogil:
    cdef const dates_t* s = <const dates_t*> state
    cdef double turn, days
    cdef bint good = fabs(value) <= FARTHEST
    days = floor(value / DAY) if good else NAN
    if s.elapsed:
        out[0] = NAN if not good else 0.0 if isnan(s.origin[c]) else (value - s.origin[c]) / DAY
        out += 1
    if s.time:
        turn = value / DAY - days
        out[0] = 24 * turn
        out = circle(turn, out + 1)
    if s.weekday:
        turn = days + 3                 # 1970 began on a Thursday
        out = circle((turn - 7 * floor(turn / 7)) / 7, out)
    if s.month:
        circle(month_of(<int64_t> days) / 12.0 if good else NAN, out)


cdef void learn(void* state, Py_ssize_t c, double value) noexcept nogil:
    cdef dates_t* s = <dates_t*> state
    if isnan(s.origin[c]) and fabs(value) <= FARTHEST:
        s.origin[c] = value

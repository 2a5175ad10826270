# The inputs made from a time, given as seconds since 1970.

from libc.math cimport fabs

ctypedef struct parts_t:
    bint elapsed
    bint time
    bint weekday
    bint month

cdef parts_t parts_of(parts)

# write the parts of a time in local time; `since` are the seconds since the origin
cdef void write_inputs(const parts_t* parts, double wall, double since, double* out) noexcept nogil


cdef inline bint is_moment(double seconds) noexcept nogil:
    return fabs(seconds) <= 1e14        # three million years: beyond them there are no dates

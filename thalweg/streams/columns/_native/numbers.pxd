from .cell cimport Cell, span_t


cdef class NumberCell(Cell):
    cdef bint is_flag
    cdef object markers

    cdef int read_any(self, object value, double* out) except -1
    cdef int read_text(self, str text, double* out) except -1


# Read a whole text such as -12.5e3 as a number; False if it is none, or too large or small for a double.
cdef bint scan_number(span_t text, double* out) except -1

# mantissa × 10**exponent, rounded once, if both are small enough for that; else False.
cdef bint is_exact(unsigned long long mantissa, long exponent, double* out) noexcept nogil

"""A number, or a flag that is 0 or 1: a float, an int, or text as Python and JSON write numbers.

A mantissa below 2**53 and a power of ten up to 10**22 are both exact as doubles, so that one multiplication
or division rounds the decimal number correctly (Clinger 1990); other texts are left to Python.
"""

from cpython.long cimport PyLong_AsLongLongAndOverflow
from libc.math cimport NAN, isfinite, isnan, signbit

from .cell cimport DECLINED, GOOD, PyUnicode_IS_ASCII, is_digit, span_of

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* s, char** end, void* overflow_exception) except? -1.0

cdef enum:
    EXACT_DIGITS = 15
    EXACT_POWER = 22

cdef double[EXACT_POWER + 1] POWERS
for _i in range(EXACT_POWER + 1):
    POWERS[_i] = float(10 ** _i)


cdef class NumberCell(Cell):
    """Reads a number; of a flag only 0 and 1: others change its kind. `markers` stand for a missing one."""

    def __init__(self, missing, markers, is_flag):
        Cell.__init__(self, 1, missing)
        self.markers, self.is_flag = markers, is_flag

    cdef int read(self, object value, double* out) except -1:
        cdef int status = self.read_any(value, out)
        if status != GOOD or isnan(out[0]):
            return status
        if self.missing is not None and out[0] in self.missing.numbers:
            out[0] = NAN
            return GOOD
        if self.is_flag:
            return GOOD if out[0] == 0 or out[0] == 1 else DECLINED
        return GOOD if isfinite(out[0]) else DECLINED

    cdef int read_any(self, object value, double* out) except -1:
        cdef int overflow = 0
        if type(value) is float:
            out[0] = value
        elif type(value) is str:
            return self.read_text(value, out)
        elif type(value) is int:
            out[0] = <double> PyLong_AsLongLongAndOverflow(value, &overflow)
        elif type(value) is bool:
            out[0] = value is True
        elif value is None:
            out[0] = NAN
        else:
            return DECLINED
        return DECLINED if overflow else GOOD

    cdef int read_text(self, str text, double* out) except -1:
        if not PyUnicode_IS_ASCII(text):
            text = text.strip()
        if self.missing is not None and self.is_named(text.strip(), True):
            out[0] = NAN
            return GOOD
        if PyUnicode_IS_ASCII(text) and scan_number(span_of(text), out):
            # A zero with a minus is 0 in some formats, and -0 in others.
            return DECLINED if out[0] == 0 and signbit(out[0]) else GOOD
        out[0] = NAN
        return GOOD if text.strip() in self.markers else DECLINED


cdef class EmptyCell(NumberCell):
    """Reads what is missing in a column that has had no value yet, whose kind the first value says."""

    cdef int read(self, object value, double* out) except -1:
        cdef int status = NumberCell.read(self, value, out)
        return status if isnan(out[0]) else DECLINED


cdef bint scan_number(span_t text, double* out) except -1:
    cdef const char* at = text.at
    cdef const char* end = text.end
    cdef unsigned long long mantissa = 0
    cdef long n_digits = 0, exponent = 0, power = 0
    cdef bint is_minus = False, has_digit = False, is_after = False, is_small
    cdef char* stop = NULL
    if at < end and (at[0] == c"-" or at[0] == c"+"):
        is_minus = at[0] == c"-"
        at += 1
    while at < end and (is_digit(at[0]) or (at[0] == c"." and not is_after)):
        if at[0] == c".":
            is_after = True
        else:
            has_digit = True
            exponent -= is_after
            if n_digits <= EXACT_DIGITS:
                mantissa = 10 * mantissa + (at[0] - c"0")
                n_digits += mantissa > 0
            else:
                n_digits += 1
        at += 1
    if not has_digit or not scan_power(&at, end, &power) or at != end:
        return False
    if n_digits <= EXACT_DIGITS and is_exact(mantissa, exponent + power, out):
        out[0] = -out[0] if is_minus else out[0]
        return True
    out[0] = PyOS_string_to_double(text.at, &stop, NULL)
    is_small = out[0] == 0 and mantissa > 0
    return stop == end and isfinite(out[0]) and not is_small


cdef bint scan_power(const char** at, const char* end, long* power) noexcept nogil:
    # Read e-12, if it is there; False if it is half of one, or longer than any power of a double.
    cdef bint is_minus
    cdef const char* first
    if at[0] == end or (at[0][0] != c"e" and at[0][0] != c"E"):
        return True
    at[0] += 1
    is_minus = at[0] < end and at[0][0] == c"-"
    if at[0] < end and (at[0][0] == c"-" or at[0][0] == c"+"):
        at[0] += 1
    first = at[0]
    while at[0] < end and is_digit(at[0][0]) and at[0] - first < 5:
        power[0] = 10 * power[0] + (at[0][0] - c"0")
        at[0] += 1
    power[0] = -power[0] if is_minus else power[0]
    return at[0] > first


cdef bint is_exact(unsigned long long mantissa, long exponent, double* out) noexcept nogil:
    if mantissa >> 53 or not -EXACT_POWER <= exponent <= EXACT_POWER:
        return False
    out[0] = <double> mantissa * POWERS[exponent] if exponent >= 0 else <double> mantissa / POWERS[-exponent]
    return True

"""A number in common notation: 12,50 or €1,234.56 or 13 % or (1 200).

`thalweg.streams.columns.number_text` has the whole grammar. Here are its common forms: a minus in front or
behind, or parentheses; one unit in front and one behind; thousands in groups of three.
"""

from libc.math cimport NAN

from .cell cimport (
    DECLINED,
    GOOD,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_READ,
    is_digit,
    span_t,
)
from .numbers cimport NumberCell, scan_number

cdef enum:
    LONGEST = 48

ctypedef struct text_t:
    Py_UCS4[LONGEST + 1] character      # blanks, minus signs and apostrophes are those of ASCII; 0 ends it
    char[LONGEST + 2] digits            # the number, with a point
    Py_ssize_t at
    Py_ssize_t n_digits
    bint is_minus


cdef class DecimalCell(NumberCell):
    """Reads a number whose decimal point is `point`; `units` are the names and signs of currencies."""

    cdef object units
    cdef Py_UCS4 point, mark            # the other one of comma and point is between thousands

    def __init__(self, missing, markers, point, units):
        NumberCell.__init__(self, missing, markers, False)
        self.units = units
        self.point, self.mark = point, "." if point == "," else ","

    cdef int read(self, object value, double* out) except -1:
        return DECLINED if type(value) is bool else NumberCell.read(self, value, out)

    cdef int read_text(self, str text, double* out) except -1:
        cdef text_t t
        cdef span_t number
        text = text.strip()
        out[0] = NAN
        if self.missing is not None and self.is_named(text, True):
            return GOOD
        if not as_characters(text, &t) or not self.scan(text, &t):
            return GOOD if text in self.markers else DECLINED
        t.digits[t.n_digits] = 0
        number.at, number.end = &t.digits[0], &t.digits[0] + t.n_digits
        if not scan_number(number, out):
            return DECLINED
        out[0] = -out[0] if t.is_minus else out[0]
        return GOOD

    cdef bint scan(self, str text, text_t* t) except -1:
        cdef bint has_parenthesis = t.character[0] == c"(", has_sign = False, has_unit
        if has_parenthesis:
            t.is_minus = True
            t.at += 1
        else:
            has_sign = take_sign(t)
        skip_blanks(t)
        has_unit = self.take_unit(text, t, False)
        skip_blanks(t)
        if has_unit and not has_sign and not has_parenthesis:
            has_sign = take_sign(t)
            skip_blanks(t)
        if has_unit and t.character[t.at] == self.point:
            return False                # kr.5 is 5, $.5 is 0.5
        if not take_body(t, self.point, self.mark):
            return False
        skip_blanks(t)
        if t.character[t.at] and self.take_unit(text, t, True):
            skip_blanks(t)
        if has_parenthesis:
            if t.character[t.at] != c")":
                return False
            t.at += 1
        elif not has_sign and t.character[t.at] == c"-":
            t.is_minus = True
            t.at += 1
        return t.character[t.at] == 0

    cdef bint take_unit(self, str text, text_t* t, bint is_behind) except -1:
        # Skip a currency sign or %; return False, and skip nothing, if there is none.
        cdef Py_ssize_t start = t.at, stop = t.at
        if is_behind and (t.character[start] == c"%" or t.character[start] == 0x2030):
            t.at += 1
            return True
        while t.character[stop] and not is_digit(t.character[stop]) and not is_mark(t.character[stop]):
            stop += 1
        if stop == start or text[start:stop] not in self.units:
            return False
        t.at = stop
        return True


cdef bint as_characters(str text, text_t* t) noexcept:
    # Copy a text; False if it is too long, or has a character that ends it here.
    cdef Py_ssize_t i, n = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_UCS4 c
    if n > LONGEST:
        return False
    for i in range(n):
        c = PyUnicode_READ(kind, data, i)
        if c == 0xa0 or c == 0x202f or c == 0x2007 or c == 0x2009:
            c = c" "
        elif c == 0x2212 or c == 0x2013:
            c = c"-"
        elif c == 0x2018 or c == 0x2019:
            c = c"'"
        if c == 0:
            return False
        t.character[i] = c
    t.character[n] = 0
    t.at = t.n_digits = 0
    t.is_minus = False
    return True


cdef inline bint is_mark(Py_UCS4 c) noexcept nogil:
    return (c == c" " or c == c"-" or c == c"+" or c == c"(" or c == c")" or c == c"." or c == c","
            or c == c"'" or c == c"%")


cdef inline void skip_blanks(text_t* t) noexcept nogil:
    while t.character[t.at] == c" ":
        t.at += 1


cdef inline bint take_sign(text_t* t) noexcept nogil:
    cdef Py_UCS4 c = t.character[t.at]
    if c != c"-" and c != c"+":
        return False
    t.is_minus = c == c"-"
    t.at += 1
    return True


cdef inline Py_ssize_t take_digits(text_t* t) noexcept nogil:
    # Copy digits; return how many.
    cdef Py_ssize_t start = t.at
    while is_digit(t.character[t.at]):
        t.digits[t.n_digits] = <char> t.character[t.at]
        t.n_digits += 1
        t.at += 1
    return t.at - start


cdef bint take_body(text_t* t, Py_UCS4 point, Py_UCS4 mark) noexcept nogil:
    # 1234, 1,234 or 1 234 or 1'234, each with decimals or without, or .5
    cdef Py_UCS4 between = 0, c
    cdef Py_UCS4 first = t.character[t.at]
    cdef Py_ssize_t n = take_digits(t)
    c = t.character[t.at]
    if n and (c == mark or c == c" " or c == c"'") and is_digit(t.character[t.at + 1]):
        if n > 3 or first == c"0":
            return False
        between = c
        while t.character[t.at] == between and is_digit(t.character[t.at + 1]):
            t.at += 1
            if take_digits(t) != 3:
                return False
    if t.character[t.at] == point:
        t.digits[t.n_digits] = c"."
        t.n_digits += 1
        t.at += 1
        return take_digits(t) > 0
    return n > 0

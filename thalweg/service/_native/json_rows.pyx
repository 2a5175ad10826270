"""JSON lines of numbers as a 2-d array, without an object for each number.

A line is an object with `x`, a list of numbers, and perhaps an `id` and a `label`. What is written in another
way, or is wrong, is declined: `thalweg.service.decoding` then reads it more slowly, and says what is wrong. A
number is its digits m as an integer, times a power of ten:

(1) x = m 10^e, exact to the last bit if m < 2^53 and |e| <= 22: m and 10^|e| then are exact (Clinger, 1990)

Other numbers are read as Python reads them.
"""

import numpy as np

from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.math cimport NAN, isinf
from libc.stdint cimport uint64_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, PyObject *overflow) except? -1.0

cdef double[23] TENS
cdef int _place
TENS[0] = 1.0
for _place in range(1, 23):
    TENS[_place] = 10.0 * TENS[_place - 1]

cdef uint64_t MOST = 1 << 53
cdef int MAX_TEXT = 512
cdef enum:
    ID = 1
    X = 2
    LABEL = 4


cdef struct reader_t:
    const char *at
    const char *end


def parse_rows(bytes body, Py_ssize_t width, Py_ssize_t max_rows):
    """Return rows × width numbers, the ids and the labels, each None if no line has it; None if declined.

    `null` among the numbers is NaN. It declines more than `max_rows` lines, too.
    """
    cdef reader_t reader
    reader.at = body
    reader.end = reader.at + len(body)
    cdef Py_ssize_t most = min(body.count(b"\n") + 1, max_rows), n = 0
    cdef int found = 0, first = 0
    if width < 1:
        return None
    rows = np.empty((most, width))
    cdef double[:, ::1] values = rows
    ids, labels = [], []
    while True:
        skip_lines(&reader)
        if reader.at == reader.end:
            break
        if n == most:
            return None
        found = read_line(&reader, &values[n, 0], width, ids, labels)
        first = found if n == 0 else first
        if not found & X or found != first:
            return None
        n += 1
    if n == 0:
        return None
    return rows[:n], ids if first & ID else None, labels if first & LABEL else None


cdef void skip_lines(reader_t *reader) noexcept:
    while reader.at < reader.end and reader.at[0] in (c" ", c"\t", c"\r", c"\n"):
        reader.at += 1


cdef bint skip(reader_t *reader, char wanted) noexcept:
    """Skip blanks and one character; return whether it was there."""
    skip_blanks(reader)
    if reader.at < reader.end and reader.at[0] == wanted:
        reader.at += 1
        return True
    return False


cdef void skip_blanks(reader_t *reader) noexcept:
    while reader.at < reader.end and reader.at[0] in (c" ", c"\t", c"\r"):
        reader.at += 1


cdef int read_line(reader_t *reader, double *x, Py_ssize_t width, list ids, list labels) except -1:
    """Read one object; return which fields it has, 0 if it is declined."""
    cdef int found = 0, field
    if not skip(reader, c"{"):
        return 0
    while True:
        field = read_name(reader)
        if field == 0 or found & field:
            return 0
        found |= field
        if field == X:
            if not read_numbers(reader, x, width):
                return 0
        else:
            value = read_value(reader, field == LABEL)
            if value is None:
                return 0
            (ids if field == ID else labels).append(value)
        if skip(reader, c"}"):
            break
        if not skip(reader, c","):
            return 0
    skip_blanks(reader)
    if reader.at < reader.end and reader.at[0] != c"\n":
        return 0
    return found


cdef int read_name(reader_t *reader) noexcept:
    """Read the name of a field and its colon; return the field, 0 if there is none such."""
    cdef int field = 0
    cdef Py_ssize_t left
    skip_blanks(reader)
    left = reader.end - reader.at
    if left >= 3 and memcmp(reader.at, b'"x"', 3) == 0:
        field = X
        reader.at += 3
    elif left >= 4 and memcmp(reader.at, b'"id"', 4) == 0:
        field = ID
        reader.at += 4
    elif left >= 7 and memcmp(reader.at, b'"label"', 7) == 0:
        field = LABEL
        reader.at += 7
    return field if field and skip(reader, c":") else 0


cdef bint read_numbers(reader_t *reader, double *x, Py_ssize_t width) except -1:
    """Read a list of `width` numbers; return whether it was one."""
    cdef Py_ssize_t j
    if not skip(reader, c"["):
        return False
    for j in range(width):
        if j and not skip(reader, c","):
            return False
        skip_blanks(reader)
        if reader.end - reader.at >= 4 and memcmp(reader.at, b"null", 4) == 0:
            reader.at += 4
            x[j] = NAN
        elif not read_number(reader, &x[j]):
            return False
    return skip(reader, c"]")


cdef inline bint is_digit(reader_t *reader) noexcept:
    return reader.at < reader.end and c"0" <= reader.at[0] <= c"9"


cdef bint read_number(reader_t *reader, double *x) except -1:
    """Read a number as JSON writes it; return whether it was one."""
    cdef const char *start = reader.at
    cdef const char *point
    cdef uint64_t m = 0
    cdef Py_ssize_t n_digits = 0, e = 0
    cdef bint is_negative = False
    if reader.at < reader.end and reader.at[0] == c"-":
        is_negative = True
        reader.at += 1
    if not is_digit(reader):
        return False
    if reader.at[0] == c"0" and reader.end - reader.at > 1 and c"0" <= reader.at[1] <= c"9":
        return False
    while is_digit(reader):
        m = 10 * m + <uint64_t>(reader.at[0] - c"0")
        n_digits += 1
        reader.at += 1
    if reader.at < reader.end and reader.at[0] == c".":
        reader.at += 1
        point = reader.at
        while is_digit(reader):
            m = 10 * m + <uint64_t>(reader.at[0] - c"0")
            n_digits += 1
            reader.at += 1
        e = point - reader.at
        if e == 0:
            return False
    if reader.at < reader.end and reader.at[0] in (c"e", c"E"):
        if not skip_exponent(reader):
            return False
        return read_slowly(reader, start, x)
    if n_digits > 18 or m >= MOST or e < -22 or (m == 0 and is_negative):
        return read_slowly(reader, start, x)
    x[0] = <double>m / TENS[-e]                                                                         # (1)
    if is_negative:
        x[0] = -x[0]
    return True


cdef bint skip_exponent(reader_t *reader) noexcept:
    reader.at += 1
    if reader.at < reader.end and reader.at[0] in (c"+", c"-"):
        reader.at += 1
    if not is_digit(reader):
        return False
    while is_digit(reader):
        reader.at += 1
    return True


cdef bint read_slowly(reader_t *reader, const char *start, double *x) except -1:
    """Read the number from `start` on as Python does; return whether it is finite."""
    cdef bytes text = start[: reader.at - start]
    x[0] = PyOS_string_to_double(text, NULL, NULL)
    return not isinf(x[0])


cdef object read_value(reader_t *reader, bint is_label):
    """Return text or a whole number; of a label true and false, too; None if it is anything else."""
    cdef const char *start
    skip_blanks(reader)
    if reader.at == reader.end:
        return None
    if reader.at[0] == c'"':
        return read_text(reader)
    if is_label and reader.end - reader.at >= 4 and memcmp(reader.at, b"true", 4) == 0:
        reader.at += 4
        return True
    if is_label and reader.end - reader.at >= 5 and memcmp(reader.at, b"false", 5) == 0:
        reader.at += 5
        return False
    start = reader.at
    if reader.at[0] == c"-":
        reader.at += 1
    if not is_digit(reader) or reader.at[0] == c"0":
        return None
    while is_digit(reader):
        reader.at += 1
    if reader.at - start > 18 or (reader.at < reader.end and reader.at[0] in (c".", c"e", c"E")):
        return None
    return int(start[: reader.at - start])


cdef object read_text(reader_t *reader):
    """Return text of 1 to 512 bytes that needs no unescaping; None if it is anything else."""
    cdef const char *start = reader.at + 1
    reader.at = start
    while reader.at < reader.end and reader.at[0] != c'"':
        if reader.at[0] == c"\\" or 0 <= reader.at[0] < 32:
            return None
        reader.at += 1
    if reader.at == reader.end or not 0 < reader.at - start <= MAX_TEXT:
        return None
    reader.at += 1
    try:
        return PyUnicode_DecodeUTF8(start, reader.at - 1 - start, NULL)
    except UnicodeDecodeError:
        return None

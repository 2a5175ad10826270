"""A text as counts of its words: each adds 1 to the input at its CRC-32 modulo the number of inputs.

The checksum has the reflected polynomial 0xEDB88320, as in zlib: a byte b takes it from c to
table[(c ^ b) & 255] ^ (c >> 8).
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from .cell cimport (
    DECLINED,
    GOOD,
    Cell,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_IS_ASCII,
    PyUnicode_KIND,
    PyUnicode_READ,
    is_digit,
    is_short,
    span_of,
    span_t,
)

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 c)

cdef uint32_t[256] TABLE
cdef char[128] LOWER                    # the lower case of what is part of a word, else 0
cdef uint32_t START = 0xFFFFFFFF
cdef str NUMERIC = "0123456789+-.eEinfINFatyATY_"
cdef char[128] IS_NUMERIC               # what numbers, inf and nan are written with


cdef void fill_tables() noexcept:
    cdef uint32_t c
    cdef int i
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
        TABLE[i] = c
    for i in range(128):
        LOWER[i] = 0
        if is_digit(i) or c"a" <= i <= c"z" or i == c"_":
            LOWER[i] = i
        elif c"A" <= i <= c"Z":
            LOWER[i] = i + 32
        IS_NUMERIC[i] = NUMERIC.find(<Py_UCS4> i) >= 0


fill_tables()


cdef class WordsCell(Cell):
    """Reads a text as `width` counts; `spelling` gives the canonical text of a value."""

    cdef object spelling, markers

    def __init__(self, width, missing, spelling, markers):
        if width < 1:
            raise ValueError("a text needs an input")
        Cell.__init__(self, width, missing)
        self.spelling, self.markers = spelling, markers

    cdef int read(self, object value, double* out) except -1:
        memset(out, 0, self.width * sizeof(double))
        if value is None:
            return GOOD
        if type(value) is str:
            if self.missing is not None and self.is_named(value.strip(), False):
                return GOOD
            if PyUnicode_IS_ASCII(value):
                return self.read_ascii(value, out)
            value = value.strip()
            value = value if " " in value else self.spelling(value)
        elif (type(value) is int and is_short(value)) or type(value) is float or type(value) is bool:
            value = None if self.is_named(value, False) else self.spelling(value)
        else:
            return DECLINED
        return GOOD if value is None else count_words(value.lower(), out, self.width)

    cdef int read_ascii(self, str text, double* out) except -1:
        cdef span_t span = span_of(text)
        if may_be_number(span):
            text = self.spelling(text)
            if text is None:
                return GOOD
            span = span_of(text)
        elif span.end - span.at < 5 and text.strip() in self.markers:
            return GOOD
        count_ascii_words(span, out, self.width)
        return GOOD


cdef bint may_be_number(span_t span) noexcept nogil:
    cdef const char* at = span.at
    if at == span.end:
        return False
    while at < span.end and IS_NUMERIC[at[0]]:
        at += 1
    return at == span.end


cdef void count_ascii_words(span_t span, double* out, Py_ssize_t n) noexcept nogil:
    cdef const char* at = span.at
    cdef uint32_t checksum
    while at < span.end:
        if not LOWER[at[0]]:
            at += 1
            continue
        checksum = START
        while at < span.end and LOWER[at[0]]:
            checksum = with_byte(checksum, LOWER[at[0]])
            at += 1
        out[(checksum ^ START) % <size_t> n] += 1


cdef int count_words(str text, double* out, Py_ssize_t n) except -1:
    # The text is in lower case.
    cdef Py_ssize_t i, length = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef uint32_t checksum = START
    cdef bint inside = False, is_part
    cdef Py_UCS4 c
    for i in range(length):
        c = PyUnicode_READ(kind, data, i)
        if 0xd800 <= c <= 0xdfff:       # half a surrogate pair is no text
            return DECLINED
        is_part = c == c"_" or Py_UNICODE_ISALNUM(c)
        if is_part:
            checksum = with_character(checksum if inside else START, c)
        elif inside:
            out[(checksum ^ START) % <size_t> n] += 1
        inside = is_part
    if inside:
        out[(checksum ^ START) % <size_t> n] += 1
    return GOOD


cdef inline uint32_t with_byte(uint32_t checksum, uint32_t byte) noexcept nogil:
    return TABLE[(checksum ^ byte) & 255] ^ (checksum >> 8)


cdef uint32_t with_character(uint32_t checksum, uint32_t c) noexcept nogil:
    # Add the bytes of UTF-8.
    if c < 0x80:
        return with_byte(checksum, c)
    if c < 0x800:
        checksum = with_byte(checksum, 0xc0 | c >> 6)
    else:
        if c < 0x10000:
            checksum = with_byte(checksum, 0xe0 | c >> 12)
        else:
            checksum = with_byte(checksum, 0xf0 | c >> 18)
            checksum = with_byte(checksum, 0x80 | (c >> 12 & 63))
        checksum = with_byte(checksum, 0x80 | (c >> 6 & 63))
    return with_byte(checksum, 0x80 | (c & 63))

# One value of a record as the inputs of its column.

from cpython.long cimport PyLong_AsLongLongAndOverflow

cdef enum:
    DECLINED = 0        # not read here: a block of one row reads it, or says what is wrong with it
    GOOD = 1
    NEW = 2             # a category that has no code yet

ctypedef struct span_t:                 # characters of ASCII
    const char* at
    const char* end

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    void* PyUnicode_DATA(object text)
    int PyUnicode_KIND(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t i)


cdef class Cell:
    cdef readonly Py_ssize_t width
    cdef object missing                 # the markers that the user names; None if there are none

    # Write the inputs of a value: text, a float, int or bool, None if it is missing, or a date.
    cdef int read(self, object value, double* out) except -1

    cdef bint is_named(self, object value, bint numeric) except -1


cdef inline bint is_digit(Py_UCS4 c) noexcept nogil:
    return c"0" <= c <= c"9"


cdef inline bint is_blank(Py_UCS4 c) noexcept nogil:
    # Blanks of ASCII that str.strip removes.
    return c == c" " or 9 <= c <= 13 or 28 <= c <= 31


cdef inline span_t span_of(object text):
    # The text, which must be ASCII and outlive it, without blanks around it.
    cdef span_t found
    found.at = <const char*> PyUnicode_DATA(text)
    found.end = found.at + PyUnicode_GET_LENGTH(text)
    while found.at < found.end and is_blank(<unsigned char> found.at[0]):
        found.at += 1
    while found.end > found.at and is_blank(<unsigned char> found.end[-1]):
        found.end -= 1
    return found


cdef inline bint is_short(object value) except -1:
    # Whether 64 bits hold a whole number.
    cdef int overflow = 0
    PyLong_AsLongLongAndOverflow(value, &overflow)
    return not overflow

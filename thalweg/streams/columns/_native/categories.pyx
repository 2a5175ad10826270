"""A category as its code: values are looked up by their canonical spelling, which is kept for each text."""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.math cimport NAN

from .cell cimport DECLINED, GOOD, NEW, Cell, PyUnicode_GET_LENGTH, PyUnicode_IS_ASCII, is_short

cdef enum:
    MOST_KEPT = 4096                    # spellings
    LONGEST_KEPT = 256                  # characters


cdef class CategoryCell(Cell):
    """Reads the code of a value in `by_spelling`, a dict that may grow; `spelling` gives its keys."""

    cdef object spelling
    cdef dict by_spelling, kept

    def __init__(self, missing, spelling, by_spelling):
        Cell.__init__(self, 1, missing)
        self.spelling, self.by_spelling, self.kept = spelling, by_spelling, {}

    cdef int read(self, object value, double* out) except -1:
        # Reads NaN for a value without a code, which is missing if the status is GOOD.
        cdef PyObject* found = NULL
        out[0] = NAN
        if value is None:
            return GOOD
        if type(value) is str:
            found = PyDict_GetItemWithError(self.kept, value)
            spelled = <object> found if found != NULL else self.spelled(value)
            if spelled is NotImplemented:
                return DECLINED
        elif type(value) is int and is_short(value):
            spelled = None if self.is_named(value, False) else str(value)
        elif type(value) is float or type(value) is bool:
            spelled = None if self.is_named(value, False) else self.spelling(value)
        else:
            return DECLINED
        if spelled is None:
            return GOOD
        found = PyDict_GetItemWithError(self.by_spelling, spelled)
        if found == NULL:
            return NEW
        out[0] = <Py_ssize_t> <object> found
        return GOOD

    cdef object spelled(self, str text):
        # NotImplemented for what is no text.
        if not PyUnicode_IS_ASCII(text):
            try:
                text.encode()
            except UnicodeEncodeError:  # half a surrogate pair
                return NotImplemented
        spelled = None if self.is_named(text.strip(), False) else self.spelling(text)
        if PyUnicode_GET_LENGTH(text) <= LONGEST_KEPT:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            self.kept[text] = spelled
        return spelled

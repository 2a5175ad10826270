"""One record as a row of inputs: the value of each column is read by the cell of its column."""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject

from decimal import Decimal

import numpy as np

cimport numpy as cnp

from .cell cimport DECLINED, GOOD, NEW, Cell

cnp.import_array()

cdef enum:
    MOST_DIGITS = 15                    # of a decimal number that a double holds

cdef object ABSENT = object()
cdef object UNFIT = object()


cdef class RowKernel:
    """Reads the columns `names` of a record by `cells`; `codes` has the codes of those with categories.

    A new category has at most `most_text` characters.
    """

    cdef tuple names, cells, codes
    cdef cnp.npy_intp width
    cdef Py_ssize_t most_text

    def __init__(self, names, cells, codes, Py_ssize_t most_text):
        self.names, self.cells, self.codes = tuple(names), tuple(cells), tuple(codes)
        if not len(self.names) == len(self.cells) == len(self.codes):
            raise ValueError("names, cells and codes must be of the same columns")
        self.most_text = most_text
        self.width = sum(cell.width for cell in self.cells)

    def read(self, record, bint learns):
        """Return the inputs of a record, or None if a value of it is not read here; then nothing changes.

        A new category gets the next code, which is kept if `learns`.
        """
        cdef cnp.ndarray row = cnp.PyArray_EMPTY(1, &self.width, cnp.NPY_DOUBLE, 0)
        cdef double* out = <double*> cnp.PyArray_DATA(row)
        cdef Cell cell
        cdef Py_ssize_t c
        cdef int status
        cdef list new = None
        for c in range(len(self.names)):
            cell = self.cells[c]
            value = self.value_of(record, self.names[c])
            status = cell.read(value, out)
            if status == DECLINED:
                plain = as_plain(value)
                status = DECLINED if plain is UNFIT else cell.read(plain, out)
                value = value if type(value) is Decimal else plain
            if status == NEW and self.has_code(c, value):
                out[0] = len(self.codes[c])
                new = [] if new is None else new
                new.append((c, value))
            elif status != GOOD:
                return None
            out += cell.width
        if learns and new is not None:
            for c, value in new:
                self.codes[c].of([value])
        return row

    cdef object value_of(self, record, str name):
        cdef PyObject* found
        if type(record) is dict:
            found = PyDict_GetItemWithError(record, name)
            if found != NULL:
                return <object> found
        else:
            value = record.get(name, ABSENT)
            if value is not ABSENT:
                return value
        return nested(record, name) if "." in name else None

    cdef bint has_code(self, Py_ssize_t c, value) except -1:
        # Whether a new category may have one: a block of one row refuses a text that is too long.
        return self.codes[c].grows and (type(value) is not str or len(value) <= self.most_text)


cdef object nested(record, str name):
    """Return the value of a column `outer.inner` inside the object `outer`; None if it is absent."""
    cdef Py_ssize_t i
    found = None
    for i in range(len(name)):
        outer = record.get(name[:i], ABSENT) if name[i] == "." else ABSENT
        if outer is ABSENT or outer is None:
            continue
        if found is not None or type(outer) is not dict:
            return UNFIT
        inner = outer.get(name[i + 1:], ABSENT)
        found = nested(outer, name[i + 1:]) if inner is ABSENT else inner
    return found


cdef object as_plain(value):
    """Return a value of NumPy, a decimal number or a special kind of text as one of Python's own types.

    UNFIT if it is none of these.
    """
    if isinstance(value, str):
        return str.__str__(value) if type(value) is not str else UNFIT
    if isinstance(value, np.generic):
        if isinstance(value, (np.bool_, np.integer, np.float16, np.float32, np.float64)):
            return value.item()
        return UNFIT
    return as_float(value) if type(value) is Decimal else UNFIT


cdef object as_float(value):
    """Return a decimal number as a float; UNFIT if Arrow, which rounds twice, would have another."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or not -MOST_DIGITS <= exponent <= 0 or len(digits) > MOST_DIGITS:
        return UNFIT
    found = float(value)
    return found if found == float(value.scaleb(-exponent)) * float(f"1e{exponent}") else UNFIT

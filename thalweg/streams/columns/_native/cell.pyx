"""What the readers of one value have in common; one of this class itself reads nothing."""


cdef class Cell:
    """Reads one value of a column as `width` inputs; `missing` has the markers that the user names."""

    def __init__(self, width, missing):
        self.width = width
        self.missing = missing if missing.named else None

    cdef int read(self, object value, double* out) except -1:
        return DECLINED

    cdef bint is_named(self, object value, bint numeric) except -1:
        # Whether a text without blanks around it, or a number, stands for a missing value.
        if self.missing is None or type(value) is bool:
            return False
        if type(value) is str:
            return self.missing.is_marker(value, numeric)
        return value in self.missing.numbers

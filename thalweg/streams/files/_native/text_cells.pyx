"""The different cells of one column of plain delimited text, found without parsing the others."""

import numpy as np

from libc.string cimport memchr, memcmp

cdef enum:
    SLOTS = 4096


cdef struct Scan:
    Py_ssize_t n_rows      # rows so far, blank lines left out; -1 if a row has another number of cells
    Py_ssize_t n_cells     # different cells so far; -1 if there are too many of them


def distinct_cells(const unsigned char[::1] text, unsigned char delimiter, Py_ssize_t n_columns,
                   Py_ssize_t column):
    """Return the number of rows and the different cells of a column of `text`, which must not be empty.

    Raises ValueError if a row has not `n_columns` cells, or if more than 2048 differ. A row ends with a
    line feed, or a carriage return and a line feed; a blank line is none.
    """
    cdef Py_ssize_t[:, ::1] cells = np.empty((SLOTS // 2, 2), dtype=np.intp)
    cdef int[::1] slots = np.full(SLOTS, -1, dtype=np.intc)
    cdef Scan scan
    with nogil:
        scan = _scan(&text[0], text.shape[0], delimiter, n_columns, column, cells, slots)
    if scan.n_rows < 0 or scan.n_cells < 0:
        raise ValueError("not plain rows of equal length, or too many different cells")
    return scan.n_rows, [bytes(text[cells[i, 0] : cells[i, 1]]) for i in range(scan.n_cells)]


cdef Scan _scan(const unsigned char* text, Py_ssize_t n, unsigned char delimiter, Py_ssize_t n_columns,
                Py_ssize_t column, Py_ssize_t[:, ::1] cells, int[::1] slots) noexcept nogil:
    cdef Scan scan
    cdef Py_ssize_t start = 0, stop, end, first, last
    cdef const void* found
    scan.n_rows = scan.n_cells = 0
    while start < n and scan.n_cells >= 0:
        found = memchr(text + start, c"\n", n - start)
        stop = end = n if found == NULL else <const unsigned char*>found - text
        if end > start and text[end - 1] == c"\r":
            end -= 1
        if end > start:
            if _count(text + start, end - start, delimiter) != n_columns - 1:
                scan.n_rows = -1
                return scan
            last = end
            first = _cell_start(text, start, last, delimiter)
            for _ in range(n_columns - 1 - column):
                last = first - 1
                first = _cell_start(text, start, last, delimiter)
            scan.n_cells = _remember(text, first, last, cells, scan.n_cells, slots)
            scan.n_rows += 1
        start = stop + 1
    return scan


cdef Py_ssize_t _count(const unsigned char* text, Py_ssize_t n, unsigned char wanted) noexcept nogil:
    """Count a byte, in runs that a one-byte sum can hold: those the compiler turns into vector operations."""
    cdef Py_ssize_t total = 0, start, i
    cdef unsigned char part
    for start in range(0, n, 255):
        part = 0
        for i in range(start, min(start + 255, n)):
            part += text[i] == wanted
        total += part
    return total


cdef Py_ssize_t _cell_start(const unsigned char* text, Py_ssize_t start, Py_ssize_t stop,
                            unsigned char delimiter) noexcept nogil:
    while stop > start and text[stop - 1] != delimiter:
        stop -= 1
    return stop


cdef Py_ssize_t _remember(const unsigned char* text, Py_ssize_t first, Py_ssize_t last,
                          Py_ssize_t[:, ::1] cells, Py_ssize_t n_cells, int[::1] slots) noexcept nogil:
    """Add a cell unless it is there; return how many there are, -1 if there is no more room."""
    cdef unsigned int hashed = 2166136261
    cdef Py_ssize_t i
    cdef int known
    for i in range(first, last):
        hashed = (hashed ^ text[i]) * 16777619
    i = hashed % SLOTS
    while slots[i] >= 0:
        known = slots[i]
        if (cells[known, 1] - cells[known, 0] == last - first
                and memcmp(text + cells[known, 0], text + first, last - first) == 0):
            return n_cells
        i = (i + 1) % SLOTS
    if n_cells == cells.shape[0]:
        return -1
    slots[i] = <int>n_cells
    cells[n_cells, 0], cells[n_cells, 1] = first, last
    return n_cells + 1

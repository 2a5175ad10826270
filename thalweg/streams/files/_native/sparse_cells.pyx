"""The cells of sparse rows of text, {3 1, 17 2.5, 20 'some words'}: where they are, and numbers."""

import numpy as np

# why a row cannot be read
NOT_SPARSE, UNCLOSED, DAMAGED = 1, 2, 3

cdef enum:
    MOST_DIGITS = 15        # whole numbers of as many digits, and powers of ten up to 22, are exact
    MOST_POWER = 22

cdef double[23] POWERS = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                          1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22]
cdef double NAN = float("nan")


cdef struct found_t:
    Py_ssize_t n_cells
    Py_ssize_t n_rows       # that can be read
    Py_ssize_t n_bad
    bint in_order           # whether the positions increase in all rows


def sparse_cells(const unsigned char[::1] text, Py_ssize_t n_columns):
    """Return the cells of the rows in `text`, which must not be empty, one row a line; blank lines are none.

    These are `starts` (of rows, in cells), and for each cell `columns`, `numbers`, `is_number` and `spans`
    (first and last byte; inside quotes, if there are any, which is_number = 2 says); then whether columns
    increase in all rows, and for each row that cannot be read its number from 1, the reason and its span.
    """
    cdef Py_ssize_t n_lines = 1, n_pairs = 1, i, n = text.shape[0]
    with nogil:
        for i in range(n):
            n_lines += text[i] == c"\n" or text[i] == c"\r"
            n_pairs += text[i] == c","
    n_pairs += n_lines
    starts, columns = np.zeros(n_lines + 1, dtype=np.intp), np.empty(n_pairs, dtype=np.int32)
    numbers, kinds = np.empty(n_pairs), np.empty(n_pairs, dtype=np.int8)
    spans, bad = np.empty((n_pairs, 2), dtype=np.intp), np.empty((n_lines, 4), dtype=np.intp)
    cdef Py_ssize_t[::1] starts_ = starts
    cdef int[::1] columns_ = columns
    cdef double[::1] numbers_ = numbers
    cdef signed char[::1] kinds_ = kinds
    cdef Py_ssize_t[:, ::1] spans_ = spans, bad_ = bad
    cdef found_t found
    with nogil:
        found = _scan(&text[0], n, n_columns, starts_, columns_, numbers_, kinds_, spans_, bad_)
    k = found.n_cells
    cells = [np.array(each[:k]) for each in (columns, numbers, kinds, spans)]
    return np.array(starts[: found.n_rows + 1]), *cells, bool(found.in_order), bad[: found.n_bad].tolist()


cdef found_t _scan(const unsigned char* text, Py_ssize_t n, Py_ssize_t n_columns, Py_ssize_t[::1] starts,
                   int[::1] columns, double[::1] numbers, signed char[::1] kinds, Py_ssize_t[:, ::1] spans,
                   Py_ssize_t[:, ::1] bad) noexcept nogil:
    cdef found_t found
    cdef Py_ssize_t start = 0, stop, end, k, first, why
    found.n_cells = found.n_rows = found.n_bad = 0
    found.in_order = True
    while start < n:
        stop = start
        while stop < n and text[stop] != c"\n" and text[stop] != c"\r":
            stop += 1
        end = stop
        start = _skip(text, start, end)
        while end > start and _is_blank(text[end - 1]):
            end -= 1
        if end > start:
            k = first = found.n_cells
            why = _row(text, start, end, n_columns, &k, columns, numbers, kinds, spans)
            if why:
                bad[found.n_bad, 0], bad[found.n_bad, 1] = found.n_rows + found.n_bad + 1, why
                bad[found.n_bad, 2], bad[found.n_bad, 3] = start, end
                found.n_bad += 1
            else:
                for first in range(first + 1, k):
                    found.in_order &= columns[first - 1] < columns[first]
                found.n_cells = k
                found.n_rows += 1
                starts[found.n_rows] = k
        start = stop + 1
    return found


cdef int _row(const unsigned char* text, Py_ssize_t i, Py_ssize_t end, Py_ssize_t n_columns, Py_ssize_t* cell,
              int[::1] columns, double[::1] numbers, signed char[::1] kinds,
              Py_ssize_t[:, ::1] spans) noexcept nogil:
    # Add the cells of a row behind cell[0]; return 0, or why it cannot be read.
    cdef Py_ssize_t position, first, last, k = cell[0]
    cdef unsigned char quote
    if text[i] != c"{":
        return 1
    i = _skip(text, i + 1, end)
    while i < end and text[i] != c"}":
        if text[i] == c",":
            i = _skip(text, i + 1, end)
            continue
        first, position = i, 0
        while i < end and c"0" <= text[i] <= c"9" and position < n_columns:
            position = 10 * position + (text[i] - c"0")
            i += 1
        if i == first or position >= n_columns or i == end or not _is_blank(text[i]):
            return 3
        i = _skip(text, i, end)
        if i == end:
            return 3
        quote = text[i] if text[i] == c"'" or text[i] == c'"' else 0
        first = i + (quote > 0)
        i = _value_end(text, first, end, quote)
        if quote and i == end:
            return 2
        last = i
        while not quote and last > first and _is_blank(text[last - 1]):
            last -= 1
        i = _skip(text, i + (quote > 0), end)
        if i == end or (text[i] != c"," and text[i] != c"}") or (last == first and not quote):
            return 3
        columns[k], spans[k, 0], spans[k, 1] = <int>position, first, last
        kinds[k] = _number(text, first, last, &numbers[k])
        if quote:
            kinds[k] = 2
        k += 1
    if i == end:
        return 3
    i = _skip(text, i + 1, end)
    if i < end and text[i] != c"%":
        return 3
    cell[0] = k
    return 0


cdef inline Py_ssize_t _value_end(const unsigned char* text, Py_ssize_t i, Py_ssize_t end,
                                  unsigned char quote) noexcept nogil:
    while i < end:
        if quote and text[i] == c"\\":
            i += 1
        elif text[i] == quote if quote else (text[i] == c"," or text[i] == c"}"):
            return i
        i += 1
    return end


cdef inline bint _is_blank(unsigned char c) noexcept nogil:
    return c == c" " or c == c"\t"


cdef inline Py_ssize_t _skip(const unsigned char* text, Py_ssize_t i, Py_ssize_t end) noexcept nogil:
    while i < end and _is_blank(text[i]):
        i += 1
    return i


cdef inline signed char _number(const unsigned char* text, Py_ssize_t i, Py_ssize_t end,
                                double* value) noexcept nogil:
    # Whether this is a number that can be computed exactly here, or a question mark, which is missing.
    cdef long long digits = 0
    cdef Py_ssize_t n_digits = 0, power = 0, exponent = 0, start
    cdef bint negative = text[i] == c"-", after_point = False, minus
    value[0] = NAN
    if end == i + 1 and text[i] == c"?":
        return 1
    i += text[i] == c"-" or text[i] == c"+"
    while i < end and (c"0" <= text[i] <= c"9" or (text[i] == c"." and not after_point)):
        if text[i] == c".":
            after_point = True
        else:
            digits = 10 * digits + (text[i] - c"0")
            n_digits += 1
            power -= after_point
        if n_digits > MOST_DIGITS:
            return 0
        i += 1
    if n_digits == 0:
        return 0
    if i < end and (text[i] == c"e" or text[i] == c"E"):
        i += 1
        minus = i < end and text[i] == c"-"
        i += i < end and (text[i] == c"-" or text[i] == c"+")
        start = i
        while i < end and c"0" <= text[i] <= c"9" and i - start < 3:
            exponent = 10 * exponent + (text[i] - c"0")
            i += 1
        if i == start:
            return 0
        power += -exponent if minus else exponent
    if i < end or power > MOST_POWER or power < -MOST_POWER:
        return 0
    value[0] = digits * POWERS[power] if power >= 0 else digits / POWERS[-power]
    if negative:
        value[0] = -value[0]
    return 1

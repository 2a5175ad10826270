"""The messages of an Arrow stream, read without Arrow: what they hold, and plain numbers.

A message is -1, the size of its metadata, the metadata as a flatbuffer, and a body of buffers.
"""

import struct
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thalweg._types import Floats

SCHEMA, DICTIONARY, RECORDS = 1, 2, 3  # kinds of messages
CONTINUATION = -1
END = struct.pack("<ii", CONTINUATION, 0)
DAMAGED = (struct.error, ValueError, OverflowError, OSError, IndexError, KeyError)
_LENGTHS = struct.Struct("<ii")


def messages(body: bytes) -> Iterable[tuple[int, int, bool]]:
    """Yield for each message of a stream its kind, its number of rows, and whether it is compressed.

    They are read before Arrow reads them, as a few compressed bytes can become more than memory holds.
    """
    place, data = 0, memoryview(body)
    while place + 8 <= len(body):
        mark, size = _LENGTHS.unpack_from(body, place)
        if mark != CONTINUATION or size < 0:
            raise ValueError("a message does not begin as one")
        if size == 0:
            return
        place += 8
        metadata = data[place : place + size]
        root = _root(metadata)
        kind, length, records = root.scalar(1, "<B"), root.scalar(3, "<q"), root.table(2)
        if length < 0:
            raise ValueError("a message has a negative length")
        place += size + length
        if kind == DICTIONARY and records is not None:
            records = records.table(1)
        if kind not in (DICTIONARY, RECORDS) or records is None:
            yield kind, 0, False
        else:
            yield kind, records.scalar(0, "<q"), records.table(3) is not None


class _Table:
    """A table of a flatbuffer: its fields by number."""

    def __init__(self, data: memoryview, place: int) -> None:
        self._data, self._place = data, place
        self._fields = place - struct.unpack_from("<i", data, place)[0]
        if self._fields < 0:
            raise ValueError("its metadata are damaged")
        self._size = struct.unpack_from("<H", data, self._fields)[0]

    def _at(self, field: int) -> int | None:
        place = 4 + 2 * field
        offset = struct.unpack_from("<H", self._data, self._fields + place)[0] if place < self._size else 0
        return self._place + offset if offset else None

    def scalar(self, field: int, form: str) -> int:
        """Return a number; 0 if it is left out."""
        place = self._at(field)
        return 0 if place is None else struct.unpack_from(form, self._data, place)[0]

    def table(self, field: int) -> "_Table | None":
        """Return a table in this one; None if it is left out."""
        place = self._at(field)
        return (
            None
            if place is None
            else _Table(self._data, place + struct.unpack_from("<I", self._data, place)[0])
        )

    def pairs(self, field: int) -> NDArray[np.int64]:
        """Return a vector of pairs of 64-bit numbers."""
        at = self._at(field)
        if at is None:
            return np.empty((0, 2), dtype=np.int64)
        at += struct.unpack_from("<I", self._data, at)[0]
        n = struct.unpack_from("<I", self._data, at)[0]
        return np.frombuffer(self._data, "<i8", 2 * n, at + 4).reshape(n, 2)


def _root(metadata: memoryview) -> _Table:
    return _Table(metadata, struct.unpack_from("<I", metadata, 0)[0])


class _Schema:
    """The latest schema: its message, and the names of its columns if all are 64-bit numbers."""

    def __init__(self) -> None:
        self.message, self.names = b"", [""]

    def names_of(self, message: bytes) -> list[str]:
        """Return the names of columns that are all float64 and little-endian; none if one is not."""
        if message != self.message:
            found = pa.ipc.read_schema(pa.py_buffer(message))
            header = _root(memoryview(message)[8:]).table(2)
            is_little = header is not None and header.scalar(0, "<h") == 0
            are_numbers = is_little and all(kind == pa.float64() for kind in found.types)
            self.message, self.names = message, found.names if are_numbers else []
        return self.names


_latest = _Schema()


def plain_matrix(body: bytes, max_rows: int, names: list[str]) -> Floats | None:
    """Return the rows of a stream of one batch whose columns are `names`, all float64, without nulls.

    Any other stream, also a damaged one, is None: reading it by Arrow takes longer, and says what is wrong.
    """
    try:
        return _plain_matrix(body, max_rows, names)
    except (*DAMAGED, pa.ArrowException):
        return None


def _plain_matrix(body: bytes, max_rows: int, names: list[str]) -> Floats | None:
    mark, size = _LENGTHS.unpack_from(body, 0)
    start = 8 + size
    if mark != CONTINUATION or not 0 < size < len(body) or _latest.names_of(body[:start]) != names:
        return None
    mark, size = _LENGTHS.unpack_from(body, start)
    start += 8
    if mark != CONTINUATION or not 0 < size < len(body):
        return None
    message = _root(memoryview(body)[start : start + size])
    records, start, n_bytes = message.table(2), start + size, message.scalar(3, "<q")
    end = start + n_bytes
    if message.scalar(1, "<B") != RECORDS or records is None or records.table(3) is not None:
        return None
    if n_bytes < 0 or end > len(body) or body[end:] not in (END, b""):
        return None
    n, columns, buffers = records.scalar(0, "<q"), records.pairs(1), records.pairs(2)
    if not 0 < n <= max_rows or len(columns) != len(names) or len(buffers) != 2 * len(names):
        return None
    first, length = buffers[1::2].T  # each column has a buffer of its nulls, and one of its values
    if (columns != (n, 0)).any() or length.min() < 8 * n or first.min() < 0 or first.max() > n_bytes - 8 * n:
        return None
    return _matrix(body, n, (first + start).tolist())


def _matrix(body: bytes, n: int, places: list[int]) -> Floats:
    """Return columns of `n` numbers, which begin at these places, as a 2-d array."""
    steps = {b - a for a, b in pairwise(places)}
    if len(steps) <= 1 and min(steps, default=1) > 0:  # as a rule they follow each other
        strides = (*steps, 8) if steps else (8, 8)
        found = np.ndarray((len(places), n), "<f8", body, places[0], strides)
    else:
        found = np.array([np.frombuffer(body, "<f8", n, place) for place in places])
    return np.array(found.T, dtype=np.float64, order="C")

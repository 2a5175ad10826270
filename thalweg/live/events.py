"""Events: what changes a live model, in order, and how a group of them becomes bytes.

    4 bytes   the word that begins every group
    4 bytes   CRC-32 of all that follows
    header    numbers of events, rows and inputs, whether rows are sparse, the time, rows that expired,
              length of the growth
    kinds     1 byte an event
    codes     4 bytes for each event with a label
    ids       of the events that have one (see `ids.py`)
    rows      of the events that have one: 8 bytes an input, or starts, columns and values if sparse
    growth    JSON: categories and labels that are new in this group, in the order of their codes;
              the label of ADD_CLASS
    model     a whole model, if it was replaced or has begun: bytes of a model file

Numbers are little-endian.
"""

import json
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.live.errors import LogDamaged
from thalweg.live.ids import Id, ids_from_bytes, ids_to_bytes
from thalweg.rows.sparse_rows import SparseRows, joined
from thalweg.saving.plain import from_json, to_json

PREDICT, LABEL, LEARN, LEARN_WITHOUT_ID, REPLACE, ADD_CLASS = range(6)
HAS_ROW = np.array([True, False, True, True, False, False])
HAS_ID = np.array([True, True, True, False, False, False])
HAS_CODE = np.array([False, True, True, True, False, False])
ALONE = REPLACE, ADD_CLASS  # each is a group of its own
MAGIC = b"TWE1"
HEADER = struct.Struct("<IIIBdIIQ")
COUNT = struct.Struct("<I")
CODED = HAS_CODE.tolist()
MOST = 64  # events of a small group


@dataclass(slots=True)
class Group:
    """Events that are written to disk together.

    Attributes
    ----------
    time : float or list of float
        When they came, in seconds since 1970; never before the group before. Of groups that were joined, a
        time for each event.
    kinds : ndarray of uint8
        What each event is.
    ids : list of int or str
        Of those events that have one.
    X : ndarray or SparseRows
        The coded rows of those that have one.
    codes : ndarray of int
        The codes of the labels of those that have one.
    n_expired : int
        How many of the rows that waited longest were removed before these events, because of their age.
    growth : dict
        {"columns": {position: [new categories]}, "labels": [new labels]}.
    model : bytes or None
        The model after these events, if it was replaced or has begun with them.
    """

    time: Any
    kinds: NDArray[np.uint8]
    ids: list[Id]
    X: Any
    codes: Ints
    n_expired: int = 0
    growth: dict[str, Any] = field(default_factory=dict)
    model: bytes | None = None

    def __len__(self) -> int:
        return len(self.kinds)


def to_bytes(group: Group) -> bytes:
    """Return a group as bytes."""
    growth = json.dumps(to_json(group.growth, [])).encode() if group.growth else b""
    X, is_sparse = group.X, isinstance(group.X, SparseRows)
    n_features = X.n_features if is_sparse else X.shape[1]
    model = group.model or b""
    header = HEADER.pack(
        len(group.kinds), len(X), n_features, is_sparse, group.time, group.n_expired, len(growth), len(model)
    )
    dense = None if is_sparse else np.ascontiguousarray(X, dtype="<f8").tobytes()
    rows = _sparse_to_bytes(joined([X], n_features)) if dense is None else dense
    body = b"".join((
        header, group.kinds.tobytes(), group.codes.astype("<i4").tobytes(), ids_to_bytes(group.ids), rows,
        growth, model,
    ))  # fmt: skip
    return b"".join((MAGIC, struct.pack("<I", zlib.crc32(body)), body))


def from_bytes(data: bytes) -> Group:
    """Return the group that `to_bytes` made; raise LogDamaged if the bytes were changed or cut."""
    with _damaged():
        return _unpacked(memoryview(_checked(data)))


def joined_from_bytes(parts: Sequence[bytes]) -> Group | None:
    """Return several small groups as one; None if they must be read one by one."""
    if len(parts) == 1:
        return None
    found: tuple[list[bytes], ...] = [], [], [], [], []
    kinds, codes, lengths, texts, rows = found
    times: list[float] = []
    width = -1
    with _damaged():
        for data in parts:
            body = _checked(data)
            n, n_rows, n_features, is_sparse, time, n_expired, n_growth, n_model = HEADER.unpack_from(body)
            if is_sparse or n_expired or n_growth or n_model or width not in (-1, n_features) or n > MOST:
                return None
            if not math.isfinite(time):
                return None
            width, place = n_features, HEADER.size + n
            kinds.append(body[HEADER.size : place])
            n_codes = sum(map(CODED.__getitem__, kinds[-1]))
            codes.append(body[place : place + 4 * n_codes])
            place += 4 * n_codes
            (n_ids,) = COUNT.unpack_from(body, place)
            rows_at = len(body) - 8 * n_rows * n_features
            lengths.append(body[place + 4 : place + 4 + 4 * n_ids])
            texts.append(body[place + 4 + 4 * n_ids : rows_at])
            rows.append(body[rows_at:])
            times += [time] * n
        kind, code, length, text, row = map(b"".join, found)
        ids, _ = ids_from_bytes(COUNT.pack(len(length) // 4) + length + text)
        X = np.frombuffer(row, "<f8").astype(np.float64).reshape(-1, width)
        kinds_of = np.frombuffer(kind, np.uint8)
        n_of = HAS_ID[kinds_of].sum(), HAS_ROW[kinds_of].sum()
        if (len(ids), len(X)) != n_of or np.isin(kinds_of, ALONE).any():
            return None
        return Group(times, kinds_of, ids, X, np.frombuffer(code, "<i4").astype(np.intp))


def _checked(data: bytes) -> bytes:
    """Return the bytes of a group after its checksum."""
    if len(data) < 8 + HEADER.size or data[:4] != MAGIC:
        raise LogDamaged("this is not a group of events, or one of a later version of thalweg")
    body = data[8:]
    if zlib.crc32(body) != COUNT.unpack_from(data, 4)[0]:
        raise LogDamaged("the checksum of a group of events does not match")
    return body


@contextmanager
def _damaged() -> Iterator[None]:
    try:
        yield
    except LogDamaged:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
        raise LogDamaged(f"a group of events is damaged: {error}") from error


def _unpacked(body: memoryview) -> Group:
    n, n_rows, n_features, is_sparse, time, n_expired, n_growth, n_model = HEADER.unpack_from(body)
    place = HEADER.size
    kinds = np.frombuffer(body, np.uint8, n, place)
    place += n
    n_codes = int(HAS_CODE[kinds].sum())
    codes = np.frombuffer(body, "<i4", n_codes, place).astype(np.intp)
    ids, place = ids_from_bytes(body, place + 4 * n_codes)
    X: Any
    if is_sparse:
        X, place = _sparse_from_bytes(body, place, n_rows, n_features)
    else:
        values = np.frombuffer(body, "<f8", n_rows * n_features, place).astype(np.float64)  # aligned
        X = values.reshape(n_rows, n_features)
        place += X.nbytes
    growth = from_json(json.loads(bytes(body[place : place + n_growth])), []) if n_growth else {}
    place += n_growth
    if place + n_model != len(body) or (len(ids), n_rows) != (HAS_ID[kinds].sum(), HAS_ROW[kinds].sum()):
        raise ValueError("its lengths contradict each other")
    if not math.isfinite(time):
        raise ValueError("its time is no number")
    model = bytes(body[place:]) if n_model else None
    return Group(time, kinds, ids, X, codes, n_expired, growth, model)


def _sparse_to_bytes(X: SparseRows) -> bytes:
    parts = X.starts.astype("<i8"), X.columns.astype("<i8"), X.values.astype("<f8")
    return b"".join(part.tobytes() for part in parts)


def _sparse_from_bytes(body: memoryview, place: int, n: int, n_features: int) -> tuple[SparseRows, int]:
    starts = np.frombuffer(body, "<i8", n + 1, place).astype(np.intp)
    n_values = int(starts[-1])
    place += 8 * (n + 1)
    if n_values < 0:  # which would mean all that follows
        raise ValueError("its lengths contradict each other")
    columns = np.frombuffer(body, "<i8", n_values, place).astype(np.intp)
    values = np.frombuffer(body, "<f8", n_values, place + 8 * n_values).copy()
    return SparseRows(starts, columns, values, n_features), place + 16 * n_values

"""Keys of any kind, as the index takes them, and back; and the seed of a key.

Two keys are the same if they are equal in Python: 1, 1.0 and True are one key. Missing keys of any kind
(None, NaN, NaT) are the one key None.
"""

import datetime
import hashlib
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from thalweg._frames import frame_names
from thalweg._types import Ints
from thalweg.errors import short_repr
from thalweg.keyed._native.key_index import KeyIndex

TEXT, MISSING, REAL, BYTES, LARGE, DATE, TIME, SEVERAL, ODD_TEXT = range(1, 10)
MOST_WHOLE = 2**63
Encoded = int | str | tuple[int, bytes]


def encode(key: Any) -> Encoded:
    """Return a key as a whole number of 64 bits, as text, or as its kind and bytes."""
    if isinstance(key, np.generic):
        key = key.astype("datetime64[us]").item() if isinstance(key, np.datetime64) else key.item()
    if key is None or type(key).__name__ in ("NAType", "NaTType") or key != key:
        return MISSING, b""
    if isinstance(key, int):
        key = int(key)
        return key if -MOST_WHOLE <= key < MOST_WHOLE else (LARGE, str(key).encode())
    if isinstance(key, float):
        is_whole = key == key // 1 and abs(key) < MOST_WHOLE
        return int(key) if is_whole else (REAL, struct.pack("<d", key))
    if isinstance(key, str):
        return _encoded_text(str(key))
    if isinstance(key, bytes):
        return BYTES, bytes(key)
    if isinstance(key, datetime.datetime):
        return TIME, key.isoformat(timespec="microseconds").encode()
    if isinstance(key, datetime.date):
        return DATE, key.isoformat().encode()
    if isinstance(key, tuple):
        return SEVERAL, b"".join(_part(each) for each in key)
    kinds = "text, a number, a date, None or a tuple of these"
    raise TypeError(f"Bank: a key is {kinds}, got {short_repr(key)} of type {type(key).__name__}")


def _encoded_text(key: str) -> Encoded:
    try:
        key.encode()
    except UnicodeEncodeError:
        return ODD_TEXT, key.encode(errors="surrogatepass")
    return key


def _part(key: Any) -> bytes:
    """Return one part of a key of several: its kind, its length and its bytes."""
    kind, data = _as_bytes(encode(key))
    return struct.pack("<BI", kind, len(data)) + data


def _as_bytes(found: Encoded) -> tuple[int, bytes]:
    if isinstance(found, int):
        return 0, struct.pack("<q", found)
    return (TEXT, found.encode()) if isinstance(found, str) else found


def decode(found: Encoded) -> Any:
    """Return the key that was encoded."""
    if not isinstance(found, tuple):
        return found
    kind, data = found
    if kind == SEVERAL:
        return tuple(_parts(data))
    if kind == MISSING:
        return None
    if kind in (0, REAL):
        return struct.unpack("<q" if kind == 0 else "<d", data)[0]
    if kind == BYTES:
        return data
    text = data.decode(errors="surrogatepass")
    if kind == LARGE:
        return int(text)
    if kind == DATE:
        return datetime.date.fromisoformat(text)
    return datetime.datetime.fromisoformat(text) if kind == TIME else text


def _parts(data: bytes) -> Iterable[Any]:
    place = 0
    while place < len(data):
        kind, n = struct.unpack_from("<BI", data, place)
        place += 5 + n
        yield decode((kind, data[place - n : place]))


def key_seed(key: Any, seed: int) -> int:
    """Return the seed of a key's learner: the same for a key and a seed, on every machine."""
    kind, data = _as_bytes(encode(key))
    digest = hashlib.blake2b(data, digest_size=8, person=bytes([kind]), salt=struct.pack("<Q", seed % 2**64))
    return int.from_bytes(digest.digest(), "little") >> 32


def numbers_of(index: KeyIndex, keys: Any, adds: bool) -> Ints:
    """Return the number of each key in the index, -1 for those that are not there; add them if it `adds`.

    `keys` are a list, an array, a Series, an Arrow array, or a frame whose columns together are the key.
    """
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise TypeError(f"Bank: expected one key for each row, got {short_repr(keys)}")
    keys = _in_one_column(keys)
    if (found := _text_of_arrow(keys)) is not None:
        numbers = np.empty(len(found[0]) - 1, dtype=np.intp)
        index.find_text(*found, numbers, adds)
        return numbers
    if hasattr(keys, "cat") and hasattr(keys.cat, "codes"):
        return _numbers_of_categories(index, keys.cat, adds)
    if type(keys).__module__.startswith("pyarrow"):
        is_whole = str(keys.type).startswith(("int", "uint")) and not keys.null_count
        keys = keys if is_whole else keys.to_pylist()
    if not isinstance(keys, list | tuple):
        keys = np.asarray(keys) if hasattr(keys, "__array__") else list(keys)
    if isinstance(keys, np.ndarray):
        if keys.dtype.kind in "ib" or (keys.dtype.kind == "u" and keys.dtype.itemsize < 8):
            numbers = np.empty(len(keys), dtype=np.intp)
            index.find_whole(np.ascontiguousarray(keys, dtype=np.int64), numbers, adds)
            return numbers
        keys = list(keys) if keys.dtype.kind == "M" else keys.tolist()
    numbers = np.empty(len(keys), dtype=np.intp)
    index.find_objects(list(keys), numbers, adds, encode)
    return numbers


def _in_one_column(keys: Any) -> Any:
    """Return keys of several columns as tuples; those of one column as they are."""
    names = frame_names(keys) if getattr(keys, "ndim", 2) == 2 else None
    if names is not None:
        columns = [_as_list(keys[name]) for name in names]
        return keys[names[0]] if len(columns) == 1 else list(zip(*columns, strict=True))
    if isinstance(keys, np.ndarray) and keys.ndim == 2:
        return keys[:, 0] if keys.shape[1] == 1 else list(map(tuple, keys.tolist()))
    if isinstance(keys, np.ndarray) and keys.ndim != 1:
        raise ValueError(f"Bank: expected one key for each row, got an array of shape {keys.shape}")
    return keys


def _as_list(column: Any) -> list[Any]:
    found = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return list(found)


def _text_of_arrow(keys: Any) -> tuple[Any, Any] | None:
    """Return borders and bytes of a column of text in Arrow's memory, if none is missing; else None."""
    if hasattr(keys, "to_arrow"):  # a Series of polars
        keys = keys.to_arrow() if str(keys.dtype) in ("String", "Utf8") else keys
    elif hasattr(getattr(keys, "array", None), "__arrow_array__"):  # of pandas
        keys = keys.array.__arrow_array__()
    if not type(keys).__module__.startswith("pyarrow"):
        return None
    keys = keys.combine_chunks() if hasattr(keys, "combine_chunks") else keys
    keys = keys.cast("large_string") if str(keys.type) in ("string", "string_view") else keys
    if str(keys.type) != "large_string" or keys.null_count:
        return None
    _, borders, data = keys.buffers()
    if not len(keys):
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8)
    found = np.frombuffer(borders, dtype=np.int64)[keys.offset : keys.offset + len(keys) + 1]
    text = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return found, text


def _numbers_of_categories(index: KeyIndex, column: Any, adds: bool) -> Ints:
    """Return the numbers of keys in a categorical column of pandas; each category is looked up once."""
    codes = np.asarray(column.codes, dtype=np.intp)
    used, first = np.unique(codes, return_index=True)
    used = used[np.argsort(first)]
    categories = column.categories.tolist()
    names = [None if code < 0 else categories[code] for code in used.tolist()]
    known = np.empty(len(names), dtype=np.intp)
    index.find_objects(names, known, adds, encode)
    by_code = np.empty(len(categories) + 1, dtype=np.intp)
    by_code[used] = known  # code -1 is the last place
    return by_code[codes]

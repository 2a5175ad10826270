"""Keys as text: those of records, of one column or several, missing ones too; and their buckets.

A key of one column is its text as a file has it, with two backslashes for one, and a backslash and N if it is
missing. A key of several columns has its parts side by side, with a character between that stands in none of
them. So the key of an event is always a text, and different keys have different texts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from thalweg._types import Ints
from thalweg.keyed._native.key_index import stable_hashes
from thalweg.keyed.keys import MISSING, _text_of_arrow, encode

BETWEEN, ABSENT = "\x1f", "\\N"


def text_of(key: Any) -> Any:
    """Return one part of a key as text, whole numbers without a point; None if it is missing."""
    found = encode(key)
    if isinstance(found, tuple) and found[0] == MISSING:
        return None
    return str(found if isinstance(found, int) else key)


def as_texts(column: Any) -> Any:
    """Return a column of Arrow as text, whole numbers without a point, null where a cell is missing."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(column.type):
        values = as_texts(column.dictionary)
        return values.take(column.indices)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column
    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    found = column.dictionary_encode()
    texts = pa.array([text_of(key) for key in found.dictionary.to_pylist()], pa.string())
    return texts.take(found.indices)


def key_texts(columns: Sequence[Any]) -> Any:
    """Return the keys in columns of Arrow, one or several, as one column of text without a null."""
    parts = [_escaped(as_texts(column).cast(pa.large_string()), len(columns) > 1) for column in columns]
    if len(parts) == 1:
        return parts[0]
    return pc.binary_join_element_wise(*parts, pa.scalar(BETWEEN, pa.large_string()))


def _escaped(texts: Any, is_part: bool) -> Any:
    if pc.any(pc.match_substring(texts, "\\")).as_py():
        texts = pc.replace_substring(texts, "\\", "\\\\")
    if is_part and pc.any(pc.match_substring(texts, BETWEEN)).as_py():
        texts = pc.replace_substring(texts, BETWEEN, "\\u")
    return texts.fill_null(ABSENT) if texts.null_count else texts


def key_of(text: str, n_columns: int) -> Any:
    """Return the key that `key_texts` wrote: text, None, or a tuple if it has several columns."""
    if n_columns == 1:
        return _plain(text)
    return tuple(_plain(part) for part in text.split(BETWEEN))


def _plain(text: str) -> str | None:
    if "\\" not in text:
        return text
    if text == ABSENT:
        return None
    whole = text.split("\\\\")
    return "\\".join(part.replace("\\u", BETWEEN) for part in whole)


def written(key: Any, n_columns: int) -> str:
    """Return a key as `key_texts` would write it."""
    parts = key if n_columns > 1 else (key,)
    return str(key_texts([pa.array([text_of(part)], pa.string()) for part in parts])[0].as_py())


def key_hashes(texts: Any) -> NDArray[np.uint64]:
    """Return a hash of each key text, the same on every machine."""
    found = _text_of_arrow(texts)
    assert found is not None  # texts without a null
    hashes = np.empty(len(texts), dtype=np.uint64)
    stable_hashes(*found, hashes)
    return hashes


def bucket_of(texts: Any, n_buckets: int) -> Ints:
    """Return the bucket of each key text: the same on every machine, whatever other keys there are."""
    return (key_hashes(texts) % np.uint64(n_buckets)).astype(np.intp)

"""The bytes of a model file: a description in JSON, arrays as they are in memory, and a checksum.

    8 bytes   the word that begins every model file
    4 bytes   version of this layout
    4 bytes   0
    8 bytes   length of the file
    8 bytes   length of the description
    the description: JSON in UTF-8, {"arrays": [[dtype, shape, offset], …], …}
    the arrays, in C order, each at a multiple of 64 and after the one before
    32 bytes  SHA-256 of all before

Numbers are little-endian.
"""

import hashlib
import json
import math
import struct
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import ModelFileError
from thalweg.saving.plain import check_lines, dtype_named

MAGIC = b"\x93THALWEG"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ")
ALIGNMENT = 64
DIGEST = 32


def pack(description: dict[str, Any], arrays: list[NDArray[Any]]) -> bytes:
    """Return the bytes of a file with this description, which JSON can hold, and these arrays."""
    parts, table, offset = [], [], 0
    for array in arrays:
        if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
            array = array.astype(array.dtype.newbyteorder("<"))
        table.append([array.dtype.str, list(array.shape), offset])
        parts.append(array.tobytes() + b"\0" * (-array.nbytes % ALIGNMENT))
        offset += len(parts[-1])
    text = json.dumps({**description, "arrays": table}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(HEADER.size + len(text)) % ALIGNMENT)
    length = HEADER.size + len(text) + offset + DIGEST
    body = b"".join([HEADER.pack(MAGIC, VERSION, 0, length, len(text)), text, *parts])
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes | memoryview) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the description and the arrays in the bytes of a file; raise ModelFileError if damaged."""
    view = memoryview(data)
    size = _text_size(view)
    text_end, end = HEADER.size + size, len(view) - DIGEST
    if hashlib.sha256(view[:end]).digest() != view[end:]:
        raise ModelFileError("the checksum does not match: the file is damaged")
    try:
        description = json.loads(bytes(view[HEADER.size : text_end]))
        arrays = _arrays(view[text_end:end], description.pop("arrays"))
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"the description of the model is damaged: {error}") from error
    return description, arrays


def _text_size(view: memoryview) -> int:
    # Check the header; return the length of the description.
    if len(view) < HEADER.size or view[: len(MAGIC)] != MAGIC:
        raise ModelFileError("this is not a model file of thalweg")
    _, version, _, length, size = HEADER.unpack(view[: HEADER.size])
    if version > VERSION:
        raise ModelFileError(
            f"the file has layout {version}, this release reads up to {VERSION}: update thalweg"
        )
    if length != len(view):
        raise ModelFileError(
            f"the file has {len(view):,} bytes, it should have {length:,}: it was cut or changed"
        )
    if size > length - HEADER.size - DIGEST:
        raise ModelFileError("the lengths in the file contradict each other: it is damaged")
    return size


def _arrays(body: memoryview, table: list[list[Any]]) -> list[NDArray[Any]]:
    arrays, end = [], 0
    for dtype, shape, offset in table:
        array = _array(body, dtype, shape, offset)
        if array.nbytes:
            # Else a short file could have the same bytes in thousands of arrays, each of them copied.
            if offset < end:
                raise ModelFileError(f"an array begins at {offset}, within another one that ends at {end}")
            end = offset + array.nbytes
        arrays.append(array)
    return arrays


def _array(body: memoryview, dtype: str, shape: list[int], offset: int) -> NDArray[Any]:
    kind = dtype_named(dtype)
    if not {*map(type, shape), type(offset)} <= {int} or min([*shape, offset]) < 0:
        raise ModelFileError(f"an array has the shape {shape} and begins at {offset}")
    check_lines(shape, len(body))
    n = math.prod(shape)
    if offset + n * kind.itemsize > len(body):
        raise ModelFileError(f"an array of shape {shape} reaches beyond the end of the file")
    content = body[offset : offset + n * kind.itemsize]
    if kind.kind == "U" and len(content) and np.frombuffer(content, "<u4").max() > sys.maxunicode:
        raise ModelFileError("an array of text has characters that do not exist")
    return np.frombuffer(content, dtype=kind, count=n).reshape(shape).astype(kind.newbyteorder("="))

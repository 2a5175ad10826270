"""Ids as bytes: text and whole numbers, each told from the other."""

import struct
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from thalweg.live.errors import LogDamaged

NUMBER = 1 << 31  # in a length: the text is that of a whole number
LONGEST = 1 << 16  # characters of an id
Id = int | str


def ids_to_bytes(ids: Sequence[Id]) -> bytes:
    """Return ids as a count, their lengths and their texts."""
    if {*map(type, ids)} <= {str} and (text := "".join(ids)).isascii():  # type: ignore[arg-type]
        lengths = np.fromiter(map(len, ids), "<u4", len(ids))  # type: ignore[arg-type]
        return b"".join((struct.pack("<I", len(ids)), lengths.tobytes(), text.encode()))
    texts = [
        each.encode("utf-8", "surrogatepass") if type(each) is str else str(each).encode() for each in ids
    ]
    lengths = np.fromiter(map(len, texts), np.uint32, len(texts))
    if not all(type(each) is str for each in ids):
        lengths |= np.fromiter((0 if type(each) is str else NUMBER for each in ids), np.uint32, len(ids))
    return b"".join((struct.pack("<I", len(ids)), lengths.astype("<u4").tobytes(), *texts))


def ids_from_bytes(data: bytes | memoryview, start: int = 0) -> tuple[list[Id], int]:
    """Return the ids that `ids_to_bytes` wrote at `start`, and where they end."""
    try:
        (n,) = struct.unpack_from("<I", data, start)
        lengths = np.frombuffer(data, "<u4", n, start + 4)
    except (struct.error, ValueError) as error:
        raise LogDamaged(f"the ids are cut: {error}") from error
    first = start + 4 + 4 * n
    ends = first + np.cumsum(lengths & (NUMBER - 1), dtype=np.int64)
    end = int(ends[-1]) if n else first
    if end > len(data):
        raise LogDamaged("the ids are cut")
    data = bytes(data[first:end])
    places = pairwise([0, *(ends - first).tolist()])
    found: list[Id]
    if data.isascii():
        text = data.decode("ascii")
        found = [text[a:b] for a, b in places]
    else:
        found = [data[a:b].decode("utf-8", "surrogatepass") for a, b in places]
    for i in np.flatnonzero(lengths & NUMBER).tolist():
        found[i] = int(found[i])
    return found, end

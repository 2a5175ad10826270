"""Damage to bytes, drawn at random: what a bad disk, a cut transfer or a careless hand does to a file."""

import numpy as np

TOKENS = (b"", b",", b";", b"\n", b"\r", b'"', b"'", b"\\", b"{", b"}", b"%", b"\0", b"\xff", b"\xef\xbb\xbf")
WORDS = (b"nan", b"inf", b"-1e999", b"1e308", b"?", b"word", b"@data\n", b"@attribute a real\n", b"{0 1}\n")
EXTREMES = (0, 1, -1, 2**7 - 1, 2**15, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))


def damaged(rng, content, others):
    """Return a damaged copy of `content`: mostly one mutation, sometimes up to four, some using `others`."""
    for _ in range(1 + int(rng.random() < 0.3) * int(rng.integers(1, 4))):
        mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
        content = mutation(rng, content, others)
    return content


def _flip_bits(rng, content, others):
    changed = np.frombuffer(content, np.uint8).copy()
    if len(changed):
        places = rng.integers(len(changed), size=rng.integers(1, 9))
        changed[places] ^= np.uint8(1) << rng.integers(8, size=len(places), dtype=np.uint8)
    return changed.tobytes()


def _random_bytes(rng, content, others):
    start, _ = _span(rng, content)
    new = rng.bytes(rng.integers(1, 9))
    return content[:start] + new + content[start + len(new) :]


def _extreme_integer(rng, content, others):
    size = int(rng.choice([1, 2, 4, 8]))
    value = EXTREMES[rng.integers(len(EXTREMES))] % 2 ** (8 * size)
    start, _ = _span(rng, content)
    start -= start % size
    return content[:start] + value.to_bytes(size, "little") + content[start + size :]


def _cut_short(rng, content, others):
    return content[: _span(rng, content)[0]]


def _insert(rng, content, others):
    start, _ = _span(rng, content)
    pool = TOKENS + WORDS
    new = pool[rng.integers(len(pool))] if rng.random() < 0.7 else rng.bytes(rng.integers(1, 40))
    return content[:start] + new + content[start:]


def _delete(rng, content, others):
    start, stop = _span(rng, content)
    return content[:start] + content[stop:]


def _repeat(rng, content, others):
    start, stop = _span(rng, content)
    return content[:stop] + content[start:stop] * int(rng.integers(1, 4)) + content[stop:]


def _blank(rng, content, others):
    start, stop = _span(rng, content)
    return content[:start] + bytes([rng.choice([0, 32, 255])]) * (stop - start) + content[stop:]


def _move(rng, content, others):
    start, stop = _span(rng, content)
    place, _ = _span(rng, content)
    part = content[start:stop]
    return content[:place] + part + content[place + len(part) :]


def _splice(rng, content, others):
    other = others[rng.integers(len(others))]
    start, stop = _span(rng, other)
    place, _ = _span(rng, content)
    return content[:place] + other[start:stop] + content[place + (stop - start) * int(rng.integers(2)) :]


def _span(rng, content):
    """Return a place in `content` and, up to a few hundred bytes further on, another."""
    start = int(rng.integers(len(content) + 1))
    # Headers and footers are where damage does most, and they are a small part of the bytes.
    if rng.random() < 0.4:
        start = start % 64 if rng.random() < 0.5 else max(0, len(content) - 1 - start % 400)
    return start, min(len(content), start + int(2 ** rng.uniform(0, 8)))


MUTATIONS = (
    _flip_bits,
    _flip_bits,
    _random_bytes,
    _extreme_integer,
    _extreme_integer,
    _cut_short,
    _insert,
    _delete,
    _repeat,
    _blank,
    _move,
    _splice,
)

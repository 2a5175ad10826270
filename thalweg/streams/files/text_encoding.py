"""Encodings of text files: whatever a file is written in, its rows are read as UTF-8."""

import codecs
import io
import re
from typing import Any

from thalweg._parameters import wrong
from thalweg.errors import Advice, Message, StreamError

UTF8, FALLBACK = "utf-8", "cp1252"
MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
BYTES_AT_A_TIME = 1 << 20


def checked_encoding(encoding: str | None) -> str | None:
    """Return the usual name of an encoding; raise ValueError if Python has no such encoding of text."""
    if encoding is None:
        return None
    try:
        "a".encode(encoding).decode(encoding)  # codecs such as "hex" are no encodings of text
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        known = "an encoding such as utf-8, cp1252, iso-8859-15, utf-16 or shift_jis"
        raise wrong("from_file", "encoding", known, encoding) from None


def marked_encoding(start: bytes) -> str | None:
    """Return the encoding that a byte-order mark at the start of a file names; None if it names none."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), None)


class Encoding:
    """The encoding of a file, found while its pieces are read: UTF-8, or else cp1252.

    If it is not `told`, but a file before had the encoding `usual`, that takes the place of cp1252. The first
    piece that is not ASCII decides, wherever it is: what comes before it is the same in both. Once UTF-8 was
    found, a piece that is none is an error.

    Attributes
    ----------
    found : str or None
        The encoding; None as long as there was nothing but ASCII.
    """

    def __init__(self, name: str, told: str | None = None, usual: str | None = None) -> None:
        self.name = name
        self.told = told
        self.found = told
        may_be_usual = usual not in (None, UTF8) and "a\n".encode(usual or UTF8) == b"a\n"
        self._usual = usual if may_be_usual else None
        self._other = self._usual or FALLBACK

    def to_utf8(self, piece: bytes) -> bytes:
        """Return a piece of an unmarked file, which ends at the end of a line, as UTF-8."""
        if self.found is None and not piece.isascii():
            self.found = UTF8 if _is_utf8(piece) or _is_damaged_utf8(piece) else self._other
        if self.found != self._other:
            return piece
        try:
            return piece.decode(self._other).encode()
        except UnicodeDecodeError as error:
            what = f"{self.name} is neither UTF-8 nor {self._other} text, {_seen(error)}; pass "
            raise StreamError(what, Advice("encoding", "cp1250"), ", or whatever its encoding is") from error

    def recoded(self, file: Any, encoding: str) -> Any:
        """Return a binary file that reads as UTF-8 what `file` has in another encoding."""
        self.found = encoding
        return io.BufferedReader(_Recoded(file, encoding, self.name), BYTES_AT_A_TIME)

    def check(self, piece: bytes) -> None:
        """Raise StreamError unless a piece of a UTF-8 file is UTF-8."""
        if not piece.isascii() and not _is_utf8(piece):
            earlier = "" if self.told else ", though earlier rows are"
            line = _first_wrong_line(piece)
            what = f"{self.name} is not UTF-8 text{earlier}: {line!r}; mend that row, or pass "
            raise StreamError(what, Advice("encoding", FALLBACK), " if all of it is in that encoding")

    @property
    def warnings(self) -> list[str]:
        """What was guessed and may be wrong."""
        if self.told is not None or self.found != FALLBACK or self._usual == FALLBACK:
            return []
        doubt = f"not UTF-8: read as {FALLBACK}, Western European; if letters look wrong, pass "
        return [Message(doubt, Advice("encoding", "cp1250"), ", or whatever it is")]


class _Recoded(io.RawIOBase):
    """Reads a file of some encoding as UTF-8."""

    def __init__(self, file: Any, encoding: str, name: str) -> None:
        self._file, self._encoding, self._name = file, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as possible; return the number of bytes, 0 at the end."""
        is_end = False
        while not self._ready and not is_end:
            data = self._file.read(BYTES_AT_A_TIME)
            is_end = not data
            self._ready = memoryview(self._decoded(data, is_end))
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _decoded(self, data: bytes, is_end: bool) -> bytes:
        try:
            return self._decoder.decode(data, is_end).encode()
        except UnicodeError as error:
            seen = _seen(error) if isinstance(error, UnicodeDecodeError) else str(error)
            what = f"{self._name} is not {self._encoding} text, {seen}; it may be damaged or cut short, or "
            advice = Message("pass ", Advice("encoding", "utf-8"), ", or whatever its encoding is")
            raise StreamError(what, advice) from error


def _is_utf8(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(piece: bytes) -> bool:
    """Return whether most letters beyond ASCII are UTF-8 all the same."""
    letters = re.findall("[^\0-\x7f]", piece.decode(errors="replace"))
    return 2 * letters.count("\ufffd") <= len(letters)


def _first_wrong_line(piece: bytes) -> bytes:
    return next((line for line in piece.splitlines() if not _is_utf8(line)), b"")[:60]


def _seen(error: UnicodeDecodeError) -> str:
    found = " ".join(f"{byte:02X}" for byte in error.object[error.start : error.start + 2])
    return f"it has the bytes {found}" if error.end < len(error.object) else f"it ends with the bytes {found}"

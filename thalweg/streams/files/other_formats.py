"""Files of other formats, known by their first bytes, and how to convert them."""

import re
import zipfile
from os import PathLike

from thalweg.errors import Advice, Message, StreamError

EXPORT = "save it as CSV there (File, Save as, CSV UTF-8)"
PANDAS = "read it with pandas and pass the frame to from_arrays, or write it with to_parquet"
STARTS = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel workbook or another Office file", EXPORT),
    b"SQLite format 3\0": ("an SQLite database", "sqlite3 -csv -header FILE 'select * from T' > rows.csv"),
    b"\x89HDF": ("HDF5", PANDAS),
    b"\x93NUMPY": ("a NumPy array", "load it with numpy and pass it to from_arrays"),
    b"Obj\x01": ("Avro", PANDAS),
    b"%PDF": ("a PDF document", "export the table in it as CSV"),
    b"\xfd7zXZ\0": ("compressed by xz", "unpack it with xz -d, or pipe xz -dc FILE into standard input"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it"),
    b"Rar!": ("a RAR archive", "unpack it"),
}
PICKLE = re.compile(rb"\x80[\x02-\x05][\x95\x8c\}\]c(]")
WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html|head)\b", re.I)
XML = re.compile(rb"\s*<\?xml\b")
ARRAY = re.compile(rb"\s*\[\s*[\[{]")
SHEETS = {"xl/": "an Excel workbook (.xlsx)", "content.xml": "an OpenDocument file (.ods)"}


def check_format(start: bytes, path: str | PathLike[str], name: str) -> None:
    """Raise StreamError if a file that begins with `start` is in a format that is not read."""
    found = _known_format(start, path)
    if found is not None:
        what, advice = found
        raise StreamError(f"{name} is not read: it is {what}; ", advice)


def _known_format(start: bytes, path: str | PathLike[str]) -> tuple[str, str] | None:
    """Return what a file is, and what to do about it; None if it may be text."""
    for magic, known in STARTS.items():
        if start.startswith(magic):
            return known
    if start.startswith(b"PK\x03\x04"):
        return _in_archive(path)
    if PICKLE.match(start):
        return "a Python pickle", PANDAS
    if WEB_PAGE.match(start):
        return "a web page", "is the address that of a sign-in page? Download the file itself"
    if XML.match(start):
        return "XML", "convert it to CSV or JSON lines"
    if ARRAY.match(start):
        return "one JSON array", "make it JSON lines: jq -c '.[]' FILE > rows.jsonl"
    if b"\0" in start:
        return _binary(start)
    return None


def _in_archive(path: str | PathLike[str]) -> tuple[str, str]:
    """Return what is in a zip archive, and what to do about it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        names = []
    for part, what in SHEETS.items():
        if any(name.startswith(part) for name in names):
            return what, f"open it and {EXPORT}, or write it with pandas: read_excel(…).to_csv(…)"
    if names and all(name.endswith(".npy") for name in names):
        return "NumPy arrays (.npz)", "load them with numpy and pass them to from_arrays"
    if len(names) == 1:
        return f"a zip archive of {names[0]}", "unpack it, or pipe unzip -p FILE into standard input, -"
    return "a zip archive or workbook", f"unpack it; if it is a workbook, {EXPORT}"


def _binary(start: bytes) -> tuple[str, str]:
    start = start[:1000]
    n_even, n_odd = start[::2].count(0), start[1::2].count(0)
    if not min(n_even, n_odd) and max(n_even, n_odd) > 0.4 * len(start):
        name = "utf-16-be" if n_even else "utf-16-le"
        advice = Message("pass ", Advice("encoding", name))
        return "UTF-16 text without a byte-order mark, as it seems", advice
    shown = " ".join(f"{byte:02X}" for byte in start[:8])
    return f"no text (zero bytes, first {shown})", "CSV, ARFF, JSON lines, Parquet and Arrow are read"

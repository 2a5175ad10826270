"""Files that are not read get a sentence that says what they are and what to do."""

import io
import json
import pickle
import sqlite3
import zipfile

import numpy as np
import pandas as pd
import pytest
from support.file_rows import complaint, whole, write

from thalweg.streams import from_file

FRAME = pd.DataFrame({"a": [1.5, 2.5], "y": ["u", "v"]})


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "a,y\n1,u\n")
    return file.getvalue()


def saved(save, array):
    file = io.BytesIO()
    save(file, array)
    return file.getvalue()


def database(folder):
    with sqlite3.connect(folder / "rows.sqlite") as connection:
        connection.execute("create table t (a real, y text)")
    connection.close()
    return (folder / "rows.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped("[Content_Types].xml", "xl/workbook.xml"), ["an Excel workbook (.xlsx)", "read_excel"]),
        (zipped("mimetype", "content.xml"), ["an OpenDocument file (.ods)", "save it as CSV"]),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), ["an old Excel workbook", "save it as CSV"]),
        (zipped("data.csv"), ["a zip archive of data.csv", "unzip -p"]),
        (zipped("a.csv", "b.csv"), ["a zip archive", "unpack it"]),
        (zipped("a.csv")[:40], ["a zip archive", "unpack it"]),
        (saved(np.savez, np.eye(2)), ["NumPy arrays (.npz)", "from_arrays"]),
        (saved(np.save, np.eye(2)), ["a NumPy array", "from_arrays"]),
        (pickle.dumps(FRAME), ["a Python pickle", "to_parquet"]),
        (b"\n<!DOCTYPE html><html><body>Sign in</body></html>", ["a web page", "Download the file itself"]),
        (b"<?xml version='1.0'?><rows/>", ["it is XML"]),
        (json.dumps([{"a": 1, "y": "u"}]).encode(), ["one JSON array", "jq -c '.[]' FILE > rows.jsonl"]),
        (json.dumps({"rows": [{"a": 1}]}).encode(), ["one JSON object with a list", "jq -c '.rows[]'"]),
        (json.dumps({"a": 1}, indent=1).encode(), ["each line must be one object: jq -c ."]),
        ("a,y\n1,u\n".encode("utf-16-le"), ["UTF-16 text", "pass encoding='utf-16-le'"]),
        ("a,y\n1,u\n".encode("utf-16-be"), ["UTF-16 text", "pass encoding='utf-16-be'"]),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\n\0", ["no text (zero bytes, first 7F 45 4C 46", "are read"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "file",
)
def test_what_it_is_and_what_to_do(tmp_path, content, said):
    for name in ("rows.csv", "rows.xlsx", "rows.json"):
        text = complaint(write(tmp_path, content, name))
        assert all(words in text for words in said), text


def test_a_database(tmp_path):
    assert "an SQLite database; sqlite3 -csv" in complaint(write(tmp_path, database(tmp_path)))


def test_text_with_the_name_of_a_workbook_is_read(tmp_path):
    assert whole(from_file(write(tmp_path, "a\ty\n1.5\tu\n2.5\tv\n", "rows.xls")))[1].tolist() == [0, 1]

"""Text files in any encoding are read as the same file in UTF-8."""

import gzip
import io
import sys

import numpy as np
import pytest
from support.file_rows import complaint, whole, write

from thalweg.commands.wording import in_options
from thalweg.streams import from_file
from thalweg.streams.files import text_files

CSV = "größe;ort;klasse\n" + "".join(
    f"{k}.5;{('Köln', 'Genève')[k % 2]};{'grün' if k % 3 else 'weiß'}\n" for k in range(80)
)
ARFF = "@relation r\n@attribute größe real\n@attribute klasse {grün,weiß}\n@data\n1,grün\n2,weiß\n"
SPARSE = "@relation r\n@attribute größe real\n@attribute klasse {grün,weiß}\n@data\n{0 1}\n{0 2, 1 weiß}\n"
JSON = '{"größe": 1, "klasse": "grün"}\n{"größe": 2, "klasse": "weiß"}\n'
TEXTS = {"rows.csv": CSV, "rows.arff": ARFF, "sparse.arff": SPARSE, "rows.jsonl": JSON}
MARKED = {
    "utf-8-sig": lambda text: text.encode("utf-8-sig"),
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}


def assert_same(stream, other):
    for left, right in zip(whole(stream), whole(other), strict=True):
        np.testing.assert_array_equal(left, right)
    assert stream.names == other.names and stream.classes.tolist() == other.classes.tolist()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("name", TEXTS)
def test_marked_files_and_cp1252_are_read_as_utf_8(tmp_path, name, pack):
    plain = from_file(write(tmp_path, TEXTS[name], name))
    assert plain.columns.warnings == ()
    for encoded in MARKED.values():
        stream = from_file(write(tmp_path, pack(encoded(TEXTS[name])), f"marked-{name}"))
        assert_same(stream, plain)
        assert stream.columns.warnings == ()
    stream = from_file(write(tmp_path, pack(TEXTS[name].encode("cp1252")), f"windows-{name}"))
    assert_same(stream, plain)
    assert [warning[:26] for warning in stream.columns.warnings] == ["not UTF-8: read as cp1252,"]


def test_an_encoding_that_is_told(tmp_path):
    plain = from_file(write(tmp_path, CSV))
    for encoding in ("cp1252", "latin-1", "utf-16-le", "utf-16", "utf-8", "UTF8", "cp437"):
        stream = from_file(write(tmp_path, CSV.encode(encoding), "told.csv"), encoding=encoding)
        assert_same(stream, plain)
        assert stream.columns.warnings == ()
    japanese = from_file(write(tmp_path, "a,y\n1,表\n2,い\n".encode("shift_jis")), encoding="shift_jis")
    assert whole(japanese)[1].tolist() == [1, 0] and japanese.classes.tolist() == ["い", "表"]


def test_standard_input_and_a_schema(tmp_path, monkeypatch):
    plain = from_file(write(tmp_path, CSV))
    for content in (CSV.encode("cp1252"), CSV.encode("utf-16"), gzip.compress(CSV.encode("cp1252"))):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert_same(from_file("-"), plain)
        assert_same(from_file(write(tmp_path, content, "other.csv"), like=plain.schema()), plain)


@pytest.mark.parametrize("scan", [False, True])
def test_a_late_letter_decides(tmp_path, monkeypatch, scan):
    monkeypatch.setattr(text_files, "PIECE", 1000)
    plain = "a,b,y\n" + "1,2,up\n3,4,down\n" * 8000
    path = write(tmp_path, (plain + "5,6,größer\n").encode("cp1252"))
    stream = from_file(path, scan_labels=scan)
    assert scan or not any("UTF-8" in warning for warning in stream.columns.warnings)
    codes = whole(stream)[1]
    assert stream.classes[codes[-1]] == "größer"
    assert "UTF-8" in stream.columns.warnings[0]
    assert_same(from_file(write(tmp_path, plain + "5,6,größer\n", "utf8.csv"), scan_labels=scan), stream)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_utf_8_with_a_row_of_another_encoding_is_an_error(tmp_path, monkeypatch, on_error):
    for size in (1 << 20, 100):
        monkeypatch.setattr(text_files, "PIECE", size)
        for scan in (False, True):
            path = write(tmp_path, CSV.encode() + "7.5;Köln;grün\n".encode("cp1252"))
            said = complaint(path, on_error=on_error, scan_labels=scan)
            assert "is not UTF-8 text, though earlier rows are" in said and "encoding='cp1252'" in said
            assert "7.5;K" in said


def test_what_fits_no_encoding_is_an_error(tmp_path):
    neither = write(tmp_path, b"a,y\n\x81\xff,1\n")
    assert "neither UTF-8 nor cp1252 text, it has the bytes 81 FF" in complaint(neither)
    cut = write(tmp_path, CSV.encode("utf-16")[:-1])
    assert "is not utf-16 text, it ends with the bytes 0A; it may be damaged" in complaint(cut)
    told = write(tmp_path, CSV.encode("cp1252"))
    assert "is not UTF-8 text: b'0.5;K\\xf6ln;wei\\xdf'" in complaint(told, encoding="utf-8")
    assert "is not ascii text, it has the bytes F6 DF" in complaint(told, encoding="ascii")
    for encoding in ("nonsense", "hex", "a\0"):
        with pytest.raises(ValueError, match=r"encoding must be an encoding such as utf-8, .*, got"):
            from_file(told, encoding=encoding)


def test_the_command_speaks_of_its_option(tmp_path):
    warning, = from_file(write(tmp_path, CSV.encode("cp1252"))).columns.warnings
    assert in_options(warning).endswith("pass --encoding cp1250, or whatever it is")
